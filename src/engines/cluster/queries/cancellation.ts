/** Cancels statements of the JDBC dialect. */

import type { Clock, Timer } from '../../../base/clock.ts';
import { fail } from '../../../base/errors.ts';
import { CLUSTER_BOUNDS } from '../../../base/limits.ts';
import type { JdbcConnection } from '../connections/jdbc.ts';
import { isLost, type QuerySubject, queryError } from './query-failures.ts';

/**
 * Runs a request of the JDBC dialect, and cancels it when the client disconnects or its time limit has passed. It then
 * rejects with QUERY_CANCELLED, even if the node does not confirm the cancellation.
 */
export async function cancellable<T>(
  connection: JdbcConnection,
  signal: AbortSignal | undefined,
  timeoutMs: number,
  clock: Clock,
  subject: QuerySubject,
  action: () => Promise<T>,
): Promise<T> {
  let cancelReason: string | undefined;
  let limit: Timer | undefined;
  const cancel = (reason: string): void => {
    if (cancelReason !== undefined) return;
    cancelReason = reason;
    connection.cancel();
    // The node ends a statement when its connection closes.
    limit = clock.after(CLUSTER_BOUNDS.cancelMs, () => connection.close('the node did not cancel a statement'));
  };
  const onAbort = (): void => cancel('the client went away');
  signal?.addEventListener('abort', onAbort, { once: true });
  const timer = timeoutMs > 0 ? clock.after(timeoutMs, () => cancel(`its time of ${timeoutMs} ms is over`)) : undefined;
  try {
    return await action();
  } catch (error) {
    if (cancelReason === undefined) throw error;
    throw isLost(error) ? fail('QUERY_CANCELLED', cancelReason) : queryError(error, { ...subject, cancelReason });
  } finally {
    timer?.cancel();
    limit?.cancel();
    signal?.removeEventListener('abort', onAbort);
  }
}
