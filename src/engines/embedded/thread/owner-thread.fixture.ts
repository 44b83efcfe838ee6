/** A worker that owns a data folder, for tests of threads that read. The test advances its clock over the channel. */
import { parentPort, workerData } from 'node:worker_threads';
import { ManualClock } from '../../../base/manual-clock.ts';
import { RpcChannel } from '../../../base/rpc-channel.ts';
import { type EmbeddedGrid, openEmbeddedGrid } from '../embedded-grid.ts';
import type { SentChanges } from '../writer/change-messages.ts';
import type { ReaderMethods } from './embedded-reader.ts';
import type { ThreadSetup } from './engine-thread.ts';

/** The methods of the worker: changes and those that control it. */
export type OwnerMethods = SentChanges & {
  readonly open: { readonly request: null; readonly response: ThreadSetup };
  readonly close: { readonly request: null; readonly response: null };
  readonly advance: { readonly request: number; readonly response: null };
};

export const TEMPORARY_REGION = 'memory';

if (parentPort) {
  const clock = new ManualClock();
  const channel = new RpcChannel<ReaderMethods, OwnerMethods>(parentPort, clock);
  let grid: EmbeddedGrid | undefined;
  channel.serve('open', async () => {
    const regions = [{ name: TEMPORARY_REGION, persistent: false }];
    grid = await openEmbeddedGrid({ dataDir: String(workerData), clock, version: '1.0.0', regions, threads: 2 });
    return grid.connect(channel);
  });
  channel.serve('close', async () => {
    await grid?.close();
    return null;
  });
  channel.serve('advance', (ms) => {
    clock.advance(ms);
    return null;
  });
}
