/** Statements as text. */
import { formatNumber } from '../elements/formats.ts';
import { isNumeric } from '../rows/sql-types.ts';
import { BYTES, binaryLiteral } from '../rows/value-input.ts';

/** More of a value in a statement is never read, and writing it takes noticeable time. */
const PREVIEW_CHARACTERS = 500;

/** Returns a value as previews show it: a long one is cut off, with a note. */
export function previewOf(value: string): string {
  if (value.length <= PREVIEW_CHARACTERS) return value;
  return `${value.slice(0, PREVIEW_CHARACTERS)} … (${formatNumber(value.length)} characters)`;
}

function literalOf(type: string, value: string): string {
  if (type === 'boolean') return value.toUpperCase();
  if (type === BYTES) return binaryLiteral(value);
  return isNumeric(type) && /^-?\d+(?:\.\d+)?$/.test(value) ? value : `'${value.replaceAll("'", "''")}'`;
}

/** Returns the literal of a preview, with a note after bytes that were cut off. */
function literalPreview(type: string, value: string): string {
  if (type !== BYTES || value.length <= PREVIEW_CHARACTERS) return literalOf(type, previewOf(value));
  return `${binaryLiteral(value.slice(0, PREVIEW_CHARACTERS))} … (${formatNumber(value.length * 0.75)} bytes)`;
}

type Arguments = ReadonlyArray<{ readonly type: string; readonly value: string }>;

function withLiterals(sql: string, args: Arguments, write: (type: string, value: string) => string): string {
  let next = 0;
  return sql.replace(/"(?:[^"]|"")*"|\?/g, (part) => {
    if (part !== '?') return part;
    const { type, value } = args[next++] ?? { type: 'null', value: '' };
    return write(type, value);
  });
}

/** Returns a statement with its arguments as literals, to change and to execute. */
export function shownStatement(sql: string, args: Arguments): string {
  return withLiterals(sql, args, literalOf);
}

/** Returns a statement with its arguments as literals, to read: long ones are cut off. */
export function statementPreview(sql: string, args: Arguments): string {
  return withLiterals(sql, args, literalPreview);
}
