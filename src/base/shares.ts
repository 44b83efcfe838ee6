/**
 * Fair shares of limited resources: max-min fairness between tenants. A single tenant may use all of a resource. When
 * none is left, the tenant with the most gives up one unit for a tenant that has at least two fewer, so that every
 * tenant gets its requested amount up to an equal share. `Admission` bounds its queue by the same rule.
 */

/** The owner of a share: a user or, without authentication, the network of a client address. */
export interface Tenant {
  readonly key: string;
  readonly isAdministrator: boolean;
  /** Whether the tenant is a single connection, because many clients may share its address. */
  readonly isConnection?: boolean;
}

/** A tenant and the number of units that it holds. */
export interface TenantCount {
  readonly key: string;
  readonly count: number;
}

/**
 * Reports whether the tenant with the most units gives one up for a tenant who holds `own`. It always does for an
 * administrator, who must be able to end whatever uses the resource.
 */
export function yieldsTo(most: TenantCount, { key, isAdministrator }: Tenant, own: number): boolean {
  if (most.key === key || most.count === 0) return false;
  return isAdministrator || most.count >= own + 2;
}

/**
 * Reports whether a tenant may use one more unit of a resource whose units cannot be revoked. Beyond the limit, an
 * eighth is reserved for tenants who hold little. `used` counts everyone's units, `own` the tenant's.
 */
export function fitsReserve(limit: number, used: number, own: number): boolean {
  if (used < limit) return true;
  return used < limit + reserveOf(limit) && own < Math.max(1, Math.floor(limit / LITTLE));
}

/** Returns the size of the reserve beyond a limit. */
export function reserveOf(limit: number): number {
  return Math.floor(limit / RESERVE);
}

/** The reserve is this fraction of the units, and a tenant with less than this fraction of them holds little. */
const RESERVE = 8;
const LITTLE = 50;

/** Counts the units that each tenant holds. All operations take constant time. */
export class TenantUsage {
  readonly #counts = new Map<string, number>();
  /** The tenants with each count above 0. */
  readonly #keys: Array<Set<string>> = [];
  #most = 0;

  /** Returns how many units a tenant holds. */
  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  /** Returns the tenant with the most units; of several, the one that has had that many the longest. */
  most(): TenantCount | undefined {
    for (const key of this.#keys[this.#most] ?? []) return { key, count: this.#most };
    return undefined;
  }

  add(key: string): void {
    const count = this.of(key);
    this.#move(key, count, count + 1);
    this.#most = Math.max(this.#most, count + 1);
  }

  /** Removes one of a tenant's units. Does nothing if it holds none. */
  remove(key: string): void {
    const count = this.of(key);
    if (count === 0) return;
    this.#move(key, count, count - 1);
    if (count === this.#most && this.#keys[count]?.size === 0) this.#most--;
  }

  #move(key: string, from: number, to: number): void {
    this.#keys[from]?.delete(key);
    if (to === 0) {
      this.#counts.delete(key);
      return;
    }
    this.#counts.set(key, to);
    const keys = this.#keys[to] ?? new Set();
    this.#keys[to] = keys;
    keys.add(key);
  }
}
