/** Parses patterns of java.util.regex. */
import { SQL_FUNCTION_BOUNDS } from '../../base/limits.ts';
import {
  ANY_CHARACTER,
  type CharacterSet,
  characterSet,
  ESCAPED_CLASSES,
  literalInClass,
  propertyClass,
  singleCharacter,
} from './regex-classes.ts';
import { RegexSyntaxError } from './regex-syntax-error.ts';

export interface RegexOptions {
  readonly ignoreCase?: boolean;
  /** `.` also matches line terminators. */
  readonly dotAll?: boolean;
  /** `^` and `$` match at every line. */
  readonly multiline?: boolean;
}

/** An assertion of zero width. */
export type Assertion =
  | 'textStart'
  | 'textEnd'
  /** The end of the string, or the position before its final line terminator. */
  | 'lastLineEnd'
  | 'lineStart'
  | 'lineEnd'
  | 'wordBoundary'
  | 'noWordBoundary'
  | 'never';

export type RegexNode =
  | { readonly kind: 'set'; readonly set: CharacterSet }
  | { readonly kind: 'sequence'; readonly parts: readonly RegexNode[] }
  | { readonly kind: 'choice'; readonly options: readonly RegexNode[] }
  | {
      readonly kind: 'repeat';
      readonly body: RegexNode;
      readonly least: number;
      readonly most: number;
      readonly lazy: boolean;
    }
  | { readonly kind: 'group'; readonly number: number; readonly body: RegexNode }
  /** Matched once, without backtracking into it. */
  | { readonly kind: 'atomic'; readonly body: RegexNode }
  | { readonly kind: 'look'; readonly body: RegexNode; readonly behind: boolean; readonly negated: boolean }
  | { readonly kind: 'assertion'; readonly assertion: Assertion }
  | { readonly kind: 'reference'; readonly group: number; readonly ignoreCase: boolean };

export interface ParsedRegex {
  readonly root: RegexNode;
  /** Number of groups, including the whole match. */
  readonly groups: number;
  readonly names: ReadonlyMap<string, number>;
}

const LINE_END = '\\n\\r\\u0085\\u2028\\u2029';
const CONTROLS: ReadonlyMap<string, string> = new Map([
  ['t', '\\t'],
  ['n', '\\n'],
  ['r', '\\r'],
  ['f', '\\f'],
  ['a', '\\x07'],
  ['e', '\\x1b'],
]);

const EMPTY: RegexNode = { kind: 'sequence', parts: [] };

const NAME = /<([a-zA-Z][a-zA-Z0-9]*)>/y;
const QUANTIFIER = /[*+?]|\{(\d{1,9})(,(\d{1,9})?)?\}/y;
const FLAGS = /([ismu]*)(?:-([ismu]+))?([:)])/y;
const PROPERTY = /\{([^}]{0,100})\}|([A-Za-z])/y;
const HEXADECIMAL = /([0-9a-fA-F]{2})|\{([0-9a-fA-F]{1,6})\}/y;
const UNICODE = /[0-9a-fA-F]{4}/y;
const OCTAL = /[0-3]?[0-7]{1,2}/y;

/** Parses a pattern. Throws RegexSyntaxError. */
export function parseRegex(pattern: string, options: RegexOptions): ParsedRegex {
  return new RegexParser(pattern, options).parse();
}

class RegexParser {
  readonly #source: string;
  #ignoreCase: boolean;
  #dotAll: boolean;
  #multiline: boolean;
  #at = 0;
  #depth = 0;
  #groups = 0;
  readonly #names = new Map<string, number>();

  constructor(source: string, options: RegexOptions) {
    this.#source = source;
    this.#ignoreCase = options.ignoreCase === true;
    this.#dotAll = options.dotAll === true;
    this.#multiline = options.multiline === true;
  }

  parse(): ParsedRegex {
    const root = this.#alternatives();
    if (this.#at < this.#source.length) throw new RegexSyntaxError();
    return { root, groups: this.#groups + 1, names: this.#names };
  }

  #accept(text: string): boolean {
    const found = this.#source.startsWith(text, this.#at);
    if (found) this.#at += text.length;
    return found;
  }

  /** Matches a sticky expression at the current position and advances past it. */
  #read(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#at;
    const match = expression.exec(this.#source);
    if (match !== null) this.#at += match[0].length;
    return match;
  }

  #nextCharacter(): string {
    const code = this.#source.codePointAt(this.#at);
    if (code === undefined) throw new RegexSyntaxError();
    const character = String.fromCodePoint(code);
    this.#at += character.length;
    return character;
  }

  /** Parses to the end of the group. Flags set inside apply up to there. */
  #alternatives(): RegexNode {
    const flags = [this.#ignoreCase, this.#dotAll, this.#multiline] as const;
    this.#depth += 1;
    if (this.#depth > SQL_FUNCTION_BOUNDS.regexDepth) throw new RegexSyntaxError();
    const options: RegexNode[] = [];
    let parts: RegexNode[] = [];
    while (this.#at < this.#source.length && !this.#source.startsWith(')', this.#at)) {
      if (this.#accept('|')) {
        options.push({ kind: 'sequence', parts });
        parts = [];
      } else if (this.#accept('\\Q')) parts.push(...this.#quotation());
      else parts.push(this.#quantified(this.#atom()));
    }
    this.#depth -= 1;
    [this.#ignoreCase, this.#dotAll, this.#multiline] = flags;
    const last: RegexNode = { kind: 'sequence', parts };
    return options.length === 0 ? last : { kind: 'choice', options: [...options, last] };
  }

  #quantified(body: RegexNode): RegexNode {
    const quantifier = this.#read(QUANTIFIER);
    if (quantifier === null) return body;
    if (body === EMPTY) throw new RegexSyntaxError();
    const [text, low, comma, high] = quantifier;
    const least = low === undefined ? Number(text === '+') : Number(low);
    const most =
      low === undefined
        ? text === '?'
          ? 1
          : Number.POSITIVE_INFINITY
        : comma === undefined
          ? least
          : high === undefined
            ? Number.POSITIVE_INFINITY
            : Number(high);
    if (most < least) throw new RegexSyntaxError();
    if (this.#accept('?')) return { kind: 'repeat', body, least, most, lazy: true };
    const repeat: RegexNode = { kind: 'repeat', body, least, most, lazy: false };
    return this.#accept('+') ? { kind: 'atomic', body: repeat } : repeat;
  }

  /** Returns EMPTY if there is nothing that a quantifier could repeat. */
  #atom(): RegexNode {
    if (this.#accept('\\')) return this.#escape();
    if (this.#accept('[')) return this.#set(this.#characterClass());
    if (this.#accept('(')) return this.#group();
    const character = this.#nextCharacter();
    switch (character) {
      case '.':
        return this.#dotAll ? { kind: 'set', set: ANY_CHARACTER } : this.#set(`[^${LINE_END}]`);
      case '^':
        return assertion(this.#multiline ? 'lineStart' : 'textStart');
      case '$':
        return assertion(this.#multiline ? 'lineEnd' : 'lastLineEnd');
      case '*':
      case '+':
      case '?':
      case '{':
        throw new RegexSyntaxError();
      default:
        return this.#character(character);
    }
  }

  #set(source: string): RegexNode {
    return { kind: 'set', set: characterSet(source, this.#ignoreCase) };
  }

  #character(character: string): RegexNode {
    return { kind: 'set', set: singleCharacter(character, this.#ignoreCase) };
  }

  #group(): RegexNode {
    if (!this.#accept('?')) return this.#capture(undefined);
    if (this.#accept(':')) return this.#closed();
    if (this.#accept('>')) return { kind: 'atomic', body: this.#closed() };
    for (const [opening, behind, negated] of LOOKS) {
      if (this.#accept(opening)) return { kind: 'look', body: this.#closed(), behind, negated };
    }
    const name = this.#read(NAME)?.[1];
    return name === undefined ? this.#flags() : this.#capture(name);
  }

  #capture(name: string | undefined): RegexNode {
    this.#groups += 1;
    const number = this.#groups;
    if (name !== undefined) {
      if (this.#names.has(name)) throw new RegexSyntaxError();
      this.#names.set(name, number);
    }
    return { kind: 'group', number, body: this.#closed() };
  }

  /** Parses `(?i)`, which applies up to the end of the enclosing group, or `(?i:...)`. */
  #flags(): RegexNode {
    const match = this.#read(FLAGS);
    if (match === null) throw new RegexSyntaxError();
    const before = [this.#ignoreCase, this.#dotAll, this.#multiline] as const;
    for (const flag of match[1] ?? '') this.#setFlag(flag, true);
    for (const flag of match[2] ?? '') this.#setFlag(flag, false);
    if (match[3] === ')') return EMPTY;
    const body = this.#closed();
    [this.#ignoreCase, this.#dotAll, this.#multiline] = before;
    return { kind: 'sequence', parts: [body] };
  }

  #setFlag(flag: string, on: boolean): void {
    if (flag === 'i') this.#ignoreCase = on;
    else if (flag === 's') this.#dotAll = on;
    else if (flag === 'm') this.#multiline = on;
  }

  #closed(): RegexNode {
    const body = this.#alternatives();
    if (!this.#accept(')')) throw new RegexSyntaxError();
    return { kind: 'sequence', parts: [body] };
  }

  #escape(): RegexNode {
    const character = this.#nextCharacter();
    if (character >= '1' && character <= '9') return this.#reference(Number(character));
    if (character === 'k') {
      const group = this.#names.get(this.#read(NAME)?.[1] ?? '');
      if (group === undefined) throw new RegexSyntaxError();
      return { kind: 'reference', group, ignoreCase: this.#ignoreCase };
    }
    const place = ASSERTIONS.get(character);
    if (place !== undefined) return assertion(place);
    if (character === 'R') return LINE_BREAK;
    return this.#set(this.#escapedClass(character) ?? `[${this.#escapedCharacter(character)}]`);
  }

  /** Parses `\Q...\E`: all characters are literal. A quantifier after it repeats only the last one. */
  #quotation(): RegexNode[] {
    const end = this.#source.indexOf('\\E', this.#at);
    const text = this.#source.slice(this.#at, end < 0 ? undefined : end);
    this.#at = end < 0 ? this.#source.length : end + 2;
    const parts = Array.from(text, (character) => this.#character(character));
    const last = parts.pop();
    return last === undefined ? [] : [...parts, this.#quantified(last)];
  }

  /** Parses a back-reference. A second digit belongs to the number only if there is such a group. */
  #reference(first: number): RegexNode {
    let group = first;
    for (;;) {
      const digit = this.#source.charCodeAt(this.#at) - 48;
      if (!(digit >= 0 && digit <= 9) || group * 10 + digit > this.#groups) break;
      group = group * 10 + digit;
      this.#at += 1;
    }
    if (group > this.#groups) return assertion('never');
    return { kind: 'reference', group, ignoreCase: this.#ignoreCase };
  }

  /** Returns the class of an escape that is valid inside and outside brackets, or undefined for a single character. */
  #escapedClass(character: string): string | undefined {
    const inner = ESCAPED_CLASSES.get(character.toLowerCase());
    if (inner !== undefined) return character === character.toLowerCase() ? `[${inner}]` : `[^${inner}]`;
    if (character !== 'p' && character !== 'P') return undefined;
    const name = this.#read(PROPERTY);
    if (name === null) throw new RegexSyntaxError();
    return `[${character === 'P' ? '^' : ''}${propertyClass(name[1] ?? name[2] ?? '')}]`;
  }

  /** Returns the single character of an escape, for use inside a class. */
  #escapedCharacter(character: string): string {
    const control = CONTROLS.get(character);
    if (control !== undefined) return control;
    if (character === 'x' || character === 'u') {
      const match = this.#read(character === 'x' ? HEXADECIMAL : UNICODE);
      const code = Number.parseInt(match?.[2] ?? match?.[0] ?? '', 16);
      if (!(code <= 0x10ffff)) throw new RegexSyntaxError();
      return `\\u{${code.toString(16)}}`;
    }
    if (character === '0') {
      const octal = this.#read(OCTAL)?.[0];
      if (octal === undefined) throw new RegexSyntaxError();
      return `\\u{${Number.parseInt(octal, 8).toString(16)}}`;
    }
    if (character === 'c') return `\\u{${(this.#nextCharacter().charCodeAt(0) ^ 64).toString(16)}}`;
    if (/[a-zA-Z]/.test(character)) throw new RegexSyntaxError();
    return literalInClass(character);
  }

  /** Parses `[...]` with ranges, nested classes and intersections, after the opening bracket. */
  #characterClass(): string {
    this.#depth += 1;
    if (this.#depth > SQL_FUNCTION_BOUNDS.regexDepth) throw new RegexSyntaxError();
    const negated = this.#accept('^');
    const operands: string[] = [];
    let union: string[] = [];
    for (let first = true; ; first = false) {
      if (this.#at >= this.#source.length) throw new RegexSyntaxError();
      if (this.#accept('&&')) {
        operands.push(union.join(''));
        union = [];
      } else if (!first && this.#accept(']')) break;
      else union.push(this.#classItem());
    }
    operands.push(union.join(''));
    this.#depth -= 1;
    const given = operands.filter((operand) => operand !== '').map((operand) => `[${operand}]`);
    const inner = given.length === 1 ? operands.join('') : given.join('&&');
    return `[${negated ? '^' : ''}${inner}]`;
  }

  #classItem(): string {
    if (this.#accept('[')) return this.#characterClass();
    const from = this.#classCharacter();
    if (from.startsWith('[')) return from;
    const next = this.#source.slice(this.#at, this.#at + 2);
    if (!next.startsWith('-') || next === '-]' || next === '-[') return from;
    this.#at += 1;
    const to = this.#classCharacter();
    return to.startsWith('[') ? `${from}${literalInClass('-')}${to}` : `${from}-${to}`;
  }

  #classCharacter(): string {
    if (!this.#accept('\\')) return literalInClass(this.#nextCharacter());
    const character = this.#nextCharacter();
    return this.#escapedClass(character) ?? this.#escapedCharacter(character);
  }
}

const LOOKS: ReadonlyArray<readonly [string, boolean, boolean]> = [
  ['=', false, false],
  ['!', false, true],
  ['<=', true, false],
  ['<!', true, true],
];

const ASSERTIONS: ReadonlyMap<string, Assertion> = new Map([
  ['A', 'textStart'],
  ['G', 'textStart'],
  ['z', 'textEnd'],
  ['Z', 'lastLineEnd'],
  ['b', 'wordBoundary'],
  ['B', 'noWordBoundary'],
]);

function assertion(place: Assertion): RegexNode {
  return { kind: 'assertion', assertion: place };
}

function setOf(source: string): RegexNode {
  return { kind: 'set', set: characterSet(source, false) };
}

/** The class `\R`. */
const LINE_BREAK: RegexNode = {
  kind: 'choice',
  options: [{ kind: 'sequence', parts: [setOf('[\\r]'), setOf('[\\n]')] }, setOf(`[\\v\\f${LINE_END}]`)],
};
