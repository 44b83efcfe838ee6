/**
 * Loads the statement code when the first statement arrives. Loading all of it in one step would block the thread's
 * other requests, so it is loaded in parts, dependencies first.
 */
import type { Clock } from '../../../base/clock.ts';

/** Parts that load fast. Their imports are loaded with the first part that needs them. */
const PARTS: ReadonlyArray<() => Promise<unknown>> = [
  () => import('../../../sql/functions/date-times.ts'),
  () => import('../../../sql/functions/numerics.ts'),
  () => import('../../../sql/functions/strings.ts'),
  () => import('../../../sql/functions/string-encodings.ts'),
  () => import('../../../sql/functions/cryptography.ts'),
  () => import('../../../sql/functions/aggregates.ts'),
  () => import('../../../sql/functions/functions.ts'),
  () => import('../../../sql/binding/bind-query.ts'),
  () => import('../sql/emit-query.ts'),
  () => import('../sql/prepare-statement.ts'),
  () => import('../sql/run-change.ts'),
  () => import('../system-views/activity-views.ts'),
  () => import('../system-views/cache-views.ts'),
  () => import('../system-views/information-tables.ts'),
  () => import('../system-views/node-views.ts'),
  () => import('../system-views/system-views.ts'),
];

/** Loads the parts, and lets the event loop read sockets after each. */
export async function loadStatementCode(clock: Clock): Promise<void> {
  for (const load of PARTS) {
    await load();
    await new Promise<void>((resolve) => clock.nextTick(resolve));
  }
}
