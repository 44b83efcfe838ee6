/**
 * The table of options: path in the configuration file, type, default and description. The environment name is `SVC_`
 * and the path in upper snake case, unless the contract defines another; the flag is derived from it.
 */
import { LIMIT_NAMES, LIMITS, type Limits } from '../base/limits.ts';
import { BACKUP_OPTIONS } from './backup-options.ts';
import { boolean, choice, integer, list, type Option, path, pathOrUrl, pattern, rate, text } from './option.ts';
import { environmentNameOf, flagOf } from './option-names.ts';

const PORT = 65_535;
const ANY = Number.MAX_SAFE_INTEGER;
const SECONDS = 31_536_000;

/** One option per limit of src/base/limits.ts. */
export const LIMIT_OPTIONS = Object.fromEntries(
  LIMIT_NAMES.map((name) => [`limits.${name}`, integer(1, ANY, LIMITS[name])]),
) as { readonly [L in keyof Limits as `limits.${L}`]: Option<number> };

export const OPTIONS = {
  name: pattern<string>(/^[A-Za-z][A-Za-z0-9_-]{0,31}$/, 'a letter, then at most 31 letters, digits, _ or -', {
    help: 'Name of the service in the path, the credentials (NAME.login) and the UUID type, and of the default user.',
    default: 'svc',
  }),
  dataDir: path<string>({ help: 'Data folder (embedded engine).', default: './data' }),
  workers: integer<number | undefined>(1, 64, {
    help: 'Number of threads that serve HTTP requests.',
    defaultText: '1 on one or two cores, otherwise cores - 1, at most 8; 1 where threads cannot share a port',
  }),
  compatibility: choice(['contract', 'reference'], {
    help: '`reference` behaves like Apache Ignite where the service differs (rows marked R in Differences).',
    default: 'contract',
  }),
  defaultCache: text<string>({ help: 'Name of the default cache.', default: 'default' }),
  httpStatus: boolean<boolean>({
    help:
      'Respond to failed commands with a matching HTTP status instead of 200. No effect with `compatibility=reference`, ' +
      'where only a request can ask for it.',
    default: false,
  }),
  errors: choice(['text', 'object'], {
    help:
      '`object` returns the error of an envelope as an object with a code instead of a text. No effect with ' +
      '`compatibility=reference`, where only a request can ask for it.',
    default: 'text',
  }),
  'json.types': boolean<boolean>({
    help: "In requests whose command is in a JSON body, or in the path next to one, keys and values without a type get the cache's, and values otherwise the one implied by JSON. `false` stores them as strings.",
    default: true,
  }),
  'json.httpStatus': boolean<boolean>({
    help: 'Respond to such requests with a matching HTTP status if they fail.',
    default: true,
  }),
  'json.errors': choice(['text', 'object'], {
    help: 'Form of errors in responses to such requests.',
    default: 'object',
  }),
  'json.defaultPageSize': integer<number>(0, 2_147_483_647, {
    help: 'Page size for such requests without `pageSize`; 0 requires it.',
    default: 1_000,
    unit: 'rows',
  }),
  'parameters.strict': boolean<boolean>({
    help: 'Reject every parameter that the command does not declare. Otherwise only misspelt ones are rejected.',
    default: false,
  }),
  engine: choice(['embedded', 'cluster'], {
    help: '`embedded` stores the data itself; `cluster` is a front end of an Apache Ignite cluster.',
    default: 'embedded',
  }),
  'engine.cluster.endpoints': list({
    help: 'Nodes of the cluster as HOST:PORT (thin client port).',
    default: ['127.0.0.1:10800'],
    environment: 'SVC_ENDPOINTS',
  }),
  'engine.cluster.partitionAwareness': boolean<boolean>({
    help: 'Send a request for a key to the node that holds it; `false` sends all requests to the first reachable endpoint.',
    default: true,
  }),
  'engine.cluster.user': text<string | undefined>({ help: 'User name for the cluster.' }),
  'engine.cluster.password': text<string | undefined>({
    help: 'Password for the cluster.',
    secret: true,
  }),
  'engine.cluster.shareAccount': boolean<boolean>({
    help:
      'In front of a cluster with authentication, require no credentials: every request acts as `engine.cluster.user`. ' +
      'Insecure; each start logs a warning.',
    default: false,
  }),
  'engine.cluster.tls.enabled': boolean<boolean>({
    help: 'Connect to the cluster over TLS; implied by the files below.',
    default: false,
  }),
  'engine.cluster.tls.ca': path<string | undefined>({
    help: 'PEM file of the certificate authorities for verifying the nodes.',
    defaultText: 'those of the system',
  }),
  'engine.cluster.tls.cert': path<string | undefined>({
    help: 'PEM file of the client certificate.',
  }),
  'engine.cluster.tls.key': path<string | undefined>({
    help: 'PEM file of the private key of the client certificate.',
  }),
  'engine.cluster.tls.passphrase': text<string | undefined>({
    help: 'Passphrase of the private key of the client certificate.',
    secret: true,
  }),
  'engine.cluster.tls.serverName': text<string | undefined>({
    help: 'Host name expected in the certificates of the nodes.',
    defaultText: 'the host of the endpoint',
  }),
  'engine.cluster.tls.trustAll': boolean<boolean>({
    help: 'Accept any certificate from the nodes. Insecure; for tests only.',
    default: false,
  }),
  'http.host': text<string>({
    help: 'Address to listen on; `localhost` is 127.0.0.1 and ::1, 0.0.0.0 is every address.',
    default: 'localhost',
  }),
  'http.port': integer<number | undefined>(0, PORT, {
    help: 'Port to listen on; 0 picks a free one. If only HTTPS is served, it is the HTTPS port.',
    defaultText: '8080; 8443 when only HTTPS is served',
  }),
  'http.portRange': integer<number>(0, PORT, {
    help: 'Number of ports to try, starting at the configured one; 0 and 1 try only that one.',
    default: 100,
  }),
  strictPort: boolean<boolean>({
    help: 'Exit if the port is in use instead of listening on the next free one of http.portRange.',
    default: false,
  }),
  'http.idleTimeoutSeconds': integer<number>(1, 255, {
    help: 'Seconds after which an idle connection is closed.',
    default: 30,
    beyond: 'The connection is closed; `REQUEST_TIMEOUT` if a request has begun.',
  }),
  'http.origins': list({
    help: 'Origins whose web pages may use the service, as https://HOST:PORT; * allows all.',
    default: [],
  }),
  'http.hosts': list({
    help: 'Additional host names to accept, on every address; * allows all.',
    default: [],
    defaultText: 'those of the machine while the service listens on loopback addresses only, else all',
  }),
  'http.csrfHeader': pattern<string | undefined>(/^[A-Za-z][A-Za-z0-9-]{0,63}$/, 'a header name', {
    help: 'Header that a GET request must carry to change data, such as X-Requested-With. Web pages cannot send it.',
    defaultText: 'none',
  }),
  'http.trustedProxies': list({
    help: 'Addresses and networks (10.0.0.0/8) of the proxies that report the addresses of clients.',
    default: [],
  }),
  'http.forwardedHeader': choice(['X-Forwarded-For', 'Forwarded'], {
    help: "Header to which the trusted proxies append the client's address. The other header is ignored.",
    default: 'X-Forwarded-For',
  }),
  'http.proxyProtocol': boolean<boolean>({
    help: 'Expect a PROXY protocol header, version 2, on every connection from a trusted proxy; with TLS, before the handshake.',
    default: false,
  }),
  'http.compressionMinBytes': integer<number>(0, ANY, {
    help: 'Minimum size in bytes of responses that are compressed for clients with an Accept-Encoding header; 0 compresses none.',
    default: 4_096,
    beyond: 'Shorter responses are not compressed.',
  }),
  'http.metricsPort': integer<number | undefined>(1, PORT, {
    help: 'Separate port that serves only /metrics and /health.',
    defaultText: 'none; the other ports serve them',
  }),
  'http.docs': boolean<boolean>({
    help: 'Redirect /docs to the commands in the console, which documents and sends them.',
    default: true,
  }),
  'http.mcp': boolean<boolean>({
    help: 'Serve tools for language models at /mcp, to clients that may send commands.',
    default: true,
  }),
  'http.console': choice(['auto', 'on', 'off'], {
    help: 'Serve the console at /console; `auto`: while listening on a loopback address, or with authentication.',
    default: 'auto',
  }),
  'http.consolePort': integer<number | undefined>(1, PORT, {
    help: 'Separate port for the console, which also serves commands; the other ports then do not serve the console.',
    defaultText: 'none; the other ports serve it',
  }),
  'console.title': pattern<string | undefined>(/^\S.{0,39}$/, 'at most 40 characters', {
    help: 'Name of this service in the console, such as `Production`.',
  }),
  'console.colour': choice(['none', 'grey', 'blue', 'green', 'orange', 'red', 'purple'], {
    help: "Colour of the console's bar, to distinguish production from a test at a glance.",
    default: 'none',
  }),
  'console.sessionTimeout': integer<number>(1, SECONDS, {
    help: 'Seconds of inactivity after which a session of the console expires.',
    default: 28_800,
    beyond: ['TOKEN_UNKNOWN'],
    unit: 'seconds',
  }),
  'http.config': path<string | undefined>({
    help: 'HTTP server configuration file (JSON), relative to the installation folder; overrides the `http` options.',
  }),
  'http.plain': boolean<boolean | undefined>({
    help: 'Serve plain HTTP in addition to HTTPS.',
    defaultText: 'true without a certificate, false with one',
  }),
  'http.tls.cert': path<string | undefined>({
    help: 'PEM file of the certificate chain; enables HTTPS. It is reloaded when it changes.',
  }),
  'http.tls.key': path<string | undefined>({ help: 'PEM file of the private key.' }),
  'http.tls.passphrase': text<string | undefined>({
    help: 'Passphrase of the private key.',
    secret: true,
  }),
  'http.tls.ca': path<string | undefined>({
    help: 'PEM file of the certificate authorities for verifying client certificates.',
  }),
  'http.tls.port': integer<number | undefined>(0, PORT, {
    help: 'HTTPS port.',
    defaultText: '8443, or http.port when only HTTPS is served',
  }),
  'http.tls.minimumVersion': choice(['TLSv1.2', 'TLSv1.3'], {
    help: 'Minimum TLS version.',
    default: 'TLSv1.2',
  }),
  'http.tls.strictTransportSeconds': integer<number>(0, 4 * SECONDS, {
    help: 'Seconds for which browsers use only HTTPS for this host (Strict-Transport-Security); 0 omits the header.',
    default: 0,
  }),
  'http.tls.clientCertificates': choice(['none', 'optional', 'required'], {
    help: '`required` rejects clients without a valid certificate; `optional` ignores an invalid one.',
    default: 'none',
  }),
  authentication: boolean<boolean>({
    help:
      'Require credentials or a session for every command. In front of a cluster with authentication they are required ' +
      'in any case, unless `engine.cluster.shareAccount` is set.',
    default: false,
  }),
  adminPassword: text<string | undefined>({
    help: 'Password of the default user, set when a new store is created with authentication.',
    defaultText: 'random: printed once, or written to `generatedPasswordFile`',
    secret: true,
  }),
  generatedPasswordFile: path<string | undefined>({
    help: 'File (mode 0600) to which the first startup writes a random `adminPassword` instead of printing it, for systems that keep output, such as containers. If the file already has a password, a new store uses that one.',
    defaultText: 'none; the password is printed',
  }),
  allowUnauthenticated: boolean<boolean>({
    help: 'Allow listening on a non-loopback address without authentication.',
    default: false,
  }),
  secretKey: text<string | undefined>({
    help: 'Key with which every request must be signed (X-Signature).',
    secret: true,
  }),
  signatureMaxAge: integer<number | undefined>(1, SECONDS, {
    help: 'Maximum seconds by which the timestamp of a signature may differ from now.',
    defaultText: 'any age',
    beyond: ['SIGNATURE_WRONG'],
    unit: 'seconds',
  }),
  'login.maxFailures': integer<number>(1, ANY, {
    help: 'Wrong passwords for a user from one network before more attempts are rejected, for a time that doubles.',
    default: 10,
    beyond: ['TOO_MANY_ATTEMPTS'],
    unit: 'attempts',
  }),
  'login.maxNetworkFailures': integer<number>(1, 10_000, {
    help: 'Wrong passwords per minute from one network before its attempts are limited to one per second.',
    default: 30,
    beyond: ['TOO_MANY_ATTEMPTS'],
    unit: 'attempts per minute',
  }),
  'login.maxBackoff': integer<number>(1, SECONDS, {
    help: 'Maximum seconds for which attempts are rejected after a wrong password.',
    default: 60,
    beyond: ['TOO_MANY_ATTEMPTS'],
    unit: 'seconds',
  }),
  'login.oldPassword': boolean<boolean | undefined>({
    help: 'Whether users need their old password to change it.',
    defaultText: 'true; false with compatibility `reference`',
  }),
  'login.minimumPasswordLength': integer<number>(1, 128, {
    default: 1,
    help: 'Minimum length of new passwords. Compatibility `reference` accepts any password, as Ignite does.',
    unit: 'characters',
  }),
  'rateLimit.address': rate<string | undefined>({
    help: 'Maximum request rate of an IPv4 address or an IPv6 /64, such as 100/s; beyond that, requests get 429.',
    defaultText: 'unlimited',
  }),
  'rateLimit.user': rate<string | undefined>({
    help: 'Maximum request rate of a user, all sessions and API keys together. Administrators are exempt.',
    defaultText: 'unlimited',
  }),
  'rateLimit.apiKey': rate<string | undefined>({
    help: 'Maximum request rate of an API key without its own rate.',
    defaultText: 'unlimited',
  }),
  'jwt.keys': pathOrUrl<string | undefined>({
    help: 'File or URL of the JSON Web Key Set for verifying JSON Web Tokens; enables them (OpenID Connect: jwks_uri).',
  }),
  'jwt.issuer': text<string | undefined>({
    help: 'Issuer of JSON Web Tokens, the claim iss.',
  }),
  'jwt.audience': list({
    help: 'Audiences of JSON Web Tokens, the claim aud: the names by which the identity provider knows the service.',
    default: [],
  }),
  'jwt.algorithms': list({
    help: 'Accepted signature algorithms, among RS256, PS256, ES256 (each also with 384 and 512), EdDSA and Ed25519.',
    default: ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'],
  }),
  'jwt.clockToleranceSeconds': integer<number>(0, 600, {
    help: 'Seconds by which the clocks of the service and of the identity provider may differ.',
    default: 30,
    beyond: ['JWT_INVALID'],
  }),
  'jwt.userClaim': text<string>({
    help: "Claim with the user's name, such as sub or email; a path such as user.name for nested ones.",
    default: 'sub',
  }),
  'jwt.users': choice(['separate', 'stored'], {
    help: '`separate`: the user of a token is jwt:NAME and needs no account. `stored`: NAME must be a user of the service.',
    default: 'separate',
  }),
  'jwt.rolesClaim': text<string | undefined>({
    help: "Claim with the user's groups or roles, a list or words; a path such as realm_access.roles for nested ones.",
    defaultText: 'none; permissions.users and permissions.others decide',
  }),
  'jwt.roles': list({
    help: 'Roles of the service by value of jwt.rolesClaim, as VALUE=ROLE. Other values grant nothing.',
    default: [],
  }),
  'rest.sessionTimeout': integer<number>(1, SECONDS, {
    help: 'Seconds of inactivity after which a session expires.',
    default: 30,
    beyond: ['TOKEN_UNKNOWN'],
    unit: 'seconds',
  }),
  'rest.sessionLifetime': integer<number | undefined>(1, SECONDS, {
    help: 'Seconds after a login at which its session ends, however much it is used.',
    defaultText: 'none; a session lasts as long as it is used',
    beyond: ['TOKEN_UNKNOWN'],
    unit: 'seconds',
  }),
  'rest.getallAsArray': boolean<boolean>({
    help: 'Return the result of getall as an array of keys and values.',
    default: false,
  }),
  'query.idleTimeout': integer<number>(1, SECONDS, {
    help: 'Seconds of inactivity after which a query cursor is closed.',
    default: 600,
    beyond: ['QUERY_NOT_FOUND'],
    unit: 'seconds',
  }),
  'query.defaultPageSize': integer<number | undefined>(1, 2_147_483_647, {
    help: 'Page size for queries without `pageSize`.',
    defaultText: 'none: `pageSize` is required, as in Apache Ignite',
    unit: 'rows',
  }),
  'query.timeout': integer<number | undefined>(0, SECONDS, {
    help: 'Default time limit of a statement or scan in seconds; 0 is unlimited. Idle cursors do not count.',
    defaultText: '60; 0 with compatibility `reference`',
    beyond: ['QUERY_TIMEOUT'],
    unit: 'seconds',
  }),
  'query.maxTimeout': integer<number | undefined>(0, SECONDS, {
    help: 'Maximum time limit of a statement or scan in seconds, which overrides the request and `query.timeout`; 0 is unlimited. It does not apply to administrators, exports, imports and CREATE INDEX.',
    defaultText: '600; 0 with compatibility `reference`',
    beyond: ['QUERY_TIMEOUT'],
    unit: 'seconds',
  }),
  'query.maxMemoryBytes': integer<number>(0, ANY, {
    help: "Maximum memory of one statement in bytes, where the platform can measure it; 0 is unlimited. The default leaves room for other users' statements: with 256 MiB, a few concurrent ones exceed the memory that docs/operating.md plans for.",
    default: 128 * 1024 * 1024,
    beyond: ['QUERY_MEMORY'],
  }),
  'query.maxTotalMemoryBytes': integer<number | undefined>(0, ANY, {
    help: 'Maximum memory in bytes of all running statements together, and of all statement processes beyond their startup memory, where the platform can measure it; 0 is unlimited.',
    defaultText: 'one and a half times `query.maxMemoryBytes`',
    beyond: ['QUERIES_MEMORY'],
  }),
  'query.maxProcessMemoryBytes': integer<number | undefined>(0, ANY, {
    help: 'Maximum memory of one statement process in bytes, beyond its startup memory (about 40 MiB). The kernel enforces it on Linux; on macOS the service measures the process and ends it. 0 is unlimited.',
    defaultText: '512 MiB more than `query.maxMemoryBytes`; 0 if that is 0',
    beyond: ['QUERY_MEMORY', 'QUERY_PROCESS_MEMORY'],
  }),
  'query.maxTotalTemporaryBytes': integer<number | undefined>(0, ANY, {
    help: 'Maximum bytes of temporary files of all running statements together, where the platform can measure it; 0 is unlimited.',
    defaultText: 'four times `query.maxTemporaryBytes`',
    beyond: ['QUERIES_DISK'],
  }),
  'query.maxTemporaryBytes': integer<number>(0, ANY, {
    help: 'Maximum bytes of temporary files of one statement, where the platform can measure it; 0 is unlimited.',
    default: 4 * 1024 ** 3,
    beyond: ['QUERY_DISK'],
  }),
  'query.maxResultBytes': integer<number | undefined>(0, ANY, {
    help: 'Maximum bytes of rows that a statement or scan returns, over all pages; 0 is unlimited.',
    defaultText: '4294967296; 0 with compatibility `reference`',
    beyond: ['QUERY_RESULT_BYTES'],
  }),
  'query.maxWriteLockMs': integer<number>(0, ANY, {
    help: 'Maximum milliseconds for which INSERT, MERGE, UPDATE, DELETE or ANALYZE holds the write lock; 0 is unlimited. CREATE INDEX holds it up to its time limit.',
    default: 10_000,
    beyond: ['WRITE_LOCK_TIME'],
  }),
  'query.processes': integer<number>(1, 14, {
    help: 'Maximum number of processes for statements that read. Beyond four, one starts when all run long statements.',
    default: 12,
    beyond: ['QUERIES_BUSY'],
    unit: 'processes',
  }),
  'taskProcesses.count': integer<number | undefined>(1, 64, {
    help: 'Number of task processes. While all of them run tasks longer than a second, more are started: up to twice as many, up to five times as many for users without a running task, and one more for administrators.',
    defaultText: 'cores - 1, at least 2',
    beyond: 'More tasks wait for a process.',
    unit: 'processes',
  }),
  'taskProcesses.memoryBytes': integer<number>(128 * 1024 * 1024, ANY, {
    help: 'Maximum address space of a task process in bytes, where the platform can limit it.',
    default: 1024 * 1024 * 1024,
    beyond: ['TASK_FAILED'],
  }),
  'taskProcesses.maxTimeoutMs': integer<number>(1, ANY, {
    help: "Maximum time limit of a task in milliseconds, which overrides the request's `timeout`.",
    default: 600_000,
    beyond: ['TASK_TIMEOUT'],
  }),
  'taskProcesses.environment': list({
    help: 'Names of additional environment variables for task processes, such as `AWS_REGION` or `REPORT_*`.',
    default: [],
  }),
  'storage.minFreeBytes': integer<number | undefined>(0, ANY, {
    help: 'Bytes that must be available on the disk for changes that add data; 0 reserves only what the write-ahead log needs (embedded engine).',
    defaultText: '134217728, at most a twentieth of the disk, and at least 25165824 or half of it',
    beyond: ['STORAGE_LOW'],
  }),
  'idempotency.retentionSeconds': integer<number>(1, SECONDS, {
    help: 'Seconds for which the result of a request with an Idempotency-Key header is stored.',
    default: 86_400,
    beyond: 'The request is executed again.',
    unit: 'seconds',
  }),
  'changeFeed.retentionSeconds': integer<number>(1, SECONDS, {
    help: 'Seconds for which the change feed retains changes, so that consumers can resume (embedded engine).',
    default: 86_400,
    beyond: ['CHANGE_POSITION_GONE'],
    unit: 'seconds',
  }),
  'changeFeed.retentionBytes': integer<number>(1024, ANY, {
    help: 'Bytes of changes that the change feed retains in each database file (embedded engine).',
    default: 1024 * 1024 * 1024,
    beyond: ['CHANGE_POSITION_GONE'],
  }),
  ...BACKUP_OPTIONS,
  'shutdown.delaySeconds': integer<number>(0, 3_600, {
    help: 'Seconds for which the service continues to serve after SIGTERM while `/health/ready` reports it as stopping.',
    default: 0,
  }),
  'log.dir': path<string | undefined>({
    help: 'Log folder.',
    defaultText: 'the folder log in dataDir',
  }),
  'log.level': choice(['debug', 'info', 'warn', 'error'], { help: 'Minimum level of log entries.', default: 'info' }),
  'log.stdout': choice(['none', 'text', 'json'], {
    help: 'Format in which log entries are also written to standard output, for containers.',
    default: 'none',
  }),
  'log.slowMs': integer<number>(0, ANY, {
    help: 'Milliseconds after which statements and requests are logged as slow; 0 logs none.',
    default: 1_000,
    beyond: 'The log has an entry.',
  }),
  'shadow.url': pattern<string | undefined>(/^https?:\/\/[^\s@?#/]+\/[^\s@?#/]+$/, 'the URL of an endpoint', {
    help: 'Endpoint of a second service, such as http://localhost:8080/ignite, that gets a sample of the reads; its responses are compared.',
    defaultText: 'none',
    environment: 'SVC_SHADOW',
  }),
  'shadow.samplePercent': integer<number>(1, 100, {
    help: 'Percentage of successful reads that are sent to the second service.',
    default: 10,
  }),
  'shadow.timeoutMs': integer<number>(1, ANY, {
    help: 'Time limit of a request to the second service, in milliseconds.',
    default: 10_000,
  }),
  'shadow.user': text<string | undefined>({
    help: 'User that logs in to the second service, if it requires authentication.',
  }),
  'shadow.password': text<string | undefined>({
    help: 'Password of that user.',
    secret: true,
  }),
  'telemetry.endpoint': pattern<string | undefined>(
    /^https?:\/\/[^\s@?#/]+(?:\/[^\s@?#]*[^\s@?#/])?$/,
    'a URL without a final slash, credentials and parameters',
    {
      help: 'Address of an OpenTelemetry collector (OTLP over HTTP), such as http://localhost:4318, which gets traces, logs and metrics.',
      defaultText: 'none; nothing is sent',
    },
  ),
  'telemetry.headers': pattern<string | undefined>(/^[^\s=,]+=[^,]*(?:,[^\s=,]+=[^,]*)*$/, 'NAME=VALUE,NAME=VALUE', {
    help: 'Headers for the collector, such as authorization=Bearer KEY, separated by commas.',
    secret: true,
  }),
  'telemetry.samplePercent': integer<number>(0, 100, {
    help: 'Percentage of requests that are traced. A client that sends a traceparent decides for its own requests.',
    default: 100,
  }),
  'telemetry.logs': boolean<boolean>({
    help: 'Also send log entries to the collector.',
    default: true,
  }),
  'telemetry.metricsIntervalMs': integer<number>(0, 86_400_000, {
    help: 'Time between reports of the metrics to the collector, in milliseconds; 0 sends none.',
    default: 60_000,
  }),
  ...LIMIT_OPTIONS,
};

export type OptionPath = keyof typeof OPTIONS;

/** The values of all options. */
export type OptionValues = {
  readonly [P in OptionPath]: (typeof OPTIONS)[P] extends Option<infer T> ? T : never;
};

/** An option with its names. */
export interface OptionRow {
  /** Path in the configuration file. */
  readonly path: OptionPath;
  readonly environment: string;
  /** undefined for secrets. */
  readonly flag: string | undefined;
  readonly option: Option<unknown>;
}

/** Former paths of options. They and the names derived from them are read until 2.0, with a warning. */
const FORMER_PATHS: Readonly<Record<string, OptionPath>> = {
  allowOpen: 'allowUnauthenticated',
  'http.writeHeader': 'http.csrfHeader',
  'query.threads': 'query.processes',
  'taskProcesses.longestMs': 'taskProcesses.maxTimeoutMs',
  'idempotency.keepSeconds': 'idempotency.retentionSeconds',
  'changeFeed.keepSeconds': 'changeFeed.retentionSeconds',
  'changeFeed.keepBytes': 'changeFeed.retentionBytes',
  'limits.requestsInWork': 'limits.requestsInFlight',
  'backup.secondsFor': 'backup.pitrWindow',
  'backup.continuous.guarded': 'backup.continuous.assumeSoleWriter',
};

/** An option's former names. */
export interface FormerRow {
  readonly path: string;
  readonly environment: string;
  readonly flag: string;
  readonly row: OptionRow;
}

/** All options in table order. */
export const OPTION_ROWS: readonly OptionRow[] = (Object.keys(OPTIONS) as OptionPath[]).map((path) => {
  const option: Option<unknown> = OPTIONS[path];
  const environment = option.environment ?? environmentNameOf(path);
  return { path, environment, flag: option.secret ? undefined : flagOf(environment), option };
});

/** The former names of all options. */
export const FORMER_ROWS: readonly FormerRow[] = Object.entries(FORMER_PATHS).flatMap(([path, present]) => {
  const environment = environmentNameOf(path);
  const row = OPTION_ROWS.find((each) => each.path === present);
  return row === undefined ? [] : [{ path, environment, flag: flagOf(environment), row }];
});
