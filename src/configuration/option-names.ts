/** The names of an option that follow from its path in the configuration file. */

/** Returns `SVC_` and the path in upper snake case. */
export function environmentNameOf(path: string): string {
  return `SVC_${path
    .replaceAll('.', '_')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toUpperCase()}`;
}

/** Returns the flag for an environment name: `--http-port` for `SVC_HTTP_PORT`. */
export function flagOf(environment: string): string {
  return `--${environment.slice('SVC_'.length).toLowerCase().replaceAll('_', '-')}`;
}
