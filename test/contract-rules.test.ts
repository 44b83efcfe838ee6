/** Walks the list of the contract's rules: each has a place in the code and a test, and they exist. */
import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { KNOWN_DIFFERENCES } from '../scripts/pages/known-differences.ts';

const root = join(import.meta.dir, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

interface Rule {
  readonly number: string;
  readonly text: string;
  readonly place: string;
  readonly testFile: string;
  readonly testTitle: string;
  readonly differences: readonly number[];
}

const ROW = /^\| (\d[\da.]*) \| (.+?) \| `([^`]+)` \| `([^`]+)`: (.+?) \| ([\d, ]*) \|$/;

const lines = read('docs/spec/rules.md').split('\n');
const rules: readonly Rule[] = lines.flatMap((line) => {
  const [, number, text, place, testFile, testTitle, differences] = ROW.exec(line) ?? [];
  if (number === undefined || text === undefined || place === undefined) return [];
  if (testFile === undefined || testTitle === undefined || differences === undefined) return [];
  const rows = differences.split(',').filter((each) => each.trim() !== '');
  return [{ number, text, place, testFile, testTitle, differences: rows.map(Number) }];
});

describe('the rules of the contract', () => {
  test('every row of the tables is a rule', () => {
    const rows = lines.filter((line) => /^\| \d/.test(line));
    expect(rows.filter((line) => !ROW.test(line))).toEqual([]);
    expect(rules.length).toBeGreaterThan(190);
  });

  test('numbers are unique', () => {
    const numbers = rules.map(({ number }) => number);
    expect(numbers.filter((number, at) => numbers.indexOf(number) !== at)).toEqual([]);
  });

  for (const { number, text, place, testFile, testTitle, differences } of rules) {
    test(`${number} ${text}`, () => {
      expect([place, existsSync(join(root, place))]).toEqual([place, true]);
      expect([testTitle, titlesOf(testFile).includes(testTitle)]).toEqual([testTitle, true]);
      const known = KNOWN_DIFFERENCES.map(({ row }) => row);
      expect(differences.filter((row) => !known.includes(row))).toEqual([]);
    });
  }
});

const cachedTitles = new Map<string, string[]>();

/** Returns the literals of a test file, among them the titles of its tests. */
function titlesOf(file: string): readonly string[] {
  let titles = cachedTitles.get(file);
  if (titles === undefined) {
    const found = read(file).matchAll(/'((?:[^'\\\n]|\\.)+)'|`((?:[^`\\\n]|\\.)+)`/g);
    titles = [...found].flatMap(([, plain, template]) => {
      const title = plain ?? template ?? '';
      // Of a table of tests, the part before the first value.
      return [title, title.split(',')[0] ?? ''];
    });
    cachedTitles.set(file, titles);
  }
  return titles;
}
