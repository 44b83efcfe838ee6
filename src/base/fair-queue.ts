/**
 * A bounded queue that serves its tenants in turn, so that a tenant with a thousand waiting items does not delay
 * the first item of another.
 */
import { type Tenant, TenantUsage, yieldsTo } from './shares.ts';

/** The items of one tenant. */
interface Line<T> {
  items: T[];
  /** Index of the first item; removing the first element of an array costs its length. */
  first: number;
}

export class FairQueue<T> {
  readonly #limit: number;
  /** In the order in which tenants are served next. */
  readonly #lines = new Map<string, Line<T>>();
  readonly #usage = new TenantUsage();
  #size = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#size;
  }

  /** Returns how many items of a tenant wait. */
  of(key: string): number {
    return this.#usage.of(key);
  }

  /**
   * Adds an item. When the queue is full, the newest item of the tenant with the most is removed and returned, or the
   * item itself when no tenant gives way.
   */
  push(tenant: Tenant, item: T): T | undefined {
    const { key } = tenant;
    let removed: T | undefined;
    if (this.#size >= this.#limit) {
      const most = this.#usage.most();
      if (most === undefined || !yieldsTo(most, tenant, this.of(key))) return item;
      removed = this.#lines.get(most.key)?.items.pop();
      this.#removed(most.key);
    }
    const line = this.#lines.get(key);
    if (line === undefined) this.#lines.set(key, { items: [item], first: 0 });
    else line.items.push(item);
    this.#usage.add(key);
    this.#size++;
    return removed;
  }

  /**
   * Removes and returns the oldest item of the tenant served least recently; undefined when no item waits. `mayRun`
   * skips tenants for which it returns false.
   */
  shift(mayRun?: (key: string) => boolean): T | undefined {
    for (const [key, line] of this.#lines) {
      if (mayRun !== undefined && !mayRun(key)) continue;
      const item = line.items[line.first++];
      if (line.first * 2 > line.items.length) {
        line.items.splice(0, line.first);
        line.first = 0;
      }
      // The tenant is served again after all others.
      this.#lines.delete(key);
      this.#lines.set(key, line);
      this.#removed(key);
      return item;
    }
    return undefined;
  }

  /** Removes an item of a tenant. Returns false when it does not wait. */
  remove(key: string, item: T): boolean {
    const line = this.#lines.get(key);
    const at = line === undefined ? -1 : line.items.indexOf(item, line.first);
    if (line === undefined || at < 0) return false;
    line.items.splice(at, 1);
    this.#removed(key);
    return true;
  }

  /** Removes and returns all items. */
  clear(): T[] {
    const items: T[] = [];
    for (let item = this.shift(); item !== undefined; item = this.shift()) items.push(item);
    return items;
  }

  #removed(key: string): void {
    this.#size--;
    this.#usage.remove(key);
    if (this.#usage.of(key) === 0) this.#lines.delete(key);
  }
}
