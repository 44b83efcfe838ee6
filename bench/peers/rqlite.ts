/** rqlite: statements as JSON, replicated by Raft; measured only where a path of its program is given. */
import { join } from 'node:path';
import type { BenchRequest } from '../requests.ts';
import { freePort } from '../servers.ts';
import { valueText } from '../workload.ts';
import { COUNTERS, JOINED_ROWS, KINDS, rowsOf, type Step } from './operations.ts';
import {
  inBatches,
  type MeasuredSystem,
  type Missing,
  outputOf,
  Processes,
  type StartOptions,
  send,
} from './system.ts';

const FILL_BATCH = 500;

type Statement = readonly [sql: string, ...parameters: (string | number)[]];

function query(statement: Statement, success: string): BenchRequest {
  return {
    method: 'POST',
    path: '/db/query',
    body: JSON.stringify([statement]),
    contentType: 'application/json',
    success,
  };
}

function execute(statements: readonly Statement[]): BenchRequest {
  const path = `/db/execute${statements.length > 1 ? '?transaction' : ''}`;
  const body = JSON.stringify(statements);
  return { method: 'POST', path, body, contentType: 'application/json', success: '"rows_affected":' };
}

const UPSERT = 'INSERT INTO entries (id, value) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET value = excluded.value';

/** Returns the request of a step. */
export function rqliteRequest(step: Step): BenchRequest {
  switch (step.kind) {
    case 'read':
      return query(['SELECT value FROM entries WHERE id = ?', step.key], '"values":[[');
    case 'update':
      return execute([[UPSERT, step.key, step.value]]);
    case 'increment':
      return execute([['UPDATE counters SET count = count + 1 WHERE id = ?', step.counter]]);
    case 'readMany': {
      const marks = step.keys.map(() => '?').join(', ');
      return query([`SELECT id, value FROM entries WHERE id IN (${marks})`, ...step.keys], '"values":[[');
    }
    case 'writeMany':
      return execute(step.entries.map(([key, value]) => [UPSERT, key, value] as const));
    case 'join': {
      const sql =
        'SELECT r.id, r.name, k.title FROM joined r JOIN kinds k ON k.id = r.kind WHERE r.code BETWEEN ? AND ?';
      return query([sql, step.from, step.from + JOINED_ROWS - 1], '"values":[[');
    }
  }
}

export async function startRqlite({ durability, programs }: StartOptions): Promise<MeasuredSystem | Missing> {
  const program = programs.rqlite;
  if (program === undefined) return { missing: 'download rqlited and name it with --rqlite PATH' };
  if (durability === 'unsynced') return { missing: 'it has no setting that leaves out syncing the log of Raft' };
  const version = /rqlited (\S+)/.exec(await outputOf([program, '-version']))?.[1] ?? '';
  const [port, raftPort] = [freePort(), freePort()];
  const processes = new Processes();
  const run = async (statements: readonly Statement[]): Promise<void> => {
    const answer = await send(port, '/db/execute?transaction', statements);
    if (answer.includes('"error"')) throw new Error(answer.slice(0, 500));
  };
  try {
    const addresses = ['-http-addr', `127.0.0.1:${port}`, '-raft-addr', `127.0.0.1:${raftPort}`];
    const pid = processes.start([program, ...addresses, join(processes.folder, 'data')]);
    await processes.until(async () => {
      await send(port, '/readyz');
      await run([
        ['CREATE TABLE entries (id INTEGER PRIMARY KEY, value TEXT)'],
        ['CREATE TABLE counters (id INTEGER PRIMARY KEY, count INTEGER)'],
        ['CREATE TABLE kinds (id INTEGER PRIMARY KEY, title TEXT)'],
        ['CREATE TABLE joined (id INTEGER PRIMARY KEY, name TEXT, code INTEGER, kind INTEGER)'],
        ['CREATE INDEX joined_code ON joined (code)'],
      ]);
    });
    return {
      name: 'rqlite',
      title: `rqlite ${version}`,
      setting: 'as by default; one node, reads with the level `weak`',
      port,
      pids: [pid],
      steps: new Set<Step['kind']>(['read', 'update', 'increment', 'readMany', 'writeMany', 'join']),
      async fill(workload) {
        await inBatches(workload.entries, FILL_BATCH, (keys) =>
          run(keys.map((key) => [UPSERT, key, valueText(key, workload)] as const)),
        );
        await inBatches(COUNTERS, COUNTERS, (keys) =>
          run(keys.map((key) => ['INSERT OR REPLACE INTO counters (id, count) VALUES (?, 0)', key] as const)),
        );
      },
      async fillTables(workload) {
        await inBatches(KINDS, KINDS, (kinds) =>
          run(kinds.map((kind) => ['INSERT OR REPLACE INTO kinds VALUES (?, ?)', kind, `title ${kind}`] as const)),
        );
        await inBatches(workload.entries, FILL_BATCH, ([first = 0, ...others]) => {
          const rows = rowsOf(workload, first, others.length + 1);
          const sql = 'INSERT OR REPLACE INTO joined VALUES (?, ?, ?, ?)';
          return run(rows.map(({ id, name, code, kind }) => [sql, id, name, code, kind] as const));
        });
      },
      request: rqliteRequest,
      [Symbol.asyncDispose]: () => processes[Symbol.asyncDispose](),
    };
  } catch (error) {
    await processes[Symbol.asyncDispose]();
    throw error;
  }
}
