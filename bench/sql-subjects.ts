/** Statements that are measured beside Ignite: the same tables, texts and arguments for both. */
import type { LoadKind, LoadPlan } from './load.ts';
import type { BenchRequest } from './requests.ts';
import type { MeasuredServer } from './servers.ts';

/** Rows of a page of the scan. */
export const SCAN_PAGE = 1_000;
const KINDS = 100;
/** Number of different requests of a statement, which the load repeats. */
const ARGUMENTS = 5_000;
/** New rows: more than a round can insert. */
const NEW_ROWS = 150_000;
const FILL_ROWS = 50_000;
/** Coprime with the table sizes, so that neighbours by `code` are far apart by key. */
const STRIDE = 7_919;

export interface SqlSubject {
  readonly name: string;
  /** The statement as the report shows it. */
  readonly statement: string;
  readonly kind: LoadKind;
  /** Minimum throughput as a multiple of Ignite's. */
  readonly goal: number;
  /** A long statement is measured once, for longer. */
  readonly long: boolean;
  requests(server: MeasuredServer, rows: number): BenchRequest[];
}

function pathOf(server: MeasuredServer, params: Readonly<Record<string, string>>): string {
  return `${server.path}?${new URLSearchParams(params)}`;
}

function request(server: MeasuredServer, pageSize: number, sql: string, ...args: number[]): BenchRequest {
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

const tableOf = (rows: number): string => `PUBLIC.Measured${rows}`;

/** Returns distinct keys below `below`, if there are enough, the same in every run. */
function spread(below: number): number[] {
  return Array.from({ length: ARGUMENTS }, (_, at) => (at * STRIDE) % below);
}

let lastKey = 10_000_000;

/** The INSERT is last because it grows the table. */
export const SQL_SUBJECTS: readonly SqlSubject[] = [
  {
    name: 'point SELECT',
    statement: 'SELECT name FROM t WHERE id = ?',
    kind: 'sockets',
    goal: 2.5,
    long: false,
    requests: (server, rows) =>
      spread(rows).map((key) => request(server, 10, `SELECT name FROM ${tableOf(rows)} WHERE id = ?`, key)),
  },
  {
    name: 'range of 1,000 rows with an aggregate',
    statement: 'SELECT COUNT(*), SUM(amount) FROM t WHERE code BETWEEN ? AND ?',
    kind: 'sockets',
    goal: 4,
    long: false,
    requests(server, rows) {
      const sql = `SELECT COUNT(*), SUM(amount) FROM ${tableOf(rows)} WHERE code BETWEEN ? AND ?`;
      return spread(rows - 1_000).map((from) => request(server, 10, sql, from, from + 999));
    },
  },
  {
    name: 'join of 100 rows with a small table',
    statement: 'SELECT t.id, t.name, k.title FROM t JOIN kinds k ON k.id = t.kind WHERE t.code BETWEEN ? AND ?',
    kind: 'sockets',
    goal: 3,
    long: false,
    requests(server, rows) {
      const sql =
        `SELECT t.id, t.name, k.title FROM ${tableOf(rows)} t JOIN PUBLIC.MeasuredKinds k ON k.id = t.kind ` +
        'WHERE t.code BETWEEN ? AND ?';
      return spread(rows - 100).map((from) => request(server, 200, sql, from, from + 99));
    },
  },
  {
    name: 'grouping of all rows',
    statement: 'SELECT kind, COUNT(*), SUM(amount) FROM t GROUP BY kind',
    kind: 'sockets',
    goal: 1,
    long: true,
    requests: (server, rows) => [
      request(server, 200, `SELECT kind, COUNT(*), SUM(amount) FROM ${tableOf(rows)} GROUP BY kind`),
    ],
  },
  {
    name: 'full scan, pages of 1,000 rows',
    statement: 'SELECT * FROM t, then qryfetch until the end; a page is a request',
    kind: 'pages',
    goal: 2,
    long: true,
    requests: (server, rows) => [request(server, SCAN_PAGE, `SELECT * FROM ${tableOf(rows)}`)],
  },
  {
    name: 'INSERT by key',
    statement: 'INSERT INTO t(id, name, code, kind, amount) VALUES(?, ?, ?, ?, ?)',
    kind: 'sockets',
    goal: 2,
    long: false,
    requests(server, rows) {
      const sql = `INSERT INTO ${tableOf(rows)}(id, name, code, kind, amount) VALUES(?, 'a new name', ?, ?, ?)`;
      return Array.from({ length: NEW_ROWS }, () => {
        const key = ++lastKey;
        return request(server, 10, sql, key, key, key % KINDS, key % 1_000);
      });
    },
  },
];

async function run(server: MeasuredServer, sql: string): Promise<void> {
  const { path } = request(server, 10, sql);
  const answer = (await (await fetch(`http://127.0.0.1:${server.port}${path}`)).json()) as { error: string | null };
  if (answer.error !== null) throw new Error(`${server.name}: ${sql}: ${answer.error}`);
}

/** The small table of the join. */
export async function createKinds(server: MeasuredServer): Promise<void> {
  await run(server, 'CREATE TABLE PUBLIC.MeasuredKinds(id INT PRIMARY KEY, title VARCHAR) WITH "template=replicated"');
  await run(server, `INSERT INTO PUBLIC.MeasuredKinds SELECT x, 'title ' || x FROM SYSTEM_RANGE(0, ${KINDS - 1})`);
}

/** Creates a table with a number of rows and an index on `code`. */
export async function createTable(server: MeasuredServer, rows: number): Promise<void> {
  const table = tableOf(rows);
  await run(server, `CREATE TABLE ${table}(id INT PRIMARY KEY, name VARCHAR, code INT, kind INT, amount INT)`);
  await run(server, `CREATE INDEX Measured${rows}_code ON ${table}(code)`);
  for (let from = 0; from < rows; from += FILL_ROWS) {
    const last = Math.min(rows, from + FILL_ROWS) - 1;
    await run(
      server,
      `INSERT INTO ${table}(id, name, code, kind, amount) SELECT x, 'name of ' || x, ` +
        `MOD(CAST(x AS BIGINT) * ${STRIDE}, ${rows}), MOD(x, ${KINDS}), MOD(x, 1000) FROM SYSTEM_RANGE(${from}, ${last})`,
    );
  }
}

/** Drops the table of {@link createTable}. */
export async function dropTable(server: MeasuredServer, rows: number): Promise<void> {
  await run(server, `DROP TABLE ${tableOf(rows)}`);
}
