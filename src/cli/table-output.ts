/** Draws tables of responses and rows. */
import Table from 'cli-table3';
import type { JsonNode } from '../values/json.ts';
import { plainText } from './json-text.ts';

/** Formats a response for people: tables and plain text. */
export function readableText(response: JsonNode): string {
  if (response.kind === 'null') return '(null)\n';
  if (response.kind === 'array') return arrayText(response.items);
  if (response.kind !== 'object') return `${printable(plainText(response))}\n`;
  const page = pageOf(response.members);
  if (page !== undefined) return page;
  const rows = [...response.members].map(([name, member]) => [name, valueText(member)]);
  return rows.length === 0 ? '(empty)\n' : tableText(undefined, rows);
}

function arrayText(items: readonly JsonNode[]): string {
  if (items.length === 0) return '(empty)\n';
  if (!items.every((item) => item.kind === 'object'))
    return `${items.map((item) => printable(valueText(item))).join('\n')}\n`;
  const names = [...new Set(items.flatMap((item) => (item.kind === 'object' ? [...item.members.keys()] : [])))];
  const rows = items.map((item) =>
    names.map((name) => (item.kind === 'object' ? valueText(item.members.get(name) ?? { kind: 'null' }) : '')),
  );
  return tableText(names, rows);
}

/** Returns a query page's table, or undefined if the object is not one. */
function pageOf(members: ReadonlyMap<string, JsonNode>): string | undefined {
  const items = members.get('items');
  const columns = members.get('fieldsMetadata');
  if (items?.kind !== 'array' || !members.has('queryId')) return undefined;
  const names = columns?.kind === 'array' ? columns.items.map(columnName) : [];
  const rows = items.items.map((row) => {
    if (row.kind === 'array') return row.items.map(valueText);
    return row.kind === 'object' ? [...row.members.values()].map(valueText) : [valueText(row)];
  });
  const last = members.get('last');
  const id = members.get('queryId');
  const more =
    last?.kind === 'boolean' && !last.value && id !== undefined ? ` more rows: qryfetch qryId=${plainText(id)}` : '';
  return `${tableText(names.length > 0 ? names : undefined, rows)}${rowCount(rows.length)}${more}\n`;
}

/** Returns a column's name from its description in a page. */
export function columnName(column: JsonNode): string {
  const name = column.kind === 'object' ? column.members.get('fieldName') : undefined;
  return name?.kind === 'string' ? name.value : '';
}

export function rowCount(count: number): string {
  return count === 1 ? '(1 row)' : `(${count} rows)`;
}

/** Returns a value's text in a table. */
export function valueText(node: JsonNode): string {
  return node.kind === 'null' ? '(null)' : plainText(node);
}

/** Draws a table; without names, a table without a head. `numeric` tells which columns are right-aligned. */
export function tableText(
  names: readonly string[] | undefined,
  rows: ReadonlyArray<readonly string[]>,
  numeric: readonly boolean[] = [],
): string {
  const table = new Table({
    ...(names !== undefined && { head: names.map(fieldText) }),
    style: { head: [], border: [], compact: true },
    colAligns: numeric.map((each) => (each ? 'right' : 'left')),
    wordWrap: false,
  });
  for (const row of rows) table.push(row.map(fieldText));
  return `${table.toString()}\n`;
}

/** Lists the columns of each row on separate lines; `before` rows have already been listed. */
export function recordsText(names: readonly string[], rows: ReadonlyArray<readonly string[]>, before: number): string {
  const width = Math.max(0, ...names.map((name) => name.length));
  return rows
    .map((row, index) => {
      const lines = row.map((text, column) => `${(names[column] ?? '').padEnd(width)} | ${printable(text)}\n`);
      return `-[ row ${before + index + 1} ]-\n${lines.join('')}`;
    })
    .join('');
}

/** Returns a field's text. A tab's width depends on its position, which would move the rest of the line. */
function fieldText(text: string): string {
  return printable(text).replaceAll('\t', '    ');
}

/** Replaces control characters, which could change the terminal. */
export function printable(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '\ufffd');
}
