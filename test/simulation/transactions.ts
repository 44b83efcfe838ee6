/** Runs the transactions of an embedded grid on this thread, as its process for changes does. */
import type { Clock } from '../../src/base/clock.ts';
import { GridError } from '../../src/base/errors.ts';
import { EmbeddedTransactions } from '../../src/engines/embedded/dispatch/embedded-transactions.ts';
import type { EmbeddedGrid } from '../../src/engines/embedded/embedded-grid.ts';
import { SharedQueryState } from '../../src/engines/embedded/shared/shared-query-state.ts';
import { type Grid, TransactionAborted } from '../../src/grid/grid.ts';
import { runnerOf } from '../fixtures/embedded/sql-grid.ts';

/** Returns the grid with transactions, and a function that closes their connection. */
export function withTransactions(
  grid: EmbeddedGrid,
  clock: Clock,
): { readonly grid: Grid; readonly close: () => void } {
  const queryState = new SharedQueryState();
  const runner = runnerOf(grid, queryState, () => [], clock);
  const transactions = new EmbeddedTransactions(
    {
      async transact(steps, { signal: _, once, ...options }, kept = { since: {} }) {
        const end = await runner.transact({
          ...options,
          steps,
          once: once && { key: once.key, ...kept },
          ticket: queryState.nextTicket(),
          sentAtMs: clock.nowMs(),
        });
        if (end === null) throw new Error('another process has claimed the transaction');
        if ('results' in end) return end;
        throw new TransactionAborted(end.step, new GridError(end.code, end.message));
      },
    },
    grid.writer,
    undefined,
  );
  return { grid: { ...grid, transactions }, close: () => runner.close() };
}
