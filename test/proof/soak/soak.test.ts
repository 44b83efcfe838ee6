/** Short form of `npm run proof -- soak`, and tests that a leak is recognized. */
import { describe, expect, test } from 'bun:test';
import { Random } from '../../simulation/random.ts';
import { runSoak } from './soak-run.ts';
import { hasGrown, type Sample, trendOf } from './trend.ts';

const SEED = Number(process.env.PROOF_SEED ?? 20_263);
const MINUTES = 0.25;
const LIMIT_MS = 120_000;
const HOUR_MS = 3_600_000;
const MEBIBYTE = 1024 * 1024;

const isLinux = process.platform === 'linux';
if (!isLinux) process.stdout.write('(skip) long run: it reads /proc, which only Linux has\n');

describe.skipIf(!isLinux)('a service under a mixed load', () => {
  test(
    `answers every request, seed ${SEED}`,
    async () => {
      const result = await runSoak({ seed: SEED, minutes: MINUTES, rate: 200, workers: 2 });
      expect(result.wrong).toEqual([]);
      expect(result.failed).toBe(0);
      expect(result.samples).toBeGreaterThan(5);
      for (const kind of ['entries', 'rows', 'cursors', 'structure', 'tasks', 'sessions', 'connections', 'backups']) {
        expect([kind, result.counts[kind] ?? 0]).not.toEqual([kind, 0]);
      }
    },
    LIMIT_MS,
  );
});

describe('the trend of a measurement', () => {
  /** An hour of samples around 300 MiB that fall with each collection of garbage, and grow by `leak` per hour. */
  function samples(leak: number, seed = 1): Sample[] {
    const random = new Random(seed);
    let garbage = 0;
    return Array.from({ length: 120 }, (_, index) => {
      garbage = random.below(8) === 0 ? 0 : garbage + random.below(4) * MEBIBYTE;
      return { atMs: (index * HOUR_MS) / 120, value: 300 * MEBIBYTE + garbage + (leak * index) / 120 };
    });
  }

  const cases: ReadonlyArray<readonly [string, number, boolean]> = [
    ['is flat without a leak', 0, false],
    ['is flat with a leak below what is allowed', 4 * MEBIBYTE, false],
    ['shows a leak of a third per hour', 100 * MEBIBYTE, true],
    ['is flat when memory falls', -40 * MEBIBYTE, false],
  ];
  for (const [title, leak, isFound] of cases) {
    test(title, () => {
      for (let seed = 1; seed <= 20; seed++) {
        expect([seed, hasGrown(trendOf(samples(leak, seed)), 0.05, 8 * MEBIBYTE)]).toEqual([seed, isFound]);
      }
    });
  }

  test('is that at an equal number of threads', () => {
    const random = new Random(7);
    for (const leak of [0, 400 * MEBIBYTE]) {
      const busier = samples(leak).map(({ atMs, value }, index) => {
        const threads = 20 + Math.min(10, Math.floor(index / 8)) + random.below(3);
        return { atMs, value: value + threads * 40 * MEBIBYTE, threads };
      });
      expect(hasGrown(trendOf(busier), 0.05, 8 * MEBIBYTE)).toBe(leak > 0);
    }
  });

  test('has a confidence interval around the slope', () => {
    const trend = trendOf(samples(100 * MEBIBYTE));
    expect(trend.lowPerHour).toBeLessThan(100 * MEBIBYTE);
    expect(trend.highPerHour).toBeGreaterThan(100 * MEBIBYTE);
    expect(trend.hours).toBeCloseTo(0.75, 1);
  });

  test('ignores the warm-up', () => {
    const filling = samples(0).map(({ atMs, value }, index) => ({ atMs, value: index < 25 ? value / 2 : value }));
    expect(hasGrown(trendOf(filling), 0.05, 8 * MEBIBYTE)).toBe(false);
  });
});
