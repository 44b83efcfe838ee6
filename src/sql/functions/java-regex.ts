/**
 * Regular expressions of java.util.regex, which the dialect's REGEXP and REGEXP_ functions take, translated to those
 * of the runtime (flag v). What has no counterpart (possessive quantifiers, atomic groups) becomes a look-ahead with a
 * group.
 */
import { quoted } from '../types/data-failures.ts';
import { SqlFailure } from '../types/sql-types.ts';

export interface RegexOptions {
  readonly ignoreCase?: boolean;
  /** `.` takes line ends too. */
  readonly dotAll?: boolean;
  /** `^` and `$` hold at every line. */
  readonly multiline?: boolean;
}

const LINE_END = '\\n\\r\\u0085\\u2028\\u2029';
const END_OF_TEXT = `(?=(?:\\r\\n|[${LINE_END}])?(?![^]))`;

/** Classes that \p names, as the inside of a character class. Those of POSIX are ASCII only, as in Java. */
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

const ESCAPED_CLASSES: ReadonlyMap<string, string> = new Map([
  ['d', '0-9'],
  ['w', 'a-zA-Z0-9_'],
  ['s', ' \\t\\n\\v\\f\\r'],
  ['h', ' \\t\\xa0\\u1680\\u180e\\u2000-\\u200a\\u202f\\u205f\\u3000'],
  ['v', '\\n\\v\\f\\r\\x85\\u2028\\u2029'],
]);

const CONTROLS: ReadonlyMap<string, string> = new Map([
  ['t', '\\t'],
  ['n', '\\n'],
  ['r', '\\r'],
  ['f', '\\f'],
  ['a', '\\x07'],
  ['e', '\\x1b'],
]);

class Untranslatable extends Error {}

function literal(character: string): string {
  return /[\^$\\.*+?()[\]{}|/\-&!#%,:;<=>@`~"]/.test(character) ? `\\u{${codeOf(character)}}` : character;
}

function codeOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16);
}

/** Translates one pattern from left to right. */
class Translator {
  private readonly source: string;
  private readonly options: RegexOptions;
  private at = 0;
  /** Groups of the pattern seen so far, and those that the translation has added before each. */
  private groups = 0;
  private readonly numberOf: number[] = [0];
  private added = 0;

  constructor(source: string, options: RegexOptions) {
    this.source = source;
    this.options = options;
  }

  translate(): { text: string; groupNumbers: readonly number[] } {
    const text = this.alternatives();
    if (this.at < this.source.length) throw new Untranslatable();
    return { text, groupNumbers: this.numberOf };
  }

  private peek(text: string): boolean {
    return this.source.startsWith(text, this.at);
  }

  private accept(text: string): boolean {
    const found = this.peek(text);
    if (found) this.at += text.length;
    return found;
  }

  private nextCharacter(): string {
    const code = this.source.codePointAt(this.at);
    if (code === undefined) throw new Untranslatable();
    const character = String.fromCodePoint(code);
    this.at += character.length;
    return character;
  }

  private alternatives(): string {
    let result = '';
    while (this.at < this.source.length && !this.peek(')')) {
      result += this.accept('|') ? '|' : this.piece();
    }
    return result;
  }

  private piece(): string {
    const groupsBefore = this.numberOf.length;
    const addedBefore = this.added;
    const atom = this.atom();
    const quantifier = /^(?:[*+?]|\{\d+(?:,\d*)?\})/.exec(this.source.slice(this.at))?.[0];
    if (quantifier === undefined) return atom;
    if (atom === '') throw new Untranslatable();
    this.at += quantifier.length;
    if (this.accept('?')) return `${atom}${quantifier}?`;
    if (!this.accept('+')) return atom + quantifier;
    return this.atomic(`${atom}${quantifier}`, groupsBefore, addedBefore);
  }

  /** Text that is matched once and never given back: `(?=(...))\k`. The added group shifts those within. */
  private atomic(text: string, groupsBefore: number, addedBefore: number): string {
    if (this.numberOf.length > groupsBefore || this.added > addedBefore) throw new Untranslatable();
    this.added += 1;
    return `(?=(?<atomic${this.added}>${text}))\\k<atomic${this.added}>`;
  }

  private atom(): string {
    if (this.accept('\\')) return this.escape();
    if (this.accept('[')) return this.characterClass();
    if (this.accept('(')) return this.group();
    const character = this.nextCharacter();
    if (character === '.') return this.options.dotAll === true ? '[^]' : `[^${LINE_END}]`;
    if (character === '^') return this.options.multiline === true ? `(?<![^${LINE_END}])(?=[^])` : '(?<![^])';
    if (character === '$') return this.options.multiline === true ? `(?![^${LINE_END}])` : END_OF_TEXT;
    if (character === '*' || character === '+' || character === '?' || character === '{') throw new Untranslatable();
    return literal(character);
  }

  private group(): string {
    if (!this.accept('?')) return this.capture('(');
    if (this.accept('>')) {
      const [groupsBefore, addedBefore] = [this.numberOf.length, this.added];
      return this.atomic(this.closed(''), groupsBefore, addedBefore);
    }
    for (const opening of [':', '=', '!', '<=', '<!']) if (this.accept(opening)) return this.closed(`(?${opening}`);
    const name = /^<([a-zA-Z][a-zA-Z0-9]*)>/.exec(this.source.slice(this.at));
    if (name !== null) {
      this.at += name[0].length;
      return this.capture(`(?<${name[1]}>`);
    }
    const flags = /^([ismu]*)(-[ismu]+)?([:)])/.exec(this.source.slice(this.at));
    if (flags === null) throw new Untranslatable();
    this.at += flags[0].length;
    const modifiers = (flags[1] ?? '').replaceAll('u', '') + (flags[2] ?? '').replaceAll('u', '');
    if (modifiers.includes('s') || modifiers.includes('m')) return this.withDots(flags[1] ?? '', flags[3] === ':');
    const opening = modifiers === '' || modifiers === '-' ? '(?:' : `(?${modifiers}:`;
    if (flags[3] === ':') return this.closed(opening);
    // Flags without a colon hold to the end of the group around them.
    return `${opening}${this.alternatives()})`;
  }

  /** Line flags decide how `.`, `^` and `$` are translated, so the rest is translated with other options. */
  private withDots(flags: string, closed: boolean): string {
    const options: RegexOptions = {
      ...this.options,
      ...(flags.includes('s') ? { dotAll: true } : {}),
      ...(flags.includes('m') ? { multiline: true } : {}),
    };
    const inner = new Translator(this.source, options);
    inner.at = this.at;
    inner.groups = this.groups;
    inner.added = this.added;
    inner.numberOf.splice(0, inner.numberOf.length, ...this.numberOf);
    const text = inner.alternatives();
    this.at = inner.at;
    this.groups = inner.groups;
    this.added = inner.added;
    this.numberOf.splice(0, this.numberOf.length, ...inner.numberOf);
    if (closed && !this.accept(')')) throw new Untranslatable();
    return flags.includes('i') ? `(?i:${text})` : `(?:${text})`;
  }

  private capture(opening: string): string {
    this.groups += 1;
    this.numberOf[this.groups] = this.groups + this.added;
    return this.closed(opening);
  }

  private closed(opening: string): string {
    const inner = this.alternatives();
    if (!this.accept(')')) throw new Untranslatable();
    return opening === '' ? inner : `${opening}${inner})`;
  }

  private escape(): string {
    if (this.accept('Q')) return this.quotation();
    const character = this.nextCharacter();
    if (/[1-9]/.test(character)) return this.backReference(character);
    if (character === 'k') {
      const name = /^<([a-zA-Z][a-zA-Z0-9]*)>/.exec(this.source.slice(this.at));
      if (name === null) throw new Untranslatable();
      this.at += name[0].length;
      return `\\k${name[0]}`;
    }
    if (character === 'A' || character === 'G') return '(?<![^])';
    if (character === 'z') return '(?![^])';
    if (character === 'Z') return END_OF_TEXT;
    if (character === 'b' || character === 'B') return `\\${character}`;
    if (character === 'R') return `(?:\\r\\n|[\\v\\f${LINE_END}])`;
    const inner = this.escapedClass(character);
    return inner === undefined ? `[${this.escapedCharacter(character)}]` : inner;
  }

  private quotation(): string {
    const end = this.source.indexOf('\\E', this.at);
    const text = this.source.slice(this.at, end < 0 ? undefined : end);
    this.at = end < 0 ? this.source.length : end + 2;
    const characters = Array.from(text, literal).join('');
    return characters === '' ? '(?:)' : characters;
  }

  /** A second digit belongs to the number only when there is such a group. */
  private backReference(first: string): string {
    let number = Number(first);
    for (;;) {
      const digit = this.source.charAt(this.at);
      if (!/[0-9]/.test(digit) || number * 10 + Number(digit) > this.groups) break;
      number = number * 10 + Number(digit);
      this.at += 1;
    }
    const target = this.numberOf[number];
    return target === undefined ? '[]' : `(?:\\${target})`;
  }

  /** A class that stands for itself inside and outside of brackets; undefined: a single character. */
  private escapedClass(character: string): string | undefined {
    const inner = ESCAPED_CLASSES.get(character.toLowerCase());
    if (inner !== undefined) return character === character.toLowerCase() ? `[${inner}]` : `[^${inner}]`;
    if (character !== 'p' && character !== 'P') return undefined;
    const name = /^(?:\{([^}]*)\}|([A-Za-z]))/.exec(this.source.slice(this.at));
    if (name === null) throw new Untranslatable();
    this.at += name[0].length;
    return `[${character === 'P' ? '^' : ''}${propertyClass(name[1] ?? name[2] ?? '')}]`;
  }

  private escapedCharacter(character: string): string {
    const control = CONTROLS.get(character);
    if (control !== undefined) return control;
    const rest = this.source.slice(this.at);
    const patterns: Readonly<Record<string, RegExp>> = {
      x: /^(?:([0-9a-fA-F]{2})|\{([0-9a-fA-F]+)\})/,
      u: /^([0-9a-fA-F]{4})/,
    };
    const pattern = patterns[character];
    if (pattern !== undefined) {
      const match = pattern.exec(rest);
      if (match === null) throw new Untranslatable();
      this.at += match[0].length;
      return `\\u{${match[1] ?? match[2]}}`;
    }
    if (character === '0') {
      const octal = /^[0-3]?[0-7]{1,2}/.exec(rest)?.[0];
      if (octal === undefined) throw new Untranslatable();
      this.at += octal.length;
      return `\\u{${Number.parseInt(octal, 8).toString(16)}}`;
    }
    if (character === 'c') return `\\u{${(this.nextCharacter().charCodeAt(0) ^ 64).toString(16)}}`;
    if (/[a-zA-Z]/.test(character)) throw new Untranslatable();
    return literal(character);
  }

  /** The inside of `[...]`: ranges, nested classes and intersections. The opening bracket has been read. */
  private characterClass(): string {
    const negated = this.accept('^');
    const operands: string[] = [];
    let union = '';
    for (let first = true; ; first = false) {
      if (this.at >= this.source.length) throw new Untranslatable();
      if (this.accept('&&')) {
        operands.push(union);
        union = '';
      } else if (!first && this.accept(']')) break;
      else union += this.classItem();
    }
    operands.push(union);
    const given = operands.filter((operand) => operand !== '').map((operand) => `[${operand}]`);
    const inner = given.length === 1 ? operands.join('') : given.join('&&');
    return `[${negated ? '^' : ''}${inner}]`;
  }

  private classItem(): string {
    if (this.accept('[')) return this.characterClass();
    const from = this.classCharacter();
    if (from.startsWith('[')) return from;
    if (!this.peek('-') || this.source.startsWith('-]', this.at) || this.source.startsWith('-[', this.at)) return from;
    this.at += 1;
    const to = this.classCharacter();
    return to.startsWith('[') ? `${from}${literal('-')}${to}` : `${from}-${to}`;
  }

  private classCharacter(): string {
    if (!this.accept('\\')) return literal(this.nextCharacter());
    const character = this.nextCharacter();
    return this.escapedClass(character) ?? this.escapedCharacter(character);
  }
}

function propertyClass(name: string): string {
  const known = CLASSES.get(name);
  if (known !== undefined) return known;
  const plain = name.replace(/^(?:Is|general_category=|gc=)/, '');
  const script = name.replace(/^(?:Is|script=|sc=|In)/, '');
  for (const property of [plain, `Script=${script}`]) {
    try {
      new RegExp(`\\p{${property}}`, 'v');
      return `\\p{${property}}`;
    } catch {
      // Not a name of this kind; the next form is tried.
    }
  }
  throw new Untranslatable();
}

/** A translated pattern. */
export interface JavaRegex {
  /** Finds one occurrence after the other (flag g). */
  readonly expression: RegExp;
  /** Number of each Java group among the runtime's. */
  readonly groupNumbers: readonly number[];
}

/** Compiled patterns kept; the oldest goes when there are more. */
const CACHE_SIZE = 256;
const cache = new Map<string, JavaRegex>();

/** Compiles a pattern of java.util.regex. Throws 22025 for one that is none. */
export function compileJavaRegex(pattern: string, options: RegexOptions = {}): JavaRegex {
  const key = `${options.ignoreCase === true}${options.dotAll === true}${options.multiline === true}${pattern}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const compiled = compile(pattern, options);
  if (cache.size >= CACHE_SIZE) cache.delete(cache.keys().next().value ?? '');
  cache.set(key, compiled);
  return compiled;
}

function compile(pattern: string, options: RegexOptions): JavaRegex {
  try {
    const { text, groupNumbers } = new Translator(pattern, options).translate();
    return { expression: new RegExp(text, options.ignoreCase === true ? 'giv' : 'gv'), groupNumbers };
  } catch (error) {
    if (error instanceof Untranslatable || error instanceof SyntaxError) throw regexFailure(pattern);
    throw error;
  }
}

/** The reference names a bad pattern and a bad replacement alike. */
function regexFailure(text: string): SqlFailure {
  return new SqlFailure(`Error in LIKE ESCAPE: ${quoted(text)}`, 22025);
}

/** Whether the pattern occurs somewhere in the text (REGEXP, REGEXP_LIKE). */
export function regexFinds(text: string, pattern: string, options: RegexOptions = {}): boolean {
  const { expression } = compileJavaRegex(pattern, options);
  expression.lastIndex = 0;
  return expression.test(text);
}

/** Replaces every occurrence. The replacement may have $1, ${name} and \ before a character that means itself. */
export function regexReplace(text: string, pattern: string, replacement: string, options: RegexOptions = {}): string {
  const { expression, groupNumbers } = compileJavaRegex(pattern, options);
  let result = '';
  let end = 0;
  expression.lastIndex = 0;
  for (const match of text.matchAll(expression)) {
    result += text.slice(end, match.index) + expandReplacement(replacement, match, groupNumbers);
    end = match.index + match[0].length;
  }
  return result + text.slice(end);
}

function expandReplacement(replacement: string, match: RegExpExecArray, groupNumbers: readonly number[]): string {
  let result = '';
  for (let at = 0; at < replacement.length; at += 1) {
    const character = replacement.charAt(at);
    if (character === '\\') {
      at += 1;
      if (at >= replacement.length) throw regexFailure(replacement);
      result += replacement.charAt(at);
    } else if (character === '$') {
      const { text, end } = readReference(replacement, at + 1, match, groupNumbers);
      result += text;
      at = end - 1;
    } else result += character;
  }
  return result;
}

function readReference(
  replacement: string,
  start: number,
  match: RegExpExecArray,
  groupNumbers: readonly number[],
): { text: string; end: number } {
  const name = /^\{([a-zA-Z][a-zA-Z0-9]*)\}/.exec(replacement.slice(start));
  if (name !== null) {
    if (match.groups === undefined || !((name[1] ?? '') in match.groups)) throw regexFailure(replacement);
    return { text: match.groups[name[1] ?? ''] ?? '', end: start + name[0].length };
  }
  if (!/[0-9]/.test(replacement.charAt(start))) throw regexFailure(replacement);
  let number = Number(replacement.charAt(start));
  let end = start + 1;
  while (/[0-9]/.test(replacement.charAt(end))) {
    const longer = number * 10 + Number(replacement.charAt(end));
    if (longer >= groupNumbers.length) break;
    number = longer;
    end += 1;
  }
  const group = groupNumbers[number];
  if (group === undefined) {
    throw new SqlFailure(`General error: "java.lang.IndexOutOfBoundsException: No group ${number}"`, 50000);
  }
  return { text: match[group] ?? '', end };
}
