/** Differences that stay, each with its reason; docs of the dialect have the same list. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Difference } from './difference.ts';
import {
  answerOf,
  forgetsDescending,
  hasFewerRows,
  hasNullsInstead,
  isBeyondEveryByte,
  isCount,
  isScaleFailure,
  losesOverflow,
  losesPosition,
  sameNumbers,
  sortedRows,
  withoutMidnights,
  withoutNumbers,
  withoutQuotes,
  withoutUuids,
} from './said.ts';

export interface KnownDifference {
  readonly reason: string;
  /** Met at most so often in 1,000 statements. */
  readonly mostPerThousand: number;
  /** Whether what both said is the deviation that the reason expects. */
  holds(difference: Difference): boolean;
}

/** A difference as it was met, with the reason that excuses it. */
export interface RecordedDifference extends Pick<Difference, 'what' | 'sql' | 'said'> {
  readonly reason: string;
}

/** Recorded differences, the shortest that was met for a reason. */
export const EXAMPLES: readonly RecordedDifference[] = readFileSync(
  join(import.meta.dir, 'known-differences.jsonl'),
  'utf8',
)
  .trim()
  .split('\n')
  .map((line): RecordedDifference => JSON.parse(line));

/** A part of the statement and the text of the failure that Apache Ignite has for it. */
const OWN_FAILURES: ReadonlyArray<readonly [sql: RegExp, text: RegExp]> = [
  [/^WITH /, /NullPointerException: Cannot invoke ""org\.h2\.engine\.Database\.getAllRights/],
  [/\b(COUNT|SUM|AVG|MIN|MAX)\(DISTINCT /, /IgniteCheckedException: Index 0 out of bounds for length 0/],
  [/ (ANY|ALL) \(SELECT | JOIN |\(SELECT |\b(SUM|COUNT|AVG|MIN|MAX)\(/, /^Unsupported query: /],
  [/ LIKE .* ESCAPE /, /^Unsupported query: .* ESCAPE /s],
  [/ JOIN /, /Column "T\d+__Z\d+\.\w+" not found/],
];

/** Texts of Apache Ignite when it fails by itself: its two-step planner meets a query that it does not expect. */
const OWN_FAILURE =
  /IgniteCheckedException: (?!Index 0 out)|NullPointerException(?!: Cannot invoke ""org\.h2\.engine\.Database\.getAllRights)|ClassCastException|AssertionError|IndexOutOfBounds|Unsupported expression|Cannot invoke "(?!"org\.h2\.engine\.Database)|errMsg=null|for parameter "DATEADD count"|Argument cannot be null|"NULL \+ TIME"/;

export const KNOWN: readonly KnownDifference[] = [
  {
    reason: 'Apache Ignite fails by itself at WITH, at aggregates of distinct values and at some sub-queries.',
    mostPerThousand: 200,
    holds: ({ what, sql, said: { reference = '' } }) =>
      (what === 'only Ignite refuses' || what === 'text of refusal') &&
      OWN_FAILURES.some(([part, text]) => part.test(sql) && text.test(reference)),
  },
  {
    reason: 'Apache Ignite declares a column of an aggregate with a scale larger than its precision.',
    mostPerThousand: 5,
    holds: ({ what, said }) => what === 'only Ignite refuses' && isScaleFailure(said.reference),
  },
  {
    reason: 'A position of the result list is found; Apache Ignite loses it where a sub-query is grouped by.',
    mostPerThousand: 2,
    holds: ({ what, sql, said }) =>
      what === 'only Ignite refuses' && / GROUP BY \(SELECT /.test(sql) && losesPosition(said.svc, said.reference),
  },
  {
    reason: 'Apache Ignite fails by itself with an exception of its own.',
    mostPerThousand: 4,
    holds: ({ what, said }) =>
      (what === 'only Ignite refuses' || what === 'text of refusal') && OWN_FAILURE.test(said.reference ?? ''),
  },
  {
    reason: 'A constant that its type cannot hold is refused also where no row needs it.',
    mostPerThousand: 2,
    holds: ({ what, said }) => what === 'evaluator' && said.evaluator === '0 rows' && isBeyondEveryByte(said.svc),
  },
  {
    reason: 'A number that no column of the type could hold is compared; Ignite refuses some of these.',
    mostPerThousand: 8,
    holds: ({ what, said }) =>
      what === 'only Ignite refuses' &&
      /(out of range: |error converting )"-?\d+(\.\d+)?(E\d+)?"/.test(said.reference ?? ''),
  },
  {
    reason: 'A result that its type cannot hold is refused; Ignite gives numbers that are none of the type.',
    mostPerThousand: 6,
    holds: ({ what, said }) =>
      what === 'only we refuse' && isBeyondEveryByte(said.svc) && losesOverflow(said.reference),
  },
  {
    reason: 'A column that is not grouped is refused; Ignite accepts it while all rows have one value in it.',
    mostPerThousand: 1,
    holds: ({ what, said }) =>
      what === 'only we refuse' &&
      /must be in the GROUP BY list/.test(said.svc ?? '') &&
      answerOf(said.reference).rows.length <= 1,
  },
  {
    reason: 'An aggregate inside of an aggregate is refused; Ignite gives NULL.',
    mostPerThousand: 4,
    holds: ({ what, sql, said }) =>
      what === 'only we refuse' && sql.includes('SUM(SUM(') && /^\w+: \[null\]$/.test(said.reference ?? ''),
  },
  {
    reason: 'A column of UUIDs has the class java.util.UUID; Ignite shows [B, and gives UUIDs.',
    mostPerThousand: 160,
    holds: ({ what, said }) => what === 'types' && withoutUuids(said.svc) === withoutUuids(said.reference),
  },
  {
    reason: 'What NULLIF of constants makes of them may have no type in one place and one in the other.',
    mostPerThousand: 1,
    holds: ({ what, sql }) => what === 'types' && sql.includes('NULLIF'),
  },
  {
    reason: 'Decimals have the digits that were calculated, doubles those of a double; Ignite mixes them.',
    mostPerThousand: 6,
    holds: ({ what, sql, said }) =>
      what === 'rows' && sameNumbers(said.svc, said.reference, sql.includes('AS REAL') ? 1e-6 : 2 ** -50, 1e-15),
  },
  {
    reason: 'The text of a double has the digits of a double; Ignite calculates with constants as decimals.',
    mostPerThousand: 1,
    holds: ({ what, sql, said }) =>
      what === 'rows' &&
      /CAST\(\(?CAST\([\d.]+ AS DOUBLE\).* AS VARCHAR\)/.test(sql) &&
      sameNumbers(withoutQuotes(said.svc), withoutQuotes(said.reference), 0),
  },
  {
    reason: 'A position behind the result list is refused; Ignite counts columns that it adds for the grouping.',
    mostPerThousand: 1,
    holds: ({ what, sql, said }) =>
      what === 'only we refuse' &&
      / GROUP BY .* ORDER BY /.test(sql) &&
      /^Order by expression "\d+" must be/.test(said.svc ?? ''),
  },
  {
    reason: 'MIN is the least value that there is; Ignite takes the first of an index, which may be NULL.',
    mostPerThousand: 1,
    holds: ({ what, sql, said }) =>
      what === 'rows' && /\bMIN\(t\d+\.C1\)/.test(sql) && hasNullsInstead(said.reference, said.svc),
  },
  {
    reason: 'Sums and means of doubles are rounded once, means of decimals are exact; Ignite takes doubles.',
    mostPerThousand: 1,
    holds: ({ what, sql, said }) =>
      what === 'rows' && /\b(SUM|AVG)\(/.test(sql) && sameNumbers(said.svc, said.reference, 1e-13),
  },
  {
    reason: 'What no row needs is not calculated; Ignite refuses some of it.',
    mostPerThousand: 1,
    holds: ({ what, said }) =>
      what === 'only Ignite refuses' && /Data conversion error|Cannot parse|by zero/.test(said.reference ?? ''),
  },
  {
    reason: 'Rows are in the order that is asked for; Ignite forgets DESC of a key behind a constant.',
    mostPerThousand: 1,
    holds: ({ what, sql, said }) => what === 'rows' && forgetsDescending(sql, said.svc, said.reference),
  },
  {
    reason: 'Logarithms and powers may differ in the last digit of a double.',
    mostPerThousand: 1,
    holds: ({ what, sql, said }) =>
      what === 'rows' && /LOG10|LN|EXP|POWER|SIN|COS|ATAN2/.test(sql) && sameNumbers(said.svc, said.reference, 1e-15),
  },
  {
    reason: 'Aggregates of decimals keep all digits; Ignite rounds them to the scale of their operands.',
    mostPerThousand: 1,
    holds: ({ what, sql, said }) =>
      what === 'rows' && /\b(SUM|AVG|MIN|MAX)\(/.test(sql) && sameNumbers(said.svc, said.reference, 0, 0.006),
  },
  {
    reason: 'A condition on the key of one table leaves the others whole; Ignite reads one partition of all.',
    mostPerThousand: 3,
    holds: ({ what, sql, said }) =>
      what === 'rows' &&
      / JOIN |\(SELECT /.test(sql) &&
      /\.ID (=|IN|<>) |(=|<>|BETWEEN) t\d+\.ID/.test(sql) &&
      hasFewerRows(sql, said.reference, said.svc),
  },
  {
    reason: 'A constant that cannot be converted is refused at once; Ignite refuses it at the first row.',
    mostPerThousand: 1,
    holds: ({ what, said }) =>
      what === 'only we refuse' &&
      /^(Data conversion|Cannot parse)/.test(said.svc ?? '') &&
      /: $/.test(said.reference ?? ''),
  },
  {
    reason: 'The mean of whole numbers is cut; Ignite rounds that of distinct or big BIGINTs.',
    mostPerThousand: 1,
    holds: ({ what, sql, said }) =>
      what === 'rows' && sql.includes('AVG(') && sameNumbers(said.svc, said.reference, 0, 1),
  },
  {
    reason: 'DATEADD of a date is a date; Ignite calls it a timestamp, and sometimes makes it one.',
    mostPerThousand: 3,
    holds: ({ sql, said }) =>
      /DATEADD|TRUNC\(|TIMESTAMPADD| [+-] [\d.]+\)/.test(sql) &&
      sameNumbers(withoutMidnights(said.svc), withoutMidnights(said.reference), 0, 0.006),
  },
  {
    reason: 'Rows may be grouped by an expression with an argument; Ignite takes each ? for another one.',
    mostPerThousand: 3,
    holds: ({ what, sql, said }) =>
      what === 'only Ignite refuses' &&
      /GROUP BY .*<[^>]*>/.test(sql) &&
      /must be in the GROUP BY list/.test(said.reference ?? ''),
  },
  {
    reason: 'Equal decimals of different scales are equal; Ignite tells them apart in sub-queries and EXCEPT.',
    mostPerThousand: 1,
    holds: ({ what, sql, said }) =>
      what === 'rows' &&
      /(\bIN|\bANY|EXCEPT|INTERSECT) \(?SELECT /.test(sql) &&
      /\d\.\d|DECIMAL|ROUND\(/.test(sql) &&
      (hasFewerRows(sql, said.svc, said.reference) || hasFewerRows(sql, said.reference, said.svc)),
  },
  {
    reason: 'Which row meets a datum that cannot be converted is the matter of a plan, and plans differ.',
    mostPerThousand: 1,
    holds: ({ what, sql, said }) =>
      what === 'only we refuse' && / JOIN /.test(sql) && /^(Data conversion|Cannot parse)/.test(said.svc ?? ''),
  },
  {
    reason: 'A date and a timestamp in one column are both timestamps; Ignite leaves dates as they are.',
    mostPerThousand: 1,
    holds: ({ what, sql, said }) =>
      what === 'rows' && / UNION ALL /.test(sql) && withoutMidnights(said.svc) === withoutMidnights(said.reference),
  },
  {
    reason: 'A whole number that is rounded stays one; Ignite makes its text that of a double.',
    mostPerThousand: 1,
    holds: ({ what, sql, said }) =>
      what === 'rows' &&
      /CAST\((ROUND|FLOOR|TRUNC)\(/.test(sql) &&
      said.svc === (said.reference ?? '').replaceAll(/(?<="-?\d+)\.0(?=")/g, ''),
  },
  {
    reason: 'CONCAT gives a text; Ignite gives a lone argument as it is.',
    mostPerThousand: 1,
    holds: ({ what, sql, said }) =>
      what === 'rows' &&
      /\bCONCAT(_WS)?\(/.test(sql) &&
      sortedRows(said.svc?.replaceAll('"', '')) === sortedRows(said.reference?.replaceAll('"', '')),
  },
  {
    reason: 'FETCH FIRST ROWS ONLY gives one row; Ignite takes ROWS for a column.',
    mostPerThousand: 1,
    holds: ({ what, sql, said }) =>
      what === 'only Ignite refuses' &&
      /FETCH (FIRST|NEXT) ROWS ONLY/.test(sql) &&
      /^Column "ROWS" not found/.test(said.reference ?? ''),
  },
  {
    reason: 'A key is found by a number of any type, and by text; Ignite looks it up as it was given.',
    mostPerThousand: 1,
    holds: ({ what, sql, said }) =>
      what === 'rows' &&
      (/^(DELETE|UPDATE) .*AS DOUBLE\) (=|<>) ID\)/.test(sql) || /^DELETE FROM \w+ WHERE \(ID = /.test(sql)) &&
      said.reference === 'Long: [0]' &&
      isCount(said.svc),
  },
  {
    reason: 'No row is no row; Ignite gives one where none was asked for and the rest is grouped.',
    mostPerThousand: 1,
    holds: ({ what, sql, said }) =>
      what === 'rows' &&
      /(LIMIT 0|FETCH FIRST 0 ROWS ONLY| GROUP BY \(SELECT .* OFFSET [1-9]\d*$)/.test(sql) &&
      answerOf(said.svc).rows.length === 0 &&
      answerOf(said.reference).rows.length === 1,
  },
  {
    reason: 'NULLIF gives a value of its type; Ignite gives its first argument as it is.',
    mostPerThousand: 1,
    holds: ({ what, sql, said }) =>
      what === 'rows' &&
      sql.includes('NULLIF(') &&
      withoutUuids(said.svc).replaceAll(' 00:00:00"', '"') ===
        withoutUuids(said.reference).replaceAll(' 00:00:00"', '"'),
  },
  {
    reason: 'JOIN without ON joins all rows; Ignite takes the next ON for it.',
    mostPerThousand: 1,
    holds: ({ what, sql, said }) =>
      what === 'only Ignite refuses' &&
      / JOIN \w+ t\d+ (LEFT|RIGHT|INNER|JOIN)/.test(sql) &&
      /^(Column "T\d+\.\w+" not found|Syntax error in SQL statement )/.test(said.reference ?? ''),
  },
  {
    reason: 'Rows that a difference before has left are taken away.',
    mostPerThousand: 1,
    holds: ({ what, sql, said }) =>
      what === 'rows' && /^DELETE FROM \w+$/.test(sql) && isCount(said.svc) && isCount(said.reference),
  },
  {
    reason: 'A constant double is rounded as a double; on the nodes of Ignite it is a decimal.',
    mostPerThousand: 1,
    holds: ({ what, sql, said }) =>
      what === 'rows' &&
      sql.includes('AS DOUBLE)') &&
      sql.includes('MOD(') &&
      withoutNumbers(said.svc) === withoutNumbers(said.reference),
  },
  {
    reason: 'ALTER TABLE names the column that is not there, without the statement behind it.',
    mostPerThousand: 5,
    holds: ({ what, sql, said }) =>
      what === 'text of refusal' &&
      /^ALTER TABLE \w+ DROP COLUMN NO_SUCH_COLUMN$/.test(sql) &&
      said.svc === 'Column "NO_SUCH_COLUMN" not found' &&
      /"NO_SUCH_COLUMN"/.test(said.reference ?? ''),
  },
];

/** The reason that excuses a difference; undefined when there is none. */
export function knownDifference(difference: Difference): KnownDifference | undefined {
  return KNOWN.find((known) => known.holds(difference));
}
