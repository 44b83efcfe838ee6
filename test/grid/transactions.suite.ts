import { describe, expect, test } from 'bun:test';
import {
  type QueryPage,
  TransactionAborted,
  type TransactionResult,
  type TransactionStep,
} from '../../src/grid/grid.ts';
import { text, type Value } from '../../src/values/value.ts';
import { callOf } from './call-of.ts';
import { countersOf, type Entries, entriesOf } from './entry-methods.ts';
import { errorOf, type SuiteContext } from './suite-context.ts';

const int = (data: number): Value => ({ type: 'integer', data });
const [A, B, C] = [text('a'), text('b'), text('c')];
const OBJECT: Value = { type: 'object', typeName: 'SuiteThing', fields: [{ name: 'n', value: int(1) }] };

/** Returns a step that makes a call on entries. */
const step = (action: (entries: Entries) => unknown): TransactionStep => ({
  call: callOf((port) => action(entriesOf({ port }))),
});
const notFalse = (each: TransactionStep): TransactionStep => ({ ...each, condition: { kind: 'notFalse' } });
const counter = (name: string, delta: bigint): TransactionStep => ({
  call: callOf((port) => countersOf({ port }).add(name, delta, 0n)),
});

export function runTransactionsSuite({ subject, newCache }: SuiteContext): void {
  const grid = () => subject().grid;
  const cache = () => subject().newTransactionalCache?.() ?? newCache();
  const traits = () => subject().traits ?? {};
  const onlyEntries = () => traits().onlyEntriesInTransactions === true;

  function run(steps: readonly TransactionStep[], timeoutMs = 0): Promise<readonly TransactionResult[]> {
    const signal = new AbortController().signal;
    return grid().transactions.run(steps, {
      owner: '',
      tenant: { key: '', isAdministrator: false },
      timeoutMs,
      signal,
    });
  }

  /** Returns the index of the step that aborts the transaction, and the code of its error. */
  async function aborted(steps: readonly TransactionStep[]): Promise<readonly [number, string]> {
    try {
      await run(steps);
    } catch (error) {
      if (error instanceof TransactionAborted) return [error.step, error.reason.code];
      throw error;
    }
    throw new Error('the transaction was not aborted');
  }

  describe('a transaction', () => {
    test('returns the results of its steps, which see the changes before them', async () => {
      const name = await cache();
      await entriesOf(grid()).put(name, C, OBJECT);
      const results = await run([
        step((entries) => entries.put(name, A, B)),
        step((entries) => entries.get(name, A)),
        step((entries) => entries.getAndPut(name, A, C)),
        step((entries) => entries.putIfAbsent(name, A, B)),
        step((entries) => entries.append(name, A, text('!'))),
        step((entries) => entries.getAll(name, [A, B])),
        step((entries) => entries.has(name, B)),
        step((entries) => entries.hasAll(name, [A, C])),
        step((entries) => entries.getAndRemove(name, C)),
        step((entries) => entries.has(name, C)),
        step((entries) => entries.replaceIfEquals(name, A, text('c!'), OBJECT)),
        step((entries) => entries.get(name, A)),
        step((entries) => entries.putAll(name, [{ key: B, value: int(1) }])),
        step((entries) => entries.remove(name, A)),
        step((entries) => entries.removeIfEquals(name, B, int(2))),
        step((entries) => entries.getAndReplace(name, B, int(3))),
        step((entries) => entries.removeAll(name, [A])),
        step((entries) => entries.getAndPutIfAbsent(name, A, int(4))),
        step((entries) => entries.replace(name, text('none'), A)),
      ]);
      expect(results.map((each) => each ?? undefined)).toEqual([
        undefined,
        B,
        B,
        false,
        true,
        [{ key: A, value: text('c!') }],
        false,
        true,
        OBJECT,
        false,
        true,
        OBJECT,
        undefined,
        true,
        false,
        int(1),
        undefined,
        undefined,
        false,
      ]);
      expect(await entriesOf(grid()).get(name, A)).toEqual(int(4));
      expect(await entriesOf(grid()).get(name, B)).toEqual(int(3));
      expect(await entriesOf(grid()).size(name)).toBe(2);
    });

    test('stores a type that was never stored before, and entries that expire', async () => {
      const name = await cache();
      const typeName = `Suite${name}`;
      const value: Value = { type: 'object', typeName, fields: [{ name: 'n', value: int(1) }] };
      const ttlMs = 300 * subject().timeFactor;
      await run([
        step((entries) => entries.put(name, A, value, BigInt(ttlMs))),
        step((entries) => entries.put(name, B, value)),
      ]);
      expect(await entriesOf(grid()).get(name, A)).toEqual(value);
      await subject().pass(ttlMs + 50);
      expect(await entriesOf(grid()).get(name, A)).toBeUndefined();
      expect(await entriesOf(grid()).get(name, B)).toEqual(value);
    });

    test('that fails at a step changes nothing and names the step', async () => {
      const name = await cache();
      await entriesOf(grid()).put(name, A, B);
      const typeName = `Aborted${name}`;
      const value: Value = { type: 'object', typeName, fields: [] };
      const steps = [
        step((entries) => entries.put(name, A, value)),
        step((entries) => entries.remove(name, B)),
        step((entries) => entries.put(name, B, value)),
      ];
      expect(await aborted([...steps, step((entries) => entries.append(name, A, text('x')))])).toEqual([
        3,
        'INCOMPATIBLE_TYPES',
      ]);
      expect(await entriesOf(grid()).get(name, A)).toEqual(B);
      expect(await entriesOf(grid()).size(name)).toBe(1);
      await entriesOf(grid()).put(name, B, value);
      expect(await entriesOf(grid()).get(name, B)).toEqual(value);
    });

    test('whose condition is not met changes nothing', async () => {
      const name = await cache();
      await entriesOf(grid()).put(name, A, B);
      const first = step((entries) => entries.put(name, C, C));
      const conditions = [
        step((entries) => entries.replaceIfEquals(name, A, C, B)),
        step((entries) => entries.putIfAbsent(name, A, C)),
        step((entries) => entries.removeIfEquals(name, A, C)),
        step((entries) => entries.replace(name, B, C)),
        step((entries) => entries.has(name, B)),
      ];
      for (const each of conditions) expect(await aborted([first, notFalse(each)])).toEqual([1, 'BATCH_CONDITION']);
      expect(await entriesOf(grid()).size(name)).toBe(1);
      expect(await run([notFalse(step((entries) => entries.replaceIfEquals(name, A, B, C))), first])).toHaveLength(2);
      expect(await entriesOf(grid()).get(name, A)).toEqual(C);
    });

    test('names the step whose cache does not exist', async () => {
      const name = await cache();
      const steps = [
        step((entries) => entries.put(name, A, B)),
        step((entries) => entries.put('there_is_no_such_cache', A, B)),
      ];
      expect(await aborted(steps)).toEqual([1, 'CACHE_NOT_FOUND']);
      expect(await entriesOf(grid()).size(name)).toBe(0);
    });

    test('is isolated from others: concurrent transfers keep the sum', async () => {
      const name = await cache();
      const accounts = [0, 1, 2, 3].map(int);
      await entriesOf(grid()).putAll(
        name,
        accounts.map((key) => ({ key, value: int(100) })),
      );
      const balance = (value: TransactionResult): number =>
        typeof value === 'object' && value !== null && 'type' in value && value.type === 'integer' ? value.data : 0;
      let done = 0;
      const transfer = async (from: Value, to: Value): Promise<void> => {
        for (;;) {
          const [old, other] = await run([
            step((entries) => entries.get(name, from)),
            step((entries) => entries.get(name, to)),
          ]);
          try {
            await run([
              notFalse(
                step((entries) => entries.replaceIfEquals(name, from, int(balance(old)), int(balance(old) - 1))),
              ),
              notFalse(
                step((entries) => entries.replaceIfEquals(name, to, int(balance(other)), int(balance(other) + 1))),
              ),
            ]);
            done++;
            return;
          } catch (error) {
            if (!(error instanceof TransactionAborted)) throw error;
          }
        }
      };
      const transfers = Array.from({ length: 12 }, (_, index) =>
        transfer(accounts[index % 4] ?? A, accounts[(index + 1) % 4] ?? A),
      );
      await Promise.all(transfers);
      const all = await entriesOf(grid()).getAll(name, accounts);
      expect(all.reduce((sum, { value }) => sum + balance(value), 0)).toBe(400);
      expect(done).toBe(12);
    });

    test('of reads alone is possible while the cluster is read-only', async () => {
      if (!subject().exclusive) return;
      const name = await cache();
      await entriesOf(grid()).put(name, A, B);
      await grid().cluster.setState('ACTIVE_READ_ONLY', true);
      try {
        expect(await run([step((entries) => entries.get(name, A))])).toEqual([B]);
        expect(
          await aborted([step((entries) => entries.get(name, A)), step((entries) => entries.put(name, A, C))]),
        ).toEqual([1, 'READ_ONLY']);
      } finally {
        await grid().cluster.setState('ACTIVE', true);
      }
      expect(await entriesOf(grid()).get(name, A)).toEqual(B);
    });
  });

  describe('a transaction over more than entries', () => {
    test('rolls counters back', async () => {
      const name = await cache();
      const id = `suite counter ${name}`;
      if (onlyEntries()) {
        expect(await aborted([step((entries) => entries.put(name, A, B)), counter(id, 5n)])).toEqual([
          1,
          'NOT_SUPPORTED',
        ]);
        expect(await entriesOf(grid()).size(name)).toBe(0);
        return;
      }
      expect(await run([counter(id, 5n), counter(id, 2n)])).toEqual([5n, 7n]);
      expect(await aborted([counter(id, 1n), notFalse(step((entries) => entries.has(name, A)))])).toEqual([
        1,
        'BATCH_CONDITION',
      ]);
      expect(await run([counter(id, 0n)])).toEqual([7n]);
    });

    test('is of one region that does not persist, or of those that do', async () => {
      const { temporaryRegion } = subject();
      if (temporaryRegion === undefined || onlyEntries()) return;
      const [durable, fast] = [await cache(), await newCache(temporaryRegion)];
      const value: Value = { type: 'object', typeName: `Fast${fast}`, fields: [] };
      expect(
        await aborted([step((entries) => entries.put(durable, A, B)), step((entries) => entries.put(fast, A, B))]),
      ).toEqual([1, 'BATCH_REGIONS']);
      expect(await aborted([step((entries) => entries.put(fast, A, B)), counter('other file', 1n)])).toEqual([
        1,
        'BATCH_REGIONS',
      ]);
      expect(
        await run([
          step((entries) => entries.get(durable, A)),
          step((entries) => entries.put(fast, A, value)),
          step((entries) => entries.get(fast, A)),
        ]),
      ).toEqual([undefined, undefined, value]);
      expect(await entriesOf(grid()).get(fast, A)).toEqual(value);
      expect(await entriesOf(grid()).size(fast)).toBe(1);
    });

    test('runs statements, with the number of rows as a condition', async () => {
      if (traits().sql === false) return;
      const name = await cache();
      const table = `T_${name}`;
      const query = (text: string, ...args: Value[]) => ({
        kind: 'fields' as const,
        cache: name,
        owner: '',
        pageSize: 10,
        format: 'json' as const,
        sql: text,
        args,
      });
      const statement = (text: string, count?: bigint, ...args: Value[]): TransactionStep => ({
        call: { kind: 'statement', query: query(text, ...args) },
        ...(count !== undefined && { condition: { kind: 'rows', count } }),
      });
      const rows = (result: TransactionResult | undefined) => (result as QueryPage).rows;
      await grid().queries.execute(
        query(`create table ${table} (id int primary key, n int) with "cache_name=${table},value_type=V_${table}"`),
      );
      const insert = statement(`insert into ${table} values (1, 10), (2, 20), (?, 30)`, 3n, int(3));
      if (onlyEntries()) {
        expect(await aborted([step((entries) => entries.put(name, A, B)), insert])).toEqual([1, 'NOT_SUPPORTED']);
        return;
      }
      const results = await run([
        insert,
        step((entries) => entries.put(name, A, B)),
        statement(`update ${table} set n = n + 1 where n >= 20`, 2n),
        statement(`select id, n from ${table} order by id`, 3n),
        step((entries) => entries.size(table)),
        statement(`delete from ${table} where id = 1`),
        counter(table, 1n),
      ]);
      expect([rows(results[0]), rows(results[2]), rows(results[3]), results[4], rows(results[5])]).toEqual([
        '[3]',
        '[2]',
        '[1,10],[2,21],[3,31]',
        3,
        '[1]',
      ]);
      expect(await entriesOf(grid()).size(table)).toBe(2);
      const remove = statement(`delete from ${table}`);
      expect(await aborted([remove, statement(`update ${table} set n = 0`, 1n)])).toEqual([1, 'BATCH_CONDITION']);
      expect(await aborted([remove, statement(`select * from ${table}`, 1n)])).toEqual([1, 'BATCH_CONDITION']);
      expect(await aborted([remove, statement(`insert into ${table} values (9, 9)`), statement('selekt')])).toEqual([
        2,
        'SQL',
      ]);
      const duplicate = statement(`insert into ${table} values (2, 2)`);
      expect(await aborted([statement(`delete from ${table} where id = 3`), duplicate])).toEqual([1, 'SQL_CONFLICT']);
      expect(await entriesOf(grid()).size(table)).toBe(2);
      const page = statement('select x from system_range(1, 11)');
      expect(await aborted([remove, page])).toEqual([1, 'BATCH_PAGE']);
      for (const text of [`drop table ${table}`, `explain select * from ${table}`, 'select * from sys.caches']) {
        expect(await aborted([remove, statement(text)])).toEqual([1, 'BATCH_COMMAND']);
      }
      expect(await entriesOf(grid()).size(table)).toBe(2);
    });

    test('ends at its time limit, and changes nothing', async () => {
      if (traits().sql === false || onlyEntries()) return;
      const name = await cache();
      const sql = 'select sum(mod(x, 7)) from system_range(1, 1000000000000)';
      const endless: TransactionStep = {
        call: {
          kind: 'statement',
          query: { kind: 'fields', cache: name, owner: '', pageSize: 1, format: 'json', sql, args: [] },
        },
      };
      const ended = await run([step((entries) => entries.put(name, A, B)), endless], 1_500).catch(
        (error: unknown) => error,
      );
      // On a busy machine, the request ends before its thread can report the step.
      const reason = ended instanceof TransactionAborted ? ended.reason : ended;
      expect(reason).toMatchObject({ code: 'QUERY_TIMEOUT' });
      expect(await entriesOf(grid()).size(name)).toBe(0);
      expect(await errorOf(() => entriesOf(grid()).put(name, A, B))).toEqual({ answered: undefined });
    });
  });
}
