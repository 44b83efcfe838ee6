/** Opens the engine of a statement process. */
import { clockOf } from '../../base/adjustable-clock.ts';
import type { ChannelPort } from '../../base/rpc-channel.ts';
import {
  type StatementProcess,
  startStatementProcess,
} from '../../engines/embedded/statement-process/statement-process.ts';
import { loadOwnConfiguration } from '../../wiring/launch.ts';
import { systemTablesOver } from '../../wiring/system-tables.ts';
import { listenOnSocket } from './socket-port.ts';
import type { StatementProcessSetup } from './statement-process-host.ts';

/**
 * Opens the engine in this thread; `owner` is the port to the thread that owns the data. `isDueForRecycling` reports
 * whether the process has used enough of its memory that it should be replaced.
 */
export async function openStatementProcess(
  { argv, start, clockShift }: StatementProcessSetup,
  owner: ChannelPort,
  isDueForRecycling?: () => boolean,
): Promise<StatementProcess> {
  const loaded = await loadOwnConfiguration(argv);
  if (loaded.kind !== 'run') throw new Error('the configuration can no longer be loaded');
  const { scanPredicates, interceptor, serviceName, compatibility } = loaded.configuration;
  return startStatementProcess(start, owner, clockOf(clockShift), {
    findPredicate: (className) => scanPredicates.get(className),
    onSend: interceptor?.onSend?.bind(interceptor),
    onReceive: interceptor?.onReceive?.bind(interceptor),
    serviceName,
    listen: listenOnSocket,
    systemTables: systemTablesOver(compatibility),
    isDueForRecycling,
  });
}
