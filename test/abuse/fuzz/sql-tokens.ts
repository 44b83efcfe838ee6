/** Fuzzes the tokenizer: statements are written from known tokens, which must come back. */

import { SqlFailure } from '../../../src/base/sql-failure.ts';
import { type Token, type TokenKind, tokenize } from '../../../src/sql/syntax/tokenizer.ts';
import type { Random } from '../../simulation/random.ts';
import { type Fuzzer, mustEqual } from './fuzzer.ts';
import { damage, oneIn, several, smallerLists, smallerTexts } from './mutations.ts';

/** A part of a statement: its source text and its token; undefined for blanks and comments. */
interface Part {
  readonly source: string;
  readonly token: { readonly kind: TokenKind; readonly text: string } | undefined;
}

/** Parts of a statement, or a text with unknown tokens. */
export type TokensInput = { readonly parts: readonly Part[] } | { readonly text: string };

export type Tokenizer = (sql: string) => readonly Token[];

const WORDS = ['select', 'FROM', 'a1', '_x', 'x$y', 'é', 'größe', 'ñ_1', 'null', 'E5', 'x0', 'дом'] as const;
const NUMBERS = ['0', '1', '12.5', '.5', '1.', '1e5', '1.5E-3', '0x1F', '9'.repeat(30), '0xG'] as const;
const SYMBOLS = [
  '(',
  ')',
  ',',
  '.',
  ';',
  '=',
  '<>',
  '!=',
  '<=',
  '>=',
  '<',
  '>',
  '||',
  '::',
  '&&',
  '*',
  '+',
  '%',
  '[',
  ']',
  '@',
] as const;
const STRINGS = ['', 'a', "it's", '--', '/*', '$$', '"', 'é', '😀', '\n', '\\', '%_'] as const;
const COMMENTS = ['-- x\n', '// y\n', '/* z */', '/**/', '/* -- */', '/*/ */', "/* ' */", '--\n'] as const;
const BLANKS = [' ', '\t', '\n', '\r\n', '\u00a0', '  '] as const;
const FRAGMENTS = [
  "'",
  '"',
  '`',
  '$$',
  '/*',
  '*/',
  '--',
  '//',
  '\n',
  '?',
  '#',
  '\\',
  '\0',
  '\ud800',
  '0x',
  '1e',
  '.',
  'é',
] as const;

export function tokensFuzzer(read: Tokenizer = tokenize): Fuzzer<TokensInput> {
  return {
    name: 'sql-tokens',
    generate(random) {
      const parts = several(random, 0, 12, () => part(random)).flatMap((each) => [each, separator(random)]);
      return oneIn(random, 3) ? { text: damage(random, sourceOf(parts), FRAGMENTS) } : { parts };
    },
    check(input) {
      if ('parts' in input) {
        const expected = input.parts.flatMap(({ token }) => (token === undefined ? [] : [token]));
        const tokens = read(sourceOf(input.parts)).map(({ kind, text }) => ({ kind, text }));
        mustEqual(tokens, [...expected, { kind: 'end', text: '' }], 'tokens');
        return;
      }
      const tokens = accepted(read, input.text);
      if (tokens !== undefined) checkPlaces(input.text, tokens, read);
    },
    *smaller(input) {
      if ('parts' in input) for (const parts of smallerLists(input.parts, () => [])) yield { parts };
      else for (const text of smallerTexts(input.text)) yield { text };
    },
    show: (input) => JSON.stringify('parts' in input ? sourceOf(input.parts) : input.text),
  };
}

function accepted(read: Tokenizer, text: string): readonly Token[] | undefined {
  try {
    return read(text);
  } catch (error) {
    if (error instanceof SqlFailure) return undefined;
    throw error;
  }
}

/** Tokens follow one another in the text, and each is read as itself on its own. */
function checkPlaces(text: string, tokens: readonly Token[], read: Tokenizer): void {
  let at = 0;
  for (const { kind, text: value, start, end } of tokens) {
    if (start < at || end < start || end > text.length) throw new Error(`a token lies at ${start} to ${end}`);
    const [alone] = read(text.slice(start, end));
    mustEqual([alone?.kind, alone?.text], [kind, value], 'token read alone');
    at = end;
  }
  if (at !== text.length) throw new Error(`the text ends at ${text.length}, the tokens at ${at}`);
}

function sourceOf(parts: readonly Part[]): string {
  return parts.map(({ source }) => source).join('');
}

/** A blank or comment; one that ends the token before it. */
function separator(random: Random): Part {
  return { source: oneIn(random, 3) ? ` ${random.pick(COMMENTS)}` : random.pick(BLANKS), token: undefined };
}

function part(random: Random): Part {
  switch (random.below(7)) {
    case 0: {
      const text = random.pick(NUMBERS);
      if (text === '0xG') return { source: '7', token: { kind: 'number', text: '7' } };
      return { source: text, token: { kind: 'number', text } };
    }
    case 1:
      return symbol(random.pick(SYMBOLS));
    case 2: {
      const text = random.pick(STRINGS);
      if (oneIn(random, 4) && !text.includes('$')) return { source: `$$${text}$$`, token: { kind: 'string', text } };
      return { source: `'${text.replaceAll("'", "''")}'`, token: { kind: 'string', text } };
    }
    case 3: {
      const text = random.pick(STRINGS);
      return { source: `"${text.replaceAll('"', '""')}"`, token: { kind: 'quoted', text } };
    }
    case 4: {
      const text = random.pick(['a', 'B c', 'x`y']);
      return { source: `\`${text.replaceAll('`', '``')}\``, token: { kind: 'quoted', text: text.toUpperCase() } };
    }
    case 5: {
      const number = random.pick(['', '1', '25']);
      return { source: `?${number}`, token: { kind: 'parameter', text: number } };
    }
    default: {
      const text = random.pick(WORDS);
      return { source: text, token: { kind: 'word', text: text.toUpperCase() } };
    }
  }
}

function symbol(text: string): Part {
  return { source: text, token: { kind: 'symbol', text } };
}
