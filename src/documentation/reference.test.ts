import { expect, test } from 'bun:test';
import { ERRORS } from '../base/errors.ts';
import { COMMANDS } from '../commands/registry.ts';
import { OPTION_ROWS } from '../configuration/options.ts';
import { link } from './markdown.ts';
import { referencePage } from './reference.ts';

const page = referencePage('svc', OPTION_ROWS);
const lines = page.split('\n');
const headings = lines.filter((line) => /^#+ /.test(line)).map((line) => line.replace(/^#+ /, ''));

test('headings are unique, and every link within the page leads to one', () => {
  const places = headings.map((heading) => /\(#(.*)\)/.exec(link(heading))?.[1] ?? '');
  expect(places.filter((place, index) => places.indexOf(place) !== index)).toEqual([]);
  const targets = [...page.matchAll(/\]\(#([^)]*)\)/g)].map(([, target = '']) => target);
  expect(targets.length).toBeGreaterThan(100);
  expect(targets.filter((target) => !places.includes(target))).toEqual([]);
});

test('the page has every command, error, option and limit', () => {
  for (const { name } of COMMANDS) expect(headings).toContain(name);
  for (const code of Object.keys(ERRORS)) expect(page).toContain(`\n| \`${code}\` |`);
  for (const { environment } of OPTION_ROWS) expect(page).toContain(`\n| \`${environment}\` |`);
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
  expect(page).toContain('(re\\|un)deployed');
});

test('the page uses the name of the service', () => {
  const other = referencePage('grid', []);
  expect(other).toContain('GET /grid?cmd=authenticate&grid.login=ann&grid.password=secret');
  expect(other).toContain('| `GridUuid` | `SvcUuid`,');
});
