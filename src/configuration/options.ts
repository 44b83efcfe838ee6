/**
 * Every option, once: its path in the configuration file, from which the environment name (`SVC_` and the path in
 * upper snake case, unless the contract names it) and the flag follow; its type, default and description.
 */
import { DEFAULT_LIMITS, type Limits } from '../base/limits.ts';
import { boolean, choice, integer, list, type Option, path, pattern, text } from './option.ts';

const PORT = 65_535;
const ANY = Number.MAX_SAFE_INTEGER;
const SECONDS = 31_536_000;

const LIMIT_HELP: { readonly [L in keyof Limits]: string } = {
  requestHeadBytes: 'Request line and headers, in bytes; more is answered with 431. At most 49152.',
  requestBodyBytes: 'Request body, in bytes; more is answered with 413.',
  requestBufferBytes:
    'Bytes of requests buffered at once, over all threads; more are answered with 503. At least requestBodyBytes count.',
  unauthenticatedBufferBytes:
    'The part of requestBufferBytes for requests whose sender is not known yet, with authentication or a secret key.',
  responseBufferBytes: 'Bytes of answers that clients have not read, on each thread; more closes the connection.',
  bodyBytesPerSecond: 'Bytes a second that a body must bring on average, after http.idleTimeoutSeconds; else 408.',
  parametersPerRequest: 'Parameters in one request, query string and body together.',
  keyCharacters: "A key's text, in characters.",
  valueCharacters: "A value's text, in characters.",
  keysPerCommand: 'Keys of one bulk command.',
  cacheNameCharacters: "A cache's name, in characters.",
  caches: 'Caches, tables included. At most 65536.',
  pageRows: 'Rows of one query page; larger page sizes are cut to it.',
  statementCharacters: "A statement's text, in characters.",
  openCursors: 'Query cursors open at once, over all users.',
  sessions: 'Sessions at once, over all users.',
  taskResults: 'Results of asynchronous tasks kept.',
  connections: 'Connections of clients at once, on each thread; more are answered with 503.',
  requestsInWork: 'Requests in work at once; more wait in order.',
  requestsWaiting: 'Requests that may wait; more are answered with 503.',
};

/** `limits.*`, one option for each limit of src/base/limits.ts. */
export const LIMIT_OPTIONS = Object.fromEntries(
  (Object.keys(DEFAULT_LIMITS) as Array<keyof Limits>).map((name) => [
    `limits.${name}`,
    integer(1, ANY, { help: LIMIT_HELP[name], default: DEFAULT_LIMITS[name] }),
  ]),
) as { readonly [L in keyof Limits as `limits.${L}`]: Option<number> };

export const OPTIONS = {
  name: pattern<string>(/^[A-Za-z][A-Za-z0-9_-]{0,31}$/, 'a letter, then at most 31 letters, digits, _ or -', {
    help: "The clients' word for the service: the path, the credentials (NAME.login), the UUID type, the default user.",
    default: 'svc',
  }),
  dataDir: path<string>({ help: 'Folder of the data (embedded engine).', default: './data' }),
  workers: integer<number | undefined>(1, 64, {
    help: 'Threads that answer HTTP requests.',
    default: undefined,
    defaultText: '1 on one or two cores, else cores - 1, at most 8; 1 where a port cannot be shared',
  }),
  compatibility: choice(['contract', 'reference'], {
    help: "`reference` restores Ignite's way where it differs (the rows marked R in the list of differences).",
    default: 'contract',
  }),
  defaultCache: text<string>({ help: 'Name of the default cache.', default: 'default' }),
  httpStatus: boolean<boolean>({
    help: 'Answer failed commands with fitting HTTP codes instead of 200.',
    default: false,
  }),
  engine: choice(['embedded', 'cluster'], {
    help: '`embedded`: the data is here; `cluster`: in front of Apache Ignite.',
    default: 'embedded',
  }),
  'engine.cluster.endpoints': list({
    help: 'Nodes of the cluster, HOST:PORT (thin client port).',
    default: ['127.0.0.1:10800'],
    environment: 'SVC_ENDPOINTS',
  }),
  'engine.cluster.user': text<string | undefined>({ help: 'User of the cluster.', default: undefined }),
  'engine.cluster.password': text<string | undefined>({
    help: "The cluster user's password.",
    default: undefined,
    secret: true,
  }),
  'engine.cluster.tls.enabled': boolean<boolean>({
    help: 'Speak TLS with the cluster; also when one of the files below is given.',
    default: false,
  }),
  'engine.cluster.tls.ca': path<string | undefined>({
    help: "PEM file of the authorities that the nodes' certificates are checked against.",
    default: undefined,
    defaultText: "the system's",
  }),
  'engine.cluster.tls.cert': path<string | undefined>({ help: 'PEM file of our certificate.', default: undefined }),
  'engine.cluster.tls.key': path<string | undefined>({ help: 'PEM file of its private key.', default: undefined }),
  'engine.cluster.tls.passphrase': text<string | undefined>({
    help: 'Passphrase of that key.',
    default: undefined,
    secret: true,
  }),
  'engine.cluster.tls.serverName': text<string | undefined>({
    help: "Name that the nodes' certificates carry.",
    default: undefined,
    defaultText: "the endpoint's host",
  }),
  'engine.cluster.tls.trustAll': boolean<boolean>({
    help: 'Accept any certificate of the nodes. For trials only.',
    default: false,
  }),
  'http.host': text<string>({
    help: 'Address to listen on; `localhost` stands for 127.0.0.1 and ::1, 0.0.0.0 for all.',
    default: 'localhost',
  }),
  'http.port': integer<number | undefined>(0, PORT, {
    help: 'Port; 0: any free one. Of HTTPS when only that is served.',
    default: undefined,
    defaultText: '8080; 8443 when only HTTPS is served',
  }),
  'http.portRange': integer<number>(0, PORT, {
    help: 'Ports that are tried from the first one on; 0 and 1: only that one.',
    default: 100,
  }),
  'http.idleTimeoutSeconds': integer<number>(1, 255, {
    help: 'Seconds after which a silent connection is closed.',
    default: 30,
  }),
  'http.origins': list({
    help: 'Origins whose web pages may use the service, https://HOST:PORT; *: all.',
    default: [],
  }),
  'http.hosts': list({
    help: 'Host names accepted while only loopback addresses are listened on; *: all.',
    default: [],
    defaultText: "the machine's own",
  }),
  'http.metricsPort': integer<number | undefined>(1, PORT, {
    help: 'A port that serves /metrics and /health alone.',
    default: undefined,
    defaultText: 'none; they are on the other ports',
  }),
  'http.config': path<string | undefined>({
    help: 'HTTP server configuration file (JSON), relative to the installation folder; beats the `http` part.',
    default: undefined,
  }),
  'http.plain': boolean<boolean | undefined>({
    help: 'Serve plain HTTP beside HTTPS.',
    default: undefined,
    defaultText: 'true without a certificate, false with one',
  }),
  'http.tls.cert': path<string | undefined>({
    help: 'PEM file of the certificate chain; switches HTTPS on. Read again when it changes.',
    default: undefined,
  }),
  'http.tls.key': path<string | undefined>({ help: 'PEM file of the private key.', default: undefined }),
  'http.tls.passphrase': text<string | undefined>({
    help: 'Passphrase of the private key.',
    default: undefined,
    secret: true,
  }),
  'http.tls.ca': path<string | undefined>({
    help: 'PEM file of the authorities that client certificates are checked against.',
    default: undefined,
  }),
  'http.tls.port': integer<number | undefined>(0, PORT, {
    help: 'Port of HTTPS.',
    default: undefined,
    defaultText: '8443, or http.port when only HTTPS is served',
  }),
  'http.tls.minimumVersion': choice(['TLSv1.2', 'TLSv1.3'], {
    help: 'Oldest version of TLS that is spoken.',
    default: 'TLSv1.2',
  }),
  'http.tls.clientCertificates': choice(['none', 'optional', 'required'], {
    help: '`required`: no answer without a valid one; `optional`: an invalid one counts as none.',
    default: 'none',
  }),
  authentication: boolean<boolean>({ help: 'Every command needs credentials or a session.', default: false }),
  adminPassword: text<string | undefined>({
    help: "The default user's password when a new store is begun with authentication.",
    default: undefined,
    defaultText: 'random, printed once',
    secret: true,
  }),
  allowOpen: boolean<boolean>({
    help: 'Listen on a non-loopback address without authentication.',
    default: false,
  }),
  secretKey: text<string | undefined>({
    help: 'Every request must be signed with this key (X-Signature).',
    default: undefined,
    secret: true,
  }),
  signatureMaxAge: integer<number | undefined>(1, SECONDS, {
    help: "Seconds that a signature's timestamp may differ from now.",
    default: undefined,
    defaultText: 'any age',
  }),
  'login.maxFailures': integer<number>(1, ANY, {
    help: 'Wrong passwords of a user from one network, after which attempts are rejected for a time that doubles.',
    default: 10,
  }),
  'login.maxNetworkFailures': integer<number>(1, 10_000, {
    help: 'Wrong passwords in a minute from one network, after which its attempts are checked one per second.',
    default: 30,
  }),
  'login.maxBackoff': integer<number>(1, SECONDS, {
    help: 'Most seconds that attempts are rejected after a wrong password.',
    default: 60,
  }),
  'rest.sessionTimeout': integer<number>(1, SECONDS, {
    help: 'Seconds after its last use that a session ends.',
    default: 30,
  }),
  'rest.getallAsArray': boolean<boolean>({
    help: 'Answer getall with an array of key and value.',
    default: false,
  }),
  'query.idleTimeout': integer<number>(1, SECONDS, {
    help: 'Seconds after which a cursor that is not fetched is closed.',
    default: 600,
  }),
  'query.timeout': integer<number | undefined>(0, SECONDS, {
    help: 'Seconds for which a statement or scan may run where the request does not say; 0: any. Idle cursors do not run.',
    default: undefined,
    defaultText: '60; 0 with compatibility `reference`',
  }),
  'query.maxTimeout': integer<number | undefined>(0, SECONDS, {
    help: 'Most seconds that a request may ask for, or get by `query.timeout`; 0: any.',
    default: undefined,
    defaultText: '3600; 0 with compatibility `reference`',
  }),
  'query.maxMemoryBytes': integer<number>(0, ANY, {
    help: 'Memory that one statement may take, where the platform can tell; 0: any.',
    default: 128 * 1024 * 1024,
  }),
  'query.maxTemporaryBytes': integer<number>(0, ANY, {
    help: 'Bytes that one statement may write into temporary files, where the platform can tell; 0: any.',
    default: 4 * 1024 ** 3,
  }),
  'query.maxWriteLockMs': integer<number>(0, ANY, {
    help: 'Milliseconds for which INSERT, MERGE, UPDATE or DELETE may keep other changes waiting; 0: any.',
    default: 10_000,
  }),
  'query.threads': integer<number>(1, 14, {
    help: 'Most threads for statements that read. Beyond the first four, one is started when all have long statements.',
    default: 12,
  }),
  'taskProcesses.count': integer<number | undefined>(1, 64, {
    help: 'Processes that tasks run in; as many again while they are busy with tasks of more than a second.',
    default: undefined,
    defaultText: 'one less than there are processors, at least two',
  }),
  'taskProcesses.memoryBytes': integer<number>(128 * 1024 * 1024, ANY, {
    help: 'Address space that a task process may take, where the platform can limit it.',
    default: 1024 * 1024 * 1024,
  }),
  'taskProcesses.longestMs': integer<number>(1, ANY, {
    help: 'Milliseconds after which a task is ended, whatever time it was given.',
    default: 3_600_000,
  }),
  'log.dir': path<string | undefined>({
    help: 'Folder of the log.',
    default: undefined,
    defaultText: 'the folder log in dataDir',
  }),
  'log.level': choice(['debug', 'info', 'warn', 'error'], { help: 'Least level that is logged.', default: 'info' }),
  ...LIMIT_OPTIONS,
};

export type OptionPath = keyof typeof OPTIONS;

/** The values of all options. */
export type OptionValues = {
  readonly [P in OptionPath]: (typeof OPTIONS)[P] extends Option<infer T> ? T : never;
};

/** An option as it is described and found. */
export interface OptionRow {
  /** Path in the configuration file. */
  readonly path: OptionPath;
  readonly environment: string;
  /** Undefined for secrets. */
  readonly flag: string | undefined;
  readonly option: Option<unknown>;
}

/** All options in the order of the table. */
export const OPTION_ROWS: readonly OptionRow[] = (Object.keys(OPTIONS) as OptionPath[]).map((path) => {
  const option: Option<unknown> = OPTIONS[path];
  const environment = option.environment ?? environmentNameOf(path);
  return { path, environment, flag: option.secret ? undefined : flagOf(environment), option };
});

/** `SVC_` and the path in upper snake case. */
export function environmentNameOf(path: string): string {
  return `SVC_${path
    .replaceAll('.', '_')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toUpperCase()}`;
}

/** Returns the flag that belongs to an environment name: `--http-port` for `SVC_HTTP_PORT`. */
export function flagOf(environment: string): string {
  return `--${environment.slice('SVC_'.length).toLowerCase().replaceAll('_', '-')}`;
}
