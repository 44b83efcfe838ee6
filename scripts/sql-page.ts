/** docs/sql.md: the dialect's functions and system views, as their tables have them. */
import { SYSTEM_VIEWS } from '../src/engines/embedded/queries/system-views/system-views.ts';
import { AGGREGATES, FUNCTIONS, REFUSED } from '../src/engines/embedded/sql/functions/functions.ts';
import type { SqlAggregate, SqlFunction } from '../src/engines/embedded/sql/sql-types.ts';
import { blocks, code, table } from '../src/surfaces/markdown.ts';

export const SQL_PAGE = 'docs/sql.md';

const GROUPS: Readonly<Record<SqlFunction['group'], string>> = {
  string: 'Functions of texts',
  numeric: 'Functions of numbers',
  datetime: 'Functions of dates and times',
  conditional: 'Conditional functions',
  system: 'Further functions',
};

/** The text of the page; the same for the same tables. */
export function sqlPage(): string {
  const functions = [...new Set(FUNCTIONS.values())].sort(byName);
  const aggregates = [...new Set(AGGREGATES.values())].sort(byName);
  return `${blocks(
    '# SQL',
    'Statements run with `qryfldexe`, conditions over the entries of a type with `qryexe`. The dialect is that of the ' +
      'reference (H2 1.4.197): its grammar, types, functions, names and error texts. A table is a cache, a row is an entry.',
    'Beyond the reference there are window functions, recursive WITH, ALL and ANY, MERGE with USING, `arg1Type` for typed ' +
      'arguments (`null` for NULL), `maxRows`, `timeout`, and rows as lines of JSON or CSV: `Accept: application/x-ndjson` ' +
      'or `text/csv` streams the whole result. EXPLAIN tells in words which indexes are used.',
    'Refused are FULL JOIN, ROWNUM and several statements at once, as in the reference. Days before 1582-10-15 are those of ' +
      "today's calendar, and TIME keeps milliseconds.",
    ...Object.entries(GROUPS).flatMap(([group, title]) => {
      const own = functions.filter((each) => each.group === group);
      return [`## ${title}`, table(['name', 'also', 'what it gives'], own.map(row))];
    }),
    '## Aggregates',
    table(['name', 'also', 'what it gives'], aggregates.map(row)),
    '## Functions that are refused',
    table(
      ['name', 'reason'],
      [...REFUSED].sort(([left], [right]) => (left < right ? -1 : 1)).map(([name, reason]) => [code(name), reason]),
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
