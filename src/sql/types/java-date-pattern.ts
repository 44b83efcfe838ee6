/** Compiles patterns of java.text.SimpleDateFormat. */

import { LRUCache } from 'lru-cache';
import { sqlFailure } from '../../base/sql-errors.ts';
import type { SqlFailure } from '../../base/sql-failure.ts';
import { CACHED, cached } from './date-language.ts';
import { checkFormat } from './format-length.ts';

/** A run of one pattern letter, or literal text. */
export type Part = { readonly letter: string; readonly width: number } | { readonly literal: string };

const LETTERS = 'GyYMLwWDdFEuaHkKhmsSzZX';

export function unreadable(detail: string): SqlFailure {
  return sqlFailure('DATE_UNREADABLE', detail);
}

function compilePattern(pattern: string, described: string): readonly Part[] {
  const parts: Part[] = [];
  let literal = '';
  const flush = (): void => {
    if (literal !== '') parts.push({ literal });
    literal = '';
  };
  for (let at = 0; at < pattern.length; ) {
    const character = pattern.charAt(at);
    if (character === "'") {
      if (pattern.charAt(at + 1) === "'") {
        literal += "'";
        at += 2;
        continue;
      }
      const quote = readQuoted(pattern, at + 1);
      if (quote === undefined) throw unreadable(described);
      literal += quote.text;
      at = quote.end;
    } else if (/[A-Za-z]/.test(character)) {
      if (!LETTERS.includes(character)) throw unreadable(described);
      let end = at + 1;
      while (pattern.charAt(end) === character) end += 1;
      flush();
      parts.push({ letter: character, width: end - at });
      at = end;
    } else {
      literal += character;
      at += 1;
    }
  }
  flush();
  return parts;
}

/** Returns the text up to the closing quote, where two quotes are an escaped one, or undefined if unclosed. */
function readQuoted(pattern: string, start: number): { text: string; end: number } | undefined {
  let text = '';
  for (let at = start; at < pattern.length; at += 1) {
    if (pattern.charAt(at) !== "'") text += pattern.charAt(at);
    else if (pattern.charAt(at + 1) === "'") {
      text += "'";
      at += 1;
    } else return { text, end: at + 1 };
  }
  return undefined;
}

const patterns = new LRUCache<string, readonly Part[]>({ max: CACHED });

export function partsOf(pattern: string, locale: string | undefined, timeZone: string | undefined): readonly Part[] {
  checkFormat(pattern);
  const described = `${pattern}/${locale ?? null}/${timeZone ?? null}`;
  return cached(patterns, pattern, () => compilePattern(pattern, described));
}
