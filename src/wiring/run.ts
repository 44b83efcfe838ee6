/** Composes the service in the main thread: engine, services, HTTP server and threads. */

import os from 'node:os';
import path from 'node:path';
import type { QueueStatistics } from '../base/admission.ts';
import { childEnvironment } from '../base/child-environment.ts';
import { type Clock, sleep } from '../base/clock.ts';
import { errorText, GridError } from '../base/errors.ts';
import { type FailoverStatus, takeoverText } from '../base/failover-status.ts';
import { LOG_BOUNDS, STOP_STEPS, TASK_BOUNDS } from '../base/limits.ts';
import { rateMemory } from '../base/shared-rates.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { ConfigurationError } from '../configuration/option.ts';
import { stopDelayMs } from '../configuration/stop-delay.ts';
import { PRODUCT_VERSION } from '../configuration/version.ts';
import type { Records } from '../grid/grid.ts';
import { bufferMemory } from '../http/buffer-budget.ts';
import { connectionMemory } from '../http/connection-count.ts';
import { addressesOf } from '../http/ports.ts';
import { responseMemory } from '../http/replies/response-budget.ts';
import { reservePorts, type SharedPorts } from '../http/server.ts';
import { startHttpThreads } from '../processes/http/http-threads.ts';
import type { MainServices } from '../processes/http/service-channel.ts';
import { startAnswering } from '../processes/start/long-start.ts';
import { startWatchdog } from '../processes/watchdog/watchdog.ts';
import { type OwnBackupService, rejectedBackups, StoredBackups } from '../service/backups/backup-service.ts';
import { RestoreChecks } from '../service/backups/restore-checks.ts';
import { ShippingEvents } from '../service/backups/shipping-events.ts';
import { type AuditPart, createEventAudit, type RecordEvent } from '../service/monitoring/audit.ts';
import { createHealth, HEALTH_BYTES } from '../service/monitoring/health.ts';
import { createLog, type LineSink, type Log, withStdout } from '../service/monitoring/log.ts';
import { MetricsHistory } from '../service/monitoring/metrics-history.ts';
import { createNodeService, type Listening } from '../service/monitoring/node-service.ts';
import type { ProcessMetrics } from '../service/monitoring/process-metrics.ts';
import { metricFamilies, metricsText, type PrometheusOptions } from '../service/monitoring/prometheus.ts';
import { RotatingFile } from '../service/monitoring/rotating-file.ts';
import { WatchedThreads } from '../service/monitoring/watched-threads.ts';
import type { Account } from '../service/security/accounts.ts';
import { Passwords } from '../service/security/passwords.ts';
import { SecurityEpoch } from '../service/security/security-epoch.ts';
import { forbiddenNames, initialAccount, seedUsers } from '../service/security/users.ts';
import { BUILT_IN_TASKS } from '../service/tasks/built-in-tasks.ts';
import { ProcessPool } from '../service/tasks/process-pool.ts';
import { TASK_PROCESS_ARGUMENT } from '../service/tasks/task-messages.ts';
import { createTaskService } from '../service/tasks/task-service.ts';
import { backupPlace } from './backup-places.ts';
import { buildInfoOf } from './build-info.ts';
import { consoleUrl } from './console/console-url.ts';
import { authenticatingAs, directoryOf, userGridsOf } from './directory.ts';
import { openEngine, type PrimaryTerm } from './engine.ts';
import { announce } from './folder-owner.ts';
import { passwordInFile, printedPassword } from './generated-password.ts';
import {
  COMMAND_NAMES,
  LOG_FILE,
  metricsOf,
  permissionsOf,
  type SharedMemories,
  sessionsOf,
  startHttpPart,
} from './http-part.ts';
import { jwtKeysOf } from './jwt-keys.ts';
import { ownCommand } from './launch.ts';
import { LoginCounts } from './login-counts.ts';
import type { OpenEngine } from './open-engine.ts';
import { fitOpenFiles, openFilesLimit } from './open-files.ts';
import { processInfo, type ThreadCount } from './process-info.ts';
import type { RunningService, WatchableService } from './running-service.ts';
import { storeSeeds } from './seeds.ts';
import { readServiceInfo, type ServiceInfoOptions } from './service-info.ts';
import { openLogs, openMetrics } from './telemetry.ts';
import { clusterUsers, endingWhatIsOwned, ownUsers } from './user-services.ts';

/** How often other threads learn whether the continuous backup ships. */
const SHIPPING_CHECK_MS = 1_000;
/** The files of the audit log. */
const AUDIT_FILES = { done: 'audit.log', failures: 'audit-failures.log' } as const;

/** The parts of the service that exist before its engine is open. */
interface Foundation {
  readonly configuration: Configuration;
  readonly argv: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
  readonly logSink: LineSink;
  readonly auditFiles: Readonly<Record<AuditPart, RotatingFile>>;
  /** Maximum connections of all HTTP threads together. */
  readonly mostConnections: number;
  readonly watched: WatchedThreads;
}

/** Starts the service; resolves when it listens, which can be before the cluster of the cluster engine is reachable. */
export async function runService(
  settings: Configuration,
  argv: readonly string[],
  clock: Clock,
): Promise<WatchableService> {
  // Connections and cursors of the cluster engine belong to one thread; add services to scale.
  const workers = settings.engine.kind === 'cluster' ? 1 : settings.workers;
  const fitted = fitOpenFiles(settings.limits, workers, openFilesLimit());
  const configuration = { ...settings, workers, limits: fitted.limits };
  const { log: logSettings } = configuration;
  const logFile = openLogFile(logSettings.dir, settings.dataDir, LOG_FILE, clock);
  const auditFiles = {
    done: openLogFile(logSettings.dir, settings.dataDir, AUDIT_FILES.done, clock),
    failures: openLogFile(logSettings.dir, settings.dataDir, AUDIT_FILES.failures, clock),
  };
  // The reader may close the pipe.
  if (logSettings.stdout !== 'none') process.stdout.on('error', () => {});
  const printed = withStdout(logFile, logSettings.stdout, (text) => process.stdout.write(text));
  const sentLogs = await openLogs(configuration, clock, printed);
  const logSink = sentLogs?.sink(printed) ?? printed;
  const log = createLog(logSink, logSettings.level, clock);
  log.info('Starting', { version: PRODUCT_VERSION, workers, engine: configuration.engine.kind });
  for (const warning of configuration.warnings) log.warn(warning);
  if (fitted.lowered !== undefined) log.warn(fitted.lowered);
  const watched = new WatchedThreads(workers);
  const { connections: mostConnections } = fitted;
  const foundation = { configuration, argv, clock, log, logSink, auditFiles, mostConnections, watched };
  const running = await startRole(foundation);
  return {
    grid: running.grid,
    url: running.url,
    consoleUrl: running.consoleUrl,
    ...(running.movedFrom !== undefined && { movedFrom: running.movedFrom }),
    ...(running.waitsBecause !== undefined && { waitsBecause: running.waitsBecause }),
    ...(running.tokenKeyWarning !== undefined && { tokenKeyWarning: running.tokenKeyWarning }),
    ...(running.role !== undefined && { role: running.role }),
    watch: () => startWatchdog(watched, configuration, clock, log),
    async stop() {
      log.info('Stopping');
      await running.stop();
      log.info('Stopped');
      await sentLogs?.close();
      logFile.close();
      for (const file of Object.values(auditFiles)) file.close();
    },
  };
}

/** Starts the service, which may have to wait for a cluster, or until it is the primary. */
async function startRole(foundation: Foundation): Promise<RunningService> {
  const { configuration, clock, log, auditFiles } = foundation;
  const start = (...options: OpenOptions) => openAndServe(foundation, ...options);
  if (configuration.engine.kind === 'cluster') {
    return (await import('./cluster-start.ts')).startWithCluster({ configuration, clock, log, start });
  }
  const { continuous } = configuration.backup;
  if (continuous?.failover === undefined) {
    return startAnswering(configuration, log, (ports, onLong) => start(ports, undefined, onLong));
  }
  const { startWithFailover } = await import('./failover/failover-start.ts');
  const { failover } = continuous;
  const recordEvent = createEventAudit(auditFiles, clock);
  return startWithFailover({ configuration, continuous, failover, clock, log, recordEvent, start });
}

type OpenOptions = [ports: () => SharedPorts | undefined, term?: PrimaryTerm, onLongStart?: () => void];

/** Opens the engine and serves requests, on the ports that `sharedPorts` returns or on its own. */
async function openAndServe(
  foundation: Foundation,
  ...[sharedPorts, term, onLongStart]: OpenOptions
): Promise<RunningService> {
  const { configuration, argv, clock, log, watched } = foundation;
  const events = { onStuck: () => watched.statementProcessReplaced(), onLongStart };
  const opened = await openEngine(configuration, argv, clock, log, events, term);
  try {
    const effective = authenticatingAs(configuration, opened.grid, log);
    return await serve({ ...foundation, configuration: effective }, opened, sharedPorts, term);
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** Composes the service over an open engine; resolves when it serves requests. */
async function serve(
  { configuration, argv, clock, log, logSink, auditFiles, mostConnections, watched }: Foundation,
  opened: OpenEngine,
  sharedPorts: () => SharedPorts | undefined,
  term: PrimaryTerm | undefined,
): Promise<RunningService> {
  const { workers, http, limits } = configuration;
  const healthMemory = new SharedArrayBuffer(HEALTH_BYTES);
  const { grid } = opened;
  const health = createHealth({
    grid: () => grid,
    clock,
    memory: healthMemory,
    writesFiles: configuration.engine.kind === 'embedded',
  });
  const metrics = metricsOf(workers);
  const epoch = new SecurityEpoch();
  const threads: ThreadCount = { current: 1, maximum: 1, started: 1 };
  const info = processInfo(
    clock,
    configuration.engine.kind === 'embedded' ? configuration.dataDir : undefined,
    threads,
  );
  const memories: SharedMemories = {
    metrics: metrics.memory,
    measuredThreads: workers,
    epoch: epoch.memory,
    rates: rateMemory(),
    health: healthMemory,
    requestBuffers: bufferMemory(workers),
    responseBuffers: responseMemory(workers),
    connections: connectionMemory(workers),
    mostConnections,
    watched: watched.memory,
    failover:
      term === undefined || opened.commitCounts === undefined
        ? undefined
        : { state: term.state, signals: term.signals, commitCounts: opened.commitCounts },
  };

  const directory = await directoryOf(configuration, grid);
  if (directory !== undefined && configuration.jwt !== undefined) {
    throw new ConfigurationError(
      'jwt.keys: the cluster checks the password of a user on each connection, and a token has none',
    );
  }
  const permissions = permissionsOf({ configuration, directory, clock }, grid, epoch);
  const sessions = sessionsOf({ configuration, clock }, grid, epoch, log, directory, permissions);
  const userGrids = directory && sessions && userGridsOf(directory, configuration, grid, sessions, clock);
  // Only services of a cluster have others.
  const others = opened.cursorTag === undefined ? undefined : await import('./peers.ts');
  const peers = others?.peersOf(configuration, opened, clock, log);
  const passwords = new Passwords({ clock, targetMs: limits.queueMs });
  if (configuration.authentication && directory === undefined) {
    await startUsers({ configuration, opened, epoch, log }, passwords);
  }
  await storeSeeds(configuration, grid);
  const { taskProcesses } = configuration;
  const pool = new ProcessPool({
    grid,
    clock,
    log,
    command: ownCommand(TASK_PROCESS_ARGUMENT),
    environment: childEnvironment(process.env, taskProcesses.environment),
    configuration: configuration.file,
    count: taskProcesses.count ?? Math.max(2, info.processor().count - 1),
    memoryBytes: taskProcesses.memoryBytes ?? TASK_BOUNDS.processBytes,
    maxWaiting: TASK_BOUNDS.waiting,
    targetMs: limits.queueMs,
  });
  const tasks = createTaskService({
    grid,
    clock,
    pool,
    names: new Set([...Object.keys(BUILT_IN_TASKS), ...Object.keys(configuration.tasks)]),
    maxResults: configuration.limits.taskResults,
    maxTimeoutMs: taskProcesses.maxTimeoutMs ?? TASK_BOUNDS.maxTimeoutMs,
  });
  const recordEvent = createEventAudit(auditFiles, clock);
  if (term !== undefined) recordTerm(recordEvent, term.status());
  const backups = await backupsOf(configuration, opened, clock, log, recordEvent);
  let listening: Listening = { addresses: [], hostNames: [], port: 0 };
  const users = endingWhatIsOwned(
    directory === undefined || sessions === undefined
      ? ownUsers(configuration, { grid, clock, passwords, sessions, epoch, permissions })
      : clusterUsers(configuration, directory, { grid, clock, sessions, epoch, permissions }),
    (isOwner) => {
      tasks.endOf(isOwner);
      opened.endOf(isOwner);
    },
  );
  const loginCounts = new LoginCounts();
  const metricsHistory = new MetricsHistory({
    clock,
    metrics,
    machine: info,
    stalls: () => watched.statistics(),
    storage: () => opened.storage(),
    statements: () => opened.statements(),
    continuous: () => backups.metrics()?.continuous,
    slowMs: configuration.log.slowMs,
    commands: COMMAND_NAMES,
  });
  const jwtKeys = jwtKeysOf(configuration, clock, log);
  const metricsSource = (): PrometheusOptions => ({
    backups: backups.metrics(),
    metrics,
    stalls: watched.statistics(),
    queues: queuesOf(opened, pool, passwords),
    grid,
    machine: info,
    sessions,
    ready: async () => term?.status().isHeld !== false && (await health.readiness()) === 'ready',
    build: buildInfoOf(configuration),
    statements: () => opened.statements(),
    storage: () => opened.storage(),
    changeFeed: () => grid.changeFeed?.statistics(),
    logins: configuration.authentication ? loginCounts.read() : undefined,
    hasRates: Object.values(configuration.rateLimits).some((rate) => rate !== undefined),
    syncIntervals: opened.syncIntervals,
    failover: () => term?.status(),
  });
  const services: MainServices = {
    ...users,
    logins: loginCounts.authenticator(users.logins),
    keyAttempts: loginCounts.keyAttempts(users.keyAttempts),
    jwtKeys: jwtKeys.keys,
    failover: { status: () => term?.status() },
    tasks,
    nodes: createNodeService({
      grid,
      clock,
      defaultCache: configuration.defaultCache,
      // Row 50 of docs/differences.md.
      ownCachesListed: configuration.compatibility === 'reference',
      machine: info,
      metrics,
      jobs: () => pool.metrics(),
      executedTasks: () => tasks.executedTasks(),
      listening: () => listening,
      portRange: http.portRange,
      workers,
      failover: () => term?.status(),
    }),
    backups,
    metricsHistory,
    log: logSink,
    audit: auditFiles,
    metrics: () => metricsText(metricsSource()),
  };

  let clients: ServiceInfoOptions['clients'] = async () => [];
  opened.shares?.setServiceInfo(() =>
    readServiceInfo({
      configuration,
      version: PRODUCT_VERSION,
      grid,
      clock,
      nodes: services.nodes,
      tasks,
      metrics,
      manages: permissions.isAdministrator,
      clients: () => clients(),
      sessions: async () => (await sessions?.count()) ?? 0,
    }),
  );
  const server = await listen();
  listening = listeningOn(http.host, server.port, info);
  if (others !== undefined) await peers?.announce(others.reachableUrl(server.url, http.host, info));
  await backups.start();
  const sentMetrics = await openMetrics(configuration, clock, log, {
    startedAtMs: info.startedAtMs,
    read: () => metricFamilies(metricsSource()),
  });
  const shippingChecks =
    configuration.backup.continuous && clock.every(SHIPPING_CHECK_MS, () => health.setShipping(backups.isShipping()));
  health.started();
  log.info('Listening', { url: server.url });
  const movedFrom = movedPort(http, server.port);
  if (movedFrom !== undefined)
    log.warn('The port is in use, another one was chosen', { port: movedFrom, chosen: server.port });
  const withdraw = announce(configuration, server.url, clock);
  return {
    grid,
    url: server.url,
    consoleUrl: consoleUrl(server.url, http),
    ...(movedFrom !== undefined && { movedFrom: { port: movedFrom, chosen: server.port } }),
    ...(jwtKeys.firstLoad !== undefined && { tokenKeyWarning: jwtKeys.firstLoad }),
    async stop() {
      health.stopping();
      // Load balancers need a few probes before they send requests elsewhere.
      const delayMs = stopDelayMs(configuration);
      if (delayMs > 0) await sleep(clock, delayMs);
      const cancel = clock.after(STOP_STEPS.cancelMs, () => {
        opened.cancel();
        void tasks.close();
        void backups.close();
      });
      metricsHistory.stop();
      shippingChecks?.cancel();
      await server.stop();
      cancel.cancel();
      await sentMetrics?.close();
      await tasks.close();
      await backups.close();
      await peers?.close();
      await userGrids?.close();
      await opened.close();
      withdraw();
    },
  };

  /** Starts serving requests in this thread and, with several workers, in others. */
  async function listen(): Promise<RunningService & { readonly port: number }> {
    const given = sharedPorts();
    const reserved = workers === 1 || given !== undefined ? undefined : reservePorts(http);
    const ports = given ?? (reserved && sharedOf(reserved));
    const { openCursors, evictedCursors } = opened;
    const { server, stop } = await startHttpPart(
      {
        configuration,
        clock,
        grid,
        thread: 0,
        memories,
        services,
        directory,
        userGrids,
        lastKnownUsers: opened.lastKnownUsers,
        peers,
        openCursors,
        evictedCursors,
      },
      ports,
    );
    const otherThreads =
      workers > 1 &&
      ports &&
      (await startHttpThreads({
        count: workers - 1,
        argv,
        engine: opened,
        services,
        memories,
        ports,
        clock,
        log,
        onCount(change, thread) {
          if (change < 0) watched.ended(thread);
          threads.current += change;
          if (change > 0) threads.started++;
          threads.maximum = Math.max(threads.maximum, threads.current);
        },
      }));
    clients = async () => [server.clients(), ...(otherThreads ? await otherThreads.clients() : [])];
    return {
      url: server.url,
      port: server.port,
      async stop() {
        await Promise.all([stop(STOP_STEPS.closeMs), otherThreads ? otherThreads.stop() : undefined]);
        reserved?.release();
      },
    };
  }
}

/** Returns reserved ports in a form that can be posted to a thread. */
function sharedOf({ plain, tls, metrics, console }: SharedPorts): SharedPorts {
  return { plain, tls, metrics, console };
}

/** Returns the configured port if it is in use and the service listens on a different one. */
function movedPort({ port, tls }: Configuration['http'], chosen: number): number | undefined {
  const wanted = port ?? tls?.port;
  return wanted === undefined || wanted === 0 || wanted === chosen ? undefined : wanted;
}

/** Records that this service is the primary, and why. */
function recordTerm(recordEvent: RecordEvent, { epoch, takeover }: FailoverStatus): void {
  const isTakeover = takeover !== null && takeover.epoch === epoch;
  const because = isTakeover ? takeoverText(takeover) : 'a restart';
  const mayHaveLostMs = isTakeover ? (takeover.mayHaveLostMs ?? 'no bound') : 0;
  recordEvent('done', 'primary', { epoch, because, mayHaveLostMs });
}

/** Creates the service that makes backups. On a cluster it rejects them. */
async function backupsOf(
  configuration: Configuration,
  opened: OpenEngine,
  clock: Clock,
  log: Log,
  recordEvent: RecordEvent,
): Promise<OwnBackupService> {
  const { backup } = configuration;
  const { backups: engine, backupReader: reader, continuous } = opened;
  if (engine !== undefined && reader !== undefined) {
    const { restoreChecks, shippingEvents } = continuousParts(configuration, opened, clock, log, recordEvent);
    const place = await backupPlace(backup.folder, clock);
    return new StoredBackups({
      ...backup,
      ...{ engine, reader, place, restoreChecks, shippingEvents, clock, log },
      continuous,
      continuousUrl: backup.continuous?.url,
    });
  }
  return rejectedBackups(
    'the nodes of the cluster store the data; use the snapshots of Apache Ignite, for example control.sh --snapshot ' +
      'create NAME',
  );
}

/** Creates the observers of the continuous backup, if there is one. */
function continuousParts(
  { backup }: Configuration,
  { continuous, checkRestore, grid: { records } }: OpenEngine,
  clock: Clock,
  log: Log,
  recordEvent: RecordEvent,
): { readonly restoreChecks: RestoreChecks | undefined; readonly shippingEvents: ShippingEvents | undefined } {
  const isShipping = (): boolean => continuous()?.state === 'shipping';
  const intervalMs = backup.continuous?.verifyIntervalMs;
  return {
    restoreChecks:
      checkRestore === undefined || intervalMs === undefined
        ? undefined
        : new RestoreChecks({ check: checkRestore, isShipping, intervalMs, records, clock, log, recordEvent }),
    shippingEvents: backup.continuous && new ShippingEvents({ continuous, clock, recordEvent }),
  };
}

/** Returns the statistics of the process-wide queues. */
function queuesOf({ queues }: OpenEngine, pool: ProcessPool, passwords: Passwords): Record<string, QueueStatistics> {
  return { ...queues(), passwords: passwords.statistics(), tasks: pool.statistics() };
}

/** Returns the addresses that `node` and `top` show: the bound ones, or all of the machine's for a wildcard. */
function listeningOn(host: string, port: number, machine: ProcessMetrics): Listening {
  const bound = addressesOf(host);
  const wildcard = bound.some((address) => address === '0.0.0.0' || address === '::');
  return { addresses: wildcard ? machine.networkAddresses() : bound, hostNames: [os.hostname()], port };
}

/** Creates the users of a new store; on a cluster that is not active, once it is. */
async function startUsers(
  {
    configuration,
    opened,
    epoch,
    log,
  }: Pick<Foundation, 'configuration' | 'log'> & { readonly opened: OpenEngine; readonly epoch: SecurityEpoch },
  passwords: Passwords,
): Promise<void> {
  const { grid, lastKnownUsers } = opened;
  const { serviceName: defaultUser, adminPassword, users } = configuration;
  const initial = lastKnownUsers && (await initialAccount({ passwords, defaultUser, adminPassword, users }));
  const prepare = () => prepareUsers(configuration, grid.records, passwords, log, initial);
  if (lastKnownUsers === undefined) {
    await prepare();
    opened.writeNewBack?.();
    return;
  }
  return lastKnownUsers.start({
    prepare,
    initial,
    async complete() {
      if ((await grid.cluster.state()) !== 'ACTIVE') return false;
      await grid.caches.declareConfigured?.();
      await storeSeeds(configuration, grid);
      return true;
    },
    onReadable: () => epoch.raise(),
    onFailure: (error) => log.warn('The users of the cluster could not be read', { detail: String(error) }),
  });
}

/** Creates the users of a new store, and warns about stored ones whose names are no longer allowed. */
async function prepareUsers(
  configuration: Configuration,
  records: Records,
  passwords: Passwords,
  log: Log,
  initial: Account | undefined,
): Promise<void> {
  const { serviceName: defaultUser, adminPassword, users } = configuration;
  const file = configuration.generatedPasswordFile;
  const generated = file === undefined ? printedPassword() : passwordInFile(file, log);
  try {
    await seedUsers({ records, passwords, defaultUser, adminPassword, users, initial, generated });
  } catch (error) {
    const isMistake = error instanceof GridError && error.code === 'USER_OPERATION';
    throw isMistake ? new ConfigurationError(`users: ${error.message}`) : error;
  }
  for (const user of await forbiddenNames(records)) {
    log.warn('The name of a user can be mistaken for another sender; add the user again under another name', { user });
  }
}

/** Opens a log file. Throws ConfigurationError if the folder is not writable; `dataDir` may contain it. */
function openLogFile(folder: string, dataDir: string, name: string, clock: Clock): RotatingFile {
  try {
    return new RotatingFile({ folder, name, maxBytes: LOG_BOUNDS.fileBytes, keep: LOG_BOUNDS.filesKept, clock });
  } catch (error) {
    const reason = errorText(error);
    const isInside = folder.startsWith(path.join(dataDir, path.sep));
    throw new ConfigurationError(
      isInside
        ? `dataDir: ${dataDir} cannot be used (${reason}): grant write permission or choose another folder (SVC_DATA_DIR)`
        : `log.dir: ${folder} is not writable (${reason}): grant write permission or choose another folder (SVC_LOG_DIR)`,
      { cause: error },
    );
  }
}
