import { describe, expect, test } from 'bun:test';
import { SqlFailure } from '../types/sql-failure.ts';
import { Scanner, type TokenKind } from './tokenizer.ts';

type Seen = readonly [kind: TokenKind | 'failure', start: number, end: number];

/** Returns the tokens that a scanner finds which pauses every `stepCharacters`, and whether a comment was unclear. */
function scanned(sql: string, stepCharacters: number): { readonly tokens: readonly Seen[]; readonly unclear: boolean } {
  const scanner = new Scanner(sql);
  const tokens: Seen[] = [];
  try {
    do {
      while (!scanner.advance(scanner.end + stepCharacters));
      tokens.push([scanner.kind, scanner.start, scanner.end]);
    } while (scanner.kind !== 'end');
  } catch (error) {
    if (!(error instanceof SqlFailure)) throw error;
    tokens.push(['failure', 0, 0]);
  }
  return { tokens, unclear: scanner.unclear };
}

describe('a scanner that pauses finds the same tokens', () => {
  const texts: readonly string[] = [
    '',
    '   ',
    'select a.b, "c ""d""", `e``f` from t where id = ?12 and x >= 1.5e-3',
    "insert into t values ('it''s', '', '''', 0xff, .5, 1.) -- the end",
    '-- a\r\n-- b\n// c\n/* d */ /**/ select 1 /* ** / */;',
    '-- \r unclear\nselect 1',
    '/* /* */ select 1',
    '/*/ */ select 1',
    'select $$a$b$$ || $1 || a$b',
    'Größe_1 = élan and 𐐷𐐨 <> 字字字',
    '?? ?1? :: := != <> || && !~',
    "select 'open",
    "select 'open''",
    'select "open',
    'select /* open *',
    'select /*',
    'select --',
    'select $$open$',
    'select #',
    'x?',
  ];
  test.each(texts)('%j', (sql) => {
    const whole = scanned(sql, 1_000);
    for (let step = 1; step <= 7; step += 1) expect(scanned(sql, step)).toEqual(whole);
  });
});
