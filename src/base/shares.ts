/**
 * How users share what there is only so much of, such as cursors and sessions. One user alone may take nearly all of
 * it. Once nine tenths are taken, the rest is for users who have little, and the last part for administrators.
 */

/** Whoever takes something: a user, or without authentication the network of an address. */
export interface Claimant {
  readonly key: string;
  readonly isAdministrator: boolean;
}

/** Part of the limit that is kept for users who have little, and of that for administrators. */
const RESERVED = 10;
const RESERVED_FOR_ADMINISTRATORS = 50;
/** A user with less than this part of the limit has little. */
const LITTLE = 50;

/**
 * Returns why a claimant cannot take one more: the limit is reached, or what is left is for others. `used` counts what
 * all have without the new one, `own` what the claimant has of it. A limit below 10 has no reserve.
 */
export function refusalOf(
  { isAdministrator }: Claimant,
  { limit, used, own }: { readonly limit: number; readonly used: number; readonly own: number },
): 'limit' | 'share' | undefined {
  if (used >= limit) return 'limit';
  if (isAdministrator || used < sharedPart(limit)) return undefined;
  const hasLittle = own < Math.max(1, Math.floor(limit / LITTLE));
  return hasLittle && used < limit - Math.floor(limit / RESERVED_FOR_ADMINISTRATORS) ? undefined : 'share';
}

/** What is given to anybody; from there on it matters who has how much. */
export function sharedPart(limit: number): number {
  return limit - Math.floor(limit / RESERVED);
}
