import { describe, expect, test } from 'bun:test';
import { SqlFailure } from '../../base/sql-failure.ts';
import { Scanner } from './tokenizer.ts';

/** Returns the texts of the tokens, with `[*]` at the end if the text cannot be split further. */
function scanned(sql: string): { readonly tokens: readonly string[]; readonly unclear: boolean } {
  const scanner = new Scanner(sql);
  const tokens: string[] = [];
  try {
    while (scanner.next() !== 'end') tokens.push(`${scanner.kind} ${scanner.text()}`);
  } catch (error) {
    if (!(error instanceof SqlFailure)) throw error;
    tokens.push('[*]');
  }
  return { tokens, unclear: scanner.unclear };
}

describe('a scanner', () => {
  const cases: ReadonlyArray<readonly [sql: string, tokens: readonly string[], unclear?: boolean]> = [
    ['', []],
    [' \n\u00a0\ufeff', []],
    ['a.b, "c ""d""", `e``f`', ['word A', 'symbol .', 'word B', 'symbol ,', 'quoted c "d"', 'symbol ,', 'quoted E`F']],
    ["'it''s', '', ''''", ["string it's", 'symbol ,', 'string ', 'symbol ,', "string '"]],
    ['0xff .5 1. 1.5e-3 9L', ['number 0xff', 'number .5', 'number 1.', 'number 1.5e-3', 'number 9L']],
    ['-- a\r\n-- b\n// c\n/* d */ /**/ x /* ** / */;', ['word X', 'symbol ;']],
    ['-- \r unclear\nx', ['word X'], true],
    ['/* /* */ x', ['word X'], true],
    ['/*/ */ x', ['word X']],
    ['$$a$b$$ || $1 || a$b', ['string a$b', 'symbol ||', 'parameter 1', 'symbol ||', 'word A$B']],
    ['$12a $a', ['parameter 12', 'word A', 'word $A']],
    ['1a 1else', ['number 1', 'word A', '[*]']],
    ['1.5e+', ['[*]']],
    ['Größe_1 = 𐐷𐐨', ['word GRÖSSE_1', 'symbol =', 'word 𐐏𐐀']],
    ['?12 ?1? :=', ['parameter 12', 'parameter 1', 'parameter ', 'symbol :=']],
    ["x 'open", ['word X', '[*]']],
    ["x 'open''", ['word X', '[*]']],
    ['x "open', ['word X', '[*]']],
    ['x /* open *', ['word X', '[*]']],
    ['x /*', ['word X', '[*]']],
    ['x --', ['word X']],
    ['x $$open$', ['word X', '[*]']],
    ['x \u0001#', ['word X', '[*]']],
    ['x?', ['word X', 'parameter ']],
  ];
  test.each(cases)('%j', (sql, tokens, unclear = false) => {
    expect(scanned(sql)).toEqual({ tokens, unclear });
  });
});
