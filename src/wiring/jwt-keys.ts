/** The keys of JSON Web Tokens, which the main thread loads for all threads. */
import type { Clock } from '../base/clock.ts';
import { gridError } from '../base/errors.ts';
import { withoutUrlSecrets } from '../base/url-secrets.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { Log } from '../service/monitoring/log.ts';
import { type JwtKeys, LoadedJwtKeys } from '../service/security/jwt/jwt-keys.ts';

/** Creates the keys of JSON Web Tokens, and begins to load them. */
export function jwtKeysOf({ jwt }: Configuration, clock: Clock, log: Log): StartedJwtKeys {
  if (jwt === undefined) return { keys: { get: () => Promise.reject(gridError('JWT_KEYS_UNAVAILABLE')) } };
  const source = withoutUrlSecrets(jwt.keys);
  const warnings: string[] = [];
  const keys = new LoadedJwtKeys({
    keys: jwt.keys,
    clock,
    onFailure(reason) {
      log.warn('The keys of JSON Web Tokens could not be loaded', { source, reason });
      warnings.push(`JSON Web Tokens are rejected until their keys can be loaded from ${source}: ${reason}`);
    },
    onUnusable(unusable) {
      log.warn('Keys of JSON Web Tokens cannot be used', { source, keys: unusable.join('; ') });
      warnings.push(`keys of JSON Web Tokens in ${source} cannot be used: ${unusable.join('; ')}`);
    },
  });
  const firstLoad = keys.get(0).then(
    () => warnings[0],
    () => warnings[0],
  );
  return { keys, firstLoad };
}

export interface StartedJwtKeys {
  readonly keys: JwtKeys;
  /** Resolves with the problem with the keys when they have been loaded for the first time. */
  readonly firstLoad?: Promise<string | undefined>;
}
