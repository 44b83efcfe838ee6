import { ManualClock } from '../../base/manual-clock.ts';
import { runGridSuite } from '../../grid/grid.suite.ts';
import { ModelStore, openModelGrid } from './model-grid.ts';

runGridSuite('the model engine', async () => {
  const clock = new ManualClock();
  const store = new ModelStore();
  const open = () => openModelGrid({ clock, store, regions: [{ name: 'memory', persistent: false }] });
  let grid = open();
  return {
    get grid() {
      return grid;
    },
    pass: async (ms) => clock.advance(ms),
    restart: async () => {
      grid = open();
    },
    temporaryRegion: 'memory',
    exclusive: true,
    close: () => grid.close(),
  };
});
