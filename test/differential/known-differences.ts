/** Differences that stay, each with its reason; docs of the dialect have the same list. */
import type { Difference } from './history.ts';

export interface KnownDifference {
  readonly reason: string;
  holds(difference: Difference): boolean;
}

/** Texts of the reference when it fails by itself: its two-step planner meets a query that it does not expect. */
const OWN_FAILURE =
  /IgniteCheckedException|NullPointerException|ClassCastException|AssertionError|IndexOutOfBounds|General error|Unsupported expression|Unsupported query|must be in the result list|Scale\(\$"|Cannot invoke|errMsg=null|for parameter "DATEADD count"|Argument cannot be null|Failed to parse query|"NULL \+ TIME"/;

const KNOWN: readonly KnownDifference[] = [
  {
    reason: 'The reference fails by itself where the statement is right.',
    holds: ({ what, said }) => /refus/.test(what) && OWN_FAILURE.test(said.reference ?? ''),
  },
  {
    reason: 'A number that no column of the type could hold is compared; the reference refuses some of these.',
    holds: ({ what, said }) =>
      what === 'only the reference refuses' &&
      /(out of range: |error converting )"-?\d+(\.\d+)?(E\d+)?"/.test(said.reference ?? ''),
  },
  {
    reason: 'A result that its type cannot hold is refused; the reference gives numbers that are none of the type.',
    holds: ({ what, said }) => what === 'only we refuse' && /^Numeric value out of range/.test(said.svc ?? ''),
  },
  {
    reason: 'A column that is not grouped is refused; the reference accepts it while all rows have one value in it.',
    holds: ({ what, said }) => what === 'only we refuse' && /must be in the GROUP BY list/.test(said.svc ?? ''),
  },
  {
    reason: 'An aggregate inside of an aggregate is refused; the reference gives NULL.',
    holds: ({ what, sql }) => what === 'only we refuse' && sql.includes('SUM(SUM('),
  },
  {
    reason: 'A column of UUIDs has the class java.util.UUID; the reference shows [B, and gives UUIDs.',
    holds: ({ what, said }) => what === 'types' && withoutUuids(said.svc) === withoutUuids(said.reference),
  },
  {
    reason: 'What NULLIF of constants makes of them may have no type in one place and one in the other.',
    holds: ({ what, sql }) => what === 'types' && sql.includes('NULLIF'),
  },
  {
    reason: 'Decimals have the digits that were calculated, doubles those of a double; the reference mixes them.',
    holds: ({ what, sql, said }) =>
      what === 'rows' && sameNumbers(said.svc, said.reference, sql.includes('AS REAL') ? 1e-6 : 2 ** -50, 1e-15),
  },
  {
    reason: 'The text of a double has the digits of a double; the reference calculates with constants as decimals.',
    holds: ({ what, sql, said }) =>
      what === 'rows' &&
      /CAST\(\(?CAST\([\d.]+ AS DOUBLE\).* AS VARCHAR\)/.test(sql) &&
      sameNumbers(withoutQuotes(said.svc), withoutQuotes(said.reference), 0),
  },
  {
    reason: 'A position behind the result list is refused; the reference counts columns that it adds for the grouping.',
    holds: ({ what, sql, said }) =>
      what === 'only we refuse' &&
      / GROUP BY .* ORDER BY /.test(sql) &&
      /^Order by expression "\d+" must be/.test(said.svc ?? ''),
  },
  {
    reason: 'MIN is the least value that there is; the reference takes the first of an index, which may be NULL.',
    holds: ({ what, sql, said }) =>
      what === 'rows' && /\bMIN\(t\d+\.C1\)/.test(sql) && /\[null\]$/.test(said.reference ?? ''),
  },
  {
    reason: 'Sums and means of doubles are rounded once, means of decimals are exact; the reference takes doubles.',
    holds: ({ what, sql, said }) =>
      what === 'rows' && /\b(SUM|AVG)\(/.test(sql) && sameNumbers(said.svc, said.reference, 1e-13),
  },
  {
    reason: 'What no row needs is not calculated; the reference refuses some of it.',
    holds: ({ what, said }) =>
      what === 'only the reference refuses' && /Data conversion error|Cannot parse|by zero/.test(said.reference ?? ''),
  },
  {
    reason: 'Rows are in the order that is asked for; the reference forgets DESC of a key behind a constant.',
    holds: ({ what, sql }) => what === 'rows' && /ORDER BY .*DESC.*(LIMIT|FETCH)/.test(sql),
  },
  {
    reason: 'Logarithms and powers may differ in the last digit of a double.',
    holds: ({ what, sql, said }) =>
      what === 'rows' && /LOG10|LN|EXP|POWER|SIN|COS|ATAN2/.test(sql) && sameNumbers(said.svc, said.reference, 1e-15),
  },
  {
    reason: 'Aggregates of decimals keep all digits; the reference rounds them to the scale of their operands.',
    holds: ({ what, sql, said }) =>
      what === 'rows' && /\b(SUM|AVG|MIN|MAX)\(/.test(sql) && sameNumbers(said.svc, said.reference, 0, 0.006),
  },
  {
    reason: 'A condition on the key of one table leaves the others whole; the reference reads one partition of all.',
    holds: ({ what, sql }) =>
      what === 'rows' && / JOIN |\(SELECT /.test(sql) && /\.ID (=|IN|<>) |(=|<>|BETWEEN) t\d+\.ID/.test(sql),
  },
  {
    reason: 'A constant that cannot be converted is refused at once; the reference refuses it at the first row.',
    holds: ({ what, said }) =>
      what === 'only we refuse' &&
      /^(Data conversion|Cannot parse)/.test(said.svc ?? '') &&
      /: $/.test(said.reference ?? ''),
  },
  {
    reason: 'The mean of whole numbers is cut; the reference rounds that of distinct or big BIGINTs.',
    holds: ({ what, sql, said }) =>
      what === 'rows' && sql.includes('AVG(') && withoutNumbers(said.svc) === withoutNumbers(said.reference),
  },
  {
    reason: 'DATEADD of a date is a date; the reference calls it a timestamp, and sometimes makes it one.',
    holds: ({ sql, said }) =>
      /DATEADD|TRUNC\(|TIMESTAMPADD| [+-] [\d.]+\)/.test(sql) &&
      sameNumbers(withoutMidnights(said.svc), withoutMidnights(said.reference), 0, 0.006),
  },
  {
    reason: 'Rows may be grouped by an expression with an argument; the reference takes each ? for another one.',
    holds: ({ what, sql, said }) =>
      what === 'only the reference refuses' &&
      /GROUP BY .*<[^>]*>/.test(sql) &&
      /must be in the GROUP BY list/.test(said.reference ?? ''),
  },
  {
    reason: 'Equal decimals of different scales are equal; the reference tells them apart in sub-queries and EXCEPT.',
    holds: ({ what, sql }) =>
      what === 'rows' && /(\bIN|\bANY|EXCEPT|INTERSECT) \(?SELECT /.test(sql) && /\d\.\d|DECIMAL|ROUND\(/.test(sql),
  },
  {
    reason: 'Which row meets a datum that cannot be converted is the matter of a plan, and plans differ.',
    holds: ({ what, sql, said }) =>
      what === 'only we refuse' && / JOIN /.test(sql) && /^(Data conversion|Cannot parse)/.test(said.svc ?? ''),
  },
  {
    reason: 'A date and a timestamp in one column are both timestamps; the reference leaves dates as they are.',
    holds: ({ what, sql, said }) =>
      what === 'rows' && / UNION ALL /.test(sql) && withoutMidnights(said.svc) === withoutMidnights(said.reference),
  },
  {
    reason: 'A whole number that is rounded stays one; the reference makes its text that of a double.',
    holds: ({ what, sql, said }) =>
      what === 'rows' &&
      /CAST\((ROUND|FLOOR|TRUNC)\(/.test(sql) &&
      said.svc === (said.reference ?? '').replaceAll(/(?<="-?\d+)\.0(?=")/g, ''),
  },
  {
    reason: 'CONCAT gives a text; the reference gives a lone argument as it is.',
    holds: ({ what, sql, said }) =>
      what === 'rows' &&
      /\bCONCAT(_WS)?\(/.test(sql) &&
      sortedRows(said.svc?.replaceAll('"', '')) === sortedRows(said.reference?.replaceAll('"', '')),
  },
  {
    reason: 'FETCH FIRST ROWS ONLY gives one row; the reference takes ROWS for a column.',
    holds: ({ what, sql }) => what === 'only the reference refuses' && /FETCH (FIRST|NEXT) ROWS ONLY/.test(sql),
  },
  {
    reason: 'A key is found by a number of any type, and by text; the reference looks it up as it was given.',
    holds: ({ what, sql, said }) =>
      what === 'rows' &&
      (/^(DELETE|UPDATE) .*AS DOUBLE\) (=|<>) ID\)/.test(sql) || /^DELETE FROM \w+ WHERE \(ID = /.test(sql)) &&
      said.reference === 'Long: [0]',
  },
  {
    reason: 'No row is no row; the reference gives one where none was asked for and the rest is grouped.',
    holds: ({ what, sql }) => what === 'rows' && /(LIMIT 0|FETCH FIRST 0 ROWS ONLY)/.test(sql),
  },
  {
    reason: 'NULLIF gives a value of its type; the reference gives its first argument as it is.',
    holds: ({ what, sql, said }) =>
      what === 'rows' &&
      sql.includes('NULLIF(') &&
      withoutUuids(said.svc).replaceAll(' 00:00:00"', '"') ===
        withoutUuids(said.reference).replaceAll(' 00:00:00"', '"'),
  },
  {
    reason: 'JOIN without ON joins all rows; the reference takes the next ON for it.',
    holds: ({ what, sql }) =>
      what === 'only the reference refuses' && / JOIN \w+ t\d+ (LEFT|RIGHT|INNER|JOIN)/.test(sql),
  },
  {
    reason: 'Rows that a difference before has left are taken away.',
    holds: ({ what, sql }) => what === 'rows' && /^DELETE FROM \w+$/.test(sql),
  },
  {
    reason: 'A constant double is rounded as a double; on the nodes of the reference it is a decimal.',
    holds: ({ what, sql, said }) =>
      what === 'rows' &&
      sql.includes('AS DOUBLE)') &&
      sql.includes('MOD(') &&
      withoutNumbers(said.svc) === withoutNumbers(said.reference),
  },
  {
    reason: 'ALTER TABLE names the column that is not there, without the statement behind it.',
    holds: ({ what, sql }) => what === 'text of refusal' && /^ALTER TABLE \w+ DROP COLUMN NO_SUCH_COLUMN$/.test(sql),
  },
];

const NUMBER = /(?<=[[,])-?\d+(?:\.\d*)?(?:E[+-]?\d+)?(?=[,\]])/g;

function withoutUuids(text = ''): string {
  return text.replaceAll(/\bUUID\b/g, '[B');
}

function withoutQuotes(text = ''): string {
  return text.replaceAll(/"(?=-?\d+(?:\.\d+)?")|(?<="-?\d+(?:\.\d+)?)"/g, '');
}

function withoutNumbers(text = ''): string {
  return withoutUuids(text).replaceAll(NUMBER, '#');
}

/** Whether the texts differ in how their numbers are written only, or by that share of a number or that much. */
function sameNumbers(left: string | undefined, right: string | undefined, share: number, much = 0): boolean {
  const [a, b] = [sortedRows(left), sortedRows(right)];
  if (withoutNumbers(a) !== withoutNumbers(b)) return false;
  const numbers = (text: string): number[] => [...text.matchAll(NUMBER)].map(([digits]) => Number(digits));
  const others = numbers(b);
  return numbers(a).every((number, at) => {
    const other = others[at] ?? Number.NaN;
    return Math.abs(number - other) <= Math.max(much, share * Math.max(Math.abs(number), Math.abs(other)));
  });
}

/** Rows in an order that does not depend on how their numbers are written. */
function sortedRows(text = ''): string {
  const [types = '', rows = ''] = text.split(/: (.*)/s);
  const canonical = rows.replaceAll(NUMBER, (digits) => String(Number(digits)));
  return `${types}: ${canonical.split('] [').map(opened).toSorted().join(' ')}`;
}

function opened(row: string): string {
  return `[${row.replace(/^\[/, '').replace(/\]$/, '')}]`;
}

function withoutMidnights(text = ''): string {
  return withoutUuids(text)
    .replaceAll(' 00:00:00.0"', '"')
    .replace(/^[^:]*:/, (types) => types.replaceAll('Timestamp', 'Date'));
}

export function knownDifference(difference: Difference): KnownDifference | undefined {
  return KNOWN.find((known) => known.holds(difference));
}
