/**
 * Enforces the structure that ARCHITECTURE.md and CONTRIBUTING.md describe where no tool does: allowed imports, names,
 * citations. Biome checks the lengths of files and functions, import cycles and switches over unions (biome.json), and
 * knip what is unused (knip.json).
 */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ERRORS, type ErrorEntry } from '../src/base/errors.ts';
import { LIMITS } from '../src/base/settable-limits.ts';
import { LIMIT_OPTIONS, OPTIONS } from '../src/configuration/options.ts';
import { checkCitations, sectionsOf } from './architecture/citations.ts';
import { checkErrorTexts } from './architecture/error-texts.ts';
import { checkFolders } from './architecture/folders.ts';
import { checkLimits } from './architecture/limits.ts';
import { readModules } from './architecture/modules.ts';
import {
  type Complaint,
  checkDocuments,
  checkImports,
  checkLines,
  checkNames,
  checkRestricted,
  checkTable,
  checkUnneeded,
  type SourceFile,
} from './architecture/rules.ts';
import { checkStart } from './architecture/start.ts';
import { checkRead } from './architecture/unread-options.ts';

const root = join(import.meta.dir, '..');

/** The codes whose texts come from another system. */
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
const code = filesIn(['src/**/*.{ts,tsx}', 'test/**/*.ts', 'test/**/*.mjs', 'bench/**/*.ts', 'scripts/**/*.{ts,mjs}']);
const documents = filesIn(['*.md', 'docs/**/*.md', 'src/**/*.md', 'bench/**/*.md', 'test/**/*.md']);
const rules = readModules(readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8'));

function none(complaints: readonly Complaint[]): void {
  expect(complaints.join('\n')).toBe('');
}

test('the table of modules is understood', () => {
  expect(rules.length).toBeGreaterThan(8);
  none(checkTable(rules));
});

test('a service loads at its start only what its first answers need', () =>
  none(checkStart(code, 'src/processes/main/serve.ts')));

test('every import is allowed by the table of modules', () => none(checkImports(code, rules)));

test('the table allows nothing that is not needed', () => none(checkUnneeded(code, rules)));

test('time, randomness, SQLite, servers, sockets and processes are used only where the table allows it', () =>
  none(checkRestricted(code, rules)));

test('error texts are declared in the tables of errors, each once', () => {
  expect(PASSED_ON).toContain('OPERATION_FAILED');
  none(checkErrorTexts(code, PASSED_ON));
});

test('bounds are declared in limits.ts, or say why not', () => none(checkLimits(code)));

test('code reads every option and every limit', () => {
  const options = Object.keys(OPTIONS).filter((path) => !(path in LIMIT_OPTIONS));
  none(checkRead(code, options, Object.keys(LIMITS)));
});

test('folders are small enough to keep in mind', () => none(checkFolders(code)));

test('everything that comments and documents cite exists', () => {
  const sections = new Map(
    filesIn(['docs/spec/*.md']).map(({ path, text }) => [basename(path, '.md'), sectionsOf(text)]),
  );
  none(checkCitations([...code, ...documents], (path) => existsSync(join(root, path)), sections));
});

test('names of folders and files say what they hold', () => none(checkNames(code)));

test('lines are short, and no marks are left over', () => none(checkLines(code)));

test('documents name no machine and no registry', () => none(checkDocuments(documents)));

test('the lock file names no registry', () => {
  const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');
  expect(lock).not.toContain('"resolved"');
});
