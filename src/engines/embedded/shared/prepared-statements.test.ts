/** A thread keeps few prepared statements, and few characters of them. */
import { expect, test } from 'bun:test';
import { SqlStore } from '../../../../test/fixtures/embedded/sql-store.ts';
import { PreparedStatements } from './prepared-statements.ts';

const text = (number: number, characters: number) => `SELECT ${number} /*${'x'.repeat(characters)}*/`;

/** Prepares statements, asks for them again from last to first, and returns how many had to be prepared again. */
function replaced(statements: PreparedStatements, texts: readonly string[]): number {
  const prepared = texts.map((sql) => statements.get(sql, 'PUBLIC', []));
  const isReplaced = (sql: string, at: number) => statements.get(sql, 'PUBLIC', []) !== prepared[at];
  return texts
    .map((sql, at) => [sql, at] as const)
    .reverse()
    .filter(([sql, at]) => isReplaced(sql, at)).length;
}

test.each([
  ['1,000 short ones are kept', 1_000, 100, 0],
  ['of more, the least recently used are prepared again', 1_100, 100, 100],
  ['50 of 10,000 characters are kept', 50, 9_900, 0],
  ['of 100, half exceed the characters of all', 100, 9_900, 48],
  ['longer ones are never kept', 3, 11_000, 3],
])('%s', (_, count, characters, expected) => {
  const texts = Array.from({ length: count }, (_, number) => text(number, characters));
  expect(replaced(new PreparedStatements(new SqlStore()), texts)).toBe(expected);
});

test('a change of the catalog has all of them prepared again', () => {
  const store = new SqlStore();
  const statements = new PreparedStatements(store);
  const before = statements.get('SELECT 1', 'PUBLIC', []);
  expect(statements.get('SELECT 1', 'PUBLIC', [])).toBe(before);
  store.version++;
  expect(statements.get('SELECT 1', 'PUBLIC', [])).not.toBe(before);
});
