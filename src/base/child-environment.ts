/** The environment of child processes. */

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * What programs need to run: search paths, folders, language, time zone, certificates, the runtime's own settings.
 * None of them holds a secret, which is why proxies are absent, whose addresses can contain a password, and tokens of
 * package registries, such as `BUN_AUTH_TOKEN`.
 */
const PASSED = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TMPDIR', 'TMP', 'TEMP', 'LANG', 'LANGUAGE', 'LC_*', 'TZ', 'TZDIR'],
  ...['LD_LIBRARY_PATH', 'DYLD_*', 'XDG_RUNTIME_DIR', 'XDG_CACHE_HOME', 'NO_COLOR', 'NODE_ENV', 'NODE_PATH'],
  ...['BUN_INSTALL', 'BUN_JSC_*', 'BUN_FEATURE_FLAG_*', 'BUN_RUNTIME_TRANSPILER_CACHE_PATH'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS'],
  // Windows, where names are not case-sensitive.
  ...['SYSTEMROOT', 'SYSTEMDRIVE', 'WINDIR', 'COMSPEC', 'PATHEXT', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA'],
];

/**
 * Returns the variables that a child process gets: those that programs need to run, and further ones by name. A name
 * that ends in `*` stands for all that begin so.
 */
export function childEnvironment(environment: Environment, further: readonly string[] = []): Environment {
  const names = new Set([...PASSED, ...further]);
  const beginnings = [...names].filter((each) => each.endsWith('*')).map((each) => each.slice(0, -1));
  const isPassed = (name: string): boolean =>
    names.has(name) || beginnings.some((beginning) => name.startsWith(beginning));
  const isWindows = process.platform === 'win32';
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => isPassed(name) || (isWindows && isPassed(name.toUpperCase()))),
  );
}

/** Credentials and the region of an object store, the certificates that it is trusted by, and the proxies before it. */
const OBJECT_STORE = [
  ...['AWS_*', 'NODE_EXTRA_CA_CERTS', 'HOME'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'],
];

/** Returns the variables that a child process gets which uses an object store. */
export function objectStoreEnvironment(environment: Environment): Environment {
  return childEnvironment(environment, OBJECT_STORE);
}
