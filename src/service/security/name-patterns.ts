/**
 * Patterns of names in roles and in the scopes of API keys, in which `*` stands for any characters. No regular
 * expression is made of them: users write them, and one with many `*` would backtrack for long.
 */
import { ROLE_BOUNDS } from '../../base/limits.ts';

export type Matcher = (text: string) => boolean;

/** Returns what reports whether a text matches one of the patterns, in time linear in the text for each. */
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
    // The first place of each part leaves the most for those behind it.
    for (const part of inner) {
      const found = text.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
      if (at > innerEnd) return false;
    }
    return true;
  };
}
