/** A connection keeps few and short statements. */
import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { SQL_BOUNDS } from '../../../base/limits.ts';
import { StatementCache, type StorageStatement } from './statement-cache.ts';

const longText = (number: number, characters: number) => `SELECT ${number} AS n /*${'x'.repeat(characters)}*/`;

function isFinalized(statement: StorageStatement): boolean {
  try {
    statement.get();
    return false;
  } catch {
    return true;
  }
}

test('long statements are finalized when they have run, and short ones are kept', () => {
  const cache = new StatementCache(new Database(':memory:'));
  const [short, long] = [cache.get('SELECT 1 AS n', []), cache.get(longText(1, SQL_BOUNDS.longCharacters), [])];
  expect(long.get()).toEqual({ n: 1 });
  cache.finalizeLong();
  expect([isFinalized(short), isFinalized(long)]).toEqual([false, true]);
  expect(cache.get('SELECT 1 AS n', [])).toBe(short);
  cache.finalize();
  expect(isFinalized(short)).toBe(true);
});

test('the texts of all statements together are bounded', () => {
  const cache = new StatementCache(new Database(':memory:'));
  const statements = Array.from({ length: 40 }, (_, number) => cache.get(longText(number, 50_000), []));
  const finalized = statements.map(isFinalized);
  expect(finalized.filter((each) => !each)).toHaveLength(20);
  expect(finalized.at(-1)).toBe(false);
  // A statement longer than the limit on all of them is usable until the next.
  const longest = cache.get(longText(1, 3_000_000), []);
  expect(isFinalized(longest)).toBe(false);
  cache.get('SELECT 2 AS n', []);
  expect(isFinalized(longest)).toBe(true);
});
