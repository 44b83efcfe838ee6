/** Size limits of every file of production code, as counted by `npm run count`. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { MAX_IMPORTS, productionFiles } from '../../scripts/count-lines.ts';

const files = productionFiles(join(import.meta.dir, '../..'));

/** Files that compose others, or follow a statement through everything that runs it. */
const COMPOSITION_ROOTS: readonly string[] = [
  'src/commands/registry.ts',
  'src/engines/cluster/cluster-engine.ts',
  'src/engines/embedded/embedded-grid.ts',
  'src/engines/embedded/statement-process/statement-process.ts',
  'src/engines/embedded/statement-process/statement-server.ts',
  'src/engines/embedded/thread/engine-thread.ts',
  'src/wiring/engine.ts',
  'src/wiring/http-part.ts',
  'src/wiring/run.ts',
  'src/wiring/user-services.ts',
];

test('there is production code, and tests and generated files do not count', () => {
  const paths = files.map(({ path }) => path);
  expect(paths.length).toBeGreaterThan(500);
  expect(paths).toContain('src/engines/embedded/native/statement-guard.c');
  // Code that only tests use is in test.
  expect(paths.filter((path) => /\.(?:test|suite|fixture)\./.test(path))).toEqual([]);
  expect(paths).not.toContain('src/client/commands.ts');
});

test('no file but composition roots imports more others than can be kept in mind', () => {
  const found = files.filter(({ path, imports }) => !COMPOSITION_ROOTS.includes(path) && imports > MAX_IMPORTS);
  expect(found).toEqual([]);
});
