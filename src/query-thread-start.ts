/** Opens what a query thread or process runs. */
import { clockOf } from './base/adjustable-clock.ts';
import type { ChannelPort } from './base/rpc-channel.ts';
import { COMPATIBILITY_FLAGS } from './commands/compatibility-flags.ts';
import { type QueryThread, startQueryThread } from './engines/embedded/queries/query-thread.ts';
import { loadOwnConfiguration } from './wiring/launch.ts';
import type { QueryHostStart, QueryThreadMessage } from './wiring/query-hosts.ts';
import { systemTablesOver } from './wiring/system-tables.ts';
import { portOf } from './wiring/thread-port.ts';

let thread: QueryThread | undefined;
/** Ports received while the configuration is being loaded. */
const early: MessagePort[] = [];

/** Handles a message to the thread: its start, or a port for a client. */
export async function receive(message: QueryThreadMessage): Promise<void> {
  if (message.type === 'client') {
    if (thread === undefined) early.push(message.port);
    else thread.serve(portOf(message.port));
    return;
  }
  thread = await openQueryThread(message, portOf(message.port));
  for (const port of early.splice(0)) thread.serve(portOf(port));
  thread.ready(false);
}

/**
 * Opens the engine in this thread; `owner` is the port to the thread that owns the data. `isDueForRecycling` reports
 * whether the process has taken so much of its memory that it should be replaced.
 */
export async function openQueryThread(
  { argv, start, clockShift }: QueryHostStart,
  owner: ChannelPort,
  isDueForRecycling?: () => boolean,
): Promise<QueryThread> {
  const loaded = await loadOwnConfiguration(argv);
  if (loaded.kind !== 'run') throw new Error('the configuration can no longer be loaded');
  const { scanPredicates, interceptor, serviceName, compatibility } = loaded.configuration;
  return startQueryThread(start, owner, clockOf(clockShift), {
    findPredicate: (className) => scanPredicates.get(className),
    onSend: interceptor?.onSend?.bind(interceptor),
    onReceive: interceptor?.onReceive?.bind(interceptor),
    serviceName,
    systemTables: systemTablesOver(COMPATIBILITY_FLAGS[compatibility]),
    isDueForRecycling,
  });
}
