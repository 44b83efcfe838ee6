/**
 * Replays the recorded example of every known difference in svc, and in Ignite if there is a node. A known difference
 * whose example no longer differs fails: it is obsolete.
 */
import { describe, expect, test } from 'bun:test';
import type { Difference } from './difference.ts';
import { type Engines, explain } from './explain.ts';
import { KNOWN } from './known-differences.ts';
import { differenceOf, type Example, readExamples, recordedIgnite, withTables } from './recorded-examples.ts';
import type { Outcome } from './targets.ts';

const REPLAY_LIMIT_MS = 60_000;
const REPLAYS = 20;
const NO_DIFFERENCE = 'no difference';

/** `engines` is called when the tests run. Its `ignite` is undefined if there is no node. */
export function runKnownDifferencesSuite(engines: () => Engines): void {
  const examples = readExamples();

  describe('known differences', () => {
    test('have one recorded example each', () => {
      expect(examples.map(({ reason }) => reason).toSorted()).toEqual(KNOWN.map(({ reason }) => reason).toSorted());
    });

    test.each(examples.map((example) => [example.reason, example] as const))(
      'still exist: %s',
      async (_, example) => {
        const { svc, ignite } = engines();
        const live = ignite === undefined ? [svc] : [svc, ignite];
        const replay = (): Promise<string> =>
          withTables(live, example, async ([ours, theirs = recordedIgnite(example)]) => {
            if (ours === undefined) throw new Error('a target expected');
            const outcome = await ours.run(example.sql);
            expect(outcome).toEqual(example.svc);
            const difference = differenceOf(example, outcome, await theirs.run(example.sql));
            return await reasonsOf(difference, { svc: ours, ignite: theirs });
          });
        let reasons = await replay();
        // Whether a node fails for WITH depends on the connection that it uses.
        for (let again = 1; again < REPLAYS && ignite !== undefined && reasons === NO_DIFFERENCE; again++)
          reasons = await replay();
        expect(reasons).toBe(example.reason);
      },
      REPLAY_LIMIT_MS,
    );

    test.each(examples.filter(isOfRows).map((example) => [example.reason, example] as const))(
      'do not excuse a wrong result: %s',
      async (_, example) => {
        const ignite = recordedIgnite(example);
        const theirs = await ignite.run(example.sql);
        await withTables([engines().svc], example, async ([svc]) => {
          if (svc === undefined) throw new Error('a target expected');
          for (const wrong of wrongOutcomes(example)) {
            const difference = differenceOf(example, wrong, theirs);
            // A recorded outcome of Ignite may be the wrong one.
            if (difference === undefined) continue;
            expect([wrong, await reasonsOf(difference, { svc, ignite })]).toEqual([wrong, 'unexplained']);
          }
        });
      },
    );
  });
}

async function reasonsOf(difference: Difference | undefined, engines: Engines): Promise<string> {
  if (difference === undefined) return NO_DIFFERENCE;
  const known = await explain(difference, engines);
  return known?.map(({ reason }) => reason).join(' + ') ?? 'unexplained';
}

/** Returns whether both engines return rows. An error of Ignite says nothing about the rows of svc. */
function isOfRows({ svc, ignite, sql, evaluator }: Example): boolean {
  return evaluator === undefined && svc.kind === 'rows' && ignite[sql]?.kind === 'rows';
}

/** Returns the outcome of svc without its rows, without the last one, with one more, and with another value. */
function wrongOutcomes({ svc }: Example): Outcome[] {
  if (svc.kind === 'rejected') return [];
  const { rows } = svc;
  const last = rows.at(-1) ?? svc.types.map(() => 'null');
  const changed = last.map((value) => (value === '"424242"' ? 'null' : '"424242"'));
  const variants = [[], rows.slice(0, -1), [...rows, changed], [...rows.slice(0, -1), changed]];
  return variants
    .filter((variant) => variant.length > 0 || rows.length > 0)
    .map((variant) => ({ ...svc, rows: variant }));
}
