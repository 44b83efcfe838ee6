/** Turns option values into settings, and applies the rules about several options. */
import { availableParallelism } from 'node:os';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { type Endpoint, parseEndpoint } from '../base/endpoints.ts';
import { checkLimits, LIMIT_NAMES, type Limits } from '../base/limits.ts';
import { isBucketUrl } from '../base/local-path.ts';
import { AddressSet } from '../base/networks.ts';
import { parseRate, type Rate } from '../base/rates.ts';
import { keyFileMistake } from '../engines/embedded/backup/backup-keys.ts';
import { folderOf, urlMistake } from '../engines/embedded/backup/continuous/destination.ts';
import type { ProxySettings } from '../http/client-addresses.ts';
import { isLoopback } from '../http/ports.ts';
import type { HttpSettings, TlsSettings } from '../http/settings.ts';
import type { ShadowSettings } from '../replay/shadow.ts';
import { DAY_MS } from '../service/backups/schedule.ts';
import type { TelemetrySettings } from '../service/telemetry/telemetry.ts';
import type {
  BackupSettings,
  ClusterSettings,
  Configuration,
  ContinuousSettings,
  EngineSettings,
  FailoverSettings,
  QuerySettings,
} from './configuration.ts';
import type { readDeclarations } from './declarations.ts';
import { jwtSettings } from './jwt-part.ts';
import { ConfigurationError } from './option.ts';
import { OPTION_ROWS, type OptionValues } from './options.ts';
import type { Problems } from './problems.ts';
import { readText } from './sources.ts';

const DEFAULT_VALUES = Object.fromEntries(
  OPTION_ROWS.map(({ path, option }) => [path, option.default]),
) as OptionValues;

type ResolvedOptions = Omit<Configuration, keyof ReturnType<typeof readDeclarations> | 'file' | 'warnings' | 'explain'>;

/** Returns the settings. Parts that break a rule about several options get the defaults. */
export function resolveOptions(values: OptionValues, cwd: string, problems: Problems): ResolvedOptions {
  // Not for a part with an invalid option: the rules would complain about its default.
  const settled = <T>(part: string, read: (values: OptionValues) => T): T => {
    const found = problems.concern(part) ? undefined : problems.attempt(() => ({ value: read(values) }), part);
    return (found ?? { value: read(DEFAULT_VALUES) }).value;
  };
  const http = settled('http', httpSettings);
  if (!problems.concern('http', 'authentication', 'allowUnauthenticated'))
    problems.attempt(() => checkOpen(http.host, values));
  const limits = Object.fromEntries(LIMIT_NAMES.map((name) => [name, values[`limits.${name}`]])) as Limits;
  if (!problems.concern('limits')) problems.attempt(() => checkSettings(limits));
  const dataDir = resolve(cwd, values.dataDir);
  const logDir = values['log.dir'] ?? join(dataDir, 'log');
  if (values.engine === 'embedded') problems.attempt(() => checkLogFolder(logDir, dataDir));
  const maxAge = values.signatureMaxAge;
  const lifetime = values['rest.sessionLifetime'];
  return {
    serviceName: values.name,
    dataDir,
    workers: workersOf(values.workers),
    compatibility: values.compatibility,
    defaultCache: values.defaultCache,
    httpStatus: values.httpStatus && values.compatibility === 'contract',
    csrfHeader: values['http.csrfHeader'],
    strictParameters: values['parameters.strict'],
    defaultPageSize: values['query.defaultPageSize'],
    engine: settled('engine', engineSettings),
    http,
    console: { title: values['console.title'], colour: values['console.colour'] },
    authentication: values.authentication,
    adminPassword: values.adminPassword,
    generatedPasswordFile: values.generatedPasswordFile,
    secretKey: values.secretKey,
    signatureMaxAgeMs: maxAge === undefined ? undefined : maxAge * 1000,
    login: {
      maxFailures: values['login.maxFailures'],
      maxNetworkFailures: values['login.maxNetworkFailures'],
      maxBackoffMs: values['login.maxBackoff'] * 1000,
    },
    // Apache Ignite requires no authentication.
    minimumPasswordLength: values.compatibility === 'reference' ? 1 : values['login.minimumPasswordLength'],
    needsOldPassword: values['login.oldPassword'] ?? values.compatibility === 'contract',
    jwt: problems.concern('authentication') ? undefined : settled('jwt', jwtSettings),
    rateLimits: {
      address: rateOf(values['rateLimit.address']),
      user: rateOf(values['rateLimit.user']),
      apiKey: rateOf(values['rateLimit.apiKey']),
    },
    sessionTimeoutMs: values['rest.sessionTimeout'] * 1000,
    consoleSessionTimeoutMs: values['console.sessionTimeout'] * 1000,
    sessionLifetimeMs: lifetime === undefined ? undefined : lifetime * 1000,
    getallAsArray: values['rest.getallAsArray'],
    queryIdleTimeoutMs: values['query.idleTimeout'] * 1000,
    query: querySettings(values),
    minFreeBytes: values['storage.minFreeBytes'],
    changeFeed: { ageMs: values['changeFeed.retentionSeconds'] * 1000, bytes: values['changeFeed.retentionBytes'] },
    idempotencyKeepMs: values['idempotency.retentionSeconds'] * 1000,
    backup: settled('backup', (all) => backupSettings(all, logDir)),
    taskProcesses: {
      ...(values['taskProcesses.count'] === undefined ? {} : { count: values['taskProcesses.count'] }),
      memoryBytes: values['taskProcesses.memoryBytes'],
      maxTimeoutMs: values['taskProcesses.maxTimeoutMs'],
      environment: values['taskProcesses.environment'],
    },
    log: { dir: logDir, level: values['log.level'], stdout: values['log.stdout'], slowMs: values['log.slowMs'] },
    shutdownDelayMs: values['shutdown.delaySeconds'] * 1000,
    shadow: settled('shadow', shadowSettings),
    telemetry: settled('telemetry', telemetrySettings),
    limits,
  };
}

/** Rejects a service without authentication that other machines can reach. */
function checkOpen(host: string, { authentication, allowUnauthenticated }: OptionValues): void {
  if (authentication || allowUnauthenticated || isLoopback(host)) return;
  throw new ConfigurationError(
    `http.host: ${host} is reachable from other machines, which could read and write everything: ` +
      'enable authentication (SVC_AUTHENTICATION=true), or allow open access with SVC_ALLOW_UNAUTHENTICATED=true',
  );
}

function checkSettings(limits: Limits): void {
  const wrong = checkLimits(limits);
  if (wrong !== undefined) throw new ConfigurationError(`limits.${wrong}`);
}

function backupSettings(values: OptionValues, logDir: string): BackupSettings {
  const { engine, 'backup.folder': folder, 'backup.timeOfDay': timeOfDay } = values;
  const intervalMs = values['backup.intervalMs'] || (timeOfDay === undefined ? 0 : DAY_MS);
  if (folder !== undefined && engine === 'cluster') {
    throw new ConfigurationError(
      'backup.folder: the nodes of the cluster store the data; use the snapshots of Apache Ignite',
    );
  }
  if (folder === undefined && intervalMs > 0) {
    const option = timeOfDay === undefined ? 'backup.intervalMs' : 'backup.timeOfDay';
    throw new ConfigurationError(`${option}: needs a folder for the backups (backup.folder)`);
  }
  if (timeOfDay !== undefined && DAY_MS % intervalMs !== 0 && intervalMs % DAY_MS !== 0) {
    throw new ConfigurationError(
      'backup.intervalMs: must divide a day or be a number of days (86400000) with backup.timeOfDay',
    );
  }
  const mistake = folder !== undefined && isBucketUrl(folder) ? urlMistake(folder) : undefined;
  if (mistake !== undefined) throw new ConfigurationError(`backup.folder: ${mistake}, not ${folder}`);
  if (folder !== undefined && !isBucketUrl(folder) && contains(logDir, folder)) {
    throw new ConfigurationError(
      `backup.folder: ${folder} is in the log folder, whose files the command log can read: choose another folder`,
    );
  }
  const continuous = continuousSettings(values, logDir);
  const keyFile = values['backup.encryptionKeyFile'];
  checkKeyFile(keyFile, folder !== undefined || continuous !== undefined);
  return {
    folder,
    intervalMs,
    timeOfDay,
    keep: values['backup.keep'],
    bytesPerSecond: values['backup.bytesPerSecond'],
    keyFile,
    continuous,
  };
}

function checkKeyFile(file: string | undefined, isUsed: boolean): void {
  if (file === undefined) return;
  const mistake = isUsed ? keyFileMistake(file) : 'needs backups to encrypt (backup.folder, backup.continuous.url)';
  if (mistake !== undefined) throw new ConfigurationError(`backup.encryptionKeyFile: ${mistake}`);
}

function continuousSettings(values: OptionValues, logDir: string): ContinuousSettings | undefined {
  const { engine, dataDir, 'backup.continuous.url': url } = values;
  const verifyInterval = values['backup.verifyInterval'];
  if (url === undefined) {
    if (verifyInterval === undefined) return undefined;
    throw new ConfigurationError('backup.verifyInterval: needs a continuous backup (backup.continuous.url)');
  }
  if (engine === 'cluster') {
    throw new ConfigurationError('backup.continuous.url: the nodes of the cluster store the data');
  }
  const mistake = urlMistake(url);
  if (mistake !== undefined) throw new ConfigurationError(`backup.continuous.url: ${mistake}, not ${url}`);
  for (const [name, folder] of [
    ['data', dataDir],
    ['log', logDir],
  ] as const) {
    const destination = folderOf(url);
    if (destination === undefined || !contains(folder, destination)) continue;
    throw new ConfigurationError(`backup.continuous.url: ${url} is in the ${name} folder: choose another folder`);
  }
  return {
    url,
    assumesSoleWriter: values['backup.continuous.assumeSoleWriter'],
    intervalMs: values['backup.continuous.intervalMs'],
    pitrWindowMs: durationMs(values['backup.pitrWindow']),
    retentionMs: durationMs(values['backup.continuous.retention']),
    maxLogBytes: values['backup.maxLogBytes'],
    verifyIntervalMs: verifyInterval === undefined ? undefined : durationMs(verifyInterval),
    failover: failoverSettings(values),
  };
}

/** Level 0 must keep the objects that a standby still needs after a short absence. */
const MIN_PITR_WINDOW_MS = 3_600_000;

function failoverSettings(values: OptionValues): FailoverSettings | undefined {
  const {
    'backup.continuous.failover': isUsed,
    'backup.continuous.assumeSoleWriter': assumesSoleWriter,
    'backup.continuous.intervalMs': intervalMs,
    'backup.continuous.maxLossMs': maxLossMs,
    'backup.continuous.acknowledge': acknowledge,
    'backup.continuous.advertisedUrl': advertisedUrl,
  } = values;
  if (!isUsed) return undefined;
  if (assumesSoleWriter) {
    throw new ConfigurationError(
      'backup.continuous.assumeSoleWriter: a store without conditional requests cannot decide which service is the primary',
    );
  }
  if (durationMs(values['backup.pitrWindow']) < MIN_PITR_WINDOW_MS) {
    throw new ConfigurationError('backup.pitrWindow: must be at least 1h with backup.continuous.failover');
  }
  if (maxLossMs !== undefined && acknowledge === 'remote') {
    throw new ConfigurationError(
      'backup.continuous.maxLossMs: nothing is lost with backup.continuous.acknowledge remote',
    );
  }
  if (maxLossMs !== undefined && maxLossMs < 2 * intervalMs) {
    throw new ConfigurationError('backup.continuous.maxLossMs: must be at least twice backup.continuous.intervalMs');
  }
  if (advertisedUrl !== undefined && !/^https?:$/.test(URL.parse(advertisedUrl)?.protocol ?? '')) {
    throw new ConfigurationError(`backup.continuous.advertisedUrl: must be an http or https URL, not ${advertisedUrl}`);
  }
  return {
    acknowledge,
    gatesReads: values['backup.continuous.reads'] === 'remote',
    leaseMs: values['backup.continuous.leaseMs'],
    maxLossMs,
    advertisedUrl,
  };
}

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: DAY_MS } as const;

/** Returns a duration, which an option has checked, in ms. */
function durationMs(text: string): number {
  const unit = Object.entries(UNIT_MS).find(([name]) => text.endsWith(name));
  return Number.parseInt(text, 10) * (unit?.[1] ?? 0);
}

/** Reports whether `inner` is the folder or inside it. */
function contains(folder: string, inner: string): boolean {
  const path = relative(folder, inner);
  return path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path);
}

/** Rejects a log folder that contains the data folder: the command `log` reads files in the log folder. */
function checkLogFolder(logDir: string, dataDir: string): void {
  if (!contains(logDir, dataDir)) return;
  throw new ConfigurationError(
    `log.dir: ${logDir} contains the data folder, whose files the command log could then read: choose another folder`,
  );
}

/** Defaults in compatibility mode `contract`; otherwise there are none. */
const QUERY_SECONDS = 60;
const MAX_QUERY_SECONDS = 600;
const MAX_RESULT_BYTES = 4 * 1024 ** 3;
/** Memory and temporary files of all statements as a multiple of one statement's. */
const TOTAL_MEMORY = 1.5;
const TOTAL_TEMPORARY = 4;

/** Memory of a process in addition to its statement's: cursors, caches and garbage. */
const PROCESS_BYTES = 512 * 1024 * 1024;

/** Returns the memory of a statement process for one statement's, in bytes, or 0 for any. */
function defaultOfProcess(memoryBytes: number): number {
  return memoryBytes === 0 ? 0 : memoryBytes + PROCESS_BYTES;
}

/** Apache Ignite limits neither the time nor the result of a statement. */
function querySettings(values: OptionValues): QuerySettings {
  const isContract = values.compatibility === 'contract';
  return {
    timeMs: (values['query.timeout'] ?? (isContract ? QUERY_SECONDS : 0)) * 1000,
    maxTimeMs: (values['query.maxTimeout'] ?? (isContract ? MAX_QUERY_SECONDS : 0)) * 1000,
    memoryBytes: values['query.maxMemoryBytes'],
    totalMemoryBytes: values['query.maxTotalMemoryBytes'] ?? Math.ceil(TOTAL_MEMORY * values['query.maxMemoryBytes']),
    processMemoryBytes: values['query.maxProcessMemoryBytes'] ?? defaultOfProcess(values['query.maxMemoryBytes']),
    diskBytes: values['query.maxTemporaryBytes'],
    totalDiskBytes: values['query.maxTotalTemporaryBytes'] ?? TOTAL_TEMPORARY * values['query.maxTemporaryBytes'],
    resultBytes: values['query.maxResultBytes'] ?? (isContract ? MAX_RESULT_BYTES : 0),
    writeLockMs: values['query.maxWriteLockMs'],
    processes: values['query.processes'],
  };
}

function rateOf(text: string | undefined): Rate | undefined {
  return text === undefined ? undefined : parseRate(text);
}

/** Only Linux distributes connections evenly among threads that share a port. */
function workersOf(given: number | undefined): number {
  if (process.platform !== 'linux') return 1;
  if (given !== undefined) return given;
  const cores = availableParallelism();
  return cores <= 2 ? 1 : Math.min(8, cores - 1);
}

const PLAIN_PORT = 8080;
const TLS_PORT = 8443;

function proxySettings(values: OptionValues): ProxySettings {
  const trustedProxies = values['http.trustedProxies'];
  const proxyProtocol = values['http.proxyProtocol'];
  try {
    void new AddressSet(trustedProxies);
  } catch (error) {
    throw new ConfigurationError(`http.trustedProxies: ${error instanceof Error ? error.message : error}`);
  }
  if (proxyProtocol && trustedProxies.length === 0) {
    throw new ConfigurationError('http.proxyProtocol: needs the addresses of the proxies (http.trustedProxies)');
  }
  return { trustedProxies, forwardedHeader: values['http.forwardedHeader'], proxyProtocol };
}

function httpSettings(values: OptionValues): HttpSettings {
  const tls = tlsSettings(values);
  const plain = values['http.plain'] ?? tls === undefined;
  if (!plain && tls === undefined) {
    throw new ConfigurationError('http.plain: false needs a certificate (http.tls.cert and http.tls.key)');
  }
  checkPorts(values);
  return {
    host: values['http.host'],
    port: plain ? (values['http.port'] ?? PLAIN_PORT) : undefined,
    portRange: values.strictPort ? 1 : values['http.portRange'],
    idleTimeoutSeconds: values['http.idleTimeoutSeconds'],
    origins: values['http.origins'],
    hosts: values['http.hosts'],
    proxies: proxySettings(values),
    compressionMinBytes: values['http.compressionMinBytes'],
    metricsPort: values['http.metricsPort'],
    errorObjects: errorObjectsOf(values),
    json: {
      types: values['json.types'],
      httpStatus: values['json.httpStatus'],
      errorObjects: values['json.errors'] === 'object',
      defaultPageSize: values['json.defaultPageSize'] || undefined,
    },
    docs: values['http.docs'],
    console: servesConsole(values),
    consolePort: values['http.consolePort'],
    mcp: values['http.mcp'],
    tls:
      tls === undefined
        ? undefined
        : { ...tls, port: values['http.tls.port'] ?? (plain ? TLS_PORT : (values['http.port'] ?? TLS_PORT)) },
  };
}

/** Compatibility mode `reference` has Ignite's errors, unless a request asks for others. */
function errorObjectsOf({ errors, compatibility }: OptionValues): boolean {
  return errors === 'object' && compatibility === 'contract';
}

/** Throws for a port that two options name. The ports for commands may be others, from http.portRange. */
function checkPorts(values: OptionValues): void {
  const { 'http.metricsPort': metrics, 'http.consolePort': console } = values;
  if (metrics === undefined || metrics !== console) return;
  throw new ConfigurationError(`http.consolePort: ${console} is that of http.metricsPort, too`);
}

function servesConsole(values: OptionValues): boolean {
  const { 'http.console': choice, 'http.host': host, authentication } = values;
  return choice === 'auto' ? authentication || isLoopback(host) : choice === 'on';
}

function tlsSettings(values: OptionValues): Omit<TlsSettings, 'port'> | undefined {
  const { 'http.tls.cert': certFile, 'http.tls.key': keyFile, 'http.tls.ca': caFile } = values;
  const clientCertificates = values['http.tls.clientCertificates'];
  if (certFile === undefined && keyFile === undefined) {
    if (clientCertificates === 'none' && caFile === undefined) return undefined;
    throw new ConfigurationError('http.tls: client certificates need HTTPS (http.tls.cert and http.tls.key)');
  }
  if (certFile === undefined) throw new ConfigurationError('http.tls.cert: is required with http.tls.key');
  if (keyFile === undefined) throw new ConfigurationError('http.tls.key: is required with http.tls.cert');
  if (clientCertificates !== 'none' && caFile === undefined) {
    throw new ConfigurationError('http.tls.ca: is missing; client certificates are verified against it');
  }
  return {
    certFile,
    keyFile,
    caFile,
    passphrase: values['http.tls.passphrase'],
    minimumVersion: values['http.tls.minimumVersion'],
    strictTransportSeconds: values['http.tls.strictTransportSeconds'],
    clientCertificates,
  };
}

function engineSettings(values: OptionValues): EngineSettings {
  if (values.engine === 'embedded') return { kind: 'embedded' };
  const { 'engine.cluster.user': user, 'engine.cluster.password': password } = values;
  if (user === undefined && password !== undefined) {
    throw new ConfigurationError('engine.cluster.user: is required with the password');
  }
  const sharesAccount = values['engine.cluster.shareAccount'];
  if (sharesAccount && user === undefined) {
    throw new ConfigurationError('engine.cluster.shareAccount: needs an account (engine.cluster.user)');
  }
  if (sharesAccount && values.authentication) {
    throw new ConfigurationError('engine.cluster.shareAccount: contradicts authentication, which requires credentials');
  }
  return {
    kind: 'cluster',
    endpoints: values['engine.cluster.endpoints'].map(endpointOf),
    partitionAwareness: values['engine.cluster.partitionAwareness'],
    credentials: user === undefined ? undefined : { user, password: password ?? '' },
    sharesAccount,
    tls: clusterTls(values),
  };
}

function endpointOf(text: string): Endpoint {
  const endpoint = parseEndpoint(text);
  if (endpoint !== undefined) return endpoint;
  throw new ConfigurationError(`engine.cluster.endpoints: must be HOST:PORT, not ${JSON.stringify(text)}`);
}

function clusterTls(values: OptionValues): ClusterSettings['tls'] {
  const ca = pemOf(values, 'engine.cluster.tls.ca');
  const certificate = pemOf(values, 'engine.cluster.tls.cert');
  const key = pemOf(values, 'engine.cluster.tls.key');
  const { 'engine.cluster.tls.passphrase': passphrase, 'engine.cluster.tls.serverName': serverName } = values;
  if (!values['engine.cluster.tls.enabled'] && ca === undefined && certificate === undefined) return undefined;
  if ((certificate === undefined) !== (key === undefined)) {
    throw new ConfigurationError('engine.cluster.tls: cert and key must be set together');
  }
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(certificate === undefined ? {} : { certificate }),
    ...(key === undefined ? {} : { key }),
    ...(passphrase === undefined ? {} : { passphrase }),
    ...(serverName === undefined ? {} : { serverName }),
    trustAll: values['engine.cluster.tls.trustAll'],
  };
}

function pemOf(
  values: OptionValues,
  path: 'engine.cluster.tls.ca' | 'engine.cluster.tls.cert' | 'engine.cluster.tls.key',
): string | undefined {
  const file = values[path];
  return file === undefined ? undefined : readText(path, file);
}

function shadowSettings(values: OptionValues): ShadowSettings | undefined {
  const url = values['shadow.url'];
  if (url === undefined) return undefined;
  return {
    url,
    sampleRatio: values['shadow.samplePercent'] / 100,
    timeoutMs: values['shadow.timeoutMs'],
    user: values['shadow.user'],
    password: values['shadow.password'],
  };
}

function telemetrySettings(values: OptionValues): TelemetrySettings | undefined {
  const endpoint = values['telemetry.endpoint'];
  if (endpoint === undefined) return undefined;
  const pairs = (values['telemetry.headers'] ?? '').split(',').filter((pair) => pair !== '');
  return {
    endpoint,
    headers: Object.fromEntries(pairs.map((pair) => [pair.split('=', 1)[0] ?? '', pair.slice(pair.indexOf('=') + 1)])),
    sampleRatio: values['telemetry.samplePercent'] / 100,
    sendsLogs: values['telemetry.logs'],
    metricsIntervalMs: values['telemetry.metricsIntervalMs'],
  };
}
