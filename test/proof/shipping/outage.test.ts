/** The short form of `npm run proof -- outage`. */
import { expect, test } from 'bun:test';
import { runOutage } from './outage-run.ts';

const seed = Number(process.env.PROOF_SEED ?? 20_272);
const MEBIBYTE = 1024 * 1024;

test(`a destination that is away for a while is caught up with (seed ${seed})`, async () => {
  const maxLogBytes = 1024 * MEBIBYTE;
  const result = await runOutage({ seed, awayMs: 8_000, rate: 1_000, clients: 16, maxLogBytes });
  expect(result.wrong).toEqual([]);
  expect(result.snapshots).toBe(1);
  expect(result.longestLogBytes).toBeLessThan(maxLogBytes);
}, 180_000);
