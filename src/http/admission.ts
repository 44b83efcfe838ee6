/**
 * Slots for requests beyond the limit of those that a thread executes at once. None waits here: a request waits only
 * for a resource, such as a statement process. The reserve is for tenants with few requests, and half of it for
 * administrators, because one tenant could occupy all other slots with long requests.
 */
import { gridError } from '../base/errors.ts';
import { type Tenant, TenantUsage } from '../base/shares.ts';

/** The reserve has this fraction of the limit. */
const RESERVED = 8;
/** One tenant may use this fraction of the reserve. */
const RESERVE_OF_TENANT = 4;

/** A slot in the reserve, belonging to the tenant with this key. */
export type ReservedFor = string;

export class RequestReserve {
  readonly #limit: number;
  readonly #places: number;
  readonly #usage = new TenantUsage();
  #used = 0;
  #rejected = 0;

  /** `limit` is the number of requests that need no slot here. */
  constructor(limit: number) {
    this.#limit = limit;
    this.#places = Math.floor(limit / RESERVED);
  }

  get used(): number {
    return this.#used;
  }

  get rejected(): number {
    return this.#rejected;
  }

  /** Admits a request while the limit is used up. Returns the argument for {@link end}. Throws OVERLOADED. */
  begin({ key, isAdministrator }: Tenant): ReservedFor {
    const places = isAdministrator ? this.#places : Math.floor(this.#places / 2);
    const isOverShare = !isAdministrator && this.#usage.of(key) >= Math.ceil(this.#places / RESERVE_OF_TENANT);
    if (this.#used >= places || isOverShare) {
      this.#rejected++;
      throw gridError('OVERLOADED', this.#limit + this.#used);
    }
    this.#used++;
    this.#usage.add(key);
    return key;
  }

  end(reservedFor: ReservedFor): void {
    this.#used--;
    this.#usage.remove(reservedFor);
  }
}
