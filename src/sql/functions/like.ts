/**
 * LIKE of the dialect: `%` matches any characters, `_` one (a UTF-16 code unit, as in Java), and an escape character
 * (`\` by default) makes the next one literal. The matcher does not backtrack: between `%` signs, the leftmost
 * occurrence is enough.
 */
import { LRUCache } from 'lru-cache';
import { gridError } from '../../base/errors.ts';
import { SQL_FUNCTION_BOUNDS } from '../../base/limits.ts';
import { sqlFailure } from '../../base/sql-errors.ts';
import { indexOfText } from './text-search.ts';

export const DEFAULT_ESCAPE = '\\';

/** A part of a pattern: a literal string, `%` or `_`. */
export type LikePart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'any' }
  | { readonly kind: 'one' };

/**
 * Parses a pattern. Returns undefined if it ends in the escape character: LIKE with such a pattern is neither
 * true nor false.
 */
export function parseLike(pattern: string, escapedBy: string | undefined): readonly LikePart[] | undefined {
  const parts: LikePart[] = [];
  const texts: string[] = [];
  let from = 0;
  const flush = (end: number): void => {
    if (end > from) texts.push(pattern.slice(from, end));
    if (texts.length > 0) parts.push({ kind: 'text', text: texts.join('') });
    texts.length = 0;
  };
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern.charAt(at);
    if (character === escapedBy) {
      if (at > from) texts.push(pattern.slice(from, at));
      at += 1;
      if (at === pattern.length) return undefined;
      from = at;
    } else if (character === '%' || character === '_') {
      flush(at);
      from = at + 1;
      if (character === '_') parts.push({ kind: 'one' });
      else if (parts.at(-1)?.kind !== 'any') parts.push({ kind: 'any' });
    }
  }
  flush(pattern.length);
  return parts;
}

/** Returns the character of ESCAPE, or undefined if there is none. Throws for more than one. */
export function escapeCharacter(text: string): string | undefined {
  if (text.length > 1) throw sqlFailure('LIKE_ESCAPE', text);
  return text === '' ? undefined : text;
}

/** Returns the range of the strings that can match: from `low` to below `high`, which is undefined if unbounded. */
export function rangeOfLike(
  pattern: string,
  escapedBy: string | undefined,
): { readonly low: string; readonly high: string | undefined } {
  const [first] = parseLike(pattern, escapedBy) ?? [];
  const low = first?.kind === 'text' ? first.text : '';
  return { low, high: low === '' ? undefined : successor(low) };
}

/** Returns the least string that is greater than all strings with this prefix, or undefined. */
export function successor(prefix: string): string | undefined {
  let end = prefix.length;
  while (end > 0) {
    const pair = end > 1 ? (prefix.codePointAt(end - 2) ?? 0) : 0;
    const point = pair > 0xffff ? pair : prefix.charCodeAt(end - 1);
    end -= point > 0xffff ? 2 : 1;
    if (point >= 0x10ffff) continue;
    return prefix.slice(0, end) + String.fromCodePoint(point === 0xd7ff ? 0xe000 : point + 1);
  }
  return undefined;
}

/** The part between `%` signs: strings at fixed offsets. */
interface Segment {
  /** Characters before the first string. */
  readonly skipped: number;
  readonly chunks: ReadonlyArray<{ readonly text: string; readonly offset: number }>;
  /** Characters that the segment matches. */
  readonly length: number;
}

/** A compiled pattern. */
interface Matcher {
  readonly segments: readonly Segment[];
  /** The pattern starts with `%`. */
  readonly openStart: boolean;
  /** The pattern ends with `%`. */
  readonly openEnd: boolean;
}

/** Longer patterns are compiled for each match, so that the cache takes little memory. */
const MAX_CACHED_PATTERN = 1_000;
const cache = new LRUCache<string, Matcher | 'invalid'>({ max: 200 });

/**
 * Reports whether the string matches; null for a pattern that ends in its escape character. Caches compiled patterns.
 */
export function matchesLike(
  text: string,
  pattern: string,
  escapedBy: string | undefined,
  ignoreCase: boolean,
): boolean | null {
  const matcher = matcherOf(pattern, escapedBy, ignoreCase);
  return matcher === 'invalid' ? null : matches(ignoreCase ? foldUnits(text) : text, matcher);
}

function matcherOf(pattern: string, escapedBy: string | undefined, ignoreCase: boolean): Matcher | 'invalid' {
  const id = `${ignoreCase ? 'i' : ' '}${escapedBy ?? ''} ${pattern}`;
  const known = cache.get(id);
  if (known !== undefined) return known;
  const matcher = compile(pattern, escapedBy, ignoreCase);
  if (pattern.length <= MAX_CACHED_PATTERN) cache.set(id, matcher);
  return matcher;
}

function compile(pattern: string, escapedBy: string | undefined, ignoreCase: boolean): Matcher | 'invalid' {
  const parts = parseLike(pattern, escapedBy);
  if (parts === undefined) return 'invalid';
  const segments: Segment[] = [];
  let chunks: Array<{ text: string; offset: number }> = [];
  let length = 0;
  const flush = (): void => {
    if (length > 0) segments.push({ skipped: chunks[0]?.offset ?? length, chunks, length });
    chunks = [];
    length = 0;
  };
  for (const part of parts) {
    if (part.kind === 'any') flush();
    else if (part.kind === 'one') length += 1;
    else {
      chunks.push({ text: ignoreCase ? foldUnits(part.text) : part.text, offset: length });
      length += part.text.length;
    }
  }
  flush();
  return { segments, openStart: parts[0]?.kind === 'any', openEnd: parts.at(-1)?.kind === 'any' };
}

function matches(text: string, { segments, openStart, openEnd }: Matcher): boolean {
  const [first] = segments;
  const last = segments.at(-1);
  if (first === undefined || last === undefined) return openStart || text === '';
  if (segments.length === 1 && !openStart && !openEnd) return first.length === text.length && fits(text, first, 0);
  let at = 0;
  let from = 0;
  if (!openStart) {
    if (first.length > text.length || !fits(text, first, 0)) return false;
    at = first.length;
    from = 1;
  }
  const steps = { left: SQL_FUNCTION_BOUNDS.likeSteps };
  const to = openEnd ? segments.length : segments.length - 1;
  for (let index = from; index < to; index++) {
    const segment = segments[index];
    const found = segment === undefined ? at : find(text, segment, at, steps);
    if (found < 0) return false;
    at = found + (segment?.length ?? 0);
  }
  if (openEnd) return true;
  const start = text.length - last.length;
  return start >= at && fits(text, last, start);
}

function fits(text: string, { chunks }: Segment, at: number): boolean {
  return chunks.every((chunk) => text.startsWith(chunk.text, at + chunk.offset));
}

/** Returns the first position from `from` at which the segment matches, or -1. */
function find(text: string, segment: Segment, from: number, steps: { left: number }): number {
  const [first, ...others] = segment.chunks;
  const lastStart = text.length - segment.length;
  if (first === undefined) return from <= lastStart ? from : -1;
  for (let at = from; at <= lastStart; at++) {
    const found = indexOfText(text, first.text, at + first.offset);
    at = found - first.offset;
    if (found < 0 || at > lastStart) return -1;
    let fitting = 0;
    for (const chunk of others) {
      steps.left -= chunk.text.length + 1;
      if (!text.startsWith(chunk.text, at + chunk.offset)) break;
      fitting += 1;
    }
    if (fitting === others.length) return at;
    // Each search for the first string takes time proportional to its length.
    steps.left -= first.text.length + 1;
    if (steps.left < 0)
      throw gridError('LIMIT_EXCEEDED', 'steps of LIKE', SQL_FUNCTION_BOUNDS.likeSteps, 'more', 'fixed');
  }
  return -1;
}

/** Converts each UTF-16 code unit to upper case if that is a single unit, so that the length does not change. */
function foldUnits(text: string): string {
  const upper = text.toUpperCase();
  if (isAscii(text)) return upper;
  const parts: string[] = [];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charAt(at);
    const folded = unit.toUpperCase();
    const stays = folded.length !== 1 || (unit >= '\x80' && folded < '\x80');
    parts.push(stays ? unit : folded);
  }
  return parts.join('');
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false;
  return true;
}
