/** Runs the suites over the embedded engine with statement processes, as the service opens it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runGridSuite } from '../../test/grid/grid.suite.ts';
import { runQueriesSuite } from '../../test/grid/queries.suite.ts';
import { runTransactionsSuite } from '../../test/grid/transactions.suite.ts';
import { systemClock } from '../base/clock.ts';
import { createLog } from '../service/monitoring/log.ts';
import { openEngine } from './engine.ts';
import { loadOwnConfiguration } from './launch.ts';

runGridSuite('the embedded engine with statement processes', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-test-'));
  const argv = ['--engine', 'embedded', '--data-dir', dataDir, '--config', 'test/fixtures/queries.config.ts'];
  const loaded = await loadOwnConfiguration(argv);
  if (loaded.kind !== 'run') throw new Error('the configuration is not one to run');
  const log = createLog({ append() {} }, 'error', systemClock);
  const { grid, close } = await openEngine(loaded.configuration, argv, systemClock, log);
  return {
    grid,
    pass: (ms) => Bun.sleep(ms),
    timeFactor: 2,
    temporaryRegion: 'temporary1',
    exclusive: true,
    async close() {
      await close();
      rmSync(dataDir, { recursive: true });
    },
  };
}, [runQueriesSuite, runTransactionsSuite]);
