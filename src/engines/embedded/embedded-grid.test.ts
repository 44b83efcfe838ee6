import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '../../../test/fixtures/base/manual-clock.ts';
import { runGridSuite } from '../../../test/grid/grid.suite.ts';
import { openEmbeddedGrid } from './embedded-grid.ts';

runGridSuite('the embedded engine', async () => {
  const clock = new ManualClock();
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-test-'));
  const open = () =>
    openEmbeddedGrid({ dataDir, clock, version: '1.0.0', regions: [{ name: 'memory', persistent: false }] });
  let grid = await open();
  return {
    get grid() {
      return grid;
    },
    pass: async (ms) => clock.advance(ms),
    timeFactor: 1,
    restart: async () => {
      await grid.close();
      grid = await open();
    },
    temporaryRegion: 'memory',
    exclusive: true,
    async close() {
      await grid.close();
      rmSync(dataDir, { recursive: true });
    },
  };
});
