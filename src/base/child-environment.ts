/** The environment of child processes. */

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Environment variables that programs need to run: search paths, folders, language, time zone, certificates and the
 * runtime's own settings. None of them holds a secret. Proxies are therefore absent, because their addresses can
 * contain a password, and so are tokens of package registries, such as `BUN_AUTH_TOKEN`.
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
 * Returns the variables that a child process gets: those that programs need to run, plus `names`. A name that ends in
 * `*` matches every name with that prefix.
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

/** An object store's credentials, region and trusted certificates, and the proxies in front of it. */
const OBJECT_STORE = [
  ...['AWS_*', 'NODE_EXTRA_CA_CERTS', 'HOME'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'],
];

/** Returns the variables for a child process that uses an object store. */
export function objectStoreEnvironment(environment: Environment): Environment {
  return childEnvironment(environment, OBJECT_STORE);
}
