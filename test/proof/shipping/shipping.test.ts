/** The short form of `npm run proof -- shipping`. */
import { expect, test } from 'bun:test';
import { runShipping } from './shipping-run.ts';

const seed = Number(process.env.PROOF_SEED ?? 20_270);

test(`what a killed service has shipped is restored without it, and whole (seed ${seed})`, async () => {
  const result = await runShipping({ seed, kills: 4, clients: 8, longestMs: 2_500 });
  expect(result.wrong).toEqual([]);
  expect(result.missingMs.at(-1)).toBeLessThan(5_000);
}, 120_000);
