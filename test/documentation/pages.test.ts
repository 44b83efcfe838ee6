/** The generated pages, and the tables that they are generated from. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Glob } from 'bun';
import { KNOWN_DIFFERENCES } from '../../scripts/pages/known-differences.ts';
import { limitsPages } from '../../scripts/pages/limits-page.ts';
import { link, table } from '../../scripts/pages/markdown.ts';
import { optionsPage } from '../../scripts/pages/options-page.ts';
import { referencePages } from '../../scripts/pages/reference-page.ts';
import { BUILT_IN_TASK_TEXTS } from '../../scripts/pages/reference-prose.ts';
import { COMMANDS } from '../../src/commands/registry.ts';
import { OPTION_ROWS } from '../../src/configuration/options.ts';
import { BUILT_IN_TASKS } from '../../src/service/tasks/built-in-tasks.ts';

const pages = referencePages('svc');
const pagePaths = Object.keys(pages);
const options = optionsPage(OPTION_ROWS);

function headingsOf(page: string): string[] {
  return page.split('\n').flatMap((line) => /^#+ (.*)/.exec(line)?.[1] ?? []);
}

test.each(pagePaths)('headings of %s are unique, and every link within the page leads to one', (path) => {
  const page = pages[path] ?? '';
  const places = headingsOf(page).map((heading) => /\(#(.*)\)/.exec(link(heading))?.[1] ?? '');
  expect(places.filter((place, index) => places.indexOf(place) !== index)).toEqual([]);
  const targets = [...page.matchAll(/\]\(#([^)]*)\)/g)].map(([, target = '']) => target);
  expect(targets.length).toBeGreaterThan(2);
  expect(targets.filter((target) => !places.includes(target))).toEqual([]);
});

test('the page of its group describes a command, and the index leads to it where it was before', () => {
  for (const { name, group } of COMMANDS) {
    expect(headingsOf(pages[`reference/${group}.md`] ?? '')).toContain(name);
    expect(pages['reference.md']).toContain(`| <a id="${name}"></a>[${name}](reference/${group}.md#${name}) |`);
  }
  expect(pagePaths.length).toBe(1 + new Set(COMMANDS.map(({ group }) => group)).size);
});

test('the page of options has every option but the limits, and those of limits have these', () => {
  const limits = Object.entries(limitsPages())
    .filter(([path]) => path.startsWith('limits/'))
    .map(([, page]) => page)
    .join('\n');
  for (const { environment, path, option } of OPTION_ROWS) {
    const isLimit = path.startsWith('limits.');
    expect([path, options.includes(`\n| \`${environment}\` |`)]).toEqual([path, !isLimit]);
    expect([path, limits.split(`\n| \`${path}\` | \`${environment}\` |`).length - 1]).toEqual([
      path,
      option.beyond === undefined ? 0 : 1,
    ]);
  }
});

test('a command describes its own parameters, and names the common ones', () => {
  const block = /## put\n(.*?)\n## /s.exec(pages['reference/entry.md'] ?? '')?.[1] ?? '';
  expect(block).toContain(
    '[Common parameters](../reference.md#common-parameters): `cacheName`, `key` (required), `val` (required),',
  );
  expect(block).toContain('\n| `exp` |');
  expect(block).not.toContain('\n| `cacheName` |');
});

test('every row of a table has as many columns as its head', () => {
  const columnCount = (line: string) => line.replaceAll('\\|', '').split('|').length;
  for (const page of [...Object.values(pages), ...Object.values(limitsPages())]) {
    const lines = page.split('\n');
    lines.forEach((line, index) => {
      const above = lines[index - 1];
      if (line.startsWith('|') && above?.startsWith('|'))
        expect(`${columnCount(line)} ${line}`).toBe(`${columnCount(above)} ${line}`);
    });
  }
});

test('a bar in a text does not end a column', () => {
  expect(table(['a'], [['x|y']])).toContain('| x\\|y |');
});

test('the pages use the name of the service', () => {
  const other = referencePages('grid');
  expect(other['reference/user.md']).toContain('`GET /grid?cmd=authenticate&grid.login=ben&grid.password=secret`');
  expect(other['reference/entry.md']).toContain('curl \'http://localhost:8080/grid\' --json \'{"cmd": "put",');
  expect(other['reference.md']).toContain('| `GridUuid` | `SvcUuid`,');
});

test('rows of the differences are numbered, and code that follows Ignite names each row that it restores', () => {
  expect(KNOWN_DIFFERENCES.map(({ row }) => row)).toEqual(KNOWN_DIFFERENCES.map((_, index) => index + 1));
  const named = new Set<number>();
  for (const file of new Glob('**/*.ts').scanSync('src')) {
    const text = readFileSync(join('src', file), 'utf8');
    if (!text.includes("'reference'")) continue;
    for (const [, rows = ''] of text.matchAll(/\brows? (\d+(?:(?:, | and )\d+)*)/gi)) {
      for (const [row] of rows.matchAll(/\d+/g)) named.add(Number(row));
    }
  }
  const restored = KNOWN_DIFFERENCES.filter(({ isRestored }) => isRestored === true).map(({ row }) => row);
  expect(restored.filter((row) => !named.has(row))).toEqual([]);
});

test('every built-in task is described', () => {
  expect(Object.keys(BUILT_IN_TASK_TEXTS)).toEqual(Object.keys(BUILT_IN_TASKS));
});
