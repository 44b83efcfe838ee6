/** The reasons for which svc answers statements of H2's scripts in another way than Ignite. */

/** A statement that Ignite accepts and svc answers in another way. */
export interface ScriptDifference {
  readonly script: string;
  readonly line: number;
  readonly sql: string;
  readonly what: 'rejected' | 'rows' | 'types' | 'names';
  /** Why svc deviates; absent: nobody has explained the difference. */
  readonly reason?: string;
  readonly ignite: string;
  readonly svc: string;
}

/** Why svc deviates: the statement, the answer of Ignite and the name of the script match. */
interface Explanation {
  readonly reason: string;
  readonly sql: RegExp;
  readonly ignite?: RegExp;
  readonly script?: RegExp;
}

const METADATA_TABLES =
  'catalogs schemata tables columns views constraints table_constraints key_column_usage function_aliases users sessions';
const METADATA = new RegExp(`information_schema\\.(${METADATA_TABLES.replaceAll(' ', '|')})`, 'i');

const EXPLAINED: readonly Explanation[] = [
  {
    reason: 'An INSERT of several rows is atomic (known difference 27).',
    sql: /^select \* from test order by id$/i,
    script: /insert-?ignore/i,
  },
  {
    reason: 'An INSERT of several rows is atomic (known difference 27).',
    sql: /test_view|people group by|invoice_line/i,
  },
  {
    reason: 'Ignite loses rows of a NATURAL JOIN behind an outer join.',
    sql: /(left|right) join b( on true)? natural join/i,
  },
  { reason: 'Strings are no objects.', sql: /x '', '', '', '', ''/i },
  { reason: 'MERGE needs no list of columns.', sql: /^select \* from (test|parent)$/i, script: /merge|testScript/ },
  {
    reason: 'Names of catalogs, ids, definitions and users depend on the node; svc lists primary keys and defaults.',
    sql: METADATA,
  },
  {
    reason: 'The smallest integer divided by -1 is out of range (known difference 51).',
    sql: /cast\(-\d+ as (tiny|small|big)?int\) \/ cast\(-1 as/i,
  },
  { reason: 'Years have at most nine digits (known difference 51).', sql: /'-?1000000000-/ },
  { reason: 'A decimal has a bounded exponent (known difference 44).', sql: /e99999/i },
  { reason: 'Texts of dates keep the sign of the year.', sql: /date\s*'-/i },
  {
    reason: 'Ignite forgets the precision of a CAST in a derived table.',
    sql: /from \(select cast\([^)]* as timestamp\(/i,
  },
  { reason: 'Ignite compares a date with the timestamp that it declares.', sql: /in \(select d1 - 1 from/i },
  { reason: 'Ignite applies a condition to a range as if its step were 1.', sql: /system_range\(1, 8, 2\) where/i },
  {
    reason: 'svc counts the rows of a range one by one, within the time limit.',
    sql: /count\(\*\) from system_range\(0, 2111222333/i,
  },
  { reason: 'Ignite ignores NOT before a comparison and at the end.', sql: /\bselect 1 (\+ 2 not|not > 2)$/i },
  { reason: 'Ignite answers AND with its operand, and negates it wrongly.', sql: /not ?\(c (!= 2 )?and c\)/i },
  { reason: 'NULL is no type of a column.', sql: /table\(x null=/i },
  {
    reason: 'Columns of BLOB hold bytes (known difference 52).',
    sql: /^select b from test/i,
    ignite: /java\.lang\.Object/,
  },
  { reason: 'Variables are not supported.', sql: /@v\b|^drop view v1$/i },
  { reason: 'A condition on tables with the same alias filters both.', sql: /^select 1 from test, test where/i },
];

/** Returns why svc deviates; undefined when nobody has explained the difference. */
export function reasonOf({ script, sql, ignite }: ScriptDifference): string | undefined {
  const holds = (each: Explanation): boolean =>
    each.sql.test(sql) && each.ignite?.test(ignite) !== false && each.script?.test(script) !== false;
  return EXPLAINED.find(holds)?.reason;
}
