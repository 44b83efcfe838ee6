import { describe, expect, test } from 'bun:test';
import { LocationTable } from './location-table.ts';

/** Hashes of one segment that all belong into the last slots of a small one, and of others. */
const HASHES = [-1, -2, -3, -17, -18, -33, 15, 14, 31, 0, 1, 16, 0x7fffffff, -0x80000000, 0x01000000];

describe('the table of locations', () => {
  test.each([1, 2, 3, 4])('agrees with a map after 50,000 changes, seed %i', (seed) => {
    let state: number = seed;
    const random = (below: number) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
      return (state >>> 8) % below;
    };
    // Few hashes, so that entries collide, are replaced and removed; of one segment, so that it grows.
    const hashOf = () => (random(4) === 0 ? (HASHES[random(HASHES.length)] ?? 0) : -random(600) * (1 + random(64)));
    const table = new LocationTable();
    const expected = new Map<number, number>();
    for (let step = 1; step <= 50_000; step++) {
      const hash = hashOf() | 0;
      if (random(3) === 0) {
        table.delete(hash);
        expected.delete(hash);
      } else {
        table.set(hash, step * 64);
        expected.set(hash, step * 64);
      }
      const looked = hashOf() | 0;
      expect(table.get(looked)).toBe(expected.get(looked));
    }
    for (const [hash, location] of expected) expect(table.get(hash)).toBe(location);
    table.deleteWhere((location) => location % 128 === 0);
    for (const [hash, location] of expected) expect(table.get(hash)).toBe(location % 128 === 0 ? undefined : location);
  });
});
