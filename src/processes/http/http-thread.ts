/**
 * Entry of an HTTP thread, one of `workers` - 1 that serve requests alongside the main thread.
 *
 * Runs: the HTTP server and the request pipeline (src/wiring/http-part.ts), reads by key, and quick statements. Changes
 * and calls to process-wide services go to the main thread over an RPC channel (service-channel.ts); all other
 * statements go to a statement process over a socket. Owns: its client connections, read-only connections to the
 * database files, and its channels to statement processes. The configuration is loaded again here, because functions
 * cannot be sent to a thread. Started by http-threads.ts in the main thread, which restarts it when it dies. Ends: when
 * the main thread stops it, or with the process. Its requests are lost with it; what was sent to the writer is
 * committed.
 */
import { systemClock as clock } from '../../base/clock.ts';
import { STOP_STEPS } from '../../base/limits.ts';
import { RpcChannel } from '../../base/rpc-channel.ts';
import { remoteStatementSlots } from '../../engines/embedded/dispatch/statement-slots.ts';
import { SharedQueryState } from '../../engines/embedded/shared/shared-query-state.ts';
import { openEmbeddedReader } from '../../engines/embedded/thread/embedded-reader.ts';
import { bulkOf, queriesOf } from '../../wiring/engine.ts';
import { startHttpPart } from '../../wiring/http-part.ts';
import { loadOwnConfiguration } from '../../wiring/launch.ts';
import { portOf } from '../../wiring/thread-port.ts';
import { StatementProcessClient } from '../statement/statement-process-client.ts';
import type { MainThreadMethods, ThreadMethods, ThreadStart } from './http-threads.ts';
import { remoteServices } from './service-channel.ts';

declare const self: Worker;

type Start = ThreadStart & { readonly port: MessagePort };

self.onmessage = ({ data }: MessageEvent<Start>) => void start(data);

async function start({
  argv,
  setup,
  queryState: memory,
  guardLibrary,
  thread,
  memories,
  ports,
  port,
}: Start): Promise<void> {
  const loaded = await loadOwnConfiguration(argv);
  if (loaded.kind !== 'run' || setup === undefined) return;
  const { configuration } = loaded;
  const channel = new RpcChannel<MainThreadMethods, ThreadMethods>(portOf(port), clock);
  const statementProcesses = new StatementProcessClient(clock, (index) => channel.call('processAddress', index));
  channel.serve('statementProcessEnded', (end) => {
    statementProcesses.ended(end);
    return undefined;
  });
  const queryState = new SharedQueryState(memory);
  const slots = remoteStatementSlots(channel);
  const queries = queriesOf(configuration, clock, statementProcesses, queryState, slots, guardLibrary);
  const grid = {
    ...openEmbeddedReader(setup, channel, clock, queries),
    bulk: bulkOf(statementProcesses, queryState, clock),
  };
  const services = remoteServices(channel);
  const { server, stop } = await startHttpPart(
    {
      configuration,
      clock,
      grid,
      thread,
      memories,
      services,
      // The main thread counts the cursors of all threads.
      evictedCursors: () => 0,
      openCursors: () => 0,
    },
    ports,
  );
  channel.serve('clients', () => server.clients());
  channel.serve('stop', async () => {
    await stop(STOP_STEPS.closeMs);
    await grid.close();
    return undefined;
  });
  await channel.call('listening', null);
}
