/** Entry of a thread that answers requests beside others (`workers` of 2 and more). */
import { systemClock as clock } from './base/clock.ts';
import { ThreadLink } from './base/thread-link.ts';
import { openEmbeddedReader } from './engines/embedded/embedded-grid.ts';
import { remoteDesks } from './wiring/desk-link.ts';
import { startHttpPart } from './wiring/http-part.ts';
import { type MainServices, portOf, type ThreadServices, type ThreadStart } from './wiring/http-threads.ts';
import { loadOwnConfiguration } from './wiring/launch.ts';

declare const self: Worker;

self.onmessage = async (event: MessageEvent<ThreadStart & { readonly port: MessagePort }>) => {
  const { argv, setup, thread, memories, ports, port } = event.data;
  const loaded = await loadOwnConfiguration(argv);
  if (loaded.kind !== 'run' || setup === undefined) return;
  const link = new ThreadLink<MainServices, ThreadServices>(portOf(port), clock);
  const grid = openEmbeddedReader(setup, link, clock);
  const server = await startHttpPart(
    {
      configuration: loaded.configuration,
      clock,
      grid,
      thread,
      memories,
      desks: remoteDesks(link),
      openCursors: () => 0,
    },
    ports,
  );
  link.serve('stop', async () => {
    await server.stop();
    await grid.close();
    return undefined;
  });
  await link.call('listening', server.url);
};
