import { ManualClock } from '../fixtures/base/manual-clock.ts';
import { GRID_PARTS, runGridSuite } from '../grid/grid.suite.ts';
import { runTransactionsSuite } from '../grid/transactions.suite.ts';
import { openModelGrid } from './model-grid.ts';
import { ModelStore } from './model-store.ts';

runGridSuite('the model engine', async () => {
  const clock = new ManualClock();
  const store = new ModelStore();
  const open = () => openModelGrid({ clock, store, regions: [{ name: 'memory', persistent: false }] });
  let grid = open();
  return {
    get grid() {
      return grid;
    },
    traits: { sql: false },
    pass: async (ms) => clock.advance(ms),
    timeFactor: 1,
    restart: async () => {
      grid = open();
    },
    temporaryRegion: 'memory',
    exclusive: true,
    close: () => grid.close(),
  };
}, [...GRID_PARTS, runTransactionsSuite]);
