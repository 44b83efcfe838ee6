/**
 * Compares the tables of docs/performance.md with the results that the benchmarks wrote: a row must be in a table of
 * results that has all its columns, with the same values in the columns of the same names.
 */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

type Row = ReadonlyMap<string, string>;

const root = join(import.meta.dir, '..');
const columnsOf = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((field) => field.trim());

/** Returns the rows of all tables of a document, as values by the names of their columns. */
function rowsOf(path: string): Row[] {
  const rows: Row[] = [];
  let columns: readonly string[] | undefined;
  for (const line of readFileSync(join(root, path), 'utf8').split('\n')) {
    if (!line.startsWith('|')) columns = undefined;
    else if (columns === undefined) columns = columnsOf(line);
    else if (!/^[|:\s-]+$/.test(line)) {
      const fields = columnsOf(line);
      rows.push(new Map(columns.map((column, at) => [column, fields[at] ?? ''])));
    }
  }
  return rows;
}

const results = [...new Bun.Glob('bench/RESULTS*.md').scanSync({ cwd: root })].flatMap(rowsOf);
const shown = rowsOf('docs/performance.md').filter((row) => [...row.values()].some((value) => /^[\d.,]+$/.test(value)));

test('there are measurements', () => expect(shown.length).toBeGreaterThan(10));

test.each(shown.map((row) => [[...row.values()].join(' | '), row] as const))('%s', (text, row) => {
  const found = results.some((result) => [...row].every(([column, value]) => result.get(column) === value));
  expect([text, found]).toEqual([text, true]);
});
