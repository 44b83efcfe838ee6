/** docs/compare.md: every entry of the table names its source, and every source is used. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const page = readFileSync(join(import.meta.dir, '../docs/compare.md'), 'utf8');
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('|') && !line.startsWith('|---'))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((text) => text.trim()),
  );
const features = rows.filter((columns) => columns.length > 2);
const sources = rows.filter(([name = '', ...rest]) => rest.length === 1 && name !== '');

test('has all six products and their features', () => {
  expect(features[0]?.slice(1)).toEqual([
    'svc',
    "Ignite's HTTP module",
    'Infinispan',
    'rqlite',
    'Upstash Redis',
    'Webdis',
  ]);
  expect(features.length).toBeGreaterThan(20);
  for (const columns of features) expect(columns).toHaveLength(7);
});

test.each(features.slice(1).map((columns) => [columns[0], columns] as const))(
  '%s: every entry has a source',
  (_, columns) => {
    const [, own = '', ...others] = columns;
    expect(own).toMatch(/\]\([\w/-]+\.(?:md|json)(?:#[\w-]+)?\)/);
    const products = ['I', 'N', 'R', 'U', 'W'];
    for (const [index, text] of others.entries()) expect(text).toMatch(new RegExp(`\\[${products[index]}\\d\\]$`));
  },
);

test('every source has an address and is used', () => {
  const used = new Set(
    features
      .slice(1)
      .flatMap((columns) => [...columns.join().matchAll(/\[([INRUW]\d)\]/g)].map(([, name]) => name ?? '')),
  );
  expect([...used].sort()).toEqual(sources.map(([name = '']) => name).sort());
  for (const [, source] of sources) expect(source).toMatch(/<https:\/\/[^>]+>$/);
});
