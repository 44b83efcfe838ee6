/** The law of the repository, executed: modules and doors of ARCHITECTURE.md, names, sizes, documents. */
import { expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readModules } from './architecture/modules.ts';
import {
  type Complaint,
  checkDocuments,
  checkFunctions,
  checkImports,
  checkLines,
  checkNames,
  checkRestricted,
  checkSilencers,
  checkTable,
  checkUnused,
  type SourceFile,
} from './architecture/rules.ts';

const root = join(import.meta.dir, '..');

/** Straight sequences that read better as one: `path name`. */
const STRAIGHT_SEQUENCES: ReadonlySet<string> = new Set([
  'src/engines/cluster/topology/affinity.ts affinityHash',
  'src/engines/cluster/binary/encoder.ts encodeValue',
  'src/engines/cluster/cluster-engine.ts compose',
  'src/engines/embedded/queries/local-queries.ts localQueries',
  'src/wiring/run.ts serve',
]);

/** Files that are one table, longer than a file should be. */
const TABLES_OF_VALUES: ReadonlySet<string> = new Set(['src/base/errors.ts', 'test/differential/expressions.ts']);

/** Where programs begin, beside the tests: what package.json starts, and what is started by hand. */
const ENTRIES = [
  'src/config.ts',
  'src/http-thread.ts',
  'src/query-thread.ts',
  // Preloaded by the coverage run, with the types of its library.
  'test/abuse/coverage/instrument.ts',
  'test/abuse/coverage/istanbul-lib-instrument.d.ts',
  ...new Bun.Glob('bench/*.ts').scanSync({ cwd: root }),
  ...readFileSync(join(root, 'package.json'), 'utf8').matchAll(/\b(?:src|bench|scripts|test)\/[\w./-]+\.(?:ts|mjs)\b/g),
].map(String);

function filesIn(patterns: readonly string[]): SourceFile[] {
  const paths = new Set(patterns.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: root, dot: true })]));
  return [...paths]
    .filter((path) => !path.includes('node_modules') && !path.startsWith('test/reference/'))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

const code = filesIn(['src/**/*.ts', 'test/**/*.ts', 'test/**/*.mjs', 'bench/**/*.ts', 'scripts/*.{ts,mjs}']);
const documents = filesIn(['*.md', 'docs/**/*.md', 'src/**/*.md', 'bench/**/*.md', 'test/**/*.md']);
const moduleRules = readModules(readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8'));

function none(complaints: readonly Complaint[]): void {
  expect(complaints.join('\n')).toBe('');
}

test('the table of modules is understood', () => {
  expect(moduleRules.length).toBeGreaterThan(8);
  none(checkTable(moduleRules));
});

test('nothing is imported through a forbidden import', () => none(checkImports(code, moduleRules)));

test('time, chance, SQLite, servers, sockets, processes are used in their modules only', () =>
  none(checkRestricted(code, moduleRules)));

test('no folder and no file has a name that says nothing', () => none(checkNames(code)));

test('lines, files and marks', () => none(checkLines(code, TABLES_OF_VALUES)));

test('no check is silenced', () => none(checkSilencers(code)));

test('every function can be seen at once', () => none(checkFunctions(code, STRAIGHT_SEQUENCES)));

test('every file is used', () => none(checkUnused(code, ENTRIES)));

test('documents name no machine and no registry, and their links lead somewhere', () =>
  none(checkDocuments(documents, (path) => existsSync(join(root, path)))));

test('the lock file names no registry', () => {
  const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');
  expect(lock).not.toContain('"resolved"');
});
