/** The short form of `npm run proof -- shipping` and `shipping-power`. */
import { expect, test } from 'bun:test';
import { runShipping } from './shipping-run.ts';

const seed = Number(process.env.PROOF_SEED ?? 20_270);

test(`what a killed service has shipped is restored without it, and whole (seed ${seed})`, async () => {
  const result = await runShipping({ kind: 'kill', seed, kills: 4, clients: 8, longestMs: 2_500 });
  expect(result.wrong).toEqual([]);
  expect(result.missingMs.at(-1)).toBeLessThan(5_000);
}, 120_000);

test(`what was shipped before a power cut of the destination is restored (seed ${seed})`, async () => {
  const result = await runShipping({ kind: 'power', seed, kills: 4, clients: 8, longestMs: 2_000 });
  expect(result.wrong).toEqual([]);
  expect(result.missingMs.at(-1)).toBeLessThan(5_000);
}, 120_000);

test('a destination whose syncs have no effect is noticed', async () => {
  const options = { kind: 'power', seed, kills: 2, clients: 2, longestMs: 1_500, ignoresSyncs: true } as const;
  const { wrong, cut } = await runShipping(options);
  expect(cut.dropped).toBeGreaterThan(0);
  expect(wrong.length).toBeGreaterThan(0);
}, 120_000);
