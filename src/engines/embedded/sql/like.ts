/** LIKE of the dialect: `%` any characters, `_` one, and a character that takes their meaning away (`\` by default). */
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
  return new RegExp(`^${source.join('')}$`, ignoreCase ? 'iu' : 'u');
}
