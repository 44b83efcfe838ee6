/**
 * LIKE of the dialect: `%` any characters, `_` one (a UTF-16 unit, as in Java), and a character that takes their
 * meaning away (`\` by default). The matcher never goes back: between two `%` the leftmost occurrence is enough.
 */

import { fail } from '../../base/errors.ts';
import { SQL_FUNCTION_BOUNDS } from '../../base/limits.ts';
import { sqlFailure } from '../types/sql-errors.ts';
import { indexOfText } from './text-search.ts';

export const DEFAULT_ESCAPE = '\\';

/** A pattern taken apart: literal texts, `%` and `_`. */
export type LikePart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'any' }
  | { readonly kind: 'one' };

/**
 * Takes a pattern apart. The escape character makes any character stand for itself; undefined where none follows it:
 * to be like such a pattern is neither true nor false.
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

/** The character of ESCAPE; undefined: none. Throws for more than one. */
export function escapeCharacter(text: string): string | undefined {
  if (text.length > 1) throw sqlFailure('LIKE_ESCAPE', text);
  return text === '' ? undefined : text;
}

/** The texts that can match a pattern, as a range: from `low` to below `high`; undefined: up to the last text. */
export function rangeOfLike(
  pattern: string,
  escapedBy: string | undefined,
): { readonly low: string; readonly high: string | undefined } {
  const [first] = parseLike(pattern, escapedBy) ?? [];
  const low = first?.kind === 'text' ? first.text : '';
  return { low, high: low === '' ? undefined : successor(low) };
}

/** The least text that is above all texts with this beginning; undefined when there is none. */
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

/** What stands between two `%`: texts and how many characters of any kind follow each. */
interface Segment {
  /** Characters of any kind in front of the first text. */
  readonly skipped: number;
  readonly chunks: ReadonlyArray<{ readonly text: string; readonly offset: number }>;
  /** Length of the text that the segment takes. */
  readonly length: number;
}

/** A compiled pattern. */
interface Matcher {
  readonly segments: readonly Segment[];
  /** Whether the pattern begins, ends with `%`. */
  readonly openStart: boolean;
  readonly openEnd: boolean;
}

const MATCHERS = new Map<string, Matcher | null>();
const MAX_MATCHERS = 200;
/** Longer patterns are compiled each time, so that those kept take little memory. */
const MAX_KEPT_PATTERN = 1_000;

/** Whether the text matches; null for a pattern that ends in its escape character. Compiled patterns are kept. */
export function matchesLike(
  text: string,
  pattern: string,
  escapedBy: string | undefined,
  ignoreCase: boolean,
): boolean | null {
  const matcher = matcherOf(pattern, escapedBy, ignoreCase);
  return matcher === null ? null : matches(ignoreCase ? foldUnits(text) : text, matcher);
}

function matcherOf(pattern: string, escapedBy: string | undefined, ignoreCase: boolean): Matcher | null {
  const id = `${ignoreCase ? 'i' : ' '}${escapedBy ?? ''} ${pattern}`;
  const known = MATCHERS.get(id);
  if (known !== undefined) return known;
  const matcher = compile(pattern, escapedBy, ignoreCase);
  if (pattern.length <= MAX_KEPT_PATTERN) {
    if (MATCHERS.size >= MAX_MATCHERS) MATCHERS.clear();
    MATCHERS.set(id, matcher);
  }
  return matcher;
}

function compile(pattern: string, escapedBy: string | undefined, ignoreCase: boolean): Matcher | null {
  const parts = parseLike(pattern, escapedBy);
  if (parts === undefined) return null;
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

/** The first place from `from` on where the segment stands; -1: none. */
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
    // The first text is searched for anew from the next place, which costs its length again.
    steps.left -= first.text.length + 1;
    if (steps.left < 0) throw fail('LIMIT_EXCEEDED', 'steps of LIKE', SQL_FUNCTION_BOUNDS.likeSteps, 'more');
  }
  return -1;
}

/** Each UTF-16 unit in upper case, where that is one unit too: the text keeps its length. */
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
