/** Whether the cluster's state permits a change. */
import { gridError } from '../../../base/errors.ts';
import type { Value } from '../../../values/value.ts';
import type { PreparedChange } from '../sql/statement.ts';
import type { EngineThread } from '../thread/engine-thread.ts';

/** Throws INACTIVE or READ_ONLY depending on the state, with Ignite's text (docs/spec/ignite-cluster.md 2.1). */
export function checkChange(thread: EngineThread, prepared: PreparedChange, sql: string, args: readonly Value[]): void {
  if (thread.shared.isInactive()) throw gridError('INACTIVE');
  if (thread.shared.isActive()) return;
  throw gridError('READ_ONLY_STATEMENT', sql, args.length, prepared.target.name);
}
