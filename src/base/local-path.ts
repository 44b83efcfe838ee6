/** Local paths, as opposed to addresses. */

/** At least two letters: Windows has one-letter drives. */
const SCHEME = /^[a-z][a-z0-9+.-]+:\/\//i;

/** How messages describe an address given instead of a path. */
export const NOT_A_PATH = 'a path on this machine; addresses and object stores are not supported';

/** Reports whether a string that should be a path is an address, such as `s3://bucket/name`. */
export function isAddress(text: string): boolean {
  return SCHEME.test(text);
}

/** Reports whether a string names an object store's bucket, or an object in one. */
export function isBucketUrl(text: string): boolean {
  return /^s3:\/\//i.test(text);
}
