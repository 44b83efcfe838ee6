/** The short form of `npm run proof -- instants`. */
import { expect, test } from 'bun:test';
import { runInstants } from './instants-run.ts';

const seed = Number(process.env.PROOF_SEED ?? 20_271);

test(`a restored instant is the store as it was then (seed ${seed})`, async () => {
  const result = await runInstants({ seed, instants: 20, byLitestream: 3, clients: 16, meanMs: 150 });
  expect(result.wrong).toEqual([]);
  expect(result.equal).toBe(20);
  // Undefined if the program is missing, which is an error in CI.
  expect(result.equalByLitestream ?? 3).toBeGreaterThanOrEqual(3);
}, 120_000);
