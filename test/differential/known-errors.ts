/** Accepted differences of statements that one engine rejects whatever the values are. */
import { losesPosition } from './answers.ts';
import {
  withCountedRows,
  withDerivedTable,
  withEnclosedSubqueries,
  withFetchedRow,
  withoutLimit,
} from './equivalents.ts';
import type { KnownDifference } from './known-difference.ts';

/** Statements for which Ignite fails with an internal error. */
const INTERNAL_ERRORS: ReadonlyArray<readonly [reason: string, maxPerThousand: number, sql: RegExp, text: RegExp]> = [
  [
    'Ignite fails with an internal error for distinct aggregates beside others.',
    100,
    /\b(COUNT|SUM|AVG|MIN|MAX)\(DISTINCT /,
    /IgniteCheckedException: Index 0 out of bounds for length 0/,
  ],
  [
    'Ignite converts the days of `date + number` to seconds twice before BETWEEN.',
    1,
    / [+-] -?[\d.]+\) (?:NOT )?BETWEEN /,
    /Invalid value "-?\d{9,}" for parameter "DATEADD count"/,
  ],
  [
    'Ignite rejects a constant beside distinct aggregates of no rows.',
    1,
    /\(DISTINCT /,
    /^Column "__C\d+_\d+" must be in the GROUP BY list/,
  ],
  [
    'Ignite rejects some subqueries, joins and aggregates as unsupported.',
    60,
    / (ANY|ALL) \(SELECT | JOIN |\(SELECT |\b(SUM|COUNT|AVG|MIN|MAX)\(/,
    /^Unsupported query: /,
  ],
  ['Ignite rejects LIKE with ESCAPE as unsupported.', 5, / LIKE .* ESCAPE /, /^Unsupported query: .* ESCAPE /s],
  ['Ignite does not find columns of some joins.', 1, / JOIN /, /Column "T\d+__Z\d+\.\w+" not found/],
  [
    'Ignite does not find a subquery without parentheses, or a sum without an alias, in the list of a derived table.',
    1,
    /(, |SELECT )SELECT |FROM \(SELECT .*SUM\(/,
    /^Column "[WX]__Z\d+\.(SELECT\b|SUM\()/,
  ],
  [
    'Ignite cannot parse its own form of a set operation or a list in a subquery.',
    1,
    /SELECT .* (?:UNION|EXCEPT|INTERSECT) |SELECT SELECT |SELECT DISTINCT SELECT /,
    /^Syntax error in SQL statement "SELECT(?: DISTINCT)?\n/,
  ],
  [
    'Ignite fails with an internal error when INSERT replaces characters of NULL.',
    1,
    /\bINSERT\(/,
    /NullPointerException"|"?String\.isEmpty\(\)"?|errMsg=null\]$/,
  ],
  ['Ignite fails with an internal error for WITH, beside another difference.', 1, /^\(*WITH /, /getAllRights/],
  ['Ignite fails with an internal error for LIKE with a subquery.', 1, / LIKE \(?SELECT /, /topTableFilter/],
  [
    'Ignite fails with an internal error when it looks up a double in an index of decimals.',
    1,
    / (JOIN|WHERE) /,
    /InlineIndexKeyType\.isComparableTo/,
  ],
];

function internalError([reason, maxPerThousand, part, text]: (typeof INTERNAL_ERRORS)[number]): KnownDifference {
  return {
    reason,
    maxPerThousand,
    holds: ({ what, sql, answers: { ignite = '' } }) =>
      (what === 'only Ignite rejects' || what === 'error text') && part.test(sql) && text.test(ignite),
  };
}

export const KNOWN_ERRORS: readonly KnownDifference[] = [
  {
    reason: 'Ignite fails with an internal error for WITH.',
    maxPerThousand: 100,
    equivalents: (sql) => [withDerivedTable(sql)],
  },
  ...INTERNAL_ERRORS.map(internalError),
  {
    reason: 'svc rejects an ORDER BY position beyond the result; Ignite counts hidden GROUP BY columns.',
    maxPerThousand: 1,
    holds: ({ what, sql, answers }) =>
      what === 'only svc rejects' &&
      / (GROUP BY|HAVING) .* ORDER BY /.test(sql) &&
      /^Order by expression "\d+" must be/.test(answers.svc ?? ''),
  },
  {
    reason: 'svc rejects a misplaced column or aggregate in any case; Ignite only while a condition leaves rows.',
    maxPerThousand: 2,
    imitated: async ({ what, sql, outcomes, answers: { svc = '' } }, ask) => {
      const isMisplaced = /^(Column .* must be in the GROUP BY list|Invalid use of aggregate function)/.test(svc);
      if (what !== 'only svc rejects' || !isMisplaced) return undefined;
      const count = await ask(withCountedRows(sql));
      return count.kind === 'rows' && count.rows.join() === '0' ? outcomes?.ignite : undefined;
    },
  },
  {
    reason:
      'A limit may end a statement before svc reads the group in which a column has two values; Ignite reads all.',
    maxPerThousand: 1,
    imitated: async ({ what, sql }, ask) => (what === 'only Ignite rejects' ? await ask(withoutLimit(sql)) : undefined),
  },
  {
    reason: 'svc looks for the operator of a type before it converts values to the type.',
    maxPerThousand: 4,
    holds: ({ what, answers: { svc = '', ignite = '' } }) =>
      what === 'error text' &&
      /^Feature not supported: "\w+ [-+*/%]"/.test(svc) &&
      /Data conversion error|Cannot parse/.test(ignite),
  },
  {
    reason:
      'Two parameters are different expressions, whatever their values; the evaluator and some plans compare values.',
    maxPerThousand: 2,
    holds: ({ what, sql, answers: { svc = '' } }) =>
      (what === 'only svc rejects' || what === 'evaluator') &&
      / GROUP BY .*\?</.test(sql) &&
      /^Column .* must be in the GROUP BY list/.test(svc),
  },
  {
    reason: 'Integers of all types may be added to dates; Ignite adds only INT.',
    maxPerThousand: 4,
    holds: ({ what, answers: { svc = '', ignite = '' } }) =>
      (what === 'only Ignite rejects' || (what === 'error text' && /DATEADD (time part|count)/.test(svc))) &&
      /Feature not supported: "((TINYINT|SMALLINT|BIGINT) \+ \w+|\w+ - (TINYINT|SMALLINT|BIGINT))"/.test(ignite),
  },
  {
    reason: 'ALTER TABLE reports an unknown column without the statement.',
    maxPerThousand: 7,
    holds: ({ what, sql, answers }) =>
      what === 'error text' &&
      /^ALTER TABLE \w+ DROP COLUMN NO_SUCH_COLUMN$/.test(sql) &&
      answers.svc === 'Column "NO_SUCH_COLUMN" not found' &&
      /"NO_SUCH_COLUMN"/.test(answers.ignite ?? ''),
  },
  {
    reason: 'FETCH FIRST ROWS ONLY returns one row; Ignite parses ROWS as a column.',
    maxPerThousand: 1,
    equivalents: (sql) => [withFetchedRow(sql)],
  },
  {
    reason: 'Ignite loses the parentheses of a subquery that is a whole condition or key, and reads on inside it.',
    maxPerThousand: 2,
    holds: ({ what, sql, answers }) =>
      (what === 'only svc rejects' &&
        / GROUP BY SELECT .* UNION /.test(sql) &&
        /^Scalar sub/.test(answers.svc ?? '')) ||
      ((what === 'only Ignite rejects' ||
        (what === 'error text' && /^(Data conv|Cannot parse)/.test(answers.svc ?? ''))) &&
        / (GROUP BY|ON|WHERE|AND|OR) \(?SELECT /.test(sql) &&
        (losesPosition(sql, answers.ignite) ||
          (/ ON SELECT .* GROUP BY /.test(sql) && /must be in the GROUP BY list/.test(answers.ignite ?? '')))),
    equivalents: (sql) => [withEnclosedSubqueries(sql)],
  },
  {
    reason: 'svc shortens a subquery in an error text; Ignite prints it with its plan.',
    maxPerThousand: 1,
    holds: ({ what, answers: { svc = '', ignite = '' } }) =>
      what === 'error text' &&
      sentence(svc).replaceAll('SELECT ...', '') === sentence(ignite).replaceAll(/(?<=\()SELECT\n.*\)(?="$)/gs, ')'),
  },
];

/** Returns the first sentence of an error. */
function sentence(text: string): string {
  return text.replace(/; SQL statement:[\s\S]*$/, '');
}
