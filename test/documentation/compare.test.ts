/** docs/compare.md: every entry about another service names its source, and every source is used. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const page = readFileSync(join(import.meta.dir, '../../docs/compare.md'), 'utf8');
const [tables = '', sources = ''] = page.split('\n## Sources\n');

const columnsOf = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((column) => column.trim());
const rows = tables.split('\n').filter((line) => /^\| [A-Z]/.test(line));
const named = [...sources.matchAll(/^\| ([A-Z]\d+) \| [^|]+: <https:\/\/[^>]+> \|$/gm)].map(([, name = '']) => name);

test('every entry about another service names its source, and every one about svc links to a page', () => {
  expect(rows.length).toBeGreaterThan(30);
  for (const row of rows) {
    const [title, own = '', ...others] = columnsOf(row);
    expect([title, /\]\([\w./#-]+\)/.test(own)]).toEqual([title, true]);
    for (const each of others) expect([title, each, /\[[A-Z]\d+\]/.test(each)]).toEqual([title, each, true]);
  }
});

test('every source that is named has an address, and every address is used', () => {
  const used = new Set([...tables.matchAll(/\[([A-Z]\d+)\]/g)].map(([, name = '']) => name));
  expect([...used].toSorted()).toEqual(named.toSorted());
});
