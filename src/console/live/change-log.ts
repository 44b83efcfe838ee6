/** The latest changes of a feed: a bounded number of them, and their total number. */
import { type Json, parseExact } from '../../client/exact-json.ts';
import { formatValue, writeJson } from '../elements/formats.ts';

/** More are never read, and would take memory. */
export const KEPT_CHANGES = 1_000;
/** Maximum number of characters kept of a key or a value. */
const KEPT_CHARACTERS = 5_000;
/** The rate is over this many seconds: with fewer it would flicker. */
const RATE_SECONDS = 5;

export interface Change {
  /** Grows by one with each change. */
  readonly number: number;
  readonly operation: string;
  /** When it was committed: ISO 8601. */
  readonly time: string;
  /** The key of its row or entry, as {@link keyText} writes it; undefined for a change of the whole cache. */
  readonly identity: string | undefined;
  readonly key: string;
  /** The stored value, or the differences. */
  readonly text: string;
}

/** A part of the stream. */
interface Part {
  readonly [name: string]: Json;
}

const HEAD = /^\{"event":"(\w+)","position":"([^"]*)"/;
/** When a change was committed, as the service writes it before the key. */
const TIME = /^\{"event":"change","position":"[^"]*","operation":"\w+","cache":"(?:[^"\\]|\\.)*","time":"([^"]*)"/;

/** Returns the text that identifies a row by the values of its key, in the order of the names of their columns. */
export function keyText(values: readonly unknown[]): string {
  return values.map((value) => formatValue(value)).join('\u0000');
}

function isObject(value: Json | undefined): value is { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && value.constructor === Object;
}

function bounded(text: string): string {
  return text.length > KEPT_CHARACTERS ? `${text.slice(0, KEPT_CHARACTERS)} …` : text;
}

/** Between members: a line shows the end of a line as a space. */
const SEPARATOR = ',\n';

/** Returns the content of a change besides its key: the members that differ, or the value. */
export function describeChange({ operation, value, oldValue, tables }: Part): string {
  if (tables !== undefined) return writeJson(tables, 0);
  if (isObject(value) && isObject(oldValue)) {
    const different = Object.keys(value).filter(
      (name) => formatValue(value[name]) !== formatValue(oldValue[name] ?? null),
    );
    return different
      .map((name) => `${name}: ${formatValue(oldValue[name] ?? null)} → ${formatValue(value[name])}`)
      .join(SEPARATOR);
  }
  if (operation === 'updated' && oldValue !== undefined) return `${formatValue(oldValue)} → ${formatValue(value)}`;
  if (isObject(value)) return membersText(value);
  const shown = value ?? oldValue;
  if (isObject(shown)) return membersText(shown);
  return shown === undefined ? '' : formatValue(shown);
}

function membersText(value: { readonly [name: string]: Json }): string {
  return Object.entries(value)
    .map(([name, each]) => `${name}: ${formatValue(each)}`)
    .join(SEPARATOR);
}

export class ChangeLog {
  /** All changes since the beginning; the latest are kept. */
  total = 0;
  /** Changes that happened before following began. */
  earlier = 0;
  /** The position after the last change; undefined before the first. */
  position: string | undefined;
  readonly #kept: Change[] = [];
  #pending: string[] = [];
  #filter = '';
  #liveFromMs = Number.NEGATIVE_INFINITY;
  #firstSecond: number | undefined;
  /** Changes by second, the latest last. */
  readonly #seconds: Array<{ readonly second: number; count: number }> = [];

  /** Takes the next line of the stream. Returns the part if it is not a change: the caller acts on it. */
  add(line: string, nowMs: number): Part | undefined {
    const [, event, position] = HEAD.exec(line) ?? [];
    if (position !== undefined) this.position = position;
    if (event !== 'change') return line === '' ? undefined : (parseExact(line) as unknown as Part);
    this.total++;
    if (this.#isEarlier(line)) this.earlier++;
    else this.#count(nowMs);
    // Lines that cannot match are not parsed: a fast feed must not block the page.
    if (this.#filter !== '' && !line.toLowerCase().includes(this.#filter)) return undefined;
    this.#pending.push(line);
    if (this.#pending.length >= 2 * KEPT_CHANGES) this.#pending = this.#pending.slice(-KEPT_CHANGES);
    return undefined;
  }

  /**
   * From now on counts only changes since an instant, by the service's clock, for the rate: a stream that begins in the
   * past sends its backlog as fast as it can.
   */
  liveFrom(ms: number): void {
    this.#liveFromMs = ms;
  }

  #isEarlier(line: string): boolean {
    if (this.#liveFromMs === Number.NEGATIVE_INFINITY) return false;
    const ms = Date.parse(TIME.exec(line)?.[1] ?? '');
    return ms < this.#liveFromMs;
  }

  #count(nowMs: number): void {
    const second = Math.floor(nowMs / 1_000);
    this.#firstSecond ??= second;
    const last = this.#seconds.at(-1);
    if (last?.second === second) last.count++;
    else this.#seconds.push({ second, count: 1 });
    if (this.#seconds.length > RATE_SECONDS + 1) this.#seconds.shift();
  }

  /** Returns the changes a second, as they happened, of the last complete seconds since the first of them. */
  rate(nowMs: number): number {
    const now = Math.floor(nowMs / 1_000);
    const counted = this.#seconds.filter(({ second }) => second < now && second >= now - RATE_SECONDS);
    const seconds = Math.min(RATE_SECONDS, now - (this.#firstSecond ?? now));
    return seconds === 0 ? 0 : counted.reduce((sum, { count }) => sum + count, 0) / seconds;
  }

  /** From now on keeps only changes whose operation, key or text contains a text, ignoring case. */
  filter(text: string): void {
    this.#filter = text.trim().toLowerCase();
  }

  /** Moves the lines that were added among the kept changes, and returns the new ones. */
  settle(): readonly Change[] {
    const lines = this.#pending.slice(-KEPT_CHANGES);
    this.#pending = [];
    const first = this.total - lines.length;
    const settled = lines.map((line, at) => changeOf(parseExact(line) as unknown as Part, first + at + 1));
    this.#kept.push(...settled);
    if (this.#kept.length > KEPT_CHANGES) this.#kept.splice(0, this.#kept.length - KEPT_CHANGES);
    return settled;
  }

  /** Returns the kept changes that match the filter, the latest first. */
  shown(): readonly Change[] {
    return this.matching(this.#kept).reverse();
  }

  /** Returns the given changes that match the filter. */
  matching(changes: readonly Change[]): Change[] {
    return changes.filter((change) => matches(change, this.#filter));
  }

  /** Forgets all changes, and restarts counting. */
  clear(): void {
    [this.total, this.earlier] = [0, 0];
    this.#kept.length = 0;
    this.#pending = [];
  }
}

function matches({ operation, key, text }: Change, filter: string): boolean {
  return filter === '' || [operation, key, text].some((each) => each.toLowerCase().includes(filter));
}

/** Returns the identity of a row or entry: the members of its key in the order of their names, or the key itself. */
export function keyValues(key: Json | undefined): ReadonlyArray<Json | undefined> {
  if (!isObject(key)) return [key];
  return Object.keys(key)
    .sort()
    .map((name) => key[name]);
}

function changeOf(part: Part, number: number): Change {
  const { key } = part;
  const values = isObject(key) ? Object.values(key) : [key];
  return {
    number,
    operation: String(part.operation),
    time: String(part.time),
    identity: key === undefined ? undefined : keyText(keyValues(key)),
    key: key === undefined ? '' : bounded(values.map((value) => formatValue(value)).join(', ')),
    text: bounded(describeChange(part)),
  };
}
