/** The long form of `leaks.test.ts`: `SVC_LEAK_STATEMENTS` statements, 200,000 by default, with a new seed each. */
import { expect, test } from 'bun:test';
import { randomBytes } from '../../src/base/clock.ts';
import { findLeaks } from './leaks.ts';

/** Statements of a store, which grows a little with each. */
const OF_A_STORE = 50_000;

test('generated statements', () => {
  const seed = Number(process.env.SVC_LEAK_SEED ?? new DataView(randomBytes(4).buffer).getUint32(0));
  const all = Number(process.env.SVC_LEAK_STATEMENTS ?? 200_000);
  const totals = { denied: 0, succeeded: 0, failed: 0, resolved: 0 };
  process.stdout.write(`seed ${seed}\n`);
  for (let done = 0; done < all; done += OF_A_STORE) {
    const { leaks, differences, ...counts } = findLeaks(seed + done, Math.min(OF_A_STORE, all - done));
    expect({ seed: seed + done, leaks, differences }).toEqual({ seed: seed + done, leaks: [], differences: [] });
    for (const outcome of ['denied', 'succeeded', 'failed', 'resolved'] as const) totals[outcome] += counts[outcome];
  }
  process.stdout.write(`seed ${seed}: ${JSON.stringify(totals)}, no leak\n`);
}, 3_600_000);
