/** Entry of a thread that answers requests beside others (`workers` of 2 and more). */
import { systemClock as clock } from './base/clock.ts';
import { STOP_STEPS } from './base/limits.ts';
import { ThreadLink } from './base/thread-link.ts';
import { openEmbeddedReader } from './engines/embedded/embedded-grid.ts';
import { QueryBoard } from './engines/embedded/queries/query-board.ts';
import { remoteDesks } from './wiring/desk-link.ts';
import { queriesOf } from './wiring/engine.ts';
import { startHttpPart } from './wiring/http-part.ts';
import type { MainServices, QueryPortMessage, ThreadServices, ThreadStart } from './wiring/http-threads.ts';
import { loadOwnConfiguration } from './wiring/launch.ts';
import { AskedQueryThreads } from './wiring/query-threads.ts';
import { portOf } from './wiring/thread-port.ts';

declare const self: Worker;

/** Ports to query threads that have been asked for. */
const awaitedPorts = new Map<number, (port: MessagePort) => void>();

type Message = (ThreadStart & { readonly port: MessagePort }) | QueryPortMessage;

self.onmessage = ({ data }: MessageEvent<Message>) => {
  if ('queryThread' in data) awaitedPorts.get(data.queryThread)?.(data.port);
  else void start(data);
};

async function start({
  argv,
  setup,
  board: memory,
  thread,
  memories,
  ports,
  port,
}: ThreadStart & { readonly port: MessagePort }): Promise<void> {
  const loaded = await loadOwnConfiguration(argv);
  if (loaded.kind !== 'run' || setup === undefined) return;
  const { configuration } = loaded;
  const link = new ThreadLink<MainServices, ThreadServices>(portOf(port), clock);
  const asked = new AskedQueryThreads(clock, async (index) => {
    const { promise, resolve } = Promise.withResolvers<MessagePort>();
    awaitedPorts.set(index, resolve);
    await link.call('queryPort', index);
    return promise;
  });
  link.serve('queryThreadEnded', (index) => {
    asked.ended(index);
    return undefined;
  });
  const board = new QueryBoard(memory);
  const queries = queriesOf(configuration, clock, asked, board);
  const grid = openEmbeddedReader(setup, link, clock, queries);
  const desks = remoteDesks(link);
  const server = await startHttpPart(
    {
      configuration,
      clock,
      grid,
      thread,
      memories,
      desks,
      // The main thread counts those of all.
      openCursors: () => 0,
    },
    ports,
  );
  link.serve('clients', () => server.clients());
  link.serve('stop', async () => {
    await server.stop(STOP_STEPS.closeMs);
    await grid.close();
    return undefined;
  });
  await link.call('listening', null);
}
