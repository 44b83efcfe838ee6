/** Short form of `npm run proof -- faults`. Each fault has a separate service and waits, so some run at once. */
import { describe, expect, test } from 'bun:test';
import { shimMissing } from '../crash/shim.ts';
import { FAULTS, runFault } from './faults.ts';

const LIMIT_MS = 120_000;

const missing = shimMissing();
if (missing !== undefined) process.stdout.write(`(skip) faults: ${missing}\n`);

describe.skipIf(missing !== undefined)('a service survives', () => {
  for (const fault of FAULTS.filter(({ isLong }) => isLong !== true)) {
    test.concurrent(
      fault.title,
      async () => {
        const { wrong, acknowledged } = await runFault(fault);
        expect(wrong).toEqual([]);
        expect(acknowledged).toBeGreaterThan(20);
      },
      LIMIT_MS,
    );
  }
});
