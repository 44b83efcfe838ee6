/**
 * LIKE of the dialect: `%` any characters, `_` one (a UTF-16 unit, as in Java), and a character that takes their
 * meaning away (`\` by default).
 */
import { StatementFailure } from './failures.ts';

export const DEFAULT_ESCAPE = '\\';

/** A pattern taken apart: literal texts, `%` and `_`. */
export type LikePart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'any' }
  | { readonly kind: 'one' };

/** Takes a pattern apart. Throws 22025 when the escape character stands before anything but a wildcard or itself. */
export function parseLike(pattern: string, escapedBy: string | undefined): readonly LikePart[] {
  const parts: LikePart[] = [];
  let text = '';
  const flush = (): void => {
    if (text !== '') parts.push({ kind: 'text', text });
    text = '';
  };
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern.charAt(at);
    if (character === escapedBy) {
      const next = pattern.charAt(at + 1);
      if (next !== '%' && next !== '_' && next !== escapedBy) throw escapeFailure(pattern);
      text += next;
      at += 1;
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

function escapeFailure(pattern: string): StatementFailure {
  return new StatementFailure(`Error in LIKE ESCAPE: "${pattern}"`, 22025);
}

/** The character of ESCAPE; undefined: none. Throws for more than one. */
export function escapeCharacter(text: string): string | undefined {
  if (text.length > 1) throw escapeFailure(text);
  return text === '' ? undefined : text;
}

/** The texts that can match a pattern, as a range: from `low` to below `high`; undefined: up to the last text. */
export function rangeOfLike(
  pattern: string,
  escapedBy: string | undefined,
): { readonly low: string; readonly high: string | undefined } {
  const [first] = parseLike(pattern, escapedBy);
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

const MATCHERS = new Map<string, RegExp>();
const MAX_MATCHERS = 200;

/** Whether the text matches. Compiled patterns are kept. */
export function matchesLike(
  text: string,
  pattern: string,
  escapedBy: string | undefined,
  ignoreCase: boolean,
): boolean {
  const id = `${ignoreCase ? 'i' : ' '}${escapedBy ?? ''} ${pattern}`;
  let matcher = MATCHERS.get(id);
  if (matcher === undefined) {
    matcher = compile(pattern, escapedBy, ignoreCase);
    if (MATCHERS.size >= MAX_MATCHERS) MATCHERS.clear();
    MATCHERS.set(id, matcher);
  }
  return matcher.test(text);
}

function compile(pattern: string, escapedBy: string | undefined, ignoreCase: boolean): RegExp {
  const source = parseLike(pattern, escapedBy).map((part) => {
    if (part.kind === 'any') return '[^]*';
    return part.kind === 'one' ? '[^]' : RegExp.escape(part.text);
  });
  return new RegExp(`^${source.join('')}$`, ignoreCase ? 'i' : '');
}
