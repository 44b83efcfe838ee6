/** Entry of a query thread. */
import os from 'node:os';
import { systemClock as clock } from './base/clock.ts';
import { COMPATIBILITY_FLAGS } from './commands/compatibility-flags.ts';
import { type QueryThread, startQueryThread } from './engines/embedded/queries/query-thread.ts';
import { loadOwnConfiguration } from './wiring/launch.ts';
import type { QueryThreadMessage } from './wiring/query-threads.ts';
import { systemTablesOver } from './wiring/system-tables.ts';
import { portOf } from './wiring/thread-port.ts';

declare const self: Worker;

/** Added to the niceness of the process: on busy processors, requests then get nine tenths of the time. */
const ADDED_NICENESS = 10;

/**
 * Gives threads that serve requests precedence over long statements. Called after the start of the thread, for which a
 * statement waits.
 */
function lowerPriority(): void {
  // On other systems this would set the priority of the process.
  if (process.platform !== 'linux') return;
  try {
    os.setPriority(0, Math.min(os.getPriority(0) + ADDED_NICENESS, os.constants.priority.PRIORITY_LOW));
  } catch {
    // Not permitted: all threads have the same priority.
  }
}

let thread: QueryThread | undefined;
/** Ports received while the configuration is being loaded. */
const early: MessagePort[] = [];

self.onmessage = async ({ data }: MessageEvent<QueryThreadMessage>) => {
  if (data.type === 'client') {
    if (thread === undefined) early.push(data.port);
    else thread.serve(portOf(data.port));
    return;
  }
  const loaded = await loadOwnConfiguration(data.argv);
  if (loaded.kind !== 'run') throw new Error('the configuration can no longer be loaded');
  const { scanPredicates, interceptor, serviceName, compatibility } = loaded.configuration;
  thread = startQueryThread(data.start, portOf(data.port), clock, {
    findPredicate: (className) => scanPredicates.get(className),
    onSend: interceptor?.onSend?.bind(interceptor),
    onReceive: interceptor?.onReceive?.bind(interceptor),
    serviceName,
    systemTables: systemTablesOver(COMPATIBILITY_FLAGS[compatibility]),
  });
  lowerPriority();
  for (const port of early.splice(0)) thread.serve(portOf(port));
};
