/**
 * LIKE of the dialect: `%` any characters, `_` one (a UTF-16 unit, as in Java), and a character that takes their
 * meaning away (`\` by default).
 */
import { StatementFailure } from '../types/failures.ts';

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
  let text = '';
  const flush = (): void => {
    if (text !== '') parts.push({ kind: 'text', text });
    text = '';
  };
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern.charAt(at);
    if (character === escapedBy) {
      at += 1;
      if (at === pattern.length) return undefined;
      text += pattern.charAt(at);
    } else if (character === '%') {
      flush();
      if (parts.at(-1)?.kind !== 'any') parts.push({ kind: 'any' });
    } else if (character === '_') {
      flush();
      parts.push({ kind: 'one' });
    } else {
      text += character;
    }
  }
  flush();
  return parts;
}

/** The character of ESCAPE; undefined: none. Throws for more than one. */
export function escapeCharacter(text: string): string | undefined {
  if (text.length > 1) throw new StatementFailure(`Error in LIKE ESCAPE: "${text}"`, 22025);
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
  const points = [...prefix].map((character) => character.codePointAt(0) ?? 0);
  for (let last = points.length - 1; last >= 0; last--) {
    const point = points[last] ?? 0;
    if (point >= 0x10ffff) continue;
    const next = point === 0xd7ff ? 0xe000 : point + 1;
    return String.fromCodePoint(...points.slice(0, last), next);
  }
  return undefined;
}

const MATCHERS = new Map<string, RegExp | null>();
const MAX_MATCHERS = 200;

/** Whether the text matches; null for a pattern that ends in its escape character. Compiled patterns are kept. */
export function matchesLike(
  text: string,
  pattern: string,
  escapedBy: string | undefined,
  ignoreCase: boolean,
): boolean | null {
  const id = `${ignoreCase ? 'i' : ' '}${escapedBy ?? ''} ${pattern}`;
  let matcher = MATCHERS.get(id);
  if (matcher === undefined) {
    matcher = compile(pattern, escapedBy, ignoreCase);
    if (MATCHERS.size >= MAX_MATCHERS) MATCHERS.clear();
    MATCHERS.set(id, matcher);
  }
  return matcher === null ? null : matcher.test(text);
}

function compile(pattern: string, escapedBy: string | undefined, ignoreCase: boolean): RegExp | null {
  const source = parseLike(pattern, escapedBy)?.map((part) => {
    if (part.kind === 'any') return '[^]*';
    return part.kind === 'one' ? '[^]' : RegExp.escape(part.text);
  });
  return source === undefined ? null : new RegExp(`^${source.join('')}$`, ignoreCase ? 'i' : '');
}
