/** Paths of this machine, as opposed to addresses. */

/** Two letters at least: Windows has drives of one. */
const SCHEME = /^[a-z][a-z0-9+.-]+:\/\//i;

/** What messages say about an address in place of a path. */
export const NOT_A_PATH = 'a path on this machine; addresses and object stores are not supported';

/** Reports whether a text that should be a path is an address, such as `s3://bucket/name`. */
export function isAddress(text: string): boolean {
  return SCHEME.test(text);
}

/** Reports whether a text names a bucket of an object store, or an object in one. */
export function isBucketUrl(text: string): boolean {
  return /^s3:\/\//i.test(text);
}
