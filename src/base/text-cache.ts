/**
 * Caches by string for the path of every request. Clients repeat a string, such as a statement with other arguments, so
 * the most recent one is compared instead of looked up.
 */
import { LRUCache } from 'lru-cache';

export class TextCache<V extends {}> {
  readonly #all: LRUCache<string, V>;
  /** The most recently used entry of {@link #all}. */
  #lastText: string | undefined;
  #last: V | undefined;

  constructor(options: LRUCache.Options<string, V, unknown>) {
    this.#all = new LRUCache(options);
  }

  get(text: string): V | undefined {
    return text === this.#lastText ? this.#last : this.#find(text);
  }

  #find(text: string): V | undefined {
    const found = this.#all.get(text);
    if (found !== undefined) {
      this.#lastText = text;
      this.#last = found;
    }
    return found;
  }

  set(text: string, value: V): void {
    this.#forgetLast();
    this.#all.set(text, value);
  }

  delete(text: string): void {
    this.#forgetLast();
    this.#all.delete(text);
  }

  clear(): void {
    this.#forgetLast();
    this.#all.clear();
  }

  #forgetLast(): void {
    this.#lastText = undefined;
    this.#last = undefined;
  }
}
