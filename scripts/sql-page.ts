/** docs/sql.md: the dialect's functions and system views, as their tables have them. */
import { SQL_FUNCTION_BOUNDS } from '../src/base/limits.ts';
import { blocks, code, table } from '../src/documentation/markdown.ts';
import { SYSTEM_VIEWS } from '../src/engines/embedded/system-views/system-views.ts';
import { AGGREGATES, FUNCTIONS, UNSUPPORTED } from '../src/sql/functions/functions.ts';
import type { SqlAggregate, SqlFunction } from '../src/sql/types/sql-types.ts';
import { DECIMAL_BOUND } from '../src/values/decimal-bounds.ts';

export const SQL_PAGE = 'docs/sql.md';

const GROUPS: Readonly<Record<SqlFunction['group'], string>> = {
  string: 'Functions of texts',
  numeric: 'Functions of numbers',
  datetime: 'Functions of dates and times',
  conditional: 'Conditional functions',
  system: 'Further functions',
};

/** What random statements and scripts of statements have shown; test/differential knows each of them. */
const COMPATIBILITY_FLAGS: readonly string[] = [
  'Where Ignite fails by itself (its two-step planner, a node that reads one partition of every table, NATURAL ' +
    'JOIN of all columns, a FILTER that is forgotten), the statement gives its rows.',
  'DELETE finds a key by a text or a number of another type, where Ignite finds nothing; MIN is the least value also ' +
    'where an index has NULL first.',
  'A statement changes all of its rows or none: Ignite keeps what it stored before the refusal.',
  'A constant stays of its type. Ignite sends constants to its nodes as text, where a double becomes a decimal ' +
    'and 4E0 a whole number, so that `x / 4E0` is cut.',
  'Sums and means of doubles are rounded once, and means of decimals without a scale are exact; last digits of ' +
    'trigonometric functions, logarithms and powers may differ by one.',
  'FLOOR, ROUND and TRUNC of whole numbers give whole numbers, of any size; Ignite makes doubles of them.',
  'CONCAT and CONCAT_WS give texts; Ignite gives a lone argument as it is, so a number stays a number.',
  'Decimals are equal whatever their scale; Ignite tells 1.0 and 1.00 apart in IN (SELECT ...) and EXCEPT.',
  'In set operations all values of a column have its type; Ignite leaves dates among timestamps as they are.',
  'Refused is what cannot be calculated for the rows that the plan meets, and what a type cannot hold. Plans differ, ' +
    'and Ignite gives some numbers that are none of their type.',
  'A whole number that a type cannot hold may stand in IN (...), where Ignite refuses it.',
  'UUIDs have the class java.util.UUID, DATE_TRUNC that of its values, CLOB and TEXT are texts.',
];

const MIB = 1024 * 1024;

/** What one function may do, so that no statement stalls the service or fills its memory. */
const BOUNDS: readonly string[] = [
  `A decimal has ${DECIMAL_BOUND}. Literals, arguments, conversions and results beyond that are rejected.`,
  `A function returns at most ${SQL_FUNCTION_BOUNDS.textCharacters / MIB} Mi characters or ` +
    `${SQL_FUNCTION_BOUNDS.binaryBytes / MIB} MiB; ARRAY_AGG and MEDIAN hold at most ` +
    `${SQL_FUNCTION_BOUNDS.aggregateBytes / MIB} MiB of values.`,
  `HASH repeats at most ${SQL_FUNCTION_BOUNDS.hashIterations.toLocaleString('en-US')} times. A format of dates or ` +
    `numbers has at most ${SQL_FUNCTION_BOUNDS.formatCharacters.toLocaleString('en-US')} characters.`,
  'LIKE and regular expressions match in time linear in the text. Look-around, atomic groups, possessive quantifiers and ' +
    `back-references work; a match with them ends with an error after ` +
    `${SQL_FUNCTION_BOUNDS.regexSteps.toLocaleString('en-US')} steps. A look-behind must have a maximum length, as in Java.`,
  `A regular expression has at most ${SQL_FUNCTION_BOUNDS.regexCharacters.toLocaleString('en-US')} characters and ` +
    `${SQL_FUNCTION_BOUNDS.regexInstructions.toLocaleString('en-US')} instructions, where a counted repetition counts as ` +
    'often as it repeats.',
];

/** The text of the page; the same for the same tables. */
export function sqlPage(): string {
  const functions = [...new Set(FUNCTIONS.values())].sort(byName);
  const aggregates = [...new Set(AGGREGATES.values())].sort(byName);
  return `${blocks(
    '# SQL',
    'Statements run with `qryfldexe`, conditions over the entries of a type with `qryexe`. The dialect is that of the ' +
      'reference (H2 1.4.197): its grammar, types, functions, names and error texts. A table is a cache, a row is an entry.',
    'Beyond Ignite there are window functions, recursive WITH, ALL and ANY, MERGE with USING, `arg1Type` for typed ' +
      'arguments (`null` for NULL), `maxRows`, `timeout`, and rows as lines of JSON or CSV: `Accept: application/x-ndjson` ' +
      'or `text/csv` streams the whole result. EXPLAIN tells in words which indexes are used.',
    'Refused are FULL JOIN, ROWNUM and several statements at once, as in Ignite. Days before 1582-10-15 are those of ' +
      "today's calendar, and TIME keeps milliseconds.",
    '## Differences from Ignite',
    COMPATIBILITY_FLAGS.map((difference) => `- ${difference}`).join('\n'),
    '## Bounds of functions',
    BOUNDS.map((bound) => `- ${bound}`).join('\n'),
    ...Object.entries(GROUPS).flatMap(([group, title]) => {
      const own = functions.filter((each) => each.group === group);
      return [`## ${title}`, table(['name', 'also', 'what it gives'], own.map(row))];
    }),
    '## Aggregates',
    table(['name', 'also', 'what it gives'], aggregates.map(row)),
    '## Functions that are refused',
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
