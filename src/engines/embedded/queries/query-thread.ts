/** A query thread: what it is told when it starts, and how it serves those who ask. */
import type { Clock } from '../../../base/clock.ts';
import { ThreadLink } from '../../../base/thread-link.ts';
import type { Value } from '../../../values/value.ts';
import type { Changes } from '../changes.ts';
import { openEmbeddedReader, type ReaderServices } from '../embedded-grid.ts';
import type { ThreadSetup } from '../engine-thread.ts';
import type { VirtualTables } from './engine-catalog.ts';
import { type LeaseServices, type QueryServices, Tickets } from './query-protocol.ts';
import { type FindPredicate, QueryRunner, type WriteLease } from './query-runner.ts';

/** What a query thread is sent first; the ports of those who ask follow. */
export interface QueryThreadStart {
  readonly setup: ThreadSetup;
  readonly index: number;
  readonly tickets: SharedArrayBuffer;
  /** Open cursors of each query thread. */
  readonly cursorCounts: SharedArrayBuffer;
  readonly maxCursors: number;
  readonly idleMs: number;
  readonly timeoutMs: number;
}

/** What the owner of the data answers to a query thread. */
export type OwnerServices = Changes & LeaseServices;
/** What a query thread answers to the owner. */
export type OwnedServices = ReaderServices & {
  /** Frees snapshots that hold back the write-ahead log. */
  readonly detachCursors: { readonly question: null; readonly answer: null };
  readonly stop: { readonly question: null; readonly answer: null };
};

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
  readonly virtualTables: VirtualTables;
}

const COUNT_MS = 500;

/** Opens this thread's part of the engine; `owner` is the port to the thread that writes. */
export function startQueryThread(
  start: QueryThreadStart,
  owner: Port,
  clock: Clock,
  extensions: QueryExtensions,
): QueryThread {
  const link = new ThreadLink<OwnerServices, OwnedServices>(owner, clock);
  const grid = openEmbeddedReader(start.setup, link, clock);
  const { thread } = grid;
  const lease: WriteLease = {
    async with(action) {
      await link.call('beginLease', null);
      let databases: readonly number[] = [];
      try {
        databases = action();
      } finally {
        await link.call('endLease', databases);
      }
    },
  };
  const runner = new QueryRunner({
    thread,
    clock,
    changes: { submit: (name, question) => link.call(name, question) },
    lease,
    tickets: new Tickets(start.tickets),
    index: start.index,
    maxCursors: start.maxCursors,
    idleMs: start.idleMs,
    timeoutMs: start.timeoutMs,
    ...extensions,
  });
  link.serve('releaseRegions', () => {
    thread.readers.releaseTemporary();
    runner.releaseRegions();
    return null;
  });
  link.serve('detachCursors', () => {
    runner.cursors.detachAll();
    return null;
  });
  link.serve('stop', async () => {
    runner.close();
    await grid.close();
    return null;
  });
  const counts = new Int32Array(start.cursorCounts);
  clock.every(COUNT_MS, () => Atomics.store(counts, start.index, runner.cursors.size));
  return {
    serve(port) {
      const asking = new ThreadLink<Record<string, never>, QueryServices>(port, clock);
      asking.serve('execute', (query) => runner.execute(query));
      asking.serve('fetch', (question) => runner.fetch(question));
      asking.serve('more', ({ queryId, owner: user }) => runner.cursors.more(queryId, user));
      asking.serve('close', ({ queryId, owner: user }) => {
        runner.cursors.close(queryId, user);
        return null;
      });
    },
  };
}
