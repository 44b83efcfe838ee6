/** Short form of `npm run proof -- io-errors`. */
import { describe, expect, test } from 'bun:test';
import { shimMissing } from '../crash/shim.ts';
import { runIoErrors } from './io-errors.ts';

const SEED = Number(process.env.PROOF_SEED ?? 20_267);
const STEP = 37;
const LIMIT_MS = 120_000;

const missing = shimMissing();
if (missing !== undefined) process.stdout.write(`(skip) I/O errors: ${missing}\n`);

describe.skipIf(missing !== undefined)('a service below which one operation fails', () => {
  test(
    `loses nothing, changes nothing else, and goes on, seed ${SEED}`,
    async () => {
      const first = 1 + (SEED % STEP);
      const result = await runIoErrors({ error: 'EIO', first, step: STEP, startStep: 41, waits: false });
      expect(result.wrong).toEqual([]);
      expect(result.workloadCalls).toBeGreaterThan(100);
      // How many operations a workload has depends on which of its changes share a commit.
      const failed = Object.values(result.failed).reduce((sum, count) => sum + count, 0);
      expect(failed).toBeGreaterThanOrEqual(Math.floor((result.workloadCalls - first) / STEP) - 1);
      expect(result.rejected).toBeGreaterThan(0);
    },
    LIMIT_MS,
  );

  // These belong to the atomic batch, the first change after another connection has changed the schema: SQLite ignored
  // an error while it read statistics, rolled the transaction back, and every change of the batch committed by itself.
  test(
    'changes nothing by a batch that fails while the schema is read',
    async () => {
      const result = await runIoErrors({ error: 'ENOSPC', first: 16, step: 1, last: 34, waits: false });
      expect(result.wrong).toEqual([]);
      expect(result.rejected).toBeGreaterThan(0);
    },
    LIMIT_MS,
  );

  // These are after the commit of CREATE TABLE, when the position in the change feed is read for the response.
  test(
    'answers a change that has happened although its position cannot be read',
    async () => {
      const result = await runIoErrors({ error: 'EIO', first: 138, step: 1, last: 150, waits: false });
      expect(result.wrong).toEqual([]);
    },
    LIMIT_MS,
  );
});
