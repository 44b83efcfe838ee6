import { expect, test } from 'bun:test';
import type { SvcConfiguration } from './declaration.ts';
import { environmentNameOf } from './option-names.ts';
import { OPTION_ROWS, OPTIONS, type OptionPath, type OptionValues } from './options.ts';

/** The names that clients, scripts and tests rely on. */
const CONTRACT: ReadonlyArray<readonly [environment: string, path: OptionPath]> = [
  ['SVC_HTTP_HOST', 'http.host'],
  ['SVC_HTTP_PORT', 'http.port'],
  ['SVC_HTTP_PORT_RANGE', 'http.portRange'],
  ['SVC_REST_SESSION_TIMEOUT', 'rest.sessionTimeout'],
  ['SVC_REST_GETALL_AS_ARRAY', 'rest.getallAsArray'],
  ['SVC_NAME', 'name'],
  ['SVC_DATA_DIR', 'dataDir'],
  ['SVC_WORKERS', 'workers'],
  ['SVC_COMPATIBILITY', 'compatibility'],
  ['SVC_AUTHENTICATION', 'authentication'],
  ['SVC_SECRET_KEY', 'secretKey'],
  ['SVC_ENGINE', 'engine'],
  ['SVC_ENDPOINTS', 'engine.cluster.endpoints'],
  ['SVC_DEFAULT_CACHE', 'defaultCache'],
  ['SVC_HTTP_STATUS', 'httpStatus'],
  ['SVC_SIGNATURE_MAX_AGE', 'signatureMaxAge'],
  ['SVC_HTTP_CONFIG', 'http.config'],
  ['SVC_LOG_DIR', 'log.dir'],
  ['SVC_ADMIN_PASSWORD', 'adminPassword'],
  ['SVC_GENERATED_PASSWORD_FILE', 'generatedPasswordFile'],
  ['SVC_ALLOW_UNAUTHENTICATED', 'allowUnauthenticated'],
  ['SVC_QUERY_IDLE_TIMEOUT', 'query.idleTimeout'],
  ['SVC_LIMITS_REQUEST_HEAD_BYTES', 'limits.requestHeadBytes'],
];

for (const [environment, path] of CONTRACT) {
  test(`${environment} is ${path}`, () => {
    expect(OPTION_ROWS.find((row) => row.path === path)?.environment).toBe(environment);
  });
}

test('all environment names but those of the contract follow from the path [5.8]', () => {
  const others = OPTION_ROWS.filter(({ path, environment }) => environment !== environmentNameOf(path));
  expect(others.map(({ environment }) => environment)).toEqual(['SVC_ENDPOINTS', 'SVC_SHADOW']);
});

test('names and flags are unique, and all options except secrets have a flag', () => {
  expect(new Set(OPTION_ROWS.map(({ environment }) => environment)).size).toBe(OPTION_ROWS.length);
  const flags = OPTION_ROWS.flatMap(({ flag }) => (flag === undefined ? [] : [flag]));
  expect(new Set(flags).size).toBe(flags.length);
  expect(OPTION_ROWS.filter(({ flag }) => flag === undefined).every(({ option }) => option.secret)).toBe(true);
  expect(flags).toContain('--http-port');
});

test('every option has a description of at least one sentence', () => {
  for (const { path, option } of OPTION_ROWS) {
    expect([path, /^[A-Z*`].*[.]$/.test(option.help), option.allowed !== '', option.defaultText !== '']).toEqual([
      path,
      true,
      true,
      true,
    ]);
  }
});

test('no secret has a visible default', () => {
  for (const { option } of OPTION_ROWS) if (option.secret) expect(option.default).toBeUndefined();
});

/** Flattens an object type to its paths: `{ http: { port: number } }` has `http.port`. */
type At<T, P extends string> = T extends unknown
  ? P extends `${infer Head}.${infer Rest}`
    ? Head extends keyof T
      ? At<NonNullable<T[Head]>, Rest>
      : never
    : P extends keyof T
      ? NonNullable<T[P]>
      : never
  : never;
type Fits<P extends OptionPath> = NonNullable<OptionValues[P]> extends At<SvcConfiguration, P> ? true : P;

test('the types of the configuration file match the table of options', () => {
  // A path that is missing from the types, or has another type, does not compile.
  const fits: { readonly [P in OptionPath]: Fits<P> & true } = Object.fromEntries(
    Object.keys(OPTIONS).map((path) => [path, true]),
  ) as { readonly [P in OptionPath]: true };
  expect(Object.values(fits).every((each) => each === true)).toBe(true);
});
