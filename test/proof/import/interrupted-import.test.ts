/** The short form of `npm run proof -- import`. */
import { expect, test } from 'bun:test';
import { runInterruptedImport } from './interrupted-import.ts';

const seed = Number(process.env.PROOF_SEED ?? 20_269);

test(`60,000 rows arrive once, whatever interrupts their import (seed ${seed})`, async () => {
  const result = await runInterruptedImport({ rows: 60_000, seed, interruptions: 2, longestMs: 250 });
  expect(result.wrong).toEqual([]);
}, 60_000);
