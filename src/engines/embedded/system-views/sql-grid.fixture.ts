/** An embedded grid in its own folder that runs statements on this thread, without workers. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../../base/clock.ts';
import type { Column, QueryPage, QueryRequest } from '../../../grid/grid.ts';
import { type StatementBudget, UNLIMITED } from '../../../grid/statement-budget.ts';
import { EngineCatalog, type VirtualTables } from '../catalog/engine-catalog.ts';
import { type EmbeddedGrid, openEmbeddedGrid } from '../embedded-grid.ts';
import type { StatementGuard } from '../native/statement-guard.ts';
import { localQueries } from '../queries/local-queries.ts';
import type { LocalQueries, Place } from '../queries/query-pool.ts';
import { QueryRunner } from '../queries/query-runner.ts';
import { SharedQueryState } from '../queries/shared-query-state.ts';
import type { EmbeddedSettings } from '../thread/embedded-settings.ts';
import { systemViews } from './system-views.ts';

export interface SqlResult {
  readonly columns: readonly Column[];
  /** JSON of the rows: an array of arrays. */
  readonly json: string;
  /** Whether the statement ran on the request's thread. */
  readonly isLocal: boolean;
}

export interface SqlGrid {
  readonly grid: EmbeddedGrid;
  readonly catalog: EngineCatalog;
  /** Runs a statement and returns all rows. Throws the error that a client would see. */
  run(sql: string, args?: readonly string[], cache?: string): Promise<SqlResult>;
  /** Returns the rows as objects by column name. */
  objects(sql: string): Promise<ReadonlyArray<Readonly<Record<string, unknown>>>>;
  /** Returns how often tables have been analysed, when no analysis is pending. */
  analyses(): Promise<number>;
  close(): Promise<void>;
}

export async function openSqlGrid(
  settings: Partial<EmbeddedSettings> = {},
  virtualTables: VirtualTables = systemViews,
  clock: Clock = systemClock,
  budget: StatementBudget = UNLIMITED,
): Promise<SqlGrid> {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-sql-'));
  const queryState = new SharedQueryState();
  let local: LocalQueries = () => 'reading';
  const grid = await openEmbeddedGrid({
    version: '1.0.0',
    nodeName: 'test',
    ...settings,
    dataDir,
    clock,
    queries(thread, changes) {
      const reject = (): never => {
        throw new Error('statements go through run');
      };
      const statisticsVersion = () => queryState.statisticsVersion();
      local = localQueries({
        thread,
        clock,
        changes,
        virtualTables,
        onSend: undefined,
        budget,
        kill: reject,
        statisticsVersion,
        history: queryState.history,
      });
      return {
        queries: { execute: reject, fetch: reject, close: reject, kill: reject },
        transactions: { run: reject },
      };
    },
  });
  const runner = runnerOf(grid, queryState, virtualTables, clock);

  async function run(sql: string, args: readonly string[] = [], cache = 'default'): Promise<SqlResult> {
    const request: QueryRequest = {
      kind: 'fields',
      cache,
      owner: '',
      pageSize: 1_000_000,
      format: 'json',
      sql,
      args: args.map((data) => ({ type: 'string', data })),
    };
    const page: QueryPage | Place = await local(request);
    if (typeof page !== 'string') return { columns: page.columns, json: `[${String(page.rows)}]`, isLocal: true };
    const ticket = queryState.nextTicket();
    const chunk = await runner.execute({ ...request, ticket, sentAtMs: clock.nowMs() });
    let { text, more } = chunk;
    while (more) {
      const next = runner.cursors.more({ queryId: chunk.queryId, owner: '', ticket });
      text += next.text;
      more = next.more;
    }
    return { columns: chunk.columns, json: `[${text}]`, isLocal: false };
  }

  return {
    grid,
    catalog: new EngineCatalog(grid.thread, virtualTables, 'attached'),
    run,
    async objects(sql) {
      const { columns, json } = await run(sql);
      const rows: unknown[][] = JSON.parse(json);
      return rows.map((row) => Object.fromEntries(columns.map(({ fieldName }, at) => [fieldName, row[at]])));
    },
    async analyses() {
      await runner.settled;
      return queryState.statisticsVersion();
    },
    async close() {
      runner.close();
      await grid.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Creates the query runner of a query thread on this thread. Its statements poll unless they have a guard. */
export function runnerOf(
  grid: EmbeddedGrid,
  queryState: SharedQueryState,
  virtualTables: VirtualTables,
  clock: Clock,
  guard?: StatementGuard,
): QueryRunner {
  return new QueryRunner({
    thread: grid.thread,
    clock,
    changes: { submit: (name, request) => grid.writer.submit(name, request) },
    writeLock: {
      with: (_poll, action) => grid.writer.withWriteLock(async () => action()),
      async tryWith(action) {
        if (grid.writer.isLocked) return false;
        await grid.writer.withWriteLock(async () => action());
        return true;
      },
    },
    queryState,
    index: 0,
    maxCursors: 100,
    idleMs: 60_000,
    budget: UNLIMITED,
    guard,
    slowMs: 0,
    report: () => {},
    onEvicted: () => {},
    evictElsewhere: () => {},
    virtualTables,
    readServiceInfo: () => Promise.resolve(),
    findPredicate: () => undefined,
    onSend: undefined,
    onExpiry: (cache, atMs) => grid.expectExpiry(cache, atMs),
  });
}
