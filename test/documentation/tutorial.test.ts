/** The page of the tutorial shows its files as they are; test/system/embedding/testing.test.ts runs their tests. */
import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { blocksOf } from './shell.ts';

const root = join(import.meta.dir, '../..');
const folder = join(root, 'examples/bookings');
const isFile = /^[\w.-]+\.\w+$/;

test('docs/tutorial.md shows every file of examples/bookings as it is', () => {
  const shown = blocksOf(readFileSync(join(root, 'docs/tutorial.md'), 'utf8')).flatMap(({ title = '', text }) =>
    isFile.test(title) ? [[title, text] as const] : [],
  );
  const files = readdirSync(folder).filter((name) => name !== 'README.md');
  expect(shown.map(([name]) => name).toSorted()).toEqual(files.toSorted());
  for (const [name, text] of shown) expect(text).toBe(readFileSync(join(folder, name), 'utf8'));
});
