/** The generated pages, and the tables that they are generated from. */
import { expect, test } from 'bun:test';
import { KNOWN_DIFFERENCES } from '../../scripts/pages/known-differences.ts';
import { link, table } from '../../scripts/pages/markdown.ts';
import { optionsPage } from '../../scripts/pages/options-page.ts';
import { referencePage } from '../../scripts/pages/reference-page.ts';
import { BUILT_IN_TASK_TEXTS } from '../../scripts/pages/reference-prose.ts';
import { COMPATIBILITY_FLAGS } from '../../src/commands/compatibility-flags.ts';
import { COMMANDS } from '../../src/commands/registry.ts';
import { OPTION_ROWS } from '../../src/configuration/options.ts';
import { BUILT_IN_TASKS } from '../../src/service/tasks/built-in-tasks.ts';

const page = referencePage('svc');
const options = optionsPage(OPTION_ROWS);
const lines = page.split('\n');
const headings = lines.filter((line) => /^#+ /.test(line)).map((line) => line.replace(/^#+ /, ''));

test('headings are unique, and every link within the page leads to one', () => {
  const places = headings.map((heading) => /\(#(.*)\)/.exec(link(heading))?.[1] ?? '');
  expect(places.filter((place, index) => places.indexOf(place) !== index)).toEqual([]);
  const targets = [...page.matchAll(/\]\(#([^)]*)\)/g)].map(([, target = '']) => target);
  expect(targets.length).toBeGreaterThan(100);
  expect(targets.filter((target) => !places.includes(target))).toEqual([]);
});

test('the page has every command, and that of options every option but the limits', () => {
  for (const { name } of COMMANDS) expect(headings).toContain(name);
  for (const { environment, path } of OPTION_ROWS) {
    const isLimit = path.startsWith('limits.');
    expect([path, options.includes(`\n| \`${environment}\` |`)]).toEqual([path, !isLimit]);
  }
});

test('a command describes its own parameters, and names the common ones', () => {
  const block = /#### put\n(.*?)####/s.exec(page)?.[1] ?? '';
  expect(block).toContain('[Common parameters](#common-parameters): `cacheName`, `key` (required), `val` (required),');
  expect(block).toContain('\n| `exp` |');
  expect(block).not.toContain('\n| `cacheName` |');
});

test('every row of a table has as many columns as its head', () => {
  const columnCount = (line: string) => line.replaceAll('\\|', '').split('|').length;
  lines.forEach((line, index) => {
    const above = lines[index - 1];
    if (line.startsWith('|') && above?.startsWith('|'))
      expect(`${columnCount(line)} ${line}`).toBe(`${columnCount(above)} ${line}`);
  });
});

test('a bar in a text does not end a column', () => {
  expect(table(['a'], [['x|y']])).toContain('| x\\|y |');
});

test('the page uses the name of the service', () => {
  const other = referencePage('grid');
  expect(other).toContain('GET /grid?cmd=authenticate&grid.login=ann&grid.password=secret');
  expect(other).toContain('| `GridUuid` | `SvcUuid`,');
});

test('every compatibility flag is in a row of the differences', () => {
  const told = new Set(KNOWN_DIFFERENCES.flatMap(({ restoredBy }) => restoredBy ?? []).map(String));
  expect([...told].toSorted()).toEqual(Object.keys(COMPATIBILITY_FLAGS.reference).toSorted());
  expect(KNOWN_DIFFERENCES.map(({ row }) => row)).toEqual(KNOWN_DIFFERENCES.map((_, index) => index + 1));
});

test('every built-in task is described', () => {
  expect(Object.keys(BUILT_IN_TASK_TEXTS)).toEqual(Object.keys(BUILT_IN_TASKS));
});
