/** Starts a query thread. */
import { systemClock as clock } from './base/clock.ts';
import { COMPATIBILITY_FLAGS } from './commands/compatibility-flags.ts';
import { type QueryThread, startQueryThread } from './engines/embedded/queries/query-thread.ts';
import { loadOwnConfiguration } from './wiring/launch.ts';
import type { QueryThreadMessage } from './wiring/query-threads.ts';
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
  const loaded = await loadOwnConfiguration(message.argv);
  if (loaded.kind !== 'run') throw new Error('the configuration can no longer be loaded');
  const { scanPredicates, interceptor, serviceName, compatibility } = loaded.configuration;
  thread = startQueryThread(message.start, portOf(message.port), clock, {
    findPredicate: (className) => scanPredicates.get(className),
    onSend: interceptor?.onSend?.bind(interceptor),
    onReceive: interceptor?.onReceive?.bind(interceptor),
    serviceName,
    systemTables: systemTablesOver(COMPATIBILITY_FLAGS[compatibility]),
  });
  for (const port of early.splice(0)) thread.serve(portOf(port));
}
