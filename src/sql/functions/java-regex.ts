/**
 * Regular expressions of java.util.regex for REGEXP and the REGEXP_ functions. The runtime's own engine never runs a
 * client's pattern, because it can take exponential time and gives up without an error.
 */
import { LRUCache } from 'lru-cache';
import { gridError } from '../../base/errors.ts';
import { SQL_FUNCTION_BOUNDS } from '../../base/limits.ts';
import { sqlFailure } from '../../base/sql-errors.ts';
import type { SqlFailure } from '../../base/sql-failure.ts';
import { type Poll, RegexMatcher } from './regex-matcher.ts';
import { parseRegex, type RegexOptions } from './regex-parser.ts';
import { compileRegex, type RegexProgram } from './regex-program.ts';
import { RegexSyntaxError } from './regex-syntax-error.ts';
import { TextBuilder } from './text-builder.ts';

export type { RegexOptions } from './regex-parser.ts';

/** Longer programs are compiled for each call, so that the cache takes little memory. */
const MAX_CACHED_INSTRUCTIONS = 1_000;
const cache = new LRUCache<string, RegexProgram>({ max: 128 });

const NO_POLL: Poll = () => {};

/** Returns the compiled pattern. Throws 22025 for an invalid one, LIMIT_EXCEEDED for one that is too long. */
function compiled(pattern: string, options: RegexOptions): RegexProgram {
  const key = `${options.ignoreCase === true}${options.dotAll === true}${options.multiline === true}${pattern}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const program = compile(pattern, options);
  if (program.instructions.length <= MAX_CACHED_INSTRUCTIONS) cache.set(key, program);
  return program;
}

function compile(pattern: string, options: RegexOptions): RegexProgram {
  const limit = SQL_FUNCTION_BOUNDS.regexCharacters;
  if (pattern.length > limit) {
    throw gridError('LIMIT_EXCEEDED', 'characters of a regular expression', limit, pattern.length, 'fixed');
  }
  try {
    return compileRegex(parseRegex(pattern, options));
  } catch (error) {
    if (error instanceof RegexSyntaxError) throw regexFailure(pattern);
    throw error;
  }
}

/** Returns the error that Apache Ignite reports for invalid patterns and replacements alike. */
function regexFailure(text: string): SqlFailure {
  return sqlFailure('LIKE_ESCAPE', text);
}

/** Reports whether the pattern matches a part of the string. `poll` may throw to cancel a long match. */
export function regexFinds(text: string, pattern: string, options: RegexOptions = {}, poll = NO_POLL): boolean {
  return new RegexMatcher(compiled(pattern, options), text, poll).find(0);
}

/** Replaces all matches. The replacement may contain $1, ${name}, and \ before a literal character. */
export function regexReplace(
  text: string,
  pattern: string,
  replacement: string,
  options: RegexOptions = {},
  poll = NO_POLL,
): string {
  const program = compiled(pattern, options);
  const matcher = new RegexMatcher(program, text, poll);
  const result = new TextBuilder(poll);
  let parts: readonly ReplacementPart[] | undefined;
  let from = 0;
  let copied = 0;
  while (from <= text.length && matcher.find(from)) {
    parts ??= parseReplacement(replacement, program);
    const { start, end } = matcher;
    result.add(text.slice(copied, start));
    for (const part of parts) result.add(typeof part === 'string' ? part : matcher.group(part));
    copied = end;
    from = end > start ? end : end + ((text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1);
  }
  if (parts === undefined) return text;
  result.add(text.slice(copied));
  return result.toString();
}

/** A literal string or a group number. */
type ReplacementPart = string | number;

function parseReplacement(replacement: string, program: RegexProgram): readonly ReplacementPart[] {
  const parts: ReplacementPart[] = [];
  for (let at = 0; at < replacement.length; ) {
    const character = replacement.charAt(at);
    if (character === '\\') {
      if (at + 1 >= replacement.length) throw regexFailure(replacement);
      parts.push(replacement.charAt(at + 1));
      at += 2;
    } else if (character === '$') {
      const { group, end } = readReference(replacement, at + 1, program);
      parts.push(group);
      at = end;
    } else {
      let end = at + 1;
      while (end < replacement.length && replacement[end] !== '\\' && replacement[end] !== '$') end += 1;
      parts.push(replacement.slice(at, end));
      at = end;
    }
  }
  return parts;
}

const GROUP_NAME = /\{([a-zA-Z][a-zA-Z0-9]*)\}/y;

function readReference(replacement: string, start: number, program: RegexProgram): { group: number; end: number } {
  GROUP_NAME.lastIndex = start;
  const name = GROUP_NAME.exec(replacement);
  if (name !== null) {
    const group = program.names.get(name[1] ?? '');
    if (group === undefined) throw regexFailure(replacement);
    return { group, end: start + name[0].length };
  }
  const digit = digitAt(replacement, start);
  if (digit === undefined) throw regexFailure(replacement);
  let group = digit;
  let end = start + 1;
  for (;;) {
    const next = digitAt(replacement, end);
    if (next === undefined || group * 10 + next >= program.groups) break;
    group = group * 10 + next;
    end += 1;
  }
  if (group < program.groups) return { group, end };
  throw sqlFailure('GENERAL', `java.lang.IndexOutOfBoundsException: No group ${group}`);
}

function digitAt(text: string, at: number): number | undefined {
  const digit = text.charCodeAt(at) - 48;
  return digit >= 0 && digit <= 9 ? digit : undefined;
}
