/** Questions of someone new to the code: one row of ARCHITECTURE.md and one file of that row must answer each. */
import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dir, '../..');
const markdown = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
const section = markdown.slice(markdown.indexOf('## Where to find things'));

/** Returns the files that the row with a question names; GROUP/NAME stands for the command `getput`. */
function filesOf(question: string): string[] {
  const row = section.split('\n').find((line) => line.startsWith('|') && line.split('|')[1]?.includes(question));
  if (row === undefined) throw new Error(`ARCHITECTURE.md has no row for "${question}"`);
  const places = [...row.matchAll(/`([^`]+)`/g)].map(([, place = '']) => place.replace('GROUP/NAME', 'entry/getput'));
  // A file named without its folder is beside the first one of the row.
  const folder = places[0]?.replace(/[^/]+$/, '') ?? '';
  return places
    .flatMap((place) => [place, `${folder}${place}`, `${places[0]}/${place}`])
    .filter((path) => existsSync(join(root, path)) && statSync(join(root, path)).isFile());
}

describe('the table of ARCHITECTURE.md leads to', () => {
  const cases: ReadonlyArray<readonly [search: string, question: string, text: string]> = [
    ['a command', 'A command', "name: 'getput'"],
    ['a conversion from text to long', 'text to long', "names: ['long']"],
    ['SQL ROUND', 'An SQL function', "['ROUND']"],
    ['a limit', 'A limit', 'keyCharacters:'],
    ['the text "Table already exists"', "An error's text", 'Table already exists'],
    ["the cluster's get", 'An operation of the cluster engine', '  get({ cache, key }'],
    ['whether a user may read a cache', 'may this user read this cache', "cacheRead: 'read'"],
    ['the metric of requests in flight', 'A metric', 'svc_requests_in_flight'],
  ];
  for (const [search, question, text] of cases) {
    test(search, () => {
      const found = filesOf(question).filter((path) => readFileSync(join(root, path), 'utf8').includes(text));
      expect(found).not.toEqual([]);
    });
  }
  test('every row names a file, a folder or a document that exists', () => {
    const rows = section.slice(0, section.indexOf('\n\nTests are')).split('\n');
    for (const row of rows.filter((line) => /^\| (?!question)/.test(line))) {
      const places = [...row.matchAll(/`((?:src|docs|test|scripts)\/[\w./-]+)`/g)].map(([, place = '']) => place);
      expect([row, places.length > 0]).toEqual([row, true]);
      for (const place of places.filter((each) => !each.includes('GROUP'))) {
        expect([place, existsSync(join(root, place))]).toEqual([place, true]);
      }
    }
  });
});
