/**
 * Name patterns in roles and in the scopes of API keys, in which `*` matches any characters. They are not turned into
 * regular expressions: users write them, and one with many `*` would backtrack for long.
 */
import { ROLE_BOUNDS } from '../../base/limits.ts';

export type Matcher = (text: string) => boolean;

/**
 * Returns a function that reports whether a string matches one of the patterns, in time linear in the string for each.
 */
export function patternMatcher(patterns: readonly string[]): Matcher {
  if (patterns.includes('*')) return () => true;
  const matchers = patterns.map(matcherOf);
  return (text) => text.length <= ROLE_BOUNDS.matchedCharacters && matchers.some((matches) => matches(text));
}

function matcherOf(pattern: string): Matcher {
  const [start = '', ...inner] = pattern.split('*');
  const end = inner.pop();
  if (end === undefined) return (text) => text === pattern;
  return (text) => {
    const innerEnd = text.length - end.length;
    let at = start.length;
    if (at > innerEnd || !text.startsWith(start) || !text.endsWith(end)) return false;
    // The first position of each part leaves the most for the parts after it.
    for (const part of inner) {
      const found = text.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
      if (at > innerEnd) return false;
    }
    return true;
  };
}
