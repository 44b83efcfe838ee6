/**
 * Fair sharing of limited resources, such as cursors and sessions. A single user may use nine tenths of a resource.
 * The rest is reserved for users who hold few units, and the last fiftieth for administrators.
 */

/** The owner of a share: a user or, without authentication, the network of a client address. */
export interface Claimant {
  readonly key: string;
  readonly isAdministrator: boolean;
}

/** One unit in ten is reserved for users who hold few units. */
const RESERVED = 10;
/** One unit in fifty is reserved for administrators. */
const RESERVED_FOR_ADMINISTRATORS = 50;
/** A user who holds less than one unit in fifty holds few. */
const FEW = 50;

/**
 * Returns why a claimant cannot take one more unit, or undefined: `limit` when none is left, `share` when the rest is
 * reserved for others. `used` counts the units that all hold, `own` those of the claimant. A limit below 10 has no
 * reserve.
 */
export function exceededLimit(
  { isAdministrator }: Claimant,
  { limit, used, own }: { readonly limit: number; readonly used: number; readonly own: number },
): 'limit' | 'share' | undefined {
  if (used >= limit) return 'limit';
  if (isAdministrator || used < sharedPart(limit)) return undefined;
  const holdsFew = own < Math.max(1, Math.floor(limit / FEW));
  return holdsFew && used < limit - Math.floor(limit / RESERVED_FOR_ADMINISTRATORS) ? undefined : 'share';
}

/** Returns the number of units that anybody may take, regardless of how many they hold. */
export function sharedPart(limit: number): number {
  return limit - Math.floor(limit / RESERVED);
}
