import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ManualClock } from '../../../../test/fixtures/base/manual-clock.ts';
import { openSqlGrid, type SqlGrid } from '../../../../test/fixtures/embedded/sql-grid.ts';
import { SqlStore } from '../../../../test/fixtures/embedded/sql-store.ts';
import type { ExportForm } from '../../../grid/bulk.ts';
import type { PreparedQuery } from '../sql/statement.ts';
import { QuickStatements } from './quick-statements.ts';

const store = new SqlStore();
store.run('CREATE TABLE T(id INT PRIMARY KEY, n INT)');
store.addVirtual({ schema: 'SYS', name: 'V', columns: [{ name: 'A', type: { name: 'INTEGER' } }], rows: () => [[1]] });

function prepare(text: string): PreparedQuery {
  const prepared = store.prepare(text);
  if (prepared.kind !== 'query') throw new Error(`${text} is not a query`);
  return prepared;
}

/** Returns quick statements whose runs end when they are over: see {@link runFor}. */
function quickStatements(clock: ManualClock): QuickStatements {
  let [startMs, startCpuMs, mostCpuMs, mostMs] = [0, 0, 0, 0];
  return new QuickStatements(clock, {
    attach: () => {},
    begin(cpuMs, timeMs) {
      [startMs, startCpuMs, mostCpuMs, mostMs] = [clock.monotonicMs(), clock.threadCpuMs(), cpuMs, timeMs];
    },
    end() {
      const cpuMs = clock.threadCpuMs() - startCpuMs;
      return { isInterrupted: cpuMs > mostCpuMs || clock.monotonicMs() - startMs > mostMs, cpuMs };
    },
  });
}

/** Runs a statement for some time. Returns undefined if it was aborted. */
function runFor(quick: QuickStatements, clock: ManualClock, prepared: PreparedQuery, runMs: number) {
  return quick.run(prepared, () => {
    clock.advance(runMs);
    if (quick.limit.end().isInterrupted) throw new Error('interrupted');
    return 'done';
  });
}

/** Returns the number of admitted tries if each run takes `runMs`. */
function admitted(quick: QuickStatements, clock: ManualClock, prepared: PreparedQuery, tries: number, runMs: number) {
  let count = 0;
  for (let at = 0; at < tries; at++) {
    if (!quick.admits(prepared)) continue;
    count++;
    runFor(quick, clock, prepared, runMs);
  }
  return count;
}

describe('a statement that is not by key', () => {
  const CANDIDATES: ReadonlyArray<readonly [what: string, text: string, isAdmitted: boolean]> = [
    ['a range of one table', 'SELECT * FROM T WHERE n > 1', true],
    ['a join of two tables', 'SELECT * FROM T a JOIN T b ON a.id = b.n', true],
    ['a join of three', 'SELECT * FROM T a, T b, T c', false],
    [
      'a table with itself in a sub-query of a join',
      'SELECT * FROM T a, T b WHERE a.n = (SELECT MAX(n) FROM T)',
      false,
    ],
    ['a system view', 'SELECT * FROM SYS.V, T', false],
    ['a range of numbers', 'SELECT * FROM T, SYSTEM_RANGE(1, 1000)', false],
    ['no table', 'SELECT 1', false],
  ];
  test.each(CANDIDATES)('%s', (_what, text, isAdmitted) => {
    const clock = new ManualClock();
    expect(admitted(quickStatements(clock), clock, prepare(text), 10, 0) > 0).toBe(isAdmitted);
  });

  test('runs in a statement process at first, and after 256 runs at most once in ten seconds, otherwise here', () => {
    const clock = new ManualClock();
    const quick = quickStatements(clock);
    const prepared = prepare('SELECT n FROM T');
    expect(admitted(quick, clock, prepared, 1_000, 0)).toBe(1_000 - 3);
    clock.advance(10_000);
    expect(admitted(quick, clock, prepared, 1_000, 0)).toBe(1_000 - 1);
    expect(admitted(quick, clock, prepared, 1_000, 0)).toBe(1_000);
    clock.advance(20_000);
    expect(admitted(quick, clock, prepared, 1, 0)).toBe(0);
    clock.advance(20_000);
    expect(admitted(quick, clock, prepared, 255, 0)).toBe(255);
  });

  test('stays here when it is prepared again, as after every definition', () => {
    const clock = new ManualClock();
    const quick = quickStatements(clock);
    const text = 'SELECT n FROM T WHERE n > 7';
    expect(admitted(quick, clock, prepare(text), 5, 0)).toBe(2);
    expect(admitted(quick, clock, prepare(text), 5, 0)).toBe(5);
    expect(admitted(quick, clock, prepare('SELECT n FROM T WHERE n < 7'), 5, 0)).toBe(2);
  });

  /** Returns the number of admitted tries, each of which takes this long. */
  const admittedOf = (quick: QuickStatements, clock: ManualClock, prepared: PreparedQuery, times: number[]) =>
    times.reduce((count, runMs) => count + admitted(quick, clock, prepared, 1, runMs), 0);
  const many = (count: number, runMs: number) => Array.from({ length: count }, () => runMs);

  test('goes to statement processes after repeated slow runs, for longer each time', () => {
    const clock = new ManualClock();
    const quick = quickStatements(clock);
    const prepared = prepare('SELECT n FROM T');
    expect(admittedOf(quick, clock, prepared, many(6, 9))).toBe(3);
    expect(admittedOf(quick, clock, prepared, many(32, 9))).toBe(0);
    expect(admittedOf(quick, clock, prepared, many(3, 9))).toBe(3);
    expect(admittedOf(quick, clock, prepared, many(64, 9))).toBe(0);
    expect(admittedOf(quick, clock, prepared, many(1, 0))).toBe(1);
  });

  test('is abandoned when most runs are slow, not when a few are', () => {
    const clock = new ManualClock();
    expect(admittedOf(quickStatements(clock), clock, prepare('SELECT n FROM T'), many(50, 0))).toBe(47);
    const slow = quickStatements(clock);
    expect(admittedOf(slow, clock, prepare('SELECT id FROM T'), many(40, 1))).toBe(12);
    const mixed = quickStatements(clock);
    const times = Array.from({ length: 100 }, (_, at) => (at % 10 === 0 ? 9 : 0.1));
    expect(admittedOf(mixed, clock, prepare('SELECT n, id FROM T'), times)).toBe(97);
  });

  test('ends after 2 ms of processor time, or after 20 ms in which its thread mostly waited', () => {
    const clock = new ManualClock();
    const quick = quickStatements(clock);
    const prepared = prepare('SELECT n FROM T');
    const runs: ReadonlyArray<readonly [pausedMs: number, usedMs: number, outcome: 'done' | undefined]> = [
      [0, 1.9, 'done'],
      [6, 0.1, 'done'],
      [18, 1.9, 'done'],
      [0, 2.1, undefined],
      [20, 0.1, undefined],
    ];
    for (const [pausedMs, usedMs, outcome] of runs) {
      const result = quick.run(prepared, () => {
        clock.pause(pausedMs);
        clock.advance(usedMs);
        if (quick.limit.end().isInterrupted) throw new Error('interrupted');
        return 'done';
      });
      expect([pausedMs, usedMs, result]).toEqual([pausedMs, usedMs, outcome]);
    }
  });
});

describe('statements on the request thread', () => {
  let grid: SqlGrid;
  beforeAll(async () => {
    grid = await openSqlGrid();
    await grid.run('CREATE TABLE P(id INT PRIMARY KEY, n INT, name VARCHAR)');
    await grid.run("INSERT INTO P SELECT x, MOD(x, 10), 'name ' || x FROM SYSTEM_RANGE(1, 3000)");
  });
  afterAll(() => grid.close());

  const QUERIES = [
    'SELECT COUNT(*), SUM(id) FROM P WHERE n = 3',
    'SELECT id, name FROM P WHERE n = 3 AND id < 100 ORDER BY id DESC',
    'SELECT a.id, b.name FROM P a JOIN P b ON b.id = a.n WHERE a.id < 20 ORDER BY a.id',
    'SELECT id FROM P ORDER BY id',
  ];
  test.each(QUERIES)('%s returns the same on both threads', async (text) => {
    const { columns, json } = await grid.run(text);
    for (let run = 0; run < 40; run++) expect(await grid.run(text)).toMatchObject({ columns, json });
  });

  test.each([
    ['ndjson', '{"ID":13,"name":"name 13"}\n', '{"ID":3,"X":"3 \\""}\n{"ID":13,"X":"13 \\""}\n'],
    ['csv', 'ID,name\r\n13,name 13\r\n', 'ID,X\r\n3,"3 """\r\n13,"13 """\r\n'],
  ] as const)('return lines of %s', async (format, row, rows) => {
    const run = (text: string) => grid.run(text, [], 'default', { format });
    expect(await run('SELECT id, name AS "name" FROM P WHERE id = 13')).toMatchObject({ rows: row, isLocal: true });
    const none = await run('SELECT id, name AS "name" FROM P WHERE id = -1');
    expect(none).toMatchObject({ rows: format === 'csv' ? 'ID,name\r\n' : '', isLocal: true });
    const range = `SELECT id, id || ' "' AS x FROM P WHERE n = 3 AND id < 20 ORDER BY id`;
    let local = 0;
    for (let count = 0; count < 20; count++) {
      const result = await run(range);
      expect(result.rows).toBe(rows);
      if (result.isLocal) local++;
    }
    expect(local).toBeGreaterThan(0);
    // A page has all rows of a statement, also those that are too many for this thread.
    const all = await grid.objects('SELECT id, name FROM P');
    const isCsv = format === 'csv';
    const lineOf = (each: object) => (isCsv ? `${Object.values(each).join(',')}\r\n` : `${JSON.stringify(each)}\n`);
    const everything = (isCsv ? 'ID,NAME\r\n' : '') + all.map(lineOf).join('');
    for (let count = 0; count < 5; count++) {
      expect(await run('SELECT id, name FROM P')).toMatchObject({ rows: everything, isLocal: false });
      expect((await run('SELECT id FROM P WHERE n = -1')).rows).toBe(isCsv ? 'ID\r\n' : '');
    }
  });

  test('find the row of a decimal, however it is written', async () => {
    await grid.run('CREATE TABLE D(id DECIMAL PRIMARY KEY, n INT)');
    await grid.run('INSERT INTO D VALUES (1.0, 1), (100, 2)');
    await expect(grid.run('INSERT INTO D VALUES (1.00, 3)')).rejects.toThrow('already in cache [keys=[1]]');
    for (const [text, row] of [
      ['1', 1],
      ['1.000', 1],
      ['1E2', 2],
      ['100.0', 2],
    ])
      expect((await grid.run(`SELECT n FROM D WHERE id = ${text}`)).json).toBe(`[[${row}]]`);
    expect((await grid.run('SELECT id FROM D ORDER BY id')).json).toBe('[[1],[100]]');
  });

  test('leave exports to statement processes, which write them for an import', async () => {
    const form: ExportForm = { header: true, delimiter: ',', nullText: '' };
    for (const condition of ['id = 5', 'n = 3 AND id < 20']) {
      for (let run = 0; run < 10; run++) {
        const result = await grid.run(`SELECT id FROM P WHERE ${condition}`, [], 'default', {
          format: 'ndjson',
          export: form,
        });
        expect(result.isLocal).toBe(false);
      }
    }
  });

  test('see the latest writes', async () => {
    const text = 'SELECT COUNT(*) FROM P WHERE n = 77';
    for (let run = 1; run < 20; run++) {
      await grid.run(`INSERT INTO P VALUES(${10_000 + run}, 77, 'new')`);
      expect((await grid.run(text)).json).toBe(`[[${run}]]`);
    }
  });

  test('run here when they are quick, and are interrupted when they are not', async () => {
    const quick = 'SELECT COUNT(*) FROM P WHERE n = 6 AND id < 100';
    const slow = 'SELECT COUNT(*) FROM P a, P b WHERE a.n <> b.n AND a.id <= 1000 AND b.id <= 1000';
    const localRuns = async (text: string, expected: string): Promise<number> => {
      let local = 0;
      for (let run = 0; run < 10; run++) {
        const { json, isLocal } = await grid.run(text);
        expect(json).toBe(expected);
        if (isLocal) local++;
      }
      return local;
    };
    // The first three show how long they take; a busy machine may interrupt some of the others.
    expect(await localRuns(quick, '[[10]]')).toBeWithin(1, 8);
    expect(await localRuns(slow, '[[900000]]')).toBe(0);
  });

  test('the time limit of a quick statement does not apply to a later one by key', async () => {
    for (let run = 0; run < 10; run++) await grid.run('SELECT COUNT(*) FROM P WHERE n = 5');
    await Bun.sleep(5);
    expect((await grid.run('SELECT n FROM P WHERE id = 251')).json).toBe('[[1]]');
  });
});
