/** Statements measured on svc and on Ignite: the same tables, texts and arguments for both. */
import type { LoadKind, LoadPlan } from './load.ts';
import type { BenchRequest } from './requests.ts';
import type { MeasuredServer } from './servers.ts';
import { keysOf, type Workload } from './workload.ts';

/** Rows of a page of the scan. */
export const SCAN_PAGE = 1_000;
const KINDS = 100;
/** Number of different requests of a statement, which the load repeats. */
const ARGUMENTS = 30_000;
/** New rows: more than a round can insert. */
const NEW_ROWS = 150_000;
const FILL_ROWS = 10_000;
/** Coprime with the table sizes, so that neighbours by `code` are far apart by key. */
const STRIDE = 7_919;

export interface SqlSubject {
  /** For the options of programs. */
  readonly word: string;
  readonly name: string;
  /** The statement as the report shows it. */
  readonly statement: string;
  readonly kind: LoadKind;
  /** Minimum throughput as a multiple of Ignite's. */
  readonly goal: number;
  /** A long statement is measured once, for longer. */
  readonly long: boolean;
  requests(server: MeasuredServer, workload: Workload): BenchRequest[];
}

function pathOf(server: Pick<MeasuredServer, 'path'>, params: Readonly<Record<string, string>>): string {
  return `${server.path}?${new URLSearchParams(params)}`;
}

function request(server: Pick<MeasuredServer, 'path'>, pageSize: number, sql: string, ...args: number[]): BenchRequest {
  const named = Object.fromEntries(args.map((arg, at) => [`arg${at + 1}`, String(arg)]));
  const params = { cmd: 'qryfldexe', pageSize: String(pageSize), cacheName: 'durable', qry: sql, ...named };
  return { method: 'GET', path: pathOf(server, params), body: '' };
}

/** The parts of a plan that fetch and close. */
export function pagePaths(server: MeasuredServer): Pick<LoadPlan, 'fetchPath' | 'closePath'> {
  return {
    fetchPath: `${pathOf(server, { cmd: 'qryfetch', pageSize: String(SCAN_PAGE) })}&qryId=`,
    closePath: `${pathOf(server, { cmd: 'qrycls' })}&qryId=`,
  };
}

const TABLE = 'PUBLIC.Measured';

function argumentsOf(workload: Workload, below = workload.entries): number[] {
  return Array.from({ length: ARGUMENTS }, keysOf(workload, below));
}

/** Returns the join of the 100 rows whose codes begin with `from`. */
export function joinRequest(server: Pick<MeasuredServer, 'path'>, from: number): BenchRequest {
  const sql =
    `SELECT t.id, t.name, k.title FROM ${TABLE} t JOIN PUBLIC.MeasuredKinds k ON k.id = t.kind ` +
    'WHERE t.code BETWEEN ? AND ?';
  return request(server, 200, sql, from, from + 99);
}

let lastKey = 10_000_000;

/** The INSERT is last because it grows the table. */
export const SQL_SUBJECTS: readonly SqlSubject[] = [
  {
    word: 'select',
    name: 'point SELECT',
    statement: 'SELECT name FROM t WHERE id = ?',
    kind: 'sockets',
    goal: 2.5,
    long: false,
    requests: (server, workload) =>
      argumentsOf(workload).map((key) => request(server, 10, `SELECT name FROM ${TABLE} WHERE id = ?`, key)),
  },
  {
    word: 'range',
    name: 'range of 1,000 rows with an aggregate',
    statement: 'SELECT COUNT(*), SUM(amount) FROM t WHERE code BETWEEN ? AND ?',
    kind: 'sockets',
    goal: 4,
    long: false,
    requests(server, workload) {
      const sql = `SELECT COUNT(*), SUM(amount) FROM ${TABLE} WHERE code BETWEEN ? AND ?`;
      return argumentsOf(workload, workload.entries - 1_000).map((from) => request(server, 10, sql, from, from + 999));
    },
  },
  {
    word: 'join',
    name: 'join of 100 rows with a small table',
    statement: 'SELECT t.id, t.name, k.title FROM t JOIN kinds k ON k.id = t.kind WHERE t.code BETWEEN ? AND ?',
    kind: 'sockets',
    goal: 3,
    long: false,
    requests(server, workload) {
      return argumentsOf(workload, workload.entries - 100).map((from) => joinRequest(server, from));
    },
  },
  {
    word: 'grouping',
    name: 'grouping of all rows',
    statement: 'SELECT kind, COUNT(*), SUM(amount) FROM t GROUP BY kind',
    kind: 'sockets',
    goal: 1,
    long: true,
    requests: (server) => [request(server, 200, `SELECT kind, COUNT(*), SUM(amount) FROM ${TABLE} GROUP BY kind`)],
  },
  {
    word: 'scan',
    name: 'full scan, pages of 1,000 rows',
    statement: 'SELECT * FROM t, then qryfetch until the end; a page is a request',
    kind: 'pages',
    goal: 2,
    long: true,
    requests: (server) => [request(server, SCAN_PAGE, `SELECT * FROM ${TABLE}`)],
  },
  {
    word: 'insert',
    name: 'INSERT by key',
    statement: 'INSERT INTO t(id, name, code, kind, amount) VALUES(?, ?, ?, ?, ?)',
    kind: 'sockets',
    goal: 2,
    long: false,
    requests(server) {
      const sql = `INSERT INTO ${TABLE}(id, name, code, kind, amount) VALUES(?, 'a new name', ?, ?, ?)`;
      return Array.from({ length: NEW_ROWS }, () => {
        const key = ++lastKey;
        return request(server, 10, sql, key, key, key % KINDS, key % 1_000);
      });
    },
  },
];

/** Short statements that always run in another thread or process, which shows the cost of getting there. */
export const ROUND_TRIP_SUBJECTS: ReadonlyArray<Pick<SqlSubject, 'word' | 'kind' | 'requests'>> = [
  {
    word: 'generated',
    kind: 'sockets',
    requests(server) {
      const sql = 'SELECT SUM(x) FROM SYSTEM_RANGE(?, ?)';
      return Array.from({ length: ARGUMENTS }, (_, from) => request(server, 10, sql, from, from + 99));
    },
  },
  {
    word: 'update',
    kind: 'sockets',
    requests(server, workload) {
      const sql = `UPDATE ${TABLE} SET amount = amount + 1 WHERE code = ?`;
      return argumentsOf(workload).map((code) => request(server, 10, sql, code));
    },
  },
];

/** Runs a statement that is not measured. Throws if it fails. */
export async function run(server: MeasuredServer, sql: string): Promise<void> {
  const { path } = request(server, 10, sql);
  const answer = (await (await fetch(`http://127.0.0.1:${server.port}${path}`)).json()) as { error: string | null };
  if (answer.error !== null) throw new Error(`${server.name}: ${sql}: ${answer.error}`);
}

/** The small table of the join. */
export async function createKinds(server: MeasuredServer): Promise<void> {
  await run(server, 'CREATE TABLE PUBLIC.MeasuredKinds(id INT PRIMARY KEY, title VARCHAR) WITH "template=replicated"');
  await run(server, `INSERT INTO PUBLIC.MeasuredKinds SELECT x, 'title ' || x FROM SYSTEM_RANGE(0, ${KINDS - 1})`);
}

/** Creates the table with its rows and an index on `code`; the values are the names. */
export async function createTable(server: MeasuredServer, { entries, valueBytes }: Workload): Promise<void> {
  await run(server, `CREATE TABLE ${TABLE}(id INT PRIMARY KEY, name VARCHAR, code INT, kind INT, amount INT)`);
  await run(server, `CREATE INDEX Measured_code ON ${TABLE}(code)`);
  for (let from = 0; from < entries; from += FILL_ROWS) {
    const last = Math.min(entries, from + FILL_ROWS) - 1;
    await run(
      server,
      `INSERT INTO ${TABLE}(id, name, code, kind, amount) SELECT x, RPAD('name of ' || x || ' ', ${valueBytes}, 'v'), ` +
        `MOD(CAST(x AS BIGINT) * ${STRIDE}, ${entries}), MOD(x, ${KINDS}), MOD(x, 1000) ` +
        `FROM SYSTEM_RANGE(${from}, ${last})`,
    );
  }
}

/** Drops the table of {@link createTable}. */
export async function dropTable(server: MeasuredServer): Promise<void> {
  await run(server, `DROP TABLE IF EXISTS ${TABLE}`);
}
