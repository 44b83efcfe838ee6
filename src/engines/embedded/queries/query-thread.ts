/** A query thread: what it is told when it starts, and how it serves those who ask. */
import type { Clock } from '../../../base/clock.ts';
import type { Limits } from '../../../base/limits.ts';
import { ThreadLink } from '../../../base/thread-link.ts';
import type { Value } from '../../../values/value.ts';
import type { SentChanges } from '../change-messages.ts';
import { openEmbeddedReader, type ReaderServices } from '../embedded-grid.ts';
import type { ThreadSetup } from '../engine-thread.ts';
import { StatementGuard } from '../native/statement-guard.ts';
import type { WriteLease } from './change-runner.ts';
import type { VirtualTables } from './engine-catalog.ts';
import { QueryBoard, WRITING_THREAD } from './query-board.ts';
import type {
  FactServices,
  LeaseServices,
  PagePiece,
  QueryServices,
  ReportServices,
  SentQuery,
} from './query-protocol.ts';
import { type FindPredicate, QueryRunner } from './query-runner.ts';
import type { StatementBudget } from './statement-watch.ts';
import type { ServiceFacts } from './system-views/service-facts.ts';

/** What a query thread is sent first; the ports of those who ask follow. */
export interface QueryThreadStart {
  readonly setup: ThreadSetup;
  readonly index: number;
  /** Memory of the {@link QueryBoard}. */
  readonly board: SharedArrayBuffer;
  readonly maxCursors: number;
  readonly idleMs: number;
  readonly budget: StatementBudget;
  /** The library of the guard of statements; undefined: they poll. */
  readonly guardLibrary: string | undefined;
  readonly slowMs: number;
}

/** What the owner of the data answers to a query thread. */
export type OwnerServices = SentChanges & LeaseServices & ReportServices & FactServices;
/** What a query thread answers to the owner. */
export type OwnedServices = ReaderServices & {
  /** Frees snapshots that hold back the write-ahead log. */
  readonly detachCursors: { readonly question: null; readonly answer: null };
  /** Writes the logs back, as far as readers let it. */
  readonly checkpoint: { readonly question: null; readonly answer: null };
  readonly stop: { readonly question: null; readonly answer: null };
};

/** Most bytes of a UTF-16 unit as UTF-8, and what a row has beside its key and its value. */
const CHARACTER_BYTES = 3;
const ROW_BYTES = 1024 * 1024;

/** The part of a message port that a link needs. */
type Port = ConstructorParameters<typeof ThreadLink>[0];

export interface QueryThread {
  /** Answers the questions that come over the port. */
  serve(port: Port): void;
}

/** What configured code gives to scans and answers. */
export interface QueryExtensions {
  readonly findPredicate: FindPredicate;
  readonly onSend: ((value: Value) => Value) | undefined;
  /** The system views, over what the service knows. */
  readonly systemTables: (service: () => ServiceFacts) => VirtualTables;
}

/** Opens this thread's part of the engine; `owner` is the port to the thread that writes. */
export function startQueryThread(
  start: QueryThreadStart,
  owner: Port,
  clock: Clock,
  extensions: QueryExtensions,
): QueryThread {
  const { setup, board: memory, guardLibrary, ...settings } = start;
  const board = new QueryBoard(memory);
  const link = new ThreadLink<OwnerServices, OwnedServices>(owner, clock);
  const grid = openEmbeddedReader(setup, link, clock);
  const { thread } = grid;
  const facts = serviceFactsOver(() => link.call('serviceFacts', null), board);
  const { systemTables, ...configured } = extensions;
  const runner = new QueryRunner({
    guard: guardLibrary === undefined ? undefined : guardOf(guardLibrary, board, start.index, thread.limits, clock),
    thread,
    clock,
    changes: { submit: (name, question) => link.call(name, question) },
    lease: leaseOver(link, clock),
    board,
    virtualTables: systemTables(facts.known),
    readServiceFacts: facts.read,
    report: (slow) => void link.call('slowStatement', slow).catch(() => {}),
    ...settings,
    ...configured,
  });
  link.serve('releaseRegions', () => {
    thread.readers.releaseTemporary();
    runner.releaseRegions();
    return null;
  });
  link.serve('detachCursors', async () => {
    await runner.cursors.detachAll();
    return null;
  });
  link.serve('checkpoint', async () => {
    await runner.checkpoint();
    return null;
  });
  link.serve('stop', async () => {
    runner.close();
    await grid.close();
    return null;
  });
  const execute = inOrder(runner, board, start.index);
  return {
    serve(port) {
      const asking = new ThreadLink<Record<string, never>, QueryServices>(port, clock);
      asking.serve('execute', execute);
      asking.serve('fetch', (question) => runner.fetch(question));
      asking.serve('more', (question) => runner.cursors.more(question));
      asking.serve('close', ({ queryId, owner: user }) => {
        runner.cursors.close(queryId, user);
        return null;
      });
    },
  };
}

/**
 * Begins each statement once those before it have ended: until then another thread may take it. Null: one has. Changes
 * wait for the write lock, and must not keep definitions from being carried out meanwhile.
 */
function inOrder(
  runner: QueryRunner,
  board: QueryBoard,
  index: number,
): (query: SentQuery) => Promise<PagePiece | null> {
  let last: Promise<unknown> = Promise.resolve();
  return (query) => {
    const run = async (): Promise<PagePiece | null> => (board.claim(query.ticket) ? runner.execute(query) : null);
    if (index === WRITING_THREAD) return run();
    const page = last.then(run);
    last = page.catch(() => {}).then(() => runner.settled);
    return page;
  };
}

function guardOf(library: string, board: QueryBoard, index: number, limits: Limits, clock: Clock): StatementGuard {
  return new StatementGuard({
    library,
    memory: board.memory,
    blockOffset: board.guardOffset(index),
    stopOffset: board.stopOffset,
    lengthBytes: (limits.valueCharacters + limits.keyCharacters) * CHARACTER_BYTES + ROW_BYTES,
    clock,
  });
}

/**
 * What the service knows, as new as the last reading. Two statements may read at a time: each then has what is at least
 * as new as its own.
 */
function serviceFactsOver(
  ask: () => Promise<ServiceFacts>,
  board: QueryBoard,
): { known(): ServiceFacts; read(): Promise<void> } {
  let known: ServiceFacts = {};
  return {
    known: () => known,
    async read() {
      const facts = await ask();
      const running = board.statements.list();
      known = {
        ...facts,
        queries: running
          .filter(({ kind }) => kind === 'sql')
          .map(({ id, text, detail, startedAtMs, owner }) => ({ id, sql: text, schema: detail, startedAtMs, owner })),
        scans: running
          .filter(({ kind }) => kind === 'scan')
          .map(({ id, text, detail, startedAtMs, pageSize }) => ({
            id,
            cache: text,
            startedAtMs,
            filter: detail === '' ? null : detail,
            pageSize,
          })),
      };
    },
  };
}

const LEASE_CHECK_MS = 25;

/** The owner's end of a lease. */
interface LeaseLink {
  call(name: 'beginLease', question: null): Promise<null>;
  call(name: 'endLease', databases: readonly number[]): Promise<null>;
}

function leaseOver(link: LeaseLink, clock: Clock): WriteLease {
  return {
    async with(poll, action) {
      const granted = link.call('beginLease', null);
      await waitFor(granted, poll, clock).catch((error) => {
        // It may still be granted, to nobody.
        granted.then(() => link.call('endLease', [])).catch(() => {});
        throw error;
      });
      let databases: readonly number[] = [];
      try {
        databases = action();
      } finally {
        await link.call('endLease', databases);
      }
    },
  };
}

/** What `promise` gives, unless `poll` throws before. */
function waitFor<T>(promise: Promise<T>, poll: () => void, clock: Clock): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.every(LEASE_CHECK_MS, () => {
      try {
        poll();
      } catch (error) {
        timer.cancel();
        reject(error);
      }
    });
    promise.finally(() => timer.cancel()).then(resolve, reject);
  });
}
