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
  let opened = await open(dataDir, clock);
  return {
    get grid() {
      return opened.grid;
    },
    timeFactor: 1,
    async pass(ms) {
      clock.advance(ms);
      await opened.channel.call('advance', ms);
    },
    async restart() {
      await opened.close();
      opened = await open(dataDir, clock);
    },
    temporaryRegion: TEMPORARY_REGION,
    exclusive: true,
    async close() {
      await opened.close();
      rmSync(dataDir, { recursive: true });
    },
  };
});

async function open(dataDir: string, clock: ManualClock) {
  const worker = new Worker(new URL('../../../../test/fixtures/embedded/owner-thread.ts', import.meta.url), {
    workerData: dataDir,
  });
  const channel = new RpcChannel<OwnerMethods, ReaderMethods>(worker, clock);
  const grid = openEmbeddedReader(await channel.call('open', clock.nowMs()), channel, clock);
  return {
    grid,
    channel,
    async close() {
      await grid.close();
      await channel.call('close', null);
      channel.close();
      await worker.terminate();
    },
  };
}
