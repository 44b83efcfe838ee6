/**
 * Random statements run by the embedded engine, by a plain evaluator over arrays, and, where SVC_TEST_REFERENCE_URL
 * names one, by a reference node: the same rows, types and refusals. A difference prints its seed; SVC_SEED=n runs
 * that history again. SVC_DIFFERENTIAL_STATEMENTS=20000 is the long form; SVC_DIFFERENTIAL_FIRST_SEED=n begins there.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Difference, type HistoryReport, runHistory } from './history.ts';
import { type Outcome, openEmbeddedTarget, openReferenceTarget, type Target } from './targets.ts';

const STATEMENTS = Number(process.env.SVC_DIFFERENTIAL_STATEMENTS ?? 2_000);
const STATEMENTS_PER_HISTORY = 200;
const FIRST_SEED = Number(process.env.SVC_DIFFERENTIAL_FIRST_SEED ?? 1);
const SEED = process.env.SVC_SEED;
const REFERENCE_URL = process.env.SVC_TEST_REFERENCE_URL;
const HISTORY_LIMIT_MS = 120_000;

let ours: Target;
let reference: Target | undefined;

beforeAll(async () => {
  ours = await openEmbeddedTarget();
  reference = REFERENCE_URL === undefined ? undefined : await openReferenceTarget(REFERENCE_URL);
});

afterAll(async () => {
  await ours.close();
  await reference?.close();
});

const histories = Math.ceil(STATEMENTS / STATEMENTS_PER_HISTORY);
const seeds = SEED === undefined ? Array.from({ length: histories }, (_, at) => FIRST_SEED + at) : [Number(SEED)];

describe('random statements', () => {
  test.each(seeds)(
    'give the same everywhere, with seed %d',
    async (seed) => {
      const report = await runHistory(seed, STATEMENTS_PER_HISTORY, ours, reference);
      expect(report.differences.map(describeDifference).join('\n\n')).toBe('');
      expect(report.evaluated).toBeGreaterThan(STATEMENTS_PER_HISTORY / 10);
      expect(report.refused).toBeGreaterThan(0);
    },
    HISTORY_LIMIT_MS,
  );

  test('show an engine that is wrong', async () => {
    const report: HistoryReport = await runHistory(1, 100, forgetful(ours), undefined);
    expect(report.differences).not.toBeEmpty();
  });
});

function describeDifference({ seed, number, sql, what, said }: Difference): string {
  const lines = Object.entries(said).map(([name, text]) => `  ${name}: ${text}`);
  return `${what}, statement ${number} (SVC_SEED=${seed})\n  ${sql}\n${lines.join('\n')}`;
}

/** Loses the last row of long answers. */
function forgetful(target: Target): Target {
  return {
    ...target,
    async run(sql, args): Promise<Outcome> {
      const outcome = await target.run(sql, args);
      return outcome.kind === 'rows' && outcome.rows.length > 3
        ? { ...outcome, rows: outcome.rows.slice(0, -1) }
        : outcome;
    },
  };
}
