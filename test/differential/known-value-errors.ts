/** Accepted differences of statements that one engine rejects because of a value. */
import { answerOf, isOverflowOfConstant, isScaleFailure, namesArgument } from './answers.ts';
import { differenceBetween } from './difference.ts';
import { withoutLimit } from './equivalents.ts';
import { withoutInvalidValues } from './invalid-values.ts';
import type { KnownDifference } from './known-difference.ts';

export const KNOWN_VALUE_ERRORS: readonly KnownDifference[] = [
  {
    reason: 'Ignite declares a column of an aggregate with a scale larger than its precision, and fails.',
    maxPerThousand: 5,
    holds: ({ what, answers }) => what === 'only Ignite rejects' && isScaleFailure(answers.ignite),
  },
  {
    reason: 'svc compares numbers beyond the type of a column; Ignite rejects some of them.',
    maxPerThousand: 8,
    holds: ({ what, answers }) =>
      what === 'only Ignite rejects' &&
      /(out of range: |error converting )"{1,2}-?\d+(\.\d+)?(E\d+)?"/.test(answers.ignite ?? ''),
  },
  {
    reason: 'svc and Ignite reject a constant that overflows its type; the evaluator does when a row needs it.',
    maxPerThousand: 2,
    holds: ({ what, sql, answers }) =>
      what === 'evaluator' && /^\d+ rows$/.test(answers.evaluator ?? '') && isOverflowOfConstant(sql, answers.svc),
  },
  {
    reason: 'svc rejects an invalid argument at once; Ignite at the first row.',
    maxPerThousand: 1,
    holds: ({ what, sql, answers }) =>
      what === 'only svc rejects' &&
      /^(Data conversion|Cannot parse)/.test(answers.svc ?? '') &&
      namesArgument(sql, answers.svc) &&
      answerOf(answers.ignite).rows.every((row) => row.includes(null)),
  },
  {
    reason: 'Whether an invalid value is converted that the result does not need depends on the plan.',
    maxPerThousand: 1,
    imitated: async ({ what, sql, outcomes }, ask) => {
      if (what !== 'only svc rejects' || outcomes === undefined) return undefined;
      const answers = await withoutInvalidValues(sql, ask);
      return answers.find((svc) => differenceBetween(sql, { ...outcomes, svc }) === undefined) ?? answers[0];
    },
  },
  {
    reason: 'Ignite ends at a limit before it computes a value that fails; svc sorts all rows.',
    maxPerThousand: 1,
    equivalents: (sql, what) => (what === 'only svc rejects' ? [withoutLimit(sql)] : []),
  },
  {
    reason: 'A sum of times beyond midnight begins at 00:00:00 again; Ignite rejects it.',
    maxPerThousand: 2,
    holds: ({ what, answers }) =>
      what === 'only Ignite rejects' &&
      /Cannot parse "TIME" constant "(2[4-9]|[34]\d):|timeNanos out of range (8[6-9]|9\d|1\d\d)\d{12}\b/.test(
        answers.ignite ?? '',
      ),
  },
  {
    reason: 'svc does not evaluate what no row needs; Ignite does and fails.',
    maxPerThousand: 1,
    holds: ({ what, answers }) =>
      what === 'only Ignite rejects' && /Data conversion error|Cannot parse|by zero/.test(answers.ignite ?? ''),
  },
];
