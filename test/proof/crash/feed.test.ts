/** The short form of `npm run proof -- feed`. */
import { expect, test } from 'bun:test';
import { runFeedCrashes } from './feed-run.ts';

const SEED = Number(process.env.PROOF_SEED ?? 20_268);

test(`a consumer gets every change once and in order across kills (seed ${SEED})`, async () => {
  const { wrong, delivered, acknowledged } = await runFeedCrashes({ seed: SEED, kills: 2, workers: 2 });
  expect(wrong).toEqual([]);
  expect(acknowledged).toBeGreaterThan(0);
  expect(delivered).toBeGreaterThanOrEqual(acknowledged);
}, 300_000);
