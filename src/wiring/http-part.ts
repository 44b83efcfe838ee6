/** Composes the request pipeline, its services and the HTTP server of one thread. */

import { type Clock, randomUuid } from '../base/clock.ts';
import { GridError, gridError } from '../base/errors.ts';
import { type FailoverSignals, FailoverState } from '../base/failover-state.ts';
import { LOG_BOUNDS } from '../base/limits.ts';
import type { SharedArea } from '../base/shared-areas.ts';
import { SharedRates } from '../base/shared-rates.ts';
import { ThreadSignal } from '../base/thread-signal.ts';
import type { Caller } from '../commands/context.ts';
import { COMMANDS } from '../commands/registry.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { PRODUCT_VERSION } from '../configuration/version.ts';
import { commitsIn } from '../engines/embedded/storage/shared-state.ts';
import type { Grid } from '../grid/grid.ts';
import { ConnectionCount } from '../http/connection-count.ts';
import { optionalPages, servesPage } from '../http/pages/page-handler.ts';
import { ResponseBudget } from '../http/replies/response-budget.ts';
import { JSON_TYPE } from '../http/reply.ts';
import { type RunningServer, requestBuffersOf, type SharedPorts, startHttpServer } from '../http/server.ts';
import type { MainServices } from '../processes/http/service-channel.ts';
import { createResources, knownTables } from '../resources/resources.ts';
import { createAudit } from '../service/monitoring/audit.ts';
import type { CommandTracer } from '../service/monitoring/command-tracer.ts';
import { EventLoopDelay } from '../service/monitoring/event-loop-delay.ts';
import { createHealth, type Health } from '../service/monitoring/health.ts';
import { createLog, type Log } from '../service/monitoring/log.ts';
import { createLogService } from '../service/monitoring/log-service.ts';
import { Metrics } from '../service/monitoring/metrics.ts';
import { createObserver } from '../service/monitoring/observer.ts';
import { PROMETHEUS_TYPE } from '../service/monitoring/prometheus.ts';
import { WatchedThreads } from '../service/monitoring/watched-threads.ts';
import { RemoteGate } from '../service/remote-gate.ts';
import { type CommandService, failedOutcome, type RawRequest, textOutcome } from '../service/request.ts';
import { RunningRequests } from '../service/running-requests.ts';
import { ApiKeys } from '../service/security/api-keys/api-keys.ts';
import { createAuthentication } from '../service/security/authentication.ts';
import { JwtVerifier } from '../service/security/jwt/jwt-verifier.ts';
import { type LastKnownUsers, worksWithLastKnownUsers } from '../service/security/last-known-users.ts';
import { createPermissions, type Permissions } from '../service/security/permissions.ts';
import { RateLimits } from '../service/security/rate-limits.ts';
import { SecurityEpoch } from '../service/security/security-epoch.ts';
import { Sessions } from '../service/security/sessions.ts';
import { createSignature } from '../service/security/signature.ts';
import { StoredRoles } from '../service/security/stored-roles.ts';
import type { UserGrids } from '../service/security/user-grids.ts';
import { createService } from '../service/service.ts';
import { consoleFile } from './console/console-files.ts';
import { accountsOf, type Directory, defaultUserOf } from './directory.ts';
import { withMcp } from './mcp.ts';
import type { Peers } from './peers.ts';
import { openShadow } from './shadow.ts';
import { openTraces } from './telemetry.ts';

/** Memory shared by all threads. */
export interface SharedMemories {
  readonly metrics: SharedArrayBuffer;
  readonly measuredThreads: number;
  readonly epoch: SharedArrayBuffer;
  /** Requests and audit log lines, counted against rates. */
  readonly rates: SharedArrayBuffer;
  readonly health: SharedArrayBuffer;
  /** Bytes of requests that each HTTP thread buffers. */
  readonly requestBuffers: SharedArrayBuffer;
  /** Unread response bytes of each HTTP thread. */
  readonly responseBuffers: SharedArrayBuffer;
  /** Each HTTP thread's number of connections, and their maximum over all threads. */
  readonly connections: SharedArrayBuffer;
  readonly mostConnections: number;
  /** The watchdog's knowledge of the HTTP threads. */
  readonly watched: SharedArrayBuffer;
  /** A primary's term, and the commits that its responses wait for, or undefined if no other service takes over. */
  readonly failover: FailoverMemories | undefined;
}

export interface FailoverMemories {
  readonly state: SharedArea;
  readonly signals: FailoverSignals;
  readonly commitCounts: SharedArea;
}

export const LOG_FILE = 'svc.log';
/** Metrics are read at most every few seconds, and a thread publishes them in microseconds. */
const PUBLISH_MS = 1_000;
const CLUSTER_TRUST_MS = 1_000;

/** The dependencies of a thread's services. */
export interface ThreadOptions {
  readonly configuration: Configuration;
  readonly clock: Clock;
  readonly grid: Grid;
  /** Index of this thread among the HTTP threads; 0 is the main thread. */
  readonly thread: number;
  readonly memories: SharedMemories;
  readonly services: MainServices;
  /** The cluster's users and grids that connect as them, or undefined if the service stores users itself. */
  readonly directory?: Directory | undefined;
  readonly userGrids?: UserGrids | undefined;
  readonly lastKnownUsers?: LastKnownUsers | undefined;
  /** The cluster's other services. */
  readonly peers?: Peers | undefined;
  /** Returns the number of open cursors, for the metrics. */
  openCursors(): number;
  evictedCursors(): number;
}

export const COMMAND_NAMES = COMMANDS.map(({ name }) => name);

export function metricsOf(threads: number, thread = 0, memory?: SharedArrayBuffer): Metrics {
  return new Metrics(COMMAND_NAMES, threads, thread, memory);
}

/** Creates the sessions of this thread; undefined without authentication. */
export function sessionsOf(
  { configuration, clock }: Pick<ThreadOptions, 'configuration' | 'clock'>,
  grid: Grid,
  epoch: SecurityEpoch,
  log: Log,
  directory: Directory | undefined,
  { isAdministrator }: Permissions,
): Sessions | undefined {
  if (!configuration.authentication) return undefined;
  return new Sessions({
    records: grid.records,
    findAccount: accountsOf(grid, directory),
    clock,
    epoch,
    timeoutMs: configuration.sessionTimeoutMs,
    consoleTimeoutMs: configuration.consoleSessionTimeoutMs,
    lifetimeMs: configuration.sessionLifetimeMs,
    maxSessions: configuration.limits.sessions,
    isAdministrator,
    trustMs: trustMsOf(configuration),
    onRenewalFailed: (error) => log.warn('A session could not be renewed', { detail: String(error) }),
    onEvicted: (user) => log.info('A session was ended because another user needs its share', { user }),
  });
}

/** Creates the API keys for this thread. */
function apiKeysOf(
  { configuration, clock, grid, directory, services }: ThreadOptions,
  epoch: SecurityEpoch,
  log: Log,
): ApiKeys {
  return new ApiKeys({
    records: grid.records,
    findAccount: accountsOf(grid, directory),
    clock,
    epoch,
    keyAttempts: services.keyAttempts,
    trustMs: trustMsOf(configuration),
    onUseNotStored: (error) => log.warn('The use of an API key could not be stored', { detail: String(error) }),
  });
}

/** Creates this thread's JSON Web Token verifier, or returns undefined if tokens are not accepted. */
function jwtOf({ configuration, clock, grid, services }: ThreadOptions, epoch: SecurityEpoch): JwtVerifier | undefined {
  const { jwt: settings } = configuration;
  if (settings === undefined) return undefined;
  return new JwtVerifier({
    settings,
    keys: services.jwtKeys,
    findAccount: accountsOf(grid, undefined),
    clock,
    epoch,
    keyAttempts: services.keyAttempts,
    trustMs: trustMsOf(configuration),
  });
}

/** Returns undefined if no request is counted. With authentication, API keys may have their own rates. */
function rateLimitsOf(
  { authentication, rateLimits }: Configuration,
  rates: SharedRates,
  { isAdministrator }: Permissions,
): RateLimits | undefined {
  if (!authentication && rateLimits.address === undefined) return undefined;
  return new RateLimits({ ...rateLimits, rates, isAdministrator });
}

/** Returns how long a thread trusts its cache: other services change a cluster's users without notifying this one. */
function trustMsOf({ engine }: Configuration): number {
  return engine.kind === 'cluster' ? CLUSTER_TRUST_MS : Number.POSITIVE_INFINITY;
}

export function permissionsOf(
  { configuration, directory, clock }: Pick<ThreadOptions, 'configuration' | 'directory' | 'clock'>,
  { caches, records }: Pick<Grid, 'caches' | 'records'>,
  epoch: SecurityEpoch,
): Permissions {
  return createPermissions({
    declaration: configuration.permissions,
    defaultUser: defaultUserOf(configuration, directory),
    defaultCache: configuration.defaultCache,
    compatibility: configuration.compatibility,
    cacheOfTable: (table, cache) => caches.cacheOfTable(table, cache),
    isCluster: configuration.engine.kind === 'cluster',
    commands: COMMANDS,
    tokenRoles: [...(configuration.jwt?.roles.values() ?? [])].flat(),
    storedRoles: new StoredRoles({ records, clock, epoch, commands: COMMANDS, trustMs: trustMsOf(configuration) }),
  });
}

/** The serving part of a thread. */
export interface HttpPart {
  readonly server: RunningServer;
  /** Stops the server, then sends the remaining traces. */
  stop(graceMs: number): Promise<void>;
}

/** Starts to serve requests; `ports` are those that the main thread has reserved for several threads. */
export async function startHttpPart(options: ThreadOptions, ports: SharedPorts | undefined): Promise<HttpPart> {
  const { configuration, clock, grid, services, memories } = options;
  const log = createLog(services.log, configuration.log.level, clock);
  const health = createHealth({
    grid: () => grid,
    clock,
    memory: memories.health,
    writesFiles: configuration.engine.kind === 'embedded',
  });
  const metrics = metricsOf(memories.measuredThreads, options.thread, memories.metrics);
  const watched = new WatchedThreads(memories.measuredThreads, memories.watched);
  const traces = await openTraces(configuration, clock, log);
  const { service, metricsGuard, counts } = createPipeline(options, log, health, metrics, watched, traces);
  const shadow = await openShadow(configuration, clock, log, metrics);
  // Created on demand: it would delay the first response.
  let document: string | undefined;
  const unexpected = (error: unknown): GridError => {
    if (error instanceof GridError) return error;
    const id = randomUuid();
    log.error('A request failed unexpectedly', {
      id,
      detail: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
    return gridError('INTERNAL', id);
  };
  const failover = memories.failover && new FailoverState(memories.failover.state);
  const gate = failover && gateOf(options, failover);
  const observed = shadow?.wrap(service) ?? service;
  const executed = gate?.wrap(observed) ?? observed;
  const { manyNodes } = grid.capabilities;
  const resourceParts = { ...configuration, service: executed, caches: grid.caches, manyNodes };
  const server = await startHttpServer(
    {
      settings: configuration.http,
      serviceName: configuration.serviceName,
      limits: configuration.limits,
      clock,
      unexpected,
      notice: (level, text) => log[level](text),
      resources: withMcp(createResources(resourceParts), configuration, executed),
      pages: {
        async ready(withBackup) {
          if (failover?.holds() === false || (withBackup && !health.isShipping())) return false;
          return (await health.readiness()) === 'ready';
        },
        role: () => services.failover.status(),
        async openApi() {
          const { openApiDocument } = await import('../documentation/openapi.ts');
          document ??= openApiDocument(configuration.serviceName, configuration.http);
          return document;
        },
        async openApiWithTables(request) {
          const tables = await knownTables(resourceParts, request);
          if ('successStatus' in tables) return tables;
          const { openApiDocument } = await import('../documentation/openapi.ts');
          const text = openApiDocument(configuration.serviceName, configuration.http, tables);
          return textOutcome(text, JSON_TYPE);
        },
        async home(accept) {
          const ready = (await health.readiness()) === 'ready';
          const { homePage } = await import('../documentation/home-page.ts');
          const version = configuration.authentication ? undefined : PRODUCT_VERSION;
          const { serviceName, http } = configuration;
          return homePage(accept, { serviceName, version, ready, serves: servesPage(http) });
        },
        errorPage: async (path, accept) => (await import('../documentation/error-page.ts')).errorPage(path, accept),
        consoleFile: (file) => consoleFile(configuration, file),
        metrics: (request) =>
          metricsGuard(request).then(async () => textOutcome(await services.metrics(), PROMETHEUS_TYPE)),
      },
      requestBuffers: requestBuffersOf(configuration.limits, memories.requestBuffers, options.thread),
      responseBuffers: new ResponseBudget(
        configuration.limits.responseBufferBytes,
        clock,
        memories.responseBuffers,
        options.thread,
      ),
      connections: new ConnectionCount(memories.mostConnections, memories.connections, options.thread),
      ...(ports !== undefined && { ports }),
      mayAnswer: failover && (() => failover.holds()),
    },
    executed,
  );
  publishMetrics(options, server, metrics, watched, counts);
  return {
    server,
    async stop(graceMs) {
      await server.stop(graceMs);
      await traces?.close();
    },
  };
}

/** Returns the gate that holds responses back until they are safe, or undefined if there is none. */
function gateOf({ configuration, memories }: ThreadOptions, state: FailoverState): RemoteGate | undefined {
  const { backup, httpStatus, http } = configuration;
  const settings = backup.continuous?.failover;
  const waitsFor = settings?.acknowledge === 'remote' ? 'all' : settings?.maxLossMs;
  if (memories.failover === undefined || settings === undefined || waitsFor === undefined) return undefined;
  const commits = commitsIn(memories.failover.commitCounts);
  const failureForm = { httpStatus, errorObjects: http.errorObjects };
  const { signals } = memories.failover;
  const [shipped, wanted] = [new ThreadSignal(signals.shipped), new ThreadSignal(signals.wanted)];
  return new RemoteGate({ state, commits, shipped, wanted, waitsFor, gatesReads: settings.gatesReads, failureForm });
}

/** This thread's counts in the metrics. */
interface PipelineCounts {
  readonly evictedSessions: number;
  readonly rateLimited: number;
}

function createPipeline(
  options: ThreadOptions,
  log: Log,
  health: Health,
  metrics: Metrics,
  watched: WatchedThreads,
  tracer: CommandTracer | undefined,
): { service: CommandService; metricsGuard: (request: RawRequest) => Promise<void>; counts: () => PipelineCounts } {
  const { configuration, clock, grid, services, memories } = options;
  const { compatibility } = configuration;
  const epoch = new SecurityEpoch(memories.epoch);
  const { directory, userGrids, peers } = options;
  const permissions = permissionsOf(options, grid, epoch);
  const rates = new SharedRates(clock, memories.rates);
  const sessions = sessionsOf(options, grid, epoch, log, directory, permissions);
  const rateLimits = rateLimitsOf(configuration, rates, permissions);
  const authentication =
    sessions === undefined
      ? undefined
      : createAuthentication({
          serviceName: configuration.serviceName,
          compatibility,
          records: grid.records,
          sessions,
          apiKeys: apiKeysOf(options, epoch, log),
          jwt: jwtOf(options, epoch),
          authenticator: services.logins,
          certificateUsers: configuration.certificateUsers,
        });
  const signature =
    configuration.secretKey === undefined
      ? undefined
      : createSignature({
          secretKey: configuration.secretKey,
          clock,
          maxAgeMs: configuration.signatureMaxAgeMs,
          // Row 24 of docs/differences.md.
          timestampedOnly: compatibility === 'reference',
          onFixedForm: () =>
            log.warn('Requests are signed with the hash of the key alone, which can be replayed forever'),
        });
  const { interceptor } = configuration;
  const observer = createObserver({
    metrics,
    tracer,
    audit: createAudit({
      sinks: services.audit,
      clock,
      rates,
      defaultCache: configuration.defaultCache,
    }),
    log,
    health,
    slowMs: configuration.log.slowMs === 0 ? Number.POSITIVE_INFINITY : configuration.log.slowMs,
    commands: { names: COMMAND_NAMES, present: watched.commandOf(options.thread) },
  });
  const service = createService({
    forward: peers && ((request, here) => peers.forward(request, here)),
    grid,
    clock,
    limits: configuration.limits,
    compatibility,
    serviceName: configuration.serviceName,
    defaultCache: configuration.defaultCache,
    getallAsArray: configuration.getallAsArray,
    idempotencyKeepMs: configuration.idempotencyKeepMs,
    marksReads: configuration.backup.continuous?.failover?.acknowledge === 'remote',
    httpStatus: configuration.httpStatus,
    errorObjects: configuration.http.errorObjects,
    json: configuration.http.json,
    pages: optionalPages(configuration.http),
    strictParameters: configuration.strictParameters,
    defaultPageSize: configuration.defaultPageSize,
    csrfHeader: configuration.csrfHeader,
    onReceive: interceptor?.onReceive?.bind(interceptor),
    onSend: interceptor?.onSend?.bind(interceptor),
    signature,
    authentication,
    permissions: authentication === undefined ? undefined : restrictedPermissions(permissions, options.lastKnownUsers),
    running:
      authentication &&
      new RunningRequests({ clock, securityEpoch: () => epoch.current(), trustMs: trustMsOf(configuration) }),
    rateLimiter: rateLimits,
    isAdministrator: permissions.isAdministrator,
    gridOf: userGrids && ((caller) => userGrids.gridOf(caller)),
    tasks: services.tasks,
    users: services.users,
    apiKeys: services.apiKeys,
    access: services.access,
    savedQueries: services.savedQueries,
    log: createLogService({
      folder: configuration.log.dir,
      name: LOG_FILE,
      maxBytes: LOG_BOUNDS.responseBytes,
    }),
    nodes: services.nodes,
    readiness: health,
    backups: services.backups,
    configuration: { options: configuration.explain },
    metricsHistory: services.metricsHistory,
    compileRegex: async (pattern) => {
      const { regexFinds } = await import('../sql/functions/java-regex.ts');
      const whole = `^(?:${pattern})$`;
      // Compiled here, so that an invalid one is rejected even if there is no string.
      regexFinds('', whole);
      return (text) => regexFinds(text, whole);
    },
    observer,
  });
  return {
    service,
    counts: () => ({ evictedSessions: sessions?.evicted ?? 0, rateLimited: rateLimits?.rejected ?? 0 }),
    async metricsGuard(request) {
      let caller: Caller | undefined;
      try {
        signature?.check(request);
        caller = await authentication?.authenticate(request, { needs: 'session', params: {} });
        if (caller !== undefined) await permissions.checkMonitoring(caller);
      } catch (error) {
        if (error instanceof GridError) observer.rejected(failedOutcome(error, true), request, caller);
        throw error;
      }
    },
  };
}

/** Returns the permissions while the last known users are in use: only to log in and to change the state. */
function restrictedPermissions(permissions: Permissions, users: LastKnownUsers | undefined): Permissions {
  if (users === undefined) return permissions;
  return {
    ...permissions,
    check(caller, command, args) {
      if (users.isInUse && !worksWithLastKnownUsers(command)) throw gridError('INACTIVE');
      return permissions.check(caller, command, args);
    },
  };
}

function publishMetrics(
  options: ThreadOptions,
  server: RunningServer,
  metrics: Metrics,
  watched: WatchedThreads,
  counts: () => PipelineCounts,
): void {
  const delay = new EventLoopDelay(options.clock, () => watched.beat(options.thread));
  options.clock.every(PUBLISH_MS, () => {
    const { requests, rejected, inFlight, waiting, receivedBytes, sentBytes, queue, overloaded } = server.statistics();
    const { currentMs, maximumMs } = delay.sample();
    metrics.publish({
      httpRequests: requests,
      httpRejected: rejected,
      httpInFlight: inFlight,
      httpWaiting: waiting,
      queueRejected: queue.rejected + overloaded,
      queueWaits: queue.waits,
      queueWaitedMs: queue.waitedMs,
      receivedBytes,
      sentBytes,
      openCursors: options.openCursors(),
      evictedCursors: options.evictedCursors(),
      ...counts(),
      loopDelayMs: currentMs,
      maximumLoopDelayMs: maximumMs,
    });
  });
}
