/**
 * Reads the parameters of query strings. Clients repeat what a query string begins with, and change a key or the
 * arguments of a statement. The parameters of such a beginning are copied instead of read again, and later look-ups by
 * their values are faster, because the strings are the same objects.
 */
import { PASSWORD, readPairs } from './parameters.ts';

/** What targets begin with, up to the end of a pair. */
interface Beginning {
  readonly text: string;
  readonly params: ReadonlyMap<string, string>;
  readonly pairs: number;
}

/** Beginnings that a thread keeps, and the longest of them. */
const KEPT_BEGINNINGS = 4;
const KEPT_CHARACTERS = 2_048;
/** So often, a request is compared with the next one. */
const COMPARED_REQUESTS = 64;
const AMPERSAND = 38;

/** The last one that was found comes first. */
let beginnings: readonly Beginning[] = [];
let requests = 0;
let compared: string | undefined;

/** Returns the parameters of a target's query string, which begins at `start`. Throws what `readPairs` does. */
export function readQuery(target: string, start: number, limit: number): Map<string, string> {
  if (++requests >= COMPARED_REQUESTS) compare(target, start);
  for (const known of beginnings) {
    if (known.pairs >= limit || !target.startsWith(known.text)) continue;
    const params = new Map(known.params);
    readPairs(target, known.text.length, params, limit, known.pairs);
    return params;
  }
  const params = new Map<string, string>();
  readPairs(target, start, params, limit, 0);
  return params;
}

/** Keeps the target, or what it has in common with the one that was kept before. */
function compare(target: string, start: number): void {
  if (compared === undefined) {
    // Nothing of a text with a password is kept.
    if (!PASSWORD.test(target)) compared = target;
    return;
  }
  const end = commonEnd(compared, target, start);
  compared = undefined;
  requests = 0;
  if (
    end === 0 ||
    end > KEPT_CHARACTERS ||
    beginnings.some(({ text }) => text.length === end && target.startsWith(text))
  )
    return;
  // A slice would keep the whole target in memory; a copy does not.
  const text = Buffer.from(target.slice(0, end), 'latin1').toString('latin1');
  const params = new Map<string, string>();
  const pairs = readPairs(text, start, params, Number.POSITIVE_INFINITY, 0);
  beginnings = [{ text, params, pairs }, ...beginnings.slice(0, KEPT_BEGINNINGS - 1)];
}

/** Returns the end of the pairs from `start` on that two targets begin with; 0 if they have none in common. */
function commonEnd(one: string, other: string, start: number): number {
  let end = 0;
  for (let at = 0; at < one.length && one.charCodeAt(at) === other.charCodeAt(at); at++) {
    if (at >= start && one.charCodeAt(at) === AMPERSAND) end = at + 1;
  }
  return end;
}
