import { expect, test } from 'bun:test';
import { nearestNames } from './nearest.ts';

const NAMES = ['get', 'getput', 'getall', 'put', 'putall', 'version', 'k'];

const CASES: ReadonlyArray<readonly [string, string, readonly string[]]> = [
  ['a missing letter', 'gt', ['get']],
  ['two letters swapped', 'vresion', ['version']],
  ['another letter case', 'VERSIO', ['version']],
  ['the beginning of a name', 'vers', ['version']],
  ['nothing near', 'quaternion', []],
  ['nothing for a short word that differs in most letters', 'yes', []],
  ['nothing for a letter', 'g', []],
  ['an empty string', ' ', []],
];

for (const [title, name, expected] of CASES) {
  test(`suggests for ${title}`, () => {
    expect(nearestNames(name, NAMES)).toEqual([...expected]);
  });
}

test('compares a bounded part of many similar names, the first ones', () => {
  const names = Array.from({ length: 50_000 }, (_, at) => `table_${String(at).padStart(5, '0')}`);
  expect(nearestNames('tabel_00042', names)[0]).toBe('table_00042');
  expect(nearestNames('tabel_49999', names)).not.toContain('table_49999');
});
