/** Rows as text to paste elsewhere: CSV, JSON, Markdown, INSERT. */
import { Decimal, type Json } from '../../client/exact-json.ts';
import { formatValue, writeJson } from '../elements/formats.ts';
import { quotedIfNeeded } from '../elements/sql-names.ts';
import { isNumeric, sqlTypeOf } from './sql-types.ts';
import { binaryLiteral } from './value-input.ts';
import { isBinary } from './value-views.ts';

/** The properties of a column that a copy needs. */
interface CopiedColumn {
  readonly name: string;
  /** The name of a class, by which the interface names types. */
  readonly type: string;
  /** The column's schema; empty for an expression. */
  readonly schema: string;
  readonly table: string;
}

type Rows = readonly (readonly Json[])[];
type TextOf = (columns: readonly CopiedColumn[], rows: Rows) => string;

const textOf = (value: Json | undefined): string => (value === null || value === undefined ? '' : formatValue(value));

function csvField(value: Json | undefined): string {
  const text = textOf(value);
  return /[",\r\n]/.test(text) || (text === '' && value === '') ? `"${text.replaceAll('"', '""')}"` : text;
}

/** NULL is empty, and empty text is quoted, as in the service's exports. */
const toCsv: TextOf = (columns, rows) =>
  [columns.map(({ name }) => csvField(name)), ...rows.map((row) => columns.map((_, at) => csvField(row[at])))]
    .map((fields) => `${fields.join(',')}\r\n`)
    .join('');

/** One object for each row; the second of two columns with one name is numbered. */
const toJson: TextOf = (columns, rows) => {
  const counts = new Map<string, number>();
  const names = columns.map(({ name }) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count === 1 ? name : `${name}_${count}`;
  });
  const objects = rows.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at] ?? null])));
  return `[\n${objects.map((each) => `  ${writeJson(each, 0)}`).join(',\n')}\n]\n`;
};

const markdownField = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('|', '\\|').replaceAll(/\r?\n/g, '<br>');

const toMarkdown: TextOf = (columns, rows) => {
  const line = (fields: readonly string[]): string => `| ${fields.join(' | ')} |\n`;
  const marks = columns.map(({ type }) => (isNumberType(type) ? '---:' : '---'));
  return (
    line(columns.map(({ name }) => markdownField(name))) +
    line(marks) +
    rows.map((row) => line(columns.map((_, at) => markdownField(textOf(row[at]))))).join('')
  );
};

/** Keywords before a literal of a type, by the last part of its class name. */
const LITERAL_WORDS: Readonly<Record<string, string>> = { Date: 'DATE ', Time: 'TIME ', Timestamp: 'TIMESTAMP ' };

function literalOf(value: Json | undefined, type: string): string {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value === 'number' || typeof value === 'bigint' || value instanceof Decimal) return formatValue(value);
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  const text = formatValue(value);
  if (isBinary(type)) return binaryLiteral(text);
  return `${LITERAL_WORDS[type.split('.').at(-1) ?? ''] ?? ''}'${text.replaceAll("'", "''")}'`;
}

/** One statement, into the table that all columns are from; its name is a guess where they are from several. */
const toInsert: TextOf = (columns, rows) => {
  const [first] = columns;
  const isOne = columns.every(({ schema, table }) => schema === first?.schema && table === first.table);
  const { schema = '', table = '' } = isOne && first !== undefined ? first : {};
  const target =
    table === ''
      ? 'result'
      : schema === ''
        ? quotedIfNeeded(table)
        : `${quotedIfNeeded(schema)}.${quotedIfNeeded(table)}`;
  const values = rows.map((row) => `  (${columns.map(({ type }, at) => literalOf(row[at], type)).join(', ')})`);
  const names = columns.map((column) => quotedIfNeeded(column.name));
  return `INSERT INTO ${target} (${names.join(', ')}) VALUES\n${values.join(',\n')};\n`;
};

/** The formats in which rows are copied. */
export const COPY_FORMATS: Readonly<Record<'CSV' | 'JSON' | 'Markdown' | 'INSERT', TextOf>> = {
  CSV: toCsv,
  JSON: toJson,
  Markdown: toMarkdown,
  INSERT: toInsert,
};
export type CopyFormat = keyof typeof COPY_FORMATS;

/** Returns whether the values of a class, as the interface names it, are numbers. */
export function isNumberType(type: string): boolean {
  return isNumeric(sqlTypeOf(type).argument);
}
