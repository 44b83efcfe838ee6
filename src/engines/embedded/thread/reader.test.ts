import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ManualClock } from '../../../../test/fixtures/base/manual-clock.ts';
import { type OwnerMethods, TEMPORARY_REGION } from '../../../../test/fixtures/embedded/owner-thread.ts';
import { runGridSuite } from '../../../../test/grid/grid.suite.ts';
import { RpcChannel } from '../../../base/rpc-channel.ts';
import { openEmbeddedReader, type ReaderMethods } from './embedded-reader.ts';

runGridSuite('a thread that reads while another one writes', async () => {
  const clock = new ManualClock();
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-test-'));
  const worker = new Worker(new URL('../../../../test/fixtures/embedded/owner-thread.ts', import.meta.url), {
    workerData: dataDir,
  });
  const channel = new RpcChannel<OwnerMethods, ReaderMethods>(worker, clock);
  const open = async () => openEmbeddedReader(await channel.call('open', null), channel, clock);
  let grid = await open();
  const close = async (): Promise<void> => {
    await grid.close();
    await channel.call('close', null);
  };
  return {
    get grid() {
      return grid;
    },
    timeFactor: 1,
    async pass(ms) {
      clock.advance(ms);
      await channel.call('advance', ms);
    },
    async restart() {
      await close();
      grid = await open();
    },
    temporaryRegion: TEMPORARY_REGION,
    exclusive: true,
    async close() {
      await close();
      channel.close();
      await worker.terminate();
      rmSync(dataDir, { recursive: true });
    },
  };
});
