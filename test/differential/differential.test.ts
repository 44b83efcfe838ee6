/**
 * Runs random statements on the embedded engine, on a simple evaluator over arrays and, if SVC_TEST_REFERENCE_URL is
 * set, on an Ignite node, and compares rows, types and errors. A difference prints its seed; SVC_SEED=n repeats that
 * history. SVC_DIFFERENTIAL_STATEMENTS=20000 is the long form, SVC_DIFFERENTIAL_FIRST_SEED=n starts at another seed.
 *
 * Known differences are excused, but only as often as expected. Every run replays the recorded example of each of them
 * (known-differences.suite.ts), so an entry that excuses nothing any more fails, however rare its difference is.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type FoundDifference, type HistoryReport, runHistory } from './history.ts';
import type { KnownDifference } from './known-difference.ts';
import { runKnownDifferencesSuite } from './known-differences.suite.ts';
import { KNOWN } from './known-differences.ts';
import { type Outcome, openEmbeddedTarget, openIgniteTarget, type Target } from './targets.ts';

const STATEMENTS = Number(process.env.SVC_DIFFERENTIAL_STATEMENTS ?? 2_000);
const FIRST_SEED = Number(process.env.SVC_DIFFERENTIAL_FIRST_SEED ?? 1);
const SEED = process.env.SVC_SEED;
/** Large in the long form, because a node takes longer to create a table than to answer a query. */
const STATEMENTS_PER_HISTORY = STATEMENTS < 10_000 && SEED === undefined ? 200 : 1_000;
const IGNITE_URL = process.env.SVC_TEST_REFERENCE_URL;
/** Concurrent histories, so that a node works while svc does. */
const CONCURRENT_HISTORIES = 4;
const HISTORIES_BETWEEN_SUMS = 100;
const HISTORY_LIMIT_MS = 600_000;
/** Occurrences allowed in addition, since short runs vary. */
const FREE = 3;

let ours: Target;
let ignite: Target | undefined;
const met = new Map<KnownDifference, number>();
let statements = 0;
let evaluated = 0;
let rejected = 0;
let differing = 0;
let unexplained = 0;

beforeAll(async () => {
  ours = await openEmbeddedTarget();
  if (IGNITE_URL === undefined) return;
  ignite = await openIgniteTarget(IGNITE_URL);
  if (ignite === undefined) throw new Error(`no Ignite node at ${IGNITE_URL}`);
});

afterAll(async () => {
  await ours.close();
  await ignite?.close();
});

const histories = Math.ceil(STATEMENTS / STATEMENTS_PER_HISTORY);
const seeds = SEED === undefined ? Array.from({ length: histories }, (_, at) => FIRST_SEED + at) : [Number(SEED)];

const started: Array<Promise<PromiseSettledResult<HistoryReport>>> = [];

/** Returns the report of a history, while the next ones run. */
async function reportOf(at: number): Promise<HistoryReport> {
  for (const seed of seeds.slice(started.length, at + CONCURRENT_HISTORIES)) {
    const running = runHistory(seed, STATEMENTS_PER_HISTORY, ours, ignite);
    started.push(Promise.allSettled([running]).then(([settled]) => settled));
  }
  const settled = await started[at];
  if (settled?.status === 'fulfilled') return settled.value;
  throw settled?.reason;
}

function countsOfKnown(): Array<{ readonly known: KnownDifference; readonly count: number }> {
  const counts = KNOWN.map((known) => ({ known, count: met.get(known) ?? 0 }));
  return counts.toSorted((left, right) => right.count - left.count);
}

function printSums(): void {
  if (ignite === undefined) return;
  const sum = `${differing} of ${statements} statements differ, ${unexplained} of them without an explanation`;
  process.stdout.write(`${sum}; svc rejects ${rejected}\n`);
  for (const { known, count } of countsOfKnown()) process.stdout.write(`${count} of ${statements}: ${known.reason}\n`);
}

describe('random statements', () => {
  test.each(seeds.map((seed, at) => [seed, at] as const))(
    'return the same results everywhere, with seed %d',
    async (_, at) => {
      const report = await reportOf(at);
      statements += report.statements;
      rejected += report.rejected;
      differing += report.explained.length + report.differences.length;
      unexplained += report.differences.length;
      for (const { known } of report.explained) for (const one of known) met.set(one, (met.get(one) ?? 0) + 1);
      // A long run shows what it has found so far.
      if (at % HISTORIES_BETWEEN_SUMS === HISTORIES_BETWEEN_SUMS - 1) printSums();
      expect(report.differences.map(describeDifference).join('\n\n')).toBe('');
      evaluated += report.evaluated;
      expect(report.rejected).toBeGreaterThan(0);
    },
    HISTORY_LIMIT_MS,
  );

  test('show known differences only as often as expected', () => {
    expect(evaluated).toBeGreaterThan(statements / 12);
    const counts = countsOfKnown();
    printSums();
    const tooMany = counts.filter(({ known, count }) => count > FREE + (known.maxPerThousand * statements) / 1_000);
    expect(tooMany.map(({ known, count }) => `${count} of ${statements}: ${known.reason}`)).toEqual([]);
  });

  test('detect a wrong engine', async () => {
    const report: HistoryReport = await runHistory(1, 100, forgetful(ours), undefined);
    expect(report.differences).not.toBeEmpty();
  });
});

runKnownDifferencesSuite(() => ({ svc: ours, ignite }));

function describeDifference({ seed, number, sql, what, answers }: FoundDifference): string {
  const lines = Object.entries(answers).map(([name, text]) => `  ${name}: ${text}`);
  return `${what}, statement ${number} (SVC_SEED=${seed})\n  ${sql}\n${lines.join('\n')}`;
}

/** Returns a target that drops the last row of long results. */
function forgetful(target: Target): Target {
  return {
    ...target,
    async run(statement): Promise<Outcome> {
      const outcome = await target.run(statement);
      return outcome.kind === 'rows' && outcome.rows.length > 3
        ? { ...outcome, rows: outcome.rows.slice(0, -1) }
        : outcome;
    },
  };
}
