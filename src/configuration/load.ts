/** Loads the {@link Configuration} from flags, environment and files, in this order of precedence. */
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { type Endpoint, parseEndpoint } from '../base/endpoints.ts';
import { checkLimits, DEFAULT_LIMITS, type Limits } from '../base/limits.ts';
import { AddressSet } from '../base/networks.ts';
import { parseRate, type Rate } from '../base/rates.ts';
import type { ProxySettings } from '../http/client-addresses.ts';
import { isLoopback } from '../http/ports.ts';
import type { HttpSettings, TlsSettings } from '../http/settings.ts';
import type { ShadowSettings } from '../service/shadow/shadow.ts';
import type { TaskDeclarations } from '../service/tasks/task-declaration.ts';
import type { TelemetrySettings } from '../service/telemetry/telemetry.ts';
import type { BackupSettings, ClusterSettings, Configuration, EngineSettings, QuerySettings } from './configuration.ts';
import { PARTS, readDeclarations, readTasks } from './declarations.ts';
import { readHttpFile } from './http-file.ts';
import { jwtSettings } from './jwt-part.ts';
import { ConfigurationError } from './option.ts';
import { OPTION_ROWS, OPTIONS, type OptionPath, type OptionValues } from './options.ts';
import { isPlainObject } from './shape.ts';
import { positionOf } from './source-position.ts';
import { readCommandLine, readEnvironment, readFileOptions, readOption, readText, type Source } from './sources.ts';
import { registerSvcModule } from './svc-module.ts';
import { PRODUCT_VERSION } from './version.ts';

export interface LoadInput {
  /** Arguments after the program's name. */
  readonly argv: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Folder that relative paths in flags and environment start at. */
  readonly cwd: string;
  /** Folder of package.json, or of the executable. */
  readonly installationFolder: string;
}

/** Whether to run the service, or to print `text` and exit. */
export type Loaded =
  | { readonly kind: 'run'; readonly configuration: Configuration }
  | { readonly kind: 'print'; readonly text: string };

const DEFAULT_FILE = 'svc.config.ts';

/**
 * Loads the configuration. Every thread calls it, because functions cannot be sent to a thread. Throws
 * ConfigurationError, whose message names the place and the allowed values.
 */
export async function loadConfiguration(input: LoadInput): Promise<Loaded> {
  const { cwd } = input;
  const commandLine = readCommandLine(input.argv, cwd);
  if (commandLine.help) {
    const { helpText } = await import('../documentation/help.ts');
    return { kind: 'print', text: helpText(OPTION_ROWS, PRODUCT_VERSION) };
  }
  if (commandLine.version) return { kind: 'print', text: `${PRODUCT_VERSION}\n` };
  const environment = readEnvironment(input.environment, cwd);
  const file = configurationFile(commandLine.config ?? environment.config, cwd);
  try {
    const { sources, parts } = await readSources(input, commandLine.options, environment.options, file);
    const declarations = readDeclarations(parts, file ?? cwd);
    return { kind: 'run', configuration: { ...settle(readValues(sources), cwd), ...declarations, file } };
  } catch (error) {
    throw file === undefined ? error : withPosition(error, file);
  }
}

/** Reads all sources of options, the strongest first, and the parts of the configuration file. */
async function readSources(
  input: LoadInput,
  flags: Source,
  environment: Source,
  file: string | undefined,
): Promise<{ readonly sources: readonly Source[]; readonly parts: ReturnType<typeof readFileOptions>['parts'] }> {
  const content = file === undefined ? {} : await importFile(file);
  const fromFile = readFileOptions(content, file ?? '', PARTS);
  const upper = [flags, environment];
  const httpFile = httpFileOf([...upper, fromFile.options], input.installationFolder);
  const sources = [...upper, ...(httpFile === undefined ? [] : [httpFile]), fromFile.options];
  return { sources, parts: fromFile.parts };
}

/** An option that is in force, for `svc config show`. */
export interface ExplainedOption {
  readonly path: OptionPath;
  /** Masked if it is a secret. */
  readonly value: unknown;
  /** Flag, variable, or file and member; `default` if nothing sets it. */
  readonly source: string;
}

/** Returns every option with its value and where it comes from. Throws ConfigurationError. */
export async function explainConfiguration(input: LoadInput): Promise<readonly ExplainedOption[]> {
  const commandLine = readCommandLine(input.argv, input.cwd);
  const environment = readEnvironment(input.environment, input.cwd);
  const file = configurationFile(commandLine.config ?? environment.config, input.cwd);
  const { sources } = await readSources(input, commandLine.options, environment.options, file);
  return OPTION_ROWS.map(({ path, option }) => {
    const found = sources.map((source) => source.get(path)).find((each) => each !== undefined);
    if (found === undefined) return { path, value: option.defaultText, source: 'default' };
    const value = option.secret ? '***' : readOption<unknown>(path, option, sources);
    return { path, value, source: found.place };
  });
}

/** Adds line and column to an error about a member of a configuration file. */
function withPosition(error: unknown, file: string): unknown {
  if (!(error instanceof ConfigurationError)) return error;
  const path = error.message.startsWith(`${file}: `)
    ? /^[^\s:]+/.exec(error.message.slice(file.length + 2))?.[0]
    : undefined;
  const position = path === undefined ? undefined : positionOf(readText('config', file), path);
  if (position === undefined) return error;
  const message = `${file}:${position.line}:${position.column}${error.message.slice(file.length)}`;
  return new ConfigurationError(message, { cause: error });
}

/** Loads only the tasks of a configuration file, for task processes. Throws ConfigurationError. */
export async function loadTasks(file: string): Promise<TaskDeclarations> {
  const { parts } = readFileOptions(await importFile(file), file, PARTS);
  return readTasks(parts.get('tasks'), file);
}

function configurationFile(given: string | undefined, cwd: string): string | undefined {
  const file = resolve(cwd, given ?? DEFAULT_FILE);
  if (existsSync(file)) return file;
  if (given !== undefined) throw new ConfigurationError(`the configuration file ${file} does not exist`);
  return undefined;
}

async function importFile(file: string): Promise<Readonly<Record<string, unknown>>> {
  registerSvcModule();
  let module: unknown;
  try {
    module = await import(Bun.pathToFileURL(file).href);
  } catch (error) {
    throw new ConfigurationError(importFailure(file, error), { cause: error });
  }
  const content = isPlainObject(module) ? module.default : undefined;
  if (!isPlainObject(content)) {
    throw new ConfigurationError(`${file}: must export a configuration, \`export default defineConfig({ ... })\``);
  }
  return content;
}

/** Returns the message of a file that cannot be loaded, with line and column of a syntax error. */
function importFailure(file: string, error: unknown): string {
  const [first] = error instanceof AggregateError ? error.errors : [error];
  const message = first instanceof Error || first instanceof BuildMessage ? first.message : String(first);
  const position = first instanceof BuildMessage ? first.position : null;
  if (position === null || position === undefined) return `${file}: ${message}`;
  return `${position.file || file}:${position.line}:${position.column}: ${message}`;
}

/** Reads the file of `http.config`, whose path is relative to the installation folder in every source. */
function httpFileOf(sources: readonly Source[], installationFolder: string): Source | undefined {
  const found = sources.map((source) => source.get('http.config')).find((each) => each !== undefined);
  if (found === undefined) return undefined;
  const here: Source = new Map([['http.config', { ...found, resolve: (path) => resolve(installationFolder, path) }]]);
  const file = readOption('http.config', OPTIONS['http.config'], [here]);
  return file === undefined ? undefined : readHttpFile(file);
}

function readValues(sources: readonly Source[]): OptionValues {
  const values = Object.fromEntries(
    (Object.keys(OPTIONS) as OptionPath[]).map((path) => [path, readOption<unknown>(path, OPTIONS[path], sources)]),
  );
  return values as OptionValues;
}

type Settled = Omit<Configuration, keyof ReturnType<typeof readDeclarations> | 'file'>;

function settle(values: OptionValues, cwd: string): Settled {
  const http = httpSettings(values);
  const { authentication, allowOpen } = values;
  if (!authentication && !allowOpen && !isLoopback(http.host)) {
    throw new ConfigurationError(
      `http.host: ${http.host} is reachable from other machines, which could read and write everything: ` +
        'enable authentication (SVC_AUTHENTICATION=true), or allow open access with SVC_ALLOW_OPEN=true',
    );
  }
  const limits = Object.fromEntries(
    (Object.keys(DEFAULT_LIMITS) as Array<keyof Limits>).map((name) => [name, values[`limits.${name}`]]),
  ) as Limits;
  const wrong = checkLimits(limits);
  if (wrong !== undefined) throw new ConfigurationError(`limits.${wrong}`);
  const dataDir = resolve(cwd, values.dataDir);
  const logDir = values['log.dir'] ?? join(dataDir, 'log');
  if (values.engine === 'embedded') checkLogFolder(logDir, dataDir);
  const maxAge = values.signatureMaxAge;
  const lifetime = values['rest.sessionLifetime'];
  return {
    serviceName: values.name,
    dataDir,
    workers: workersOf(values.workers),
    compatibility: values.compatibility,
    defaultCache: values.defaultCache,
    httpStatus: values.httpStatus,
    writeHeader: values['http.writeHeader'],
    strictParameters: values['parameters.strict'],
    engine: engineSettings(values),
    http,
    authentication,
    adminPassword: values.adminPassword,
    secretKey: values.secretKey,
    signatureMaxAgeMs: maxAge === undefined ? undefined : maxAge * 1000,
    login: {
      maxFailures: values['login.maxFailures'],
      maxNetworkFailures: values['login.maxNetworkFailures'],
      maxBackoffMs: values['login.maxBackoff'] * 1000,
    },
    jwt: jwtSettings(values),
    rateLimits: {
      address: rateOf(values['rateLimit.address']),
      user: rateOf(values['rateLimit.user']),
      apiKey: rateOf(values['rateLimit.apiKey']),
    },
    sessionTimeoutMs: values['rest.sessionTimeout'] * 1000,
    sessionLifetimeMs: lifetime === undefined ? undefined : lifetime * 1000,
    getallAsArray: values['rest.getallAsArray'],
    queryIdleTimeoutMs: values['query.idleTimeout'] * 1000,
    query: querySettings(values),
    minFreeBytes: values['storage.minFreeBytes'],
    changeFeed: { ageMs: values['changeFeed.keepSeconds'] * 1000, bytes: values['changeFeed.keepBytes'] },
    idempotencyKeepMs: values['idempotency.keepSeconds'] * 1000,
    backup: backupSettings(values, logDir),
    taskProcesses: {
      ...(values['taskProcesses.count'] === undefined ? {} : { count: values['taskProcesses.count'] }),
      memoryBytes: values['taskProcesses.memoryBytes'],
      longestMs: values['taskProcesses.longestMs'],
    },
    log: { dir: logDir, level: values['log.level'], stdout: values['log.stdout'], slowMs: values['log.slowMs'] },
    shutdownDelayMs: values['shutdown.delaySeconds'] * 1000,
    shadow: shadowSettings(values),
    telemetry: telemetrySettings(values),
    limits,
  };
}

function backupSettings(values: OptionValues, logDir: string): BackupSettings {
  const { engine, 'backup.folder': folder, 'backup.intervalMs': intervalMs } = values;
  if (folder !== undefined && engine === 'cluster') {
    throw new ConfigurationError(
      'backup.folder: the nodes of the cluster store the data; use the snapshots of Apache Ignite',
    );
  }
  if (folder === undefined && intervalMs > 0) {
    throw new ConfigurationError('backup.intervalMs: needs a folder for the backups (backup.folder)');
  }
  if (folder !== undefined && contains(logDir, folder)) {
    throw new ConfigurationError(
      `backup.folder: ${folder} is in the log folder, whose files the command log can read: choose another folder`,
    );
  }
  return { folder, intervalMs, keep: values['backup.keep'], bytesPerSecond: values['backup.bytesPerSecond'] };
}

/** Reports whether `inner` is the folder or inside it. */
function contains(folder: string, inner: string): boolean {
  const path = relative(folder, inner);
  return path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path);
}

/** Rejects a log folder that contains the data folder: the command `log` reads files of the log folder. */
function checkLogFolder(logDir: string, dataDir: string): void {
  if (!contains(logDir, dataDir)) return;
  throw new ConfigurationError(
    `log.dir: ${logDir} contains the data folder, whose files the command log could then read: choose another folder`,
  );
}

/** Defaults in compatibility mode `contract`; there are none otherwise. */
const QUERY_SECONDS = 60;
const MAX_QUERY_SECONDS = 3_600;
const MAX_RESULT_BYTES = 4 * 1024 ** 3;
/** Memory of all statements as a multiple of that of one. */
const TOTAL_MEMORY = 1.5;

/** Apache Ignite limits neither the time nor the result of a statement. */
function querySettings(values: OptionValues): QuerySettings {
  const isContract = values.compatibility === 'contract';
  return {
    timeMs: (values['query.timeout'] ?? (isContract ? QUERY_SECONDS : 0)) * 1000,
    maxTimeMs: (values['query.maxTimeout'] ?? (isContract ? MAX_QUERY_SECONDS : 0)) * 1000,
    memoryBytes: values['query.maxMemoryBytes'],
    totalMemoryBytes: values['query.maxTotalMemoryBytes'] ?? Math.ceil(TOTAL_MEMORY * values['query.maxMemoryBytes']),
    diskBytes: values['query.maxTemporaryBytes'],
    resultBytes: values['query.maxResultBytes'] ?? (isContract ? MAX_RESULT_BYTES : 0),
    writeLockMs: values['query.maxWriteLockMs'],
    threads: values['query.threads'],
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
    docs: values['http.docs'],
    console: servesConsole(values),
    consolePort: values['http.consolePort'],
    tls:
      tls === undefined
        ? undefined
        : { ...tls, port: values['http.tls.port'] ?? (plain ? TLS_PORT : (values['http.port'] ?? TLS_PORT)) },
  };
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
  if (certFile === undefined) throw new ConfigurationError('http.tls.cert: is missing beside http.tls.key');
  if (keyFile === undefined) throw new ConfigurationError('http.tls.key: is missing beside http.tls.cert');
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
    throw new ConfigurationError('engine.cluster.user: is missing beside the password');
  }
  return {
    kind: 'cluster',
    endpoints: values['engine.cluster.endpoints'].map(endpointOf),
    partitionAwareness: values['engine.cluster.partitionAwareness'],
    credentials: user === undefined ? undefined : { user, password: password ?? '' },
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
  };
}
