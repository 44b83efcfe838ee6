/** When the entries of a cache expire. */

export interface Expiry {
  readonly ttlMs: number;
  /** Whether reads also extend the time to live. */
  readonly isSliding: boolean;
}

/** Returns the time to live that an expiry policy names: `ModifiedExpiryPolicy [ttlMs=60000]`. */
export function expiryOf(policy: string): Expiry | undefined {
  const [, ttlMs] = /ttlMs=(\d+)/.exec(policy) ?? [];
  return ttlMs === undefined ? undefined : { ttlMs: Number(ttlMs), isSliding: policy.startsWith('Touched') };
}
