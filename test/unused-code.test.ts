/** Nothing is unused: knip.json lists the entry points of programs and tests. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';

const root = join(import.meta.dir, '..');

test('every file, export and dependency is used', () => {
  const knip = Bun.spawnSync(['node', join(root, 'node_modules/.bin/knip'), '--no-progress'], { cwd: root });
  expect(knip.stdout.toString()).toBe('');
  expect(knip.exitCode).toBe(0);
}, 300_000);
