/** Cancels statements of the JDBC dialect. */

import type { Clock, Timer } from '../../../base/clock.ts';
import { type GridError, gridError } from '../../../base/errors.ts';
import { CLUSTER_BOUNDS } from '../../../base/limits.ts';
import type { JdbcConnection } from '../connections/jdbc.ts';
import { isLost, type QuerySubject, queryError } from './query-failures.ts';

/**
 * Runs a request of the JDBC dialect, and cancels it when the client disconnects or its time limit has passed. It then
 * rejects with QUERY_CANCELLED or QUERY_TIMEOUT, even if the node does not confirm the cancellation.
 */
export async function cancellable<T>(
  connection: JdbcConnection,
  signal: AbortSignal | undefined,
  timeoutMs: number,
  clock: Clock,
  subject: QuerySubject,
  action: () => Promise<T>,
): Promise<T> {
  let cancelled: GridError | undefined;
  let limit: Timer | undefined;
  const cancel = (reason: GridError): void => {
    if (cancelled !== undefined) return;
    cancelled = reason;
    connection.cancel();
    // The node ends a statement when its connection closes.
    limit = clock.after(CLUSTER_BOUNDS.cancelMs, () => connection.close('the node did not cancel a statement'));
  };
  const onAbort = (): void => cancel(gridError('QUERY_CANCELLED', 'the client went away'));
  signal?.addEventListener('abort', onAbort, { once: true });
  const over = (): void => cancel(gridError('QUERY_TIMEOUT', ` (${timeoutMs} ms)`));
  const timer = timeoutMs > 0 ? clock.after(timeoutMs, over) : undefined;
  try {
    return await action();
  } catch (error) {
    if (cancelled === undefined) throw error;
    throw isLost(error) ? cancelled : queryError(error, { ...subject, cancelled });
  } finally {
    timer?.cancel();
    limit?.cancel();
    signal?.removeEventListener('abort', onAbort);
  }
}
