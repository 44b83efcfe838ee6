import { expect, test } from 'bun:test';
import { readPairs } from './parameters.ts';

const CASES: ReadonlyArray<readonly [query: string, expected: Record<string, string>]> = [
  ['k1=a&k2=b&v1=c', { k1: 'a', k2: 'b', v1: 'c' }],
  ['k99=a&k100=b&k255=c&k256=d&k999=e&k1000=f', { k99: 'a', k100: 'b', k255: 'c', k256: 'd', k999: 'e', k1000: 'f' }],
  ['k0=a&k01=b&k=c&kt=d&k1x=e&v-1=f', { k0: 'a', k01: 'b', k: 'c', kt: 'd', k1x: 'e', 'v-1': 'f' }],
  ['k1=a&k1=b&k%31=c', { k1: 'a' }],
  ['key=1&val=2', { key: '1', val: '2' }],
];

for (const [query, expected] of CASES) {
  test(query, () => {
    const pairs = new Map<string, string>();
    readPairs(query, 0, pairs, 100, 0);
    expect(Object.fromEntries(pairs)).toEqual(expected);
  });
}
