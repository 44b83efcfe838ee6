/**
 * Bounds how many requests a thread executes at once. None waits here: a request waits only for what it needs, such as
 * a query thread. Beyond the limit there is a reserve for tenants with few requests, and half of it is for
 * administrators, because one tenant could occupy all places with long requests.
 */
import { fail } from '../base/errors.ts';
import { type Tenant, TenantUsage } from '../base/shares.ts';

/** The reserve has one place for so many of the limit. */
const RESERVED = 8;
/** One tenant may use one of so many places of the reserve. */
const RESERVE_OF_TENANT = 4;

/** A place in the reserve; it belongs to the tenant of this key. */
export type ReservedFor = string;

export class RequestAdmission {
  readonly #limit: number;
  readonly #reserve: number;
  #inWork = 0;
  readonly #reserved = new TenantUsage();
  #inReserve = 0;
  #rejected = 0;

  constructor(limit: number) {
    this.#limit = limit;
    this.#reserve = Math.floor(limit / RESERVED);
  }

  /** Requests that run now. */
  get inWork(): number {
    return this.#inWork + this.#inReserve;
  }

  get rejected(): number {
    return this.#rejected;
  }

  /** Admits a request. Returns what {@link end} must be called with. Throws OVERLOADED. */
  begin(tenantOf: () => Tenant): ReservedFor | undefined {
    if (this.#inWork < this.#limit) {
      this.#inWork++;
      return undefined;
    }
    const { key, isAdministrator } = tenantOf();
    const reserve = isAdministrator ? this.#reserve : Math.floor(this.#reserve / 2);
    const isOverShare = !isAdministrator && this.#reserved.of(key) >= Math.ceil(this.#reserve / RESERVE_OF_TENANT);
    if (this.#inReserve >= reserve || isOverShare) {
      this.#rejected++;
      throw fail('OVERLOADED', this.inWork);
    }
    this.#inReserve++;
    this.#reserved.add(key);
    return key;
  }

  /** Ends a request. */
  end(reservedFor?: ReservedFor): void {
    if (reservedFor === undefined) this.#inWork--;
    else {
      this.#inReserve--;
      this.#reserved.remove(reservedFor);
    }
  }
}
