/** Finds the known differences that explain a difference. */
import { type Difference, differenceBetween, type Outcomes } from './difference.ts';
import type { KnownDifference } from './known-difference.ts';
import { KNOWN } from './known-differences.ts';
import type { Target } from './targets.ts';

/** The engines that a known difference may query. Ignite is undefined if svc differs from the evaluator. */
export interface Engines {
  readonly svc: Target;
  readonly ignite: Target | undefined;
}

/** The most known differences that explain one difference, not counting those that are predicted from svc's outcome. */
const MAX_COMBINED = 3;

/**
 * Returns known differences that together explain the difference, or undefined if none do. A known difference either
 * holds between the answers, or predicts an outcome: what remains different then needs another explanation.
 */
export async function explain(
  difference: Difference,
  engines: Engines,
  most = MAX_COMBINED,
): Promise<readonly KnownDifference[] | undefined> {
  const { applied, remaining } = withPredictions(difference);
  if (remaining === undefined) return applied;
  if (most === 0) return undefined;
  const partial: Array<readonly [KnownDifference, Difference]> = [];
  for (const known of KNOWN) {
    if (known.holds?.(remaining) === true) return [...applied, known];
    for await (const [sql, outcomes] of furtherOutcomes(known, remaining, engines)) {
      const further = differenceBetween(sql, outcomes);
      if (further === undefined) return [...applied, known];
      partial.push([known, further]);
    }
  }
  for (const [known, further] of partial) {
    const others = await explain(further, engines, most - 1);
    if (others !== undefined) return [...applied, known, ...others];
  }
  return undefined;
}

/** Applies the deviations that are computed from svc's outcome. Returns what remains different, if anything does. */
function withPredictions(difference: Difference): {
  readonly applied: readonly KnownDifference[];
  readonly remaining: Difference | undefined;
} {
  const applied: KnownDifference[] = [];
  let remaining = difference;
  for (const known of KNOWN) {
    if (known.predicted === undefined || remaining.outcomes === undefined) continue;
    const svc = known.predicted(remaining.outcomes);
    if (svc === remaining.outcomes.svc) continue;
    applied.push(known);
    const further = differenceBetween(remaining.sql, { ...remaining.outcomes, svc });
    if (further === undefined) return { applied, remaining: undefined };
    remaining = further;
  }
  return { applied, remaining };
}

/** Runs the statements of the known difference on the engines, and yields them with the outcomes that must be equal. */
async function* furtherOutcomes(
  known: KnownDifference,
  { sql, what, outcomes, answers }: Difference,
  { svc, ignite }: Engines,
): AsyncGenerator<readonly [sql: string, outcomes: Outcomes]> {
  // Only a query can be repeated.
  if (outcomes === undefined || ignite === undefined || !/^(\(|SELECT|WITH)/.test(sql)) return;
  for (const equivalent of known.equivalents?.(sql, what) ?? []) {
    if (equivalent !== sql) yield [equivalent, { ...outcomes, ignite: await ignite.run(equivalent) }];
  }
  const imitated = await known.imitated?.({ sql, what, outcomes, answers }, (statement) => svc.run(statement));
  if (imitated !== undefined) yield [sql, { ...outcomes, svc: imitated }];
}
