/** Short form of `npm run proof crash` and `npm run proof power`. */
import { describe, expect, test } from 'bun:test';
import { Client } from './client.ts';
import { runCrashes } from './crash-run.ts';
import { runIntervalCuts } from './interval-run.ts';
import { compare } from './observe.ts';
import { shimMissing } from './shim.ts';
import { step } from './step.ts';

const LIMIT_MS = 120_000;
const SEED = Number(process.env.PROOF_SEED ?? 20_261);

const missing = shimMissing();
if (missing !== undefined) process.stdout.write(`(skip) crashes and power cuts: ${missing}\n`);

describe.skipIf(missing !== undefined)('a service that crashes', () => {
  for (const workers of [1, 2]) {
    test(
      `loses nothing under 10 kills, workers=${workers}, seed ${SEED + workers}`,
      async () => {
        const atLeast = { insideCommit: 3, acknowledged: 500, replayed: 20, backups: 1 };
        const options = { kind: 'kill', crashes: 10, atLeast, workers, entries: 0 } as const;
        const result = await runCrashes({ ...options, seed: SEED + workers });
        expect(result.wrong).toEqual([]);
        expect(result.crashes).toBeGreaterThanOrEqual(10);
        expect(result.insideCommit).toBeGreaterThanOrEqual(atLeast.insideCommit);
        expect(result.acknowledged).toBeGreaterThanOrEqual(atLeast.acknowledged);
        expect(result.backups).toBeGreaterThanOrEqual(atLeast.backups);
        expect(result.replayed).toBeGreaterThanOrEqual(atLeast.replayed);
      },
      LIMIT_MS,
    );
  }

  test(
    `loses nothing under 12 power cuts, seed ${SEED}`,
    async () => {
      const atLeast = { insideCommit: 4, dropped: 1, torn: 1 };
      const options = { kind: 'power', crashes: 12, atLeast, workers: 2, entries: 0 } as const;
      const result = await runCrashes({ ...options, seed: SEED });
      expect(result.wrong).toEqual([]);
      expect(result.crashes).toBeGreaterThanOrEqual(12);
      expect(result.insideCommit).toBeGreaterThanOrEqual(atLeast.insideCommit);
      expect(result.dropped).toBeGreaterThanOrEqual(atLeast.dropped);
      expect(result.torn).toBeGreaterThanOrEqual(atLeast.torn);
    },
    LIMIT_MS,
  );

  test(
    'fails the checks if it syncs nothing',
    async () => {
      const options = { kind: 'power', seed: SEED, crashes: 5, workers: 1, entries: 0, endAtFirst: true } as const;
      expect((await runCrashes({ ...options, sync: 'ignore' })).wrong).not.toEqual([]);
    },
    LIMIT_MS,
  );

  test(
    'fails the checks if it responds before the log is synced',
    async () => {
      const options = { kind: 'power', seed: SEED, crashes: 8, workers: 1, entries: 0, endAtFirst: true } as const;
      const { wrong } = await runCrashes({ ...options, sync: 'ignoreLog' });
      expect(wrong).not.toEqual([]);
    },
    LIMIT_MS,
  );
});

describe.skipIf(missing !== undefined)('a region that is synced at an interval', () => {
  test(
    'loses only what was acknowledged after the last sync',
    async () => {
      const result = await runIntervalCuts({ seed: SEED, cuts: 6, mostCuts: 40 });
      expect(result.wrong).toEqual([]);
      expect(result.losses).toBeGreaterThan(0);
    },
    LIMIT_MS,
  );
});

describe('compare', () => {
  const client = new Client(3, 1);
  client.contents = new Map([
    ['e0', 'a'],
    ['e1', 'b'],
  ]);
  client.pending = step({ cmd: 'putall' }, { e0: 'x', e2: 'y', e1: null }, true);

  const cases: ReadonlyArray<readonly [string, Record<string, string>, boolean]> = [
    ['accepts that the pending request was not executed', { e0: 'a', e1: 'b' }, true],
    ['accepts that the pending request was executed', { e0: 'x', e2: 'y' }, true],
    ['rejects a partially executed request', { e0: 'x', e1: 'b' }, false],
    ['rejects another partially executed request', { e0: 'x', e1: 'b', e2: 'y' }, false],
    ['rejects a lost entry', { e0: 'a' }, false],
    ['rejects an older value', { e0: 'a', e1: 'older' }, false],
    ['rejects an entry that nobody stored', { e0: 'a', e1: 'b', e7: 'z' }, false],
  ];
  for (const [title, found, fits] of cases) {
    test(title, () => expect(compare(client, new Map(Object.entries(found))).length === 0).toBe(fits));
  }
});
