/**
 * Runs random histories on the embedded engine and on the model and compares all results. A failure
 * prints its seed; SVC_SEED=n runs that history again. SVC_SIMULATION_HISTORIES=n runs more of them.
 */

import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedGrid } from '../src/engines/embedded/embedded-grid.ts';
import { type Grid, TransactionAborted } from '../src/grid/grid.ts';
import { ManualClock } from './fixtures/base/manual-clock.ts';
import { entriesOf, withCalls } from './grid/entry-methods.ts';
import { openModelGrid } from './model/model-grid.ts';
import { ModelStore } from './model/model-store.ts';
import { Random } from './simulation/random.ts';
import { runStep } from './simulation/run-step.ts';
import { randomStep, type Step } from './simulation/steps.ts';
import { withTransactions } from './simulation/transactions.ts';

const HISTORIES = Number(process.env.SVC_SIMULATION_HISTORIES ?? 20);
const STEPS = 400;
const SEED = process.env.SVC_SEED;
/** Every other history has a default region that does not persist. */
function regionsOf(seed: number) {
  return [
    { name: 'memory', persistent: false },
    { name: 'default', persistent: seed % 2 === 0 },
  ];
}

const folder = mkdtempSync(join(tmpdir(), 'svc-simulation-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Both engines on one clock. `injectDefect` injects a defect into the engine. */
async function runHistory(seed: number, injectDefect: (grid: Grid) => Grid = (grid) => grid): Promise<void> {
  const random = new Random(seed);
  const regions = regionsOf(seed);
  const clock = new ManualClock();
  const store = new ModelStore();
  const dataDir = mkdtempSync(join(folder, 'history-'));
  const openEngine = async () => openEmbeddedGrid({ dataDir, clock, version: '1.0.0', regions });
  let opened = await openEngine();
  let transactional = withTransactions(opened, clock);
  let engine = injectDefect(transactional.grid);
  let model = openModelGrid({ clock, store, regions });
  const done: Step[] = [];
  try {
    for (let number = 0; number < STEPS; number++) {
      const step = randomStep(random);
      done.push(step);
      if (step.kind === 'restart') {
        transactional.close();
        await opened.close();
        opened = await openEngine();
        transactional = withTransactions(opened, clock);
        engine = injectDefect(transactional.grid);
        model = openModelGrid({ clock, store, regions });
      } else if (step.kind === 'pass') {
        clock.advance(step.ms);
      } else if (step.kind === 'sweep') {
        await opened.sweep();
      } else {
        const [actual, expected] = [await runStep(engine, step), await runStep(model, step)];
        if (!Bun.deepEquals(actual, expected, true)) throw disagreement(seed, number, done, actual, expected);
      }
    }
  } finally {
    transactional.close();
    await opened.close();
  }
}

function disagreement(seed: number, number: number, done: readonly Step[], actual: unknown, expected: unknown): Error {
  const last = done.slice(-5).map((step) => `  ${Bun.inspect(step, { compact: true, depth: 8 })}`);
  return new Error(
    `Engine and model disagree at step ${number}; run it again with SVC_SEED=${seed}\nlast steps:\n${last.join('\n')}\n` +
      `engine: ${Bun.inspect(actual)}\nmodel: ${Bun.inspect(expected)}`,
  );
}

describe('a random history', () => {
  const seeds = SEED === undefined ? Array.from({ length: HISTORIES }, (_, n) => n + 1) : [Number(SEED)];
  for (const seed of seeds) {
    test(`with seed ${seed} has the same results as on the model`, () => runHistory(seed), 30_000);
  }
});

describe('an engine with a defect', () => {
  /** Each defect is one that a real engine could have. */
  const defects: ReadonlyArray<readonly [string, (grid: Grid) => Grid]> = [
    [
      'drops a time to live on a later put',
      (grid) => withCalls(grid, { put: (call) => grid.port.call({ ...call, ttlMs: call.ttlMs ?? 100_000n }, {}) }),
    ],
    [
      'confuses two types',
      (grid) =>
        withCalls(grid, {
          replaceIfEquals: async ({ cache, key, expected, value }) => {
            const old = await entriesOf(grid).get(cache, key);
            return JSON.stringify(old, plain)?.includes(JSON.stringify(expected, plain).slice(-6)) === true
              ? entriesOf(grid).replace(cache, key, value)
              : false;
          },
        }),
    ],
    ['keeps the first changes of an aborted transaction', withoutRollback],
    [
      'miscounts entries by one',
      (grid) => withCalls(grid, { size: async ({ cache }) => (await entriesOf(grid).size(cache)) || 1 }),
    ],
  ];
  for (const [what, injectDefect] of defects) {
    test(`that ${what} is detected`, async () => {
      const outcomes = await Promise.allSettled([1, 2, 3].map((seed) => runHistory(seed, injectDefect)));
      const failures = outcomes.flatMap((each) => (each.status === 'rejected' ? [String(each.reason)] : []));
      expect(failures.length).toBeGreaterThan(0);
      expect(failures[0]).toMatch(/run it again with SVC_SEED=\d+/);
    });
  }
});

function withoutRollback(grid: Grid): Grid {
  return {
    ...grid,
    transactions: {
      async run(steps, options) {
        const results = [];
        for (const [index, step] of steps.entries()) {
          results.push(
            ...(await grid.transactions.run([step], options).catch((error: unknown) => {
              throw error instanceof TransactionAborted ? new TransactionAborted(index, error.reason) : error;
            })),
          );
        }
        return results;
      },
    },
  };
}

function plain(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
