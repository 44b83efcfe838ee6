import { expect, test } from 'bun:test';
import { nearestNames } from './nearest.ts';

const NAMES = ['get', 'getput', 'getall', 'put', 'putall', 'version'];

const CASES: ReadonlyArray<readonly [string, string, readonly string[]]> = [
  ['a missing letter', 'gt', ['get']],
  ['two letters swapped', 'vresion', ['version']],
  ['another letter case', 'VERSIO', ['version']],
  ['the beginning of a name', 'vers', ['version']],
  ['nothing near', 'quaternion', []],
  ['nothing for a short word that differs in most letters', 'yes', []],
  ['an empty string', ' ', []],
];

for (const [title, name, expected] of CASES) {
  test(`suggests for ${title}`, () => {
    expect(nearestNames(name, NAMES)).toEqual([...expected]);
  });
}
