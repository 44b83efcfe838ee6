import { expect, test } from 'bun:test';
import { COMMANDS } from '../commands/registry.ts';
import { OPTION_ROWS } from '../configuration/options.ts';
import { link, table } from './markdown.ts';
import { optionsPage } from './options-page.ts';
import { referencePage } from './reference.ts';

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
