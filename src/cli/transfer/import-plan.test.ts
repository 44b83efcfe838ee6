import { expect, test } from 'bun:test';
import { basisOf, quotedNote, tableNamedLike } from './import-plan.ts';

test.each([
  [1, true, 'from its only record'],
  [2, true, 'from all of its 2 records'],
  [500, false, 'from its first 500 records'],
])('%i records', (records, complete, text) => {
  expect(basisOf({ statement: null, parameters: {}, records, complete })).toBe(text);
});

test.each([
  ['  ID INTEGER NOT NULL,\n  NAME VARCHAR,\n  PRIMARY KEY (ID)', ''],
  ['  ID INTEGER,\n  "ORDER" INTEGER,\n  "a ""b" DATE', 'note: statements write "ORDER", "a ""b" in double quotes\n'],
])('names in quotes: %j', (columns, note) => {
  expect(quotedNote(`CREATE TABLE "T" (\n${columns}\n)`)).toBe(note);
});

test.each([
  ['people.csv', 'people'],
  ['people.csv.gz', 'people'],
  ['rent.2023.csv', 'rent_2023'],
  ['rent.2024.csv', 'rent_2024'],
  ['v1.2-final.csv', 'v1_2_final'],
  ['a/b.c/d.e.ndjson.gz', 'd_e'],
  ['2024 counts.csv', 't_2024_counts'],
  ['2023.rent.tsv', 't_2023_rent'],
  ['.hidden.csv', 'hidden'],
  ['größe.csv', 'größe'],
  ['rent.2023', 'rent_2023'],
  ['data.txt', 'data'],
])('the table of %s is %s', (file, name) => expect(tableNamedLike(file)).toBe(name));
