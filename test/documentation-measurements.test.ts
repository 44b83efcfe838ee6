/** Compares the tables of docs/performance.md with the results that the benchmarks wrote. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dir, '..');
const linesOf = (path: string): string[] => readFileSync(join(root, path), 'utf8').split('\n');
const columnsOf = (line: string): string[] =>
  line
    .split('|')
    .map((column) => column.trim())
    .filter((column) => column !== '');

const results = ['bench/RESULTS.md', 'bench/RESULTS-SQL.md', 'bench/RESULTS-CLUSTER.md'].flatMap(linesOf);
const rows = results.filter((line) => line.startsWith('|')).map(columnsOf);
const shown = linesOf('docs/performance.md')
  .filter((line) => line.startsWith('|') && /\d/.test(columnsOf(line).at(-1) ?? ''))
  .map(columnsOf);

test('there are measurements', () => expect(shown.length).toBeGreaterThan(15));

// A result has the columns of the page in their order, and others between them.
test.each(shown)('%s %s', (...columns) => {
  const found = rows.some((row) => {
    let at = -1;
    return columns.every((column) => {
      at = row.indexOf(column, at + 1);
      return at >= 0;
    });
  });
  expect([columns.join(' '), found]).toEqual([columns.join(' '), true]);
});
