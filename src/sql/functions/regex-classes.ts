/**
 * Character classes of java.util.regex. The runtime's own classes (flag v) test one code point at a time, in constant
 * time.
 */
import { RegexSyntaxError } from './regex-syntax-error.ts';

/** A set of code points. */
export interface CharacterSet {
  has(codePoint: number): boolean;
  /** The only character of the set, if it has only one. */
  readonly only: string | undefined;
}

/** Classes by their names in \p, as the inside of a character class. POSIX classes are ASCII only, as in Java. */
const CLASSES: ReadonlyMap<string, string> = new Map([
  ['Lower', 'a-z'],
  ['Upper', 'A-Z'],
  ['ASCII', '\\x00-\\x7f'],
  ['Alpha', 'a-zA-Z'],
  ['Digit', '0-9'],
  ['Alnum', 'a-zA-Z0-9'],
  ['Punct', '\\x21-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7e'],
  ['Graph', '\\x21-\\x7e'],
  ['Print', '\\x20-\\x7e'],
  ['Blank', '\\x20\\t'],
  ['Cntrl', '\\x00-\\x1f\\x7f'],
  ['XDigit', '0-9a-fA-F'],
  ['Space', ' \\t\\n\\v\\f\\r'],
  ['javaLowerCase', '\\p{Lowercase}'],
  ['javaUpperCase', '\\p{Uppercase}'],
  ['javaWhitespace', '\\s'],
  ['javaDigit', '\\p{Nd}'],
  ['javaLetter', '\\p{L}'],
  ['javaLetterOrDigit', '\\p{L}\\p{Nd}'],
  ['L1', '\\x00-\\xff'],
  ['all', '\\p{Any}'],
]);

/** Classes by their letter after `\`; the upper-case letter is the complement. */
export const ESCAPED_CLASSES: ReadonlyMap<string, string> = new Map([
  ['d', '0-9'],
  ['w', 'a-zA-Z0-9_'],
  ['s', ' \\t\\n\\v\\f\\r'],
  ['h', ' \\t\\xa0\\u1680\\u180e\\u2000-\\u200a\\u202f\\u205f\\u3000'],
  ['v', '\\n\\v\\f\\r\\x85\\u2028\\u2029'],
]);

/** Escapes a character for use inside a class. */
export function literalInClass(character: string): string {
  return /[\^$\\.*+?()[\]{}|/\-&!#%,:;<=>@`~"]/.test(character) ? `\\u{${codeOf(character)}}` : character;
}

function codeOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16);
}

/** Returns the inside of the class `\p{name}`. Throws RegexSyntaxError for an unknown name. */
export function propertyClass(name: string): string {
  const known = CLASSES.get(name);
  if (known !== undefined) return known;
  const plain = name.replace(/^(?:Is|general_category=|gc=)/, '');
  const script = name.replace(/^(?:Is|script=|sc=|In)/, '');
  for (const property of [plain, `Script=${script}`]) {
    try {
      new RegExp(`\\p{${property}}`, 'v');
      return `\\p{${property}}`;
    } catch {
      // Not a property of this kind: try the next one.
    }
  }
  throw new RegexSyntaxError();
}

const ASCII = 128;

/** Returns the set of a class in brackets. Throws RegexSyntaxError for an invalid class. */
export function characterSet(source: string, ignoreCase: boolean): CharacterSet {
  const expression = compileClass(source, ignoreCase);
  const ascii = Uint8Array.from({ length: ASCII }, (_, code) => Number(expression.test(String.fromCharCode(code))));
  return {
    only: undefined,
    has: (codePoint) => (codePoint < ASCII ? ascii[codePoint] === 1 : expression.test(String.fromCodePoint(codePoint))),
  };
}

/** Returns the set of one character, with its case variants if case is ignored. */
export function singleCharacter(character: string, ignoreCase: boolean): CharacterSet {
  if (ignoreCase && character.toLowerCase() !== character.toUpperCase()) {
    return characterSet(`[${literalInClass(character)}]`, true);
  }
  const only = character.codePointAt(0) ?? 0;
  return { only: character, has: (codePoint) => codePoint === only };
}

/** Every character. */
export const ANY_CHARACTER: CharacterSet = { only: undefined, has: () => true };

/** Compiles a class. Java rejects the classes that the runtime rejects. */
function compileClass(source: string, ignoreCase: boolean): RegExp {
  try {
    return new RegExp(`^${source}$`, ignoreCase ? 'iv' : 'v');
  } catch {
    throw new RegexSyntaxError();
  }
}
