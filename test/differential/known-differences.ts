/** The accepted differences from Apache Ignite, each with its reason. docs/sql.md describes them for users. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Difference } from './difference.ts';
import {
  answerOf,
  areLongsOneApart,
  forgetsDescending,
  hasFewerRows,
  hasNullsInstead,
  hasTextForNumber,
  hasTextInNumber,
  isCount,
  isOfOnePartition,
  isOverflowOfConstant,
  isOverflowOfNarrow,
  isScaleFailure,
  losesPosition,
  losesTypeOfConstant,
  namesLiteral,
  nearlySame,
  sameDistinctRows,
  sameNumbers,
  sortedRows,
  withoutEpoch,
  withoutMidnights,
  withoutNumbers,
  withoutQuotes,
  withoutSeconds,
  withoutTruths,
  withoutUuids,
  withSameMidnights,
} from './said.ts';

export interface KnownDifference {
  readonly reason: string;
  /** The most occurrences in 1,000 statements. */
  readonly mostPerThousand: number;
  /** Returns whether both answers show the deviation that the reason describes. */
  holds(difference: Difference): boolean;
}

/** A difference that occurred, with the reason that explains it. */
export interface RecordedDifference extends Pick<Difference, 'what' | 'sql' | 'said'> {
  readonly reason: string;
}

/** The recorded differences: for each reason the shortest statement. */
export const EXAMPLES: readonly RecordedDifference[] = readFileSync(
  join(import.meta.dir, 'known-differences.jsonl'),
  'utf8',
)
  .trim()
  .split('\n')
  .map((line): RecordedDifference => JSON.parse(line));

/** A part of a statement, and the internal error that Ignite raises for it. */
const INTERNAL_ERRORS: ReadonlyArray<readonly [sql: RegExp, text: RegExp]> = [
  [/^WITH /, /NullPointerException: Cannot invoke ""org\.h2\.engine\.Database\.getAllRights/],
  [/\b(COUNT|SUM|AVG|MIN|MAX)\(DISTINCT /, /IgniteCheckedException: Index 0 out of bounds for length 0/],
  [/ (ANY|ALL) \(SELECT | JOIN |\(SELECT |\b(SUM|COUNT|AVG|MIN|MAX)\(/, /^Unsupported query: /],
  [/ LIKE .* ESCAPE /, /^Unsupported query: .* ESCAPE /s],
  [/ JOIN /, /Column "T\d+__Z\d+\.\w+" not found/],
  [/, SELECT /, /^Column "X__Z\d+\.SELECT\b/],
];

/** Internal errors of Ignite's two-step planner. */
const INTERNAL_ERROR =
  /IgniteCheckedException: (?!Index 0 out)|NullPointerException(?!: Cannot invoke ""org\.h2\.engine\.Database\.getAllRights)|ClassCastException|AssertionError|IndexOutOfBounds|Unsupported expression|Cannot invoke "(?!"org\.h2\.engine\.Database)|errMsg=null|for parameter "DATEADD count"|Argument cannot be null|"NULL \+ TIME"/;

export const KNOWN: readonly KnownDifference[] = [
  {
    reason: 'Ignite fails with an internal error for WITH, distinct aggregates and some subqueries.',
    mostPerThousand: 200,
    holds: ({ what, sql, said: { reference = '' } }) =>
      (what === 'only Ignite rejects' || what === 'error text') &&
      INTERNAL_ERRORS.some(([part, text]) => part.test(sql) && text.test(reference)),
  },
  {
    reason: 'Ignite declares a column of an aggregate with a scale larger than its precision, and fails.',
    mostPerThousand: 5,
    holds: ({ what, said }) => what === 'only Ignite rejects' && isScaleFailure(said.reference),
  },
  {
    reason: 'Ignite rejects a valid ORDER BY position in a query that groups by a subquery.',
    mostPerThousand: 2,
    holds: ({ what, sql, said }) =>
      (what === 'only Ignite rejects' || (what === 'error text' && /^(Data conv|Cannot parse)/.test(said.svc ?? ''))) &&
      / GROUP BY \(SELECT /.test(sql) &&
      losesPosition(sql, said.reference),
  },
  {
    reason: 'Ignite fails with an internal exception.',
    mostPerThousand: 4,
    holds: ({ what, said }) =>
      (what === 'only Ignite rejects' || what === 'error text') && INTERNAL_ERROR.test(said.reference ?? ''),
  },
  {
    reason: 'svc rejects a constant that overflows its type even when no row needs it.',
    mostPerThousand: 2,
    holds: ({ what, sql, said }) =>
      what === 'evaluator' && said.evaluator === '0 rows' && isOverflowOfConstant(sql, said.svc),
  },
  {
    reason: 'svc compares numbers beyond the type of a column; Ignite rejects some of them.',
    mostPerThousand: 8,
    holds: ({ what, said }) =>
      what === 'only Ignite rejects' &&
      /(out of range: |error converting )"-?\d+(\.\d+)?(E\d+)?"/.test(said.reference ?? ''),
  },
  {
    reason: 'svc rejects a result that overflows its type; Ignite returns numbers beyond the type.',
    mostPerThousand: 6,
    // Ignite's nodes read a constant of TINYINT or SMALLINT as an INTEGER, which does not overflow.
    holds: ({ what, sql, said }) => what === 'only svc rejects' && isOverflowOfNarrow(sql, said.svc),
  },
  {
    reason: 'svc rejects an ungrouped column; Ignite accepts it while all rows have the same value.',
    mostPerThousand: 1,
    holds: ({ what, said }) =>
      what === 'only svc rejects' &&
      /must be in the GROUP BY list/.test(said.svc ?? '') &&
      answerOf(said.reference).rows.length <= 1,
  },
  {
    reason: 'svc rejects nested aggregates; Ignite returns NULL.',
    mostPerThousand: 4,
    holds: ({ what, sql, said }) =>
      what === 'only svc rejects' && sql.includes('SUM(SUM(') && /^\w+: \[null\]$/.test(said.reference ?? ''),
  },
  {
    reason: 'The class of a UUID column is java.util.UUID; Ignite reports [B.',
    mostPerThousand: 160,
    holds: ({ what, said }) => what === 'types' && withoutUuids(said.svc) === withoutUuids(said.reference),
  },
  {
    reason: 'NULLIF of constants is typed in one engine and untyped in the other.',
    mostPerThousand: 1,
    holds: ({ what, sql }) => what === 'types' && sql.includes('NULLIF'),
  },
  {
    reason: 'Transcendental functions may differ in the last digit of a double.',
    mostPerThousand: 1,
    holds: ({ what, sql, said }) =>
      what === 'rows' && /LOG10|LN|EXP|POWER|SIN|COS|ATAN2/.test(sql) && nearlySame(said.svc, said.reference, 1e-15),
  },
  {
    reason: 'Whether Ignite rounds or truncates an average of BIGINTs depends on its plan; svc goes by their type.',
    mostPerThousand: 1,
    holds: ({ what, sql, said }) =>
      what === 'rows' && sql.includes('AVG(') && areLongsOneApart(said.svc, said.reference),
  },
  {
    reason: 'svc rounds sums and averages of doubles once and computes those of decimals exactly; Ignite uses doubles.',
    mostPerThousand: 1,
    holds: ({ what, sql, said }) =>
      what === 'rows' && /\b(SUM|AVG)\(/.test(sql) && nearlySame(said.svc, said.reference, 1e-13),
  },
  {
    reason: 'svc never mixes decimals and doubles; Ignite computes some results as the other type.',
    mostPerThousand: 6,
    holds: ({ what, sql, said }) =>
      what === 'rows' &&
      (sameNumbers(said.svc, said.reference, sql.includes('AS REAL') ? 1e-6 : 2 ** -50, 1e-15) ||
        (/ UNION |DISTINCT/.test(sql) && sameDistinctRows(said.svc, said.reference))),
  },
  {
    reason: 'svc converts a DOUBLE constant to text from the double; Ignite from a decimal.',
    mostPerThousand: 1,
    holds: ({ what, sql, said }) =>
      what === 'rows' &&
      /CAST\(\(?CAST\([\d.]+ AS DOUBLE\).* AS VARCHAR\)/.test(sql) &&
      sameNumbers(withoutQuotes(said.svc), withoutQuotes(said.reference), 0),
  },
  {
    reason: 'svc rejects an ORDER BY position beyond the result; Ignite counts hidden GROUP BY columns.',
    mostPerThousand: 1,
    holds: ({ what, sql, said }) =>
      what === 'only svc rejects' &&
      / GROUP BY .* ORDER BY /.test(sql) &&
      /^Order by expression "\d+" must be/.test(said.svc ?? ''),
  },
  {
    reason: 'MIN ignores NULL; Ignite returns the first entry of an index, which may be NULL.',
    mostPerThousand: 1,
    holds: ({ what, sql, said }) =>
      what === 'rows' && /\bMIN\(t\d+\.C1\)/.test(sql) && hasNullsInstead(said.reference, said.svc),
  },
  {
    reason: 'svc does not evaluate what no row needs; Ignite does and fails.',
    mostPerThousand: 1,
    holds: ({ what, said }) =>
      what === 'only Ignite rejects' && /Data conversion error|Cannot parse|by zero/.test(said.reference ?? ''),
  },
  {
    reason: 'Ignite ignores DESC of a sort key behind a constant one.',
    mostPerThousand: 1,
    holds: ({ what, sql, said }) => what === 'rows' && forgetsDescending(sql, said.svc, said.reference),
  },
  {
    reason: 'svc keeps all digits of decimal aggregates; Ignite rounds to the scale of the operands.',
    mostPerThousand: 1,
    holds: ({ what, sql, said }) =>
      what === 'rows' &&
      /\b(SUM|AVG|MIN|MAX)\(/.test(sql) &&
      // A constant such as 1.5, which was a DOUBLE, is a decimal of one digit.
      sameNumbers(said.svc, said.reference, 0, sql.includes('AS DOUBLE)') ? 0.06 : 0.006),
  },
  {
    reason: 'Ignite applies a key condition on one table to the partitions of all joined tables.',
    mostPerThousand: 3,
    holds: ({ what, sql, said }) =>
      what === 'rows' &&
      / JOIN |\(SELECT /.test(sql) &&
      /\.ID (=|IN|NOT IN|<>|BETWEEN) |(=|<>|BETWEEN|IN) \(?t\d+\.ID/.test(sql) &&
      (hasFewerRows(sql, said.reference, said.svc) || isOfOnePartition(sql, said.reference, said.svc)),
  },
  {
    reason: 'svc rejects an invalid constant at once; Ignite at the first row.',
    mostPerThousand: 1,
    holds: ({ what, sql, said }) =>
      what === 'only svc rejects' &&
      /^(Data conversion|Cannot parse)/.test(said.svc ?? '') &&
      namesLiteral(sql, said.svc) &&
      answerOf(said.reference).rows.every((row) => row.includes(null)),
  },
  {
    reason: 'DATEADD of a date is a date; Ignite declares, and sometimes returns, a timestamp.',
    mostPerThousand: 3,
    holds: ({ sql, said }) =>
      /DATEADD|TRUNC\(|TIMESTAMPADD| [+-] [\d.]+\)/.test(sql) &&
      sameNumbers(withoutMidnights(said.svc), withoutMidnights(said.reference), 0, 0.006),
  },
  {
    reason: 'svc groups by an expression with a parameter; Ignite treats every ? as a different one.',
    mostPerThousand: 3,
    holds: ({ what, sql, said }) =>
      what === 'only Ignite rejects' &&
      /GROUP BY .*<[^>]*>/.test(sql) &&
      /must be in the GROUP BY list/.test(said.reference ?? ''),
  },
  {
    reason: 'Decimals of different scales are equal; Ignite distinguishes them in subqueries and EXCEPT.',
    mostPerThousand: 1,
    holds: ({ what, sql, said }) =>
      what === 'rows' &&
      /(\bIN|\bANY|EXCEPT|INTERSECT) \(?SELECT /.test(sql) &&
      /\d\.\d|DECIMAL|ROUND\(/.test(sql) &&
      (hasFewerRows(sql, said.svc, said.reference) ||
        hasFewerRows(sql, said.reference, said.svc) ||
        withoutTruths(said.svc) === withoutTruths(said.reference)),
  },
  {
    reason: 'Whether a join converts an invalid value depends on the plan.',
    mostPerThousand: 1,
    holds: ({ what, sql, said }) =>
      what === 'only svc rejects' && / JOIN /.test(sql) && /^(Data conversion|Cannot parse)/.test(said.svc ?? ''),
  },
  {
    reason: 'UNION converts values to the type of the column; Ignite returns some unconverted.',
    mostPerThousand: 1,
    holds: ({ what, sql, said }) =>
      / UNION /.test(sql) &&
      ((what === 'rows' &&
        (withSameMidnights(said.svc, said.reference) ||
          sortedRows(withoutEpoch(said.svc)) === sortedRows(withoutEpoch(said.reference)))) ||
        (what === 'only svc rejects' && /^Data conversion/.test(said.svc ?? '') && hasTextInNumber(said.reference))),
  },
  {
    reason: 'Rounding an integer returns an integer; Ignite prints it as a double.',
    mostPerThousand: 1,
    holds: ({ what, sql, said }) =>
      what === 'rows' &&
      /CAST\((ROUND|FLOOR|TRUNC)\(/.test(sql) &&
      said.svc === (said.reference ?? '').replaceAll(/(?<="-?\d+)\.0(?=")/g, ''),
  },
  {
    reason: 'CONCAT returns a string; Ignite returns a single argument unconverted.',
    mostPerThousand: 1,
    holds: ({ what, sql, said }) =>
      what === 'rows' &&
      /\bCONCAT(_WS)?\(/.test(sql) &&
      (sortedRows(withoutUuids(said.svc).replaceAll('"', '')) ===
        sortedRows(withoutUuids(said.reference).replaceAll('"', '')) ||
        hasTextForNumber(sql, said.svc, said.reference)),
  },
  {
    reason: 'FETCH FIRST ROWS ONLY returns one row; Ignite parses ROWS as a column.',
    mostPerThousand: 1,
    holds: ({ what, sql, said }) =>
      what === 'only Ignite rejects' &&
      /FETCH (FIRST|NEXT) ROWS ONLY/.test(sql) &&
      /^Column "ROWS" not found/.test(said.reference ?? ''),
  },
  {
    reason: 'svc converts a value that is compared with the key; Ignite looks it up unconverted.',
    mostPerThousand: 1,
    holds: ({ what, sql, said }) =>
      what === 'rows' &&
      (/^(DELETE|UPDATE) .*AS (DOUBLE|BIGINT)\) (=|<>) ID\)/.test(sql) || /^DELETE FROM \w+ WHERE \(ID = /.test(sql)) &&
      said.reference === 'Long: [0]' &&
      isCount(said.svc),
  },
  {
    reason: 'LIMIT 0 and OFFSET beyond the end return no row; Ignite returns one for some grouped queries.',
    mostPerThousand: 1,
    holds: ({ what, sql, said }) =>
      what === 'rows' &&
      /(LIMIT 0|FETCH FIRST 0 ROWS ONLY| GROUP BY \(SELECT .* OFFSET [1-9])/.test(sql) &&
      answerOf(said.svc).rows.length === 0 &&
      answerOf(said.reference).rows.length === 1,
  },
  {
    reason: 'NULLIF returns a value of its type; Ignite returns the first argument unconverted.',
    mostPerThousand: 1,
    holds: ({ what, sql, said }) =>
      what === 'rows' &&
      sql.includes('NULLIF(') &&
      (withSameMidnights(said.svc, said.reference) ||
        sortedRows(withoutEpoch(said.svc)) === sortedRows(withoutEpoch(said.reference))),
  },
  {
    reason: 'Ignite ignores the precision of a CAST to TIME or TIMESTAMP, except for constants.',
    mostPerThousand: 1,
    holds: ({ what, sql, said }) =>
      what === 'rows' &&
      /AS TIME(STAMP)?\(\d\)/.test(sql) &&
      sortedRows(withoutSeconds(said.svc)) === sortedRows(withoutSeconds(said.reference)),
  },
  {
    reason: 'svc evaluates only cheap calls before a statement runs; Ignite all, which shows in types.',
    mostPerThousand: 1,
    holds: ({ what, sql, said }) => what === 'types' && losesTypeOfConstant(sql, said.svc, said.reference),
  },
  {
    reason: 'JOIN without ON is a cross join; Ignite applies the next ON to it.',
    mostPerThousand: 1,
    holds: ({ what, sql, said }) =>
      what === 'only Ignite rejects' &&
      / JOIN \w+ t\d+ (LEFT|RIGHT|INNER|JOIN)/.test(sql) &&
      /^(Column "T\d+\.\w+" not found|Syntax error in SQL statement )/.test(said.reference ?? ''),
  },
  {
    reason: 'DELETE removes rows that an earlier difference has left.',
    mostPerThousand: 1,
    holds: ({ what, sql, said }) =>
      what === 'rows' && /^DELETE FROM \w+$/.test(sql) && isCount(said.svc) && isCount(said.reference),
  },
  {
    reason: 'svc rounds a DOUBLE constant as a double; Ignite nodes as a decimal.',
    mostPerThousand: 1,
    holds: ({ what, sql, said }) =>
      what === 'rows' &&
      sql.includes('AS DOUBLE)') &&
      sql.includes('MOD(') &&
      withoutNumbers(said.svc) === withoutNumbers(said.reference),
  },
  {
    reason: 'ALTER TABLE reports an unknown column without the statement.',
    mostPerThousand: 5,
    holds: ({ what, sql, said }) =>
      what === 'error text' &&
      /^ALTER TABLE \w+ DROP COLUMN NO_SUCH_COLUMN$/.test(sql) &&
      said.svc === 'Column "NO_SUCH_COLUMN" not found' &&
      /"NO_SUCH_COLUMN"/.test(said.reference ?? ''),
  },
];

/** Returns the reason that explains a difference; undefined when none does. */
export function knownDifference(difference: Difference): KnownDifference | undefined {
  return KNOWN.find((known) => known.holds(difference));
}
