/** Accepted differences of types and rows. */
import {
  hasRealsForDoubles,
  hasRowsTwice,
  hasTextForNumber,
  hasTextInNumber,
  isCount,
  nearlySame,
  sortedRows,
  withDoublesOfRounding,
  withNarrowTypes,
  withoutEpoch,
  withoutNumbers,
  withoutQuotes,
  withoutSeconds,
  withoutTextMidnights,
  withSameMidnights,
  withSameTimestamps,
} from './answers.ts';
import { withErrorsOfDoubles, withTiesTowardsZero } from './averages.ts';
import { haveSameNumbers, outcomeText, rowsText } from './difference.ts';
import {
  withAddedNumbers,
  withCastConcatenations,
  withCastRoundings,
  withComparedSubqueries,
  withComputedKeys,
  withComputedMinimum,
  withDeferredCalls,
  withDeferredDoubles,
  withDeferredNumbers,
  withExists,
  withFewerKeys,
  withIntegerRoundings,
  withoutPrecision,
  withWideConstants,
} from './equivalents.ts';
import type { KnownDifference } from './known-difference.ts';

const UUID = 'java.util.UUID';

/** Returns the rows of an answer without seconds and types. */
function rowsOf(text = ''): string {
  return withoutSeconds(text).replace(/^[^:]*: /, '');
}

/** Statements in which a CAST to TIME or TIMESTAMP with a precision decides about rows or truth values. */
const PRECISION_DECIDES = [
  / (WHERE|ON) .* AS TIME(STAMP)?\(\d\)/,
  /\bNULLIF\(/,
  / (INTERSECT|EXCEPT) /,
  / AS TIME(STAMP)?\(\d\)\)+ ([<>=]|(NOT )?BETWEEN |(NOT )?IN )/,
  /[<>=] \(*CAST\([^()]* AS TIME(STAMP)?\(\d\)\)/,
] as const;

export const KNOWN_RESULTS: readonly KnownDifference[] = [
  {
    reason: 'The class of a UUID column is java.util.UUID; Ignite reports [B.',
    maxPerThousand: 160,
    predicted: ({ svc, ignite }) => {
      if (svc.kind === 'rejected' || ignite.kind === 'rejected') return svc;
      const types = svc.types.map((type, at) => (type === UUID && ignite.types[at] === '[B' ? '[B' : type));
      return types.join() === svc.types.join() ? svc : { ...svc, types };
    },
  },
  {
    reason: 'Rounding an exact number returns its type; Ignite returns a double, also if it declares that type.',
    maxPerThousand: 1,
    predicted: ({ svc, ignite }) => withDoublesOfRounding(svc, ignite),
    equivalents: withIntegerRoundings,
  },
  {
    reason: 'Ignite ignores DESC of a sort key behind a constant one.',
    maxPerThousand: 1,
    equivalents: withFewerKeys,
  },
  {
    reason: 'MIN ignores NULL; Ignite returns the first entry of an index, which may be NULL.',
    maxPerThousand: 1,
    equivalents: (sql) => [withComputedMinimum(sql)],
  },
  {
    reason:
      'IN with a query compares as = does; Ignite converts the value to the type of the query, unless it finds an index.',
    maxPerThousand: 10,
    equivalents: (sql) => [withExists(sql)],
  },
  {
    reason: 'Ignite adds the number of `date - number` in the upper bound of BETWEEN.',
    maxPerThousand: 1,
    equivalents: (sql) => [withAddedNumbers(sql)],
  },
  {
    reason: 'Decimals of different scales are equal; Ignite distinguishes them in subqueries.',
    maxPerThousand: 2,
    equivalents: (sql) => [withComparedSubqueries(sql)],
  },
  {
    reason: 'Rounding a REAL returns a REAL; Ignite returns a double.',
    maxPerThousand: 1,
    equivalents: (sql) => [withCastRoundings(sql)],
  },
  {
    reason: 'Ignite ignores the precision of a CAST to TIME or TIMESTAMP, except for constants.',
    maxPerThousand: 1,
    imitated: async ({ sql, outcomes, answers }, ask) => {
      const imprecise = withoutPrecision(sql);
      if (imprecise === sql || outcomes === undefined) return undefined;
      const imitated = await ask(imprecise);
      const text = outcomeText(imitated, outcomes.ordered);
      // Other rows are possible only if the CAST decides about rows or truth values.
      const decides = PRECISION_DECIDES.some((pattern) => pattern.test(sql));
      const isOfLength = /LENGTH\(.* AS TIME(STAMP)?\(\d\)/.test(sql);
      const isSame = rowsOf(text) === rowsOf(answers.svc);
      const isSameButLengths = isOfLength && withoutNumbers(rowsOf(text)) === withoutNumbers(rowsOf(answers.svc));
      return decides || isSame || isSameButLengths ? imitated : undefined;
    },
  },
  {
    reason: 'Ignite applies a key condition on one table to the partitions of all joined tables.',
    maxPerThousand: 3,
    equivalents: (sql) => [withComputedKeys(sql)],
  },
  {
    reason: 'svc evaluates only cheap calls before a statement runs; Ignite all, which shows in types.',
    maxPerThousand: 1,
    equivalents: (sql) => [withDeferredCalls(sql)],
  },
  {
    reason:
      'Ignite sends constants to its nodes as text: a double becomes a decimal, 10.0 an integer and a TINYINT an INT.',
    maxPerThousand: 16,
    equivalents: (sql) => [
      withDeferredNumbers(sql, false),
      withDeferredNumbers(sql, true),
      withDeferredDoubles(sql),
      withDeferredNumbers(withDeferredDoubles(sql), false),
    ],
    imitated: async ({ sql, outcomes }, ask) => {
      const wide = withWideConstants(sql);
      return wide === sql || outcomes === undefined ? undefined : withNarrowTypes(await ask(wide), outcomes.ignite);
    },
  },
  {
    reason: 'ORDER BY leaves the order of equal decimals open, and a limit selects other ones.',
    maxPerThousand: 1,
    holds: ({ what, sql, outcomes }) =>
      what === 'rows' &&
      outcomes?.svc.kind === 'rows' &&
      outcomes.ignite.kind === 'rows' &&
      (/ ORDER BY .* (LIMIT|OFFSET|FETCH) /.test(sql) ||
        (/ ORDER BY /.test(sql) && rowsText(outcomes.svc.rows, false) === rowsText(outcomes.ignite.rows, false))) &&
      haveSameNumbers(outcomes.svc.rows, outcomes.ignite.rows),
  },
  {
    reason: 'MIN and MAX of equal decimals of different scales return any of them.',
    maxPerThousand: 1,
    holds: ({ what, sql, outcomes }) =>
      what === 'rows' &&
      /\b(MIN|MAX)\(/.test(sql) &&
      outcomes?.svc.kind === 'rows' &&
      outcomes.ignite.kind === 'rows' &&
      haveSameNumbers(outcomes.svc.rows.toSorted(), outcomes.ignite.rows.toSorted()),
  },
  {
    reason: 'svc converts a value that is compared with the key; Ignite looks it up unconverted.',
    maxPerThousand: 1,
    holds: ({ what, sql, answers }) =>
      what === 'rows' &&
      /^(DELETE|UPDATE) .* WHERE .*(\bID (=|<>) | (=|<>) ID\b)/.test(sql) &&
      answers.ignite === 'Long: [0]' &&
      isCount(answers.svc),
  },
  {
    reason: 'svc rounds sums and averages of doubles once and computes those of decimals exactly; Ignite uses doubles.',
    maxPerThousand: 1,
    holds: ({ what, sql, answers }) =>
      what === 'rows' && /\b(SUM|AVG)\(/.test(sql) && nearlySame(answers.svc, answers.ignite, 1e-13),
    imitated: async ({ what, sql, outcomes }, ask) =>
      what === 'rows' && outcomes !== undefined
        ? withErrorsOfDoubles(sql, outcomes.svc, outcomes.ignite, ask)
        : undefined,
  },
  {
    reason: 'svc rounds an exact average of decimals up when it is between two; Ignite computes a double, maybe below.',
    maxPerThousand: 1,
    imitated: async ({ what, sql, outcomes }, ask) =>
      what === 'rows' && outcomes !== undefined
        ? withTiesTowardsZero(sql, outcomes.svc, outcomes.ignite, ask)
        : undefined,
  },
  {
    reason:
      'Powers of numbers and of e, logarithms to base e, sines, cosines and tangents may differ in the last digit of a double.',
    maxPerThousand: 1,
    holds: ({ what, sql, answers }) =>
      what === 'rows' &&
      /\b(LN|LOG|EXP|POWER|SIN|COS|TAN|COT)\(/.test(sql) &&
      nearlySame(withoutQuotes(answers.svc), withoutQuotes(answers.ignite), 1e-15),
  },
  {
    reason: 'DATEADD of a date is a date; Ignite declares, and sometimes returns, a timestamp.',
    maxPerThousand: 3,
    holds: ({ sql, answers }) =>
      /DATEADD|TRUNC\(|TIMESTAMPADD| [+-] [\d.]+\)/.test(sql) && withSameMidnights(answers.svc, answers.ignite),
  },
  {
    reason: 'Set operations convert values to the type of the column; Ignite returns some unconverted.',
    maxPerThousand: 1,
    holds: ({ what, sql, answers, outcomes }) =>
      (what === 'rows' && / (INTERSECT|EXCEPT) /.test(sql) && outcomes !== undefined && hasRowsTwice(outcomes)) ||
      (/ UNION /.test(sql) &&
        ((what === 'rows' &&
          (withSameMidnights(answers.svc, answers.ignite) ||
            withSameTimestamps(answers.svc, answers.ignite) ||
            (outcomes !== undefined && hasRealsForDoubles(outcomes)) ||
            sortedRows(withoutEpoch(answers.svc)) === sortedRows(withoutEpoch(answers.ignite)) ||
            (hasTextInNumber(answers.ignite) &&
              sortedRows(answers.svc) === sortedRows(withoutQuotes(answers.ignite))))) ||
          (what === 'only svc rejects' &&
            /^Data conversion/.test(answers.svc ?? '') &&
            hasTextInNumber(answers.ignite)))),
  },
  {
    reason: 'NULLIF returns a value of its type; Ignite returns the first argument unconverted.',
    maxPerThousand: 1,
    holds: ({ what, sql, answers, outcomes }) =>
      what === 'rows' &&
      sql.includes('NULLIF(') &&
      (withSameMidnights(answers.svc, answers.ignite) ||
        (outcomes !== undefined && hasRealsForDoubles(outcomes)) ||
        (sql.includes(' AS VARCHAR)') &&
          sortedRows(withoutTextMidnights(answers.svc)) === sortedRows(answers.ignite)) ||
        sortedRows(withoutEpoch(answers.svc)) === sortedRows(withoutEpoch(answers.ignite))),
  },
  {
    reason: 'CONCAT returns a string; Ignite returns a single argument unconverted.',
    maxPerThousand: 1,
    equivalents: (sql) => [withCastConcatenations(sql)],
    holds: ({ what, sql, answers }) =>
      what === 'rows' &&
      /\bCONCAT(_WS)?\(/.test(sql) &&
      (sortedRows((answers.svc ?? '').replaceAll('"', '')) === sortedRows((answers.ignite ?? '').replaceAll('"', '')) ||
        hasTextForNumber(sql, answers.svc, answers.ignite)),
  },
];
