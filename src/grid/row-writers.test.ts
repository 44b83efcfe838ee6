import { expect, test } from 'bun:test';
import { rowWriter, uniqueNames } from './row-writers.ts';

const columns = (names: string) =>
  names.split(' ').map((fieldName) => ({ fieldName, fieldTypeName: '', schemaName: '', typeName: '' }));

const NAMES: ReadonlyArray<readonly [string, string]> = [
  ['a b', 'a b'],
  ['a a a', 'a a_2 a_3'],
  ['a a a_2', 'a a_3 a_2'],
  ['a_2 a a', 'a_2 a a_3'],
  ['a a a_2 a_2 a_3', 'a a_4 a_2 a_2_2 a_3'],
  ['a a a_2_2 a_2 a_2', 'a a_3 a_2_2 a_2 a_2_3'],
  ['a A a', 'a A a_2'],
];

for (const [given, unique] of NAMES) {
  test(`columns ${given}`, () => {
    expect(uniqueNames(columns(given)).join(' ')).toBe(unique);
    expect(rowWriter('csv', 'array', columns(given)).header).toBe(`${unique.replaceAll(' ', ',')}\r\n`);
  });
}

test('many equal names take linear time', () => {
  const names = uniqueNames(
    columns(Array.from({ length: 20_000 }, (_, at) => (at % 2 === 0 ? 'a' : `a_${at}`)).join(' ')),
  );
  expect(new Set(names).size).toBe(20_000);
});
