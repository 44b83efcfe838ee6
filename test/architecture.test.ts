/** Enforces the structure that ARCHITECTURE.md and CONTRIBUTING.md describe: imports, names, sizes, citations. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ERRORS, type ErrorEntry } from '../src/base/errors.ts';
import { COMMANDS } from '../src/commands/registry.ts';
import { OPTIONS } from '../src/configuration/options.ts';
import { checkCitations, sectionsOf } from './architecture/citations.ts';
import { checkCycles } from './architecture/cycles.ts';
import { checkErrorTexts } from './architecture/error-texts.ts';
import { checkFolders } from './architecture/folders.ts';
import { checkLimits } from './architecture/limits.ts';
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
  checkSwitches,
  checkTable,
  checkUnneeded,
  checkUnused,
  type SourceFile,
} from './architecture/rules.ts';
import { checkStart } from './architecture/start.ts';
import { checkPublicNames, checkVocabulary } from './architecture/vocabulary.ts';

const root = join(import.meta.dir, '..');

/** Straight sequences that read better as one: `path name`. */
const STRAIGHT_SEQUENCES: ReadonlySet<string> = new Set([
  'src/engines/cluster/topology/affinity.ts affinityHash',
  'src/engines/cluster/binary/encoder.ts encodeValue',
  'src/engines/cluster/cluster-engine.ts compose',
  'src/engines/embedded/embedded-grid.ts openOwner',
  'src/engines/embedded/queries/local-queries.ts localQueries',
  'src/wiring/run.ts serve',
]);

/** Files that are one table, longer than a file should be. */
const TABLES_OF_VALUES: ReadonlySet<string> = new Set([
  'src/base/errors.ts',
  'src/client/commands.ts',
  'test/differential/expressions.ts',
]);

/** Where programs begin, beside the tests: what package.json starts, and what is started by hand. */
const ENTRIES = [
  'src/config.ts',
  'src/console/styles.d.ts',
  'src/embedding.ts',
  'src/embedding-node.ts',
  'src/embedding-process.ts',
  'src/http-thread.ts',
  'src/query-thread.ts',
  'src/watchdog-thread.ts',
  'src/parent-watch-thread.ts',
  // Run by hand, with a node of Ignite.
  'test/differential/record-examples.ts',
  // Preloaded by the coverage run, with the types of its library.
  'test/abuse/coverage/instrument.ts',
  'test/abuse/coverage/istanbul-lib-instrument.d.ts',
  ...new Bun.Glob('bench/*.ts').scanSync({ cwd: root }),
  ...readFileSync(join(root, 'package.json'), 'utf8').matchAll(/\b(?:src|bench|scripts|test)\/[\w./-]+\.(?:ts|mjs)\b/g),
].map(String);

/** The codes whose text is that of another system. */
const PASSED_ON = Object.entries<ErrorEntry>(ERRORS).flatMap(([code, { text }]) =>
  /^\((\w+)\) => \1$/.test(text.toString()) ? [code] : [],
);

function filesIn(patterns: readonly string[]): SourceFile[] {
  const paths = new Set(patterns.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: root, dot: true })]));
  return [...paths]
    .filter((path) => !path.includes('node_modules') && !path.startsWith('test/reference/'))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

// Each test reads every file, which takes seconds on a busy machine.
setDefaultTimeout(60_000);
const code = filesIn(['src/**/*.{ts,tsx}', 'test/**/*.ts', 'test/**/*.mjs', 'bench/**/*.ts', 'scripts/*.{ts,mjs}']);
const documents = filesIn(['*.md', 'docs/**/*.md', 'src/**/*.md', 'bench/**/*.md', 'test/**/*.md']);
const rules = readModules(readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8'));

function none(complaints: readonly Complaint[]): void {
  expect(complaints.join('\n')).toBe('');
}

test('the table of modules is understood', () => {
  expect(rules.length).toBeGreaterThan(8);
  none(checkTable(rules));
});

test('a service loads at its start only what its first answers need', () => none(checkStart(code, 'src/serve.ts')));

test('every import is allowed by the table of modules', () => none(checkImports(code, rules)));

test('the table allows nothing that is not needed', () => none(checkUnneeded(code, rules)));

test('no files import one another in a cycle', () => none(checkCycles(code)));

test('time, randomness, SQLite, servers, sockets and processes are used only where the table allows it', () =>
  none(checkRestricted(code, rules)));

test('names use the terms of the field', () => none(checkVocabulary(code)));

test('names of commands, options, metrics and errors use the terms of the field', () => {
  const metrics = code.flatMap(({ path, text }) =>
    path.startsWith('src/') ? [...text.matchAll(/\bsvc_[a-z_]+\b/g)].map(([name]) => name) : [],
  );
  expect(metrics.length).toBeGreaterThan(20);
  none(
    checkPublicNames([
      ...COMMANDS.map(({ name }) => name),
      ...Object.keys(OPTIONS),
      ...Object.keys(ERRORS),
      ...new Set(metrics),
    ]),
  );
});

test('error texts are declared in the tables of errors, each once', () => {
  expect(PASSED_ON).toContain('OPERATION_FAILED');
  none(checkErrorTexts(code, PASSED_ON));
});

test('bounds are declared in limits.ts, or say why not', () => none(checkLimits(code)));

test('folders are small enough to keep in mind', () => none(checkFolders(code)));

test('everything that comments and documents cite exists', () => {
  const sections = new Map(
    filesIn(['docs/spec/*.md']).map(({ path, text }) => [basename(path, '.md'), sectionsOf(text)]),
  );
  none(checkCitations([...code, ...documents], (path) => existsSync(join(root, path)), sections));
});

test('names of folders and files say what they hold', () => none(checkNames(code)));

test('lines and files are short, and no marks are left over', () => none(checkLines(code, TABLES_OF_VALUES)));

test('no check is silenced', () => none(checkSilencers(code)));

test('switches over unions are exhaustive', () => none(checkSwitches(code)));

test('functions are short', () => none(checkFunctions(code, STRAIGHT_SEQUENCES)));

test('every file is used', () => none(checkUnused(code, ENTRIES)));

test('documents name no machine and no registry, and their links lead somewhere', () =>
  none(checkDocuments(documents, (path) => existsSync(join(root, path)))));

test('the lock file names no registry', () => {
  const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');
  expect(lock).not.toContain('"resolved"');
});
