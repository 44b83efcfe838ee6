import { describe, expect, test } from 'bun:test';
import { hashOfKey, type IndexedKey, KeyIndex, type RecordLocation } from './key-index.ts';

const none = () => false;

const keyAt = (id: string, position: number, database = 0, tenant = 'ann'): IndexedKey => ({
  id,
  tenant,
  database,
  position,
});

/** Two keys with the same hash. */
function collision(): readonly [string, string] {
  const seen = new Map<number, string>();
  for (let number = 0; ; number++) {
    const id = number.toString(36).padStart(8, '0');
    const hash = hashOfKey(id);
    const other = seen.get(hash);
    if (other !== undefined) return [other, id];
    seen.set(hash, id);
  }
}

describe('the index of idempotency keys', () => {
  test('finds 10,000 keys in several databases, and removes them', () => {
    const index = new KeyIndex();
    const rows = new Map<string, string>();
    const isOf = (id: string) => (at: RecordLocation) => rows.get(`${at.database}/${at.position}`) === id;
    const locations = Array.from({ length: 10_000 }, (_, at) => ({ database: at % 3, position: 2 ** 33 + at }));
    for (const [at, location] of locations.entries()) {
      rows.set(`${location.database}/${location.position}`, `${at}id`);
      index.add({ id: `${at}id`, tenant: 'ann', ...location }, (other) => !isOf(`${at}id`)(other));
    }
    expect(index.size).toBe(10_000);
    for (const [at, location] of locations.entries()) expect(index.find(`${at}id`, isOf(`${at}id`))).toEqual(location);
    for (const [at, location] of locations.entries()) index.remove({ id: `${at}id`, tenant: 'ann', ...location });
    expect(index.size).toBe(0);
  });

  test('finds both of two keys with the same hash, also when one is removed', () => {
    const [first, second] = collision();
    const index = new KeyIndex();
    const at = (position: number) => ({ database: 0, position });
    index.add(keyAt(first, 1), none);
    index.add(keyAt(second, 2), () => true);
    const isAt = (position: number) => (location: RecordLocation) => location.position === position;
    expect(index.find(first, isAt(1))).toEqual(at(1));
    expect(index.find(second, isAt(2))).toEqual(at(2));
    index.remove(keyAt(first, 1));
    expect(index.find(second, isAt(2))).toEqual(at(2));
    index.remove(keyAt(second, 2));
    expect(index.size).toBe(0);
  });

  test('keeps the later row of a key when the earlier one is removed', () => {
    const index = new KeyIndex();
    index.add(keyAt('id', 1), none);
    index.add(keyAt('id', 5), none);
    expect(index.size).toBe(2);
    index.remove(keyAt('id', 1));
    expect(index.find('id', () => true)).toEqual({ database: 0, position: 5 });
    expect(index.size).toBe(1);
  });

  test('counts the rows of each tenant, and forgets those of a database', () => {
    const index = new KeyIndex();
    for (let position = 1; position <= 9; position++) {
      index.add(keyAt(`${position}id`, position, position % 2, position <= 6 ? 'ann' : 'bob'), none);
    }
    expect([index.countOf('ann'), index.countOf('bob'), index.countOf('eve')]).toEqual([6, 3, 0]);
    index.remove(keyAt('1id', 1, 1));
    index.remove(keyAt('none', 1, 1, 'eve'));
    expect([index.countOf('ann'), index.size]).toEqual([5, 8]);
    index.removeAll(1);
    expect([index.countOf('ann'), index.countOf('bob'), index.size]).toEqual([3, 1, 4]);
    expect(index.find('3id', () => true)).toBeUndefined();
    expect(index.find('2id', () => true)).toEqual({ database: 0, position: 2 });
  });
});
