import { Database } from 'bun:sqlite';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '../../../../test/fixtures/base/manual-clock.ts';
import { entriesOf } from '../../../../test/grid/entry-methods.ts';
import { errorOf } from '../../../../test/grid/suite-context.ts';
import type { QueryEntity } from '../../../grid/grid.ts';
import { text, type Value } from '../../../values/value.ts';
import { type EmbeddedGrid, openEmbeddedGrid } from '../embedded-grid.ts';

const root = mkdtempSync(join(tmpdir(), 'svc-writer-'));
afterAll(() => rmSync(root, { recursive: true }));

const int = (data: number): Value => ({ type: 'integer', data });
const long = (data: bigint): Value => ({ type: 'long', data });

const PERSON: QueryEntity = {
  keyType: 'integer',
  valueType: 'Person',
  fields: [
    { name: 'name', type: { kind: 'scalar', type: 'string' } },
    { name: 'salary', type: { kind: 'scalar', type: 'double' }, notNull: true },
    { name: 'tags', type: { kind: 'array', element: 'long' } },
  ],
  indexes: [{ fields: [{ name: 'name' }], unique: true }, { fields: [{ name: 'salary', descending: true }] }],
};
const VISIT: QueryEntity = {
  keyType: 'VisitKey',
  valueType: 'Visit',
  keyFields: ['place', 'day'],
  fields: [
    { name: 'place', type: { kind: 'scalar', type: 'string' } },
    { name: 'day', type: { kind: 'scalar', type: 'date' } },
    { name: 'note', type: { kind: 'any' } },
  ],
};

/** A clock that advances 4 ms with each reading while `isSlow`: three changes fill a slice. */
class SlowClock extends ManualClock {
  isSlow = false;

  override monotonicMs(): number {
    if (this.isSlow) this.advance(4);
    return super.monotonicMs();
  }
}

let dataDir: string;
let clock: ManualClock;
let grid: EmbeddedGrid;

beforeEach(async () => {
  dataDir = mkdtempSync(join(root, 'data-'));
  clock = new ManualClock();
  const caches = [{ name: 'people', entities: [PERSON, VISIT] }];
  grid = await openEmbeddedGrid({ dataDir, clock, version: '1.0.0', caches });
});
afterEach(() => grid.close());

/** Returns the rows that another process sees. */
function rows(sql: string): unknown[] {
  using database = new Database(join(dataDir, 'svc.db'), { readonly: true });
  return database.query(sql).values();
}

function person(...fields: ReadonlyArray<readonly [string, Value]>): Value {
  return { type: 'object', typeName: 'Person', fields: fields.map(([name, value]) => ({ name, value })) };
}

const NAME = ['name', text('Ann')] as const;
const SALARY = ['salary', { type: 'double', data: 1.5 }] as const;
const TAGS = ['tags', { type: 'array', element: 'long', data: [long(1n), long(2n)] }] as const;
const EXTRA = ['extra', long(5n)] as const;
const NULL_TAGS = ['tags', { type: 'null' }] as const;

describe('an object of a query entity', () => {
  const table = () => `e${grid.thread.registry.require('people').id}`;

  const shapes: ReadonlyArray<readonly [string, Value]> = [
    ['with the declared fields', person(NAME, SALARY, TAGS)],
    ['with a null', person(NAME, SALARY, NULL_TAGS)],
    ['with an additional field', person(NAME, SALARY, TAGS, EXTRA)],
    ['without a declared field', person(NAME, SALARY)],
    ['with its fields in another order', person(SALARY, NAME, TAGS)],
    ['with an additional field before the others', person(EXTRA, NAME, SALARY, TAGS)],
    ['with a field of another type', person(['name', int(5)], SALARY, TAGS)],
  ];
  for (const [title, value] of shapes) {
    test(`${title} is read as it was stored`, async () => {
      await entriesOf(grid).put('people', int(1), value);
      expect(entriesOf(grid).get('people', int(1))).toEqual(value);
      expect(await entriesOf(grid).replaceIfEquals('people', int(1), value, text('other'))).toBe(true);
      expect(entriesOf(grid).get('people', int(1))).toEqual(text('other'));
    });
  }

  test.each([
    ['beside the exact name', person(NAME, SALARY, TAGS, ['NAME', text('x')]), person(NAME, SALARY, TAGS)],
    ['alone', person(['NAME', text('Ann')], SALARY), person(NAME, SALARY)],
    ['twice', person(['NAME', text('x')], SALARY, ['nAME', text('Ann')]), person(NAME, SALARY)],
  ])('with a field in another case has it under the name of its column: %s', async (_, given, stored) => {
    await entriesOf(grid).put('people', int(1), given);
    expect(entriesOf(grid).get('people', int(1))).toEqual(stored);
    expect(rows(`SELECT f1 FROM ${table()}`)).toEqual([['Ann']]);
  });

  test('is stored in columns only', async () => {
    await entriesOf(grid).put('people', int(1), person(NAME, SALARY, TAGS));
    const found = rows(`SELECT k, v, f1, f2 FROM ${table()}`);
    expect(found).toEqual([[1, null, 'Ann', 1.5]]);
  });

  test('leaves no column value when another value replaces it', async () => {
    await entriesOf(grid).put('people', int(1), person(NAME, SALARY, TAGS));
    await entriesOf(grid).put('people', int(1), text('other'));
    expect(rows(`SELECT v, f1, f2, f3 FROM ${table()}`)).toEqual([['other', null, null, null]]);
  });

  test('is rejected without a value for a NOT NULL field', async () => {
    for (const value of [person(NAME), person(NAME, ['salary', { type: 'null' }])]) {
      expect(await errorOf(() => entriesOf(grid).put('people', int(1), value))).toBe('VALUE_REJECTED');
    }
    expect(entriesOf(grid).has('people', int(1))).toBe(false);
  });

  test('with a composite key is stored with the fields of both in columns', async () => {
    const key: Value = {
      type: 'object',
      typeName: 'VisitKey',
      fields: [
        { name: 'place', value: text('here') },
        { name: 'day', value: { type: 'date', data: 7 } },
      ],
    };
    const value: Value = { type: 'object', typeName: 'Visit', fields: [{ name: 'note', value: int(3) }] };
    await entriesOf(grid).put('people', key, value);
    expect(entriesOf(grid).get('people', key)).toEqual(value);
    expect(entriesOf(grid).getAll('people', [key])).toEqual([{ key, value }]);
    const { fields } = grid.thread.registry.require('people');
    const columns = fields.filter(({ entity }) => entity === 'Visit').map(({ place }) => `f${place}`);
    expect(rows(`SELECT ${columns.slice(0, 2).join()} FROM ${table()}`)).toEqual([['here', 7]]);
  });

  test('that violates a unique index fails alone, and fails a whole putAll', async () => {
    await entriesOf(grid).put('people', int(1), person(NAME, SALARY));
    const again = person(NAME, SALARY);
    const other = person(['name', text('Bob')], SALARY);
    const outcomes = await Promise.allSettled([
      entriesOf(grid).put('people', int(2), again),
      entriesOf(grid).put('people', int(3), person(['name', text('Cy')], SALARY)),
      entriesOf(grid).putAll('people', [
        { key: int(4), value: other },
        { key: int(5), value: again },
      ]),
      entriesOf(grid).put('people', int(6), other),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled']);
    const found = await entriesOf(grid).getAll('people', [1, 2, 3, 4, 5, 6].map(int));
    expect(found.map(({ key }) => key)).toEqual([1, 3, 6].map(int));
    expect(entriesOf(grid).size('people')).toBe(3);
  });

  test('is found by its type name in any case, in its cache only', () => {
    const fieldsOf = (name: string, cache?: string) => grid.types.find(name, cache)?.fields.map((field) => field.name);
    expect(fieldsOf('Person', 'people')).toEqual(['name', 'salary', 'tags']);
    expect(fieldsOf('person', 'people')).toEqual(['name', 'salary', 'tags']);
    expect(fieldsOf('Person', 'default')).toBe(undefined);
    expect(fieldsOf('VisitKey')).toEqual(['place', 'day']);
    expect(fieldsOf('Visit')).toEqual(['note']);
    expect(fieldsOf('Nothing')).toBe(undefined);
  });

  test('is described by the metadata of its cache', () => {
    expect(grid.caches.metadata('people')).toEqual({
      cacheName: 'people',
      types: ['Person', 'Visit'],
      keyClasses: { Person: 'java.lang.Integer', Visit: 'java.lang.Object' },
      valClasses: { Person: 'java.lang.Object', Visit: 'java.lang.Object' },
      fields: {
        Person: {
          _KEY: 'java.lang.Integer',
          _VAL: 'java.lang.Object',
          NAME: 'java.lang.String',
          SALARY: 'java.lang.Double',
          TAGS: 'java.lang.Object',
        },
        Visit: {
          _KEY: 'java.lang.Object',
          _VAL: 'java.lang.Object',
          PLACE: 'java.lang.String',
          DAY: 'java.sql.Date',
          NOTE: 'java.lang.Object',
        },
      },
      indexes: {
        Person: [
          { name: 'PERSON_NAME_ASC_IDX', fields: ['NAME'], descendings: [], unique: true },
          { name: 'PERSON_SALARY_DESC_IDX', fields: ['SALARY'], descendings: ['SALARY'], unique: false },
        ],
        Visit: [],
      },
    });
  });
});

describe('the writer', () => {
  test('has committed a change to the file when it resolves', async () => {
    await entriesOf(grid).put('default', text('a'), text('b'));
    const { table } = grid.thread.registry.require('default');
    expect(rows(`SELECT k, v FROM ${table}`)).toEqual([['a', 'b']]);
  });

  test('makes a change visible to reads in the tick in which it resolves, not before', async () => {
    const put = entriesOf(grid).put('default', text('a'), text('b'));
    expect(entriesOf(grid).get('default', text('a'))).toBe(undefined);
    await put;
    expect(entriesOf(grid).get('default', text('a'))).toEqual(text('b'));
  });

  test('queues changes while a long statement holds the write lock, and reads continue', async () => {
    await entriesOf(grid).put('default', text('a'), text('old'));
    const { table } = grid.thread.registry.require('default');
    const order: string[] = [];
    const writeLock = grid.writer.withWriteLock(async () => {
      using other = new Database(join(dataDir, 'svc.db'));
      other.run(`BEGIN IMMEDIATE; UPDATE ${table} SET v = 'by the statement'`);
      await Bun.sleep(20);
      expect(entriesOf(grid).get('default', text('a'))).toEqual(text('old'));
      other.run('COMMIT');
      order.push('statement');
      return [0];
    });
    await entriesOf(grid).append('default', text('a'), text('!'));
    order.push('change');
    await writeLock;
    expect(order).toEqual(['statement', 'change']);
    expect(entriesOf(grid).get('default', text('a'))).toEqual(text('by the statement!'));
  });

  /** Holds the write lock during `action`. */
  async function whileLocked(action: () => Promise<void>): Promise<void> {
    await grid.writer.withWriteLock(async () => {
      await action();
      return [0];
    });
  }
  const storedSessions = () => rows("SELECT id, content FROM records WHERE kind = 'session' ORDER BY id");

  test('finds sessions at once that wait for the write lock, and stores them then', async () => {
    const { records } = grid;
    await records.put('session', 'known', 'before');
    await records.put('session', 'removed', 'content');
    const expired = clock.nowMs() + 10;
    await whileLocked(async () => {
      await records.put('session', 'known', 'after');
      await records.put('session', 'new', 'content');
      await records.put('session', 'short', 'content', expired);
      expect(await records.get('session', 'short')).toBe('content');
      clock.advance(20);
      expect(await records.remove('session', 'removed')).toBe('content');
      expect(await records.remove('session', 'removed')).toBe(undefined);
      const found = await Promise.all(['known', 'new', 'short', 'removed'].map((id) => records.get('session', id)));
      expect(found).toEqual(['after', 'content', undefined, undefined]);
      expect(storedSessions()).toEqual([
        ['known', 'before'],
        ['removed', 'content'],
      ]);
    });
    await entriesOf(grid).put('default', text('a'), text('b'));
    expect(storedSessions()).toEqual([
      ['known', 'after'],
      ['new', 'content'],
      ['short', 'content'],
    ]);
    expect(records.get('session', 'new')).toBe('content');
    expect(records.get('session', 'short')).toBe(undefined);
  });

  test('replaces sessions that wait for the write lock, or have expired while they waited, but none that ended', async () => {
    const { records } = grid;
    await records.put('session', 'renewed', 'before', clock.nowMs() + 10);
    await records.put('session', 'ended', 'before');
    await whileLocked(async () => {
      expect(await records.replace('session', 'renewed', 'after', clock.nowMs() + 1_000)).toBe(true);
      clock.advance(20);
      expect(await records.get('session', 'renewed')).toBe('after');
      await records.remove('session', 'ended');
      expect(await records.replace('session', 'ended', 'after')).toBe(false);
      expect(await records.replace('session', 'unknown', 'after')).toBe(false);
    });
    await entriesOf(grid).put('default', text('a'), text('b'));
    expect(storedSessions()).toEqual([['renewed', 'after']]);
  });

  test('keeps other records waiting for the write lock', async () => {
    let isStored = false;
    await whileLocked(async () => {
      void grid.records.put('user', 'ann', 'content').then(() => {
        isStored = true;
      });
      await Bun.sleep(5);
      expect([isStored, grid.records.get('user', 'ann')]).toEqual([false, undefined]);
    });
    await grid.records.put('user', 'bob', 'content');
    expect(isStored).toBe(true);
  });

  test('lets changes wait for the write lock', async () => {
    const puts: Array<Promise<unknown>> = [];
    await whileLocked(async () => {
      for (let n = 0; n < 300; n++) {
        puts.push(Promise.resolve(entriesOf(grid).put('default', text('a'), text('b'))));
        clock.advance(1);
      }
      await grid.records.put('session', 'new', 'content');
    });
    await Promise.all(puts);
    expect(grid.writer.statistics()).toMatchObject({ rejected: 0, waits: 301 });
  });

  describe('when the changes of a tick take long', () => {
    let slow: SlowClock;
    let own: EmbeddedGrid;
    let folder: string;
    const counted = () => {
      const { sum, buckets } = own.storage().commitChanges;
      return { sum, count: buckets.reduce((total, each) => total + each, 0) };
    };
    const put = (key: string, data: number) => entriesOf(own).put('default', text(key), int(data));

    beforeEach(async () => {
      slow = new SlowClock();
      folder = mkdtempSync(join(root, 'slow-'));
      const caches = [{ name: 'people', entities: [{ ...PERSON, keyType: 'string' as const }] }];
      own = await openEmbeddedGrid({ dataDir: folder, clock: slow, version: '1.0.0', caches });
      await put('a', 0);
    });
    afterEach(() => own.close());

    test('commits them in several transactions, in their order', async () => {
      const before = counted();
      slow.isSlow = true;
      const puts = Array.from({ length: 12 }, (_, number) => put('a', number));
      const created = own.caches.getOrCreate('later', {});
      puts.push(put('a', 12));
      await Promise.all([...puts, created]);
      slow.isSlow = false;
      const { count, sum } = counted();
      expect(sum - before.sum).toBeGreaterThanOrEqual(13);
      expect(count - before.count).toBeGreaterThanOrEqual(4);
      expect(await entriesOf(own).get('default', text('a'))).toEqual(int(12));
    });

    test('creates caches in several ticks', async () => {
      let ticks = 0;
      let isDone = false;
      const count = (): void => {
        ticks++;
        if (!isDone) setImmediate(count);
      };
      setImmediate(count);
      slow.isSlow = true;
      const created = Array.from({ length: 40 }, (_, number) => own.caches.getOrCreate(`created${number}`, {}));
      await Promise.all(created);
      slow.isSlow = false;
      isDone = true;
      expect(ticks).toBeGreaterThanOrEqual(8);
      expect(own.caches.find('created39')).toBeDefined();
    });

    /** Runs `action` in each tick of the event loop until a promise settles. Returns the number of ticks. */
    async function inEachTick(pending: Promise<unknown>, action: () => unknown): Promise<number> {
      let ticks = 0;
      let isOver = false;
      const tick = (): void => {
        ticks++;
        action();
        if (!isOver) setImmediate(tick);
      };
      setImmediate(tick);
      await Promise.allSettled([pending]);
      isOver = true;
      return ticks;
    }

    const KEYS = Array.from({ length: 200 }, (_, number) => text(`key ${number}`));
    const stored = (data: number) =>
      entriesOf(own).putAll(
        'default',
        KEYS.map((key) => ({ key, value: int(data) })),
      );

    test('pauses in a change of many keys, of which others see all or nothing', async () => {
      const seen = new Set<number>();
      const look = async () => seen.add(await entriesOf(own).size('default'));
      slow.isSlow = true;
      const changes = [
        put('a', 1),
        stored(1),
        put('key 0', 2),
        entriesOf(own).append('default', text('key 1'), text('x')),
      ];
      expect(await inEachTick(Promise.allSettled(changes), look)).toBeGreaterThanOrEqual(10);
      expect([...seen]).toEqual([1, 201]);
      expect(await entriesOf(own).get('default', text('key 0'))).toEqual(int(2));
      expect(await inEachTick(Promise.resolve(entriesOf(own).removeAll('default', KEYS)), look)).toBeGreaterThanOrEqual(
        10,
      );
      expect([...seen]).toEqual([1, 201]);
      expect(await entriesOf(own).size('default')).toBe(1);
    });

    test('keeps changes that arrive in a pause, and others who hold the lock, waiting', async () => {
      const order: string[] = [];
      const later: Array<Promise<unknown>> = [];
      slow.isSlow = true;
      const all = Promise.resolve(stored(1)).finally(() => order.push('all'));
      await inEachTick(all, () => {
        if (later.length > 0) return;
        const pause = own.writer.withWriteLock(async () => {
          order.push('paused');
          return [];
        });
        later.push(
          pause,
          Promise.resolve(stored(2)).finally(() => order.push('next')),
        );
        later.push(Promise.resolve(own.caches.getOrCreate('other', {})).finally(() => order.push('created')));
      });
      await Promise.all(later);
      expect(order[0]).toBe('all');
      expect(order.toSorted()).toEqual(['all', 'created', 'next', 'paused']);
      expect(await entriesOf(own).get('default', text('key 199'))).toEqual(int(2));
    });

    test('makes a change of many keys once for its idempotency key', async () => {
      let replays = 0;
      const key = { id: 'k', tenant: 't', fingerprint: 'f', expiresAtMs: slow.nowMs() + 1_000_000_000 };
      const onReplay = () => {
        replays++;
      };
      const entries = KEYS.map((each) => ({ key: each, value: int(1) }));
      const call = () => own.port.call({ kind: 'putAll', cache: 'default', entries }, { once: { key, onReplay } });
      slow.isSlow = true;
      expect(await inEachTick(Promise.all([call(), call()]), () => {})).toBeGreaterThanOrEqual(10);
      expect(replays).toBe(1);
      await own.caches.destroy('default');
      await call();
      expect(replays).toBe(2);
    });

    test('undoes a change of many keys that fails after a pause, and no other', async () => {
      slow.isSlow = true;
      const all = entriesOf(own).putAll(
        'people',
        KEYS.map((key, at) => ({ key, value: person(['name', text(`${at % 199}`)], SALARY) })),
      );
      const one = entriesOf(own).put('people', text('one'), person(['name', text('one')], SALARY));
      expect(await inEachTick(Promise.allSettled([all, one]), () => {})).toBeGreaterThanOrEqual(10);
      expect(await errorOf(() => all)).toBe('SQLITE_CONSTRAINT_UNIQUE');
      await one;
      expect(await entriesOf(own).size('people')).toBe(1);
    });

    test('stores what waits when it is closed in a pause', async () => {
      slow.isSlow = true;
      const all = stored(1);
      let closed: Promise<void> | undefined;
      await inEachTick(Promise.resolve(all), () => {
        closed ??= own.close();
      });
      await closed;
      await all;
      own = await openEmbeddedGrid({ dataDir: folder, clock: slow, version: '1.0.0' });
      expect(entriesOf(own).get('default', text('key 199'))).toEqual(int(1));
    });

    test('runs each of them once', async () => {
      slow.isSlow = true;
      const appended = Array.from({ length: 8 }, (_, number) =>
        entriesOf(own).append('default', text('b'), text(`${number}`)),
      );
      const stored = entriesOf(own).put('default', text('b'), text('-'));
      const more = Array.from({ length: 8 }, (_, number) =>
        entriesOf(own).append('default', text('b'), text(`${number}`)),
      );
      expect(await Promise.all(appended)).toEqual(appended.map(() => false));
      await stored;
      expect(await Promise.all(more)).toEqual(more.map(() => true));
      expect(await entriesOf(own).get('default', text('b'))).toEqual(text('-01234567'));
    });
  });

  test('finishes queued changes when it is closed, and rejects later ones', async () => {
    const last = entriesOf(grid).put('default', text('a'), text('b'));
    await grid.close();
    await last;
    expect(await errorOf(() => entriesOf(grid).put('default', text('a'), text('c')))).toBe('STOPPING');
    grid = await openEmbeddedGrid({ dataDir, clock, version: '1.0.0' });
    expect(entriesOf(grid).get('default', text('a'))).toEqual(text('b'));
  });

  test('keeps the write-ahead log small under writes', async () => {
    for (let round = 0; round < 60; round++) {
      // Every page differs from round to round: pages that do not change are not written.
      const value = text(String(round).padEnd(4).repeat(25_000));
      await Promise.all(
        Array.from({ length: 10 }, (_, n) => {
          entriesOf(grid).get('default', int(n));
          return entriesOf(grid).put('default', int(n), value);
        }),
      );
    }
    expect(statSync(join(dataDir, 'svc.db-wal')).size).toBeLessThan(32 * 1024 * 1024);
  });
});

describe('expired entries', () => {
  test('are removed from the file in slices, and others remain', async () => {
    const { table } = grid.thread.registry.require('default');
    await Promise.all(Array.from({ length: 1200 }, (_, n) => entriesOf(grid).put('default', int(n), text('x'), 100n)));
    await entriesOf(grid).put('default', int(5000), text('stays'));
    await entriesOf(grid).put('default', int(5001), text('stays for now'), 60_000n);
    clock.advance(200);
    expect(entriesOf(grid).size('default')).toBe(2);
    expect(rows(`SELECT count(*) FROM ${table}`)).toEqual([[1202]]);
    await grid.sweep();
    expect(rows(`SELECT count(*) FROM ${table}`)).toEqual([[2]]);
    expect(entriesOf(grid).size('default')).toBe(2);
    clock.advance(60_000);
    await grid.sweep();
    expect(rows(`SELECT count(*) FROM ${table}`)).toEqual([[1]]);
  });

  test('of an earlier start are removed too', async () => {
    const { table } = grid.thread.registry.require('default');
    await entriesOf(grid).put('default', int(1), text('x'), 100n);
    await grid.close();
    clock.advance(200);
    grid = await openEmbeddedGrid({ dataDir, clock, version: '1.0.0' });
    await grid.sweep();
    expect(rows(`SELECT count(*) FROM ${table}`)).toEqual([[0]]);
  });
});
