/** Generates docs/sql.md from the tables of SQL functions and system views. */

import { DECIMAL_BOUND } from '../../src/base/decimal-bound.ts';
import { SQL_FUNCTION_BOUNDS } from '../../src/base/limits.ts';
import { SYSTEM_VIEWS } from '../../src/engines/embedded/system-views/system-views.ts';
import { AGGREGATES, FUNCTIONS, UNSUPPORTED } from '../../src/sql/functions/functions.ts';
import type { SqlAggregate, SqlFunction } from '../../src/sql/types/sql-types.ts';
import { blocks, code, table } from './markdown.ts';

const GROUPS: Readonly<Record<SqlFunction['group'], string>> = {
  string: 'String functions',
  numeric: 'Numeric functions',
  datetime: 'Date and time functions',
  conditional: 'Conditional functions',
  json: 'JSON functions',
  system: 'Other functions',
};

/** Deviations that random statements revealed; test/differential checks each of them. */
const DEVIATIONS: readonly string[] = [
  'Statements that fail or lose rows in Ignite because of its own defects return their rows: those that its two-step ' +
    'planner rejects, joins with a condition on a key (its nodes read one partition of every table), NATURAL JOIN of ' +
    'all columns, an ignored FILTER, a subquery as a whole condition, an ignored DESC after a constant sort key, and ' +
    '`date - n BETWEEN ...`, where it adds n in the upper bound.',
  'DELETE matches a key given as a string or a number of another type, where Ignite matches nothing. MIN ignores NULL ' +
    'even if an index sorts it first.',
  'Comments and more semicolons may follow the semicolon at the end; to Ignite these are a second statement.',
  'A statement changes all of its rows or none; Ignite keeps the rows stored before an error.',
  'A constant keeps its type. Ignite sends constants to its nodes as text, where a double becomes a decimal and 4E0 an ' +
    'integer, so that `x / 4E0` is truncated.',
  'Sums and averages of doubles are rounded once, and averages of decimals without a scale are exact. The last digit ' +
    'of sines, cosines, tangents, natural logarithms and powers may differ by one.',
  'FLOOR, ROUND and TRUNC of integers return integers of any size, and those of a REAL a REAL; Ignite returns doubles.',
  'A sum of times beyond midnight begins at 00:00:00 again; Ignite rejects it.',
  'CONCAT and CONCAT_WS return strings; Ignite returns a single argument unchanged, so a number stays a number.',
  'Comparisons and IN (SELECT ...) find decimals equal regardless of their scale; IN (SELECT ...) distinguishes 1.0 and ' +
    '1.00 in Ignite. Groups, DISTINCT and set operations distinguish them in both.',
  'Conversion and overflow errors depend on the rows the plan evaluates, and plans differ. Ignite returns some numbers ' +
    'that are out of range for their type.',
  'IN (...) accepts integers that are out of range for the type of the operand, which Ignite rejects.',
  'REPLACE INTO is MERGE INTO; Ignite fails. A negative LIMIT is none and a negative OFFSET is 0; Ignite adds the two, so that ' +
    'LIMIT 1 OFFSET -1 returns no row. ON sees the tables before it and its own; in Ignite also those after it.',
  'A column outside GROUP BY and an aggregate in WHERE are rejected; Ignite does so only when it reads a row. A limit or EXISTS may end ' +
    'a statement before it reads the group in which a column has two values; Ignite reads all groups.',
  'UUIDs have the class java.util.UUID; columns of type CLOB and TEXT are strings, those of BLOB bytes. A TIMESTAMP WITH ' +
    'TIME ZONE is an ISO 8601 string. CAST converts values of rows to that type, where Ignite converts constants only.',
];

const MIB = 1024 * 1024;

/** Limits of one function, so that no statement stalls the service or exhausts its memory. */
const BOUNDS: readonly string[] = [
  `A decimal has ${DECIMAL_BOUND}. Literals, arguments, conversions and results beyond that are rejected.`,
  `A function returns at most ${SQL_FUNCTION_BOUNDS.textCharacters / MIB} Mi characters or ` +
    `${SQL_FUNCTION_BOUNDS.binaryBytes / MIB} MiB. ARRAY_AGG holds at most ` +
    `${SQL_FUNCTION_BOUNDS.arrayBytes / MIB} MiB of values, each of which counts 100 bytes more than it has, and MEDIAN ` +
    `at most ${SQL_FUNCTION_BOUNDS.aggregateBytes / MIB} MiB of numbers.`,
  `HASH repeats at most ${SQL_FUNCTION_BOUNDS.hashIterations.toLocaleString('en-US')} times. A format of dates or ` +
    `numbers has at most ${SQL_FUNCTION_BOUNDS.formatCharacters.toLocaleString('en-US')} characters.`,
  'LIKE and regular expressions match in time linear in the text. Look-around, atomic groups, possessive quantifiers and ' +
    `back-references work; a match with them ends with an error after ` +
    `${SQL_FUNCTION_BOUNDS.regexSteps.toLocaleString('en-US')} steps. A look-behind must have a maximum length, as in Java.`,
  `A regular expression has at most ${SQL_FUNCTION_BOUNDS.regexCharacters.toLocaleString('en-US')} characters and ` +
    `${SQL_FUNCTION_BOUNDS.regexInstructions.toLocaleString('en-US')} instructions, where a counted repetition counts as ` +
    'often as it repeats.',
];

/** Returns the text of the page, which depends on the tables only. */
export function sqlPage(): string {
  const functions = [...new Set(FUNCTIONS.values())].sort(byName);
  const aggregates = [...new Set(AGGREGATES.values())].sort(byName);
  return `${blocks(
    '# SQL',
    '[sql-statements.md](sql-statements.md) describes statements, data types and constraints. Statements run with ' +
      '`qryfldexe`, conditions over the entries of a type with `qryexe`. The dialect is that of ' +
      'Apache Ignite (H2 1.4.197), with its grammar, types, functions, names and error messages. A table is a cache, a row is an entry.',
    'Additions to Ignite: window functions, recursive WITH, ALL and ANY, MERGE with USING, `arg1Type` for typed ' +
      'arguments (`null` for NULL), `maxRows`, `timeout`, and whole results as lines of JSON or CSV ' +
      '(`Accept: application/x-ndjson` or `text/csv`). CREATE TABLE has the options `ttlMs` and `sliding` ' +
      '([time-to-live.md](time-to-live.md)). EXPLAIN describes which indexes are used.',
    'FULL JOIN, ROWNUM and several statements in one request are rejected, as in Ignite. Dates before 1582-10-15 follow ' +
      'the proleptic Gregorian calendar. A column of type TIME keeps milliseconds; no column can be a TIMESTAMP WITH TIME ' +
      'ZONE, which only expressions are.',
    '## Differences from Ignite',
    DEVIATIONS.map((difference) => `- ${difference}`).join('\n'),
    '## Limits of functions',
    BOUNDS.map((bound) => `- ${bound}`).join('\n'),
    ...Object.entries(GROUPS).flatMap(([group, title]) => {
      const own = functions.filter((each) => each.group === group);
      return [`## ${title}`, table(['name', 'also', 'result'], own.map(row))];
    }),
    '## Aggregates',
    table(['name', 'also', 'result'], aggregates.map(row)),
    '## Unsupported functions',
    table(
      ['name', 'reason'],
      [...UNSUPPORTED].sort(([left], [right]) => (left < right ? -1 : 1)).map(([name, reason]) => [code(name), reason]),
    ),
    '## System views',
    table(
      ['view', 'columns'],
      SYSTEM_VIEWS.map(({ schema, name, columns }) => [
        code(`${schema}.${name}`),
        columns.map((column) => column.name).join(', '),
      ]),
    ),
  )}\n`;
}

function row({ names, summary }: SqlFunction | SqlAggregate): string[] {
  const [name, ...aliases] = names;
  return [code(name), aliases.map(code).join(', '), summary];
}

function byName(left: SqlFunction | SqlAggregate, right: SqlFunction | SqlAggregate): number {
  return left.names[0] < right.names[0] ? -1 : 1;
}
