/** The whole value of a cell: as text, as JSON, as bytes. */
import { type Json, parseAsSent } from '../../client/exact-json.ts';
import { formatNumber, formatValue, writeJson } from '../elements/formats.ts';
import { sqlTypeOf } from './sql-types.ts';
import { withoutZeros } from './time-texts.ts';

export type ValueView = 'text' | 'json' | 'hex';

const BYTES_A_LINE = 16;
/** Beyond this many bytes, a value is not shown, but can be copied or exported. */
const MAX_HEX_BYTES = 64 * 1024;

/** Returns whether values of a class are bytes, which are sent in base64. */
export function isBinary(type: string): boolean {
  return type === '[B' || type === 'byte[]';
}

/** Returns indented JSON whose numbers keep all their digits, or undefined if the text is not an object or list. */
function asJson(text: string): string | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return writeJson(parseAsSent(text), 2);
  } catch {
    return undefined;
  }
}

/** Returns the bytes that base64 represents, or the UTF-8 bytes of text. */
function bytesOf(text: string, type: string): Uint8Array {
  if (!isBinary(type)) return new TextEncoder().encode(text);
  return Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
}

/** Returns a hex dump: each line has an offset, the bytes in hexadecimal, and their ASCII characters. */
function asHex(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < Math.min(bytes.length, MAX_HEX_BYTES); at += BYTES_A_LINE) {
    const row = [...bytes.subarray(at, at + BYTES_A_LINE)];
    const digits = row.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const characters = row.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('');
    lines.push(`${at.toString(16).padStart(6, '0')}  ${digits.padEnd(BYTES_A_LINE * 3 - 1)}  ${characters}`);
  }
  if (bytes.length > MAX_HEX_BYTES) lines.push(`… ${formatNumber(bytes.length - MAX_HEX_BYTES)} more bytes`);
  return lines.join('\n');
}

/** The texts by view; the first one suits the value best. */
export interface ValueViews {
  readonly views: ReadonlyArray<readonly [view: ValueView, text: string]>;
  readonly byteCount: number;
}

/** Returns the views of a value, or undefined for NULL. */
export function viewsOf(value: Json, type: string): ValueViews | undefined {
  if (value === null) return undefined;
  const text = withoutZeros(sqlTypeOf(type).argument, formatValue(value));
  const bytes = bytesOf(text, type);
  const hex = ['hex', asHex(bytes)] as const;
  const asText = ['text', text] as const;
  const json = isBinary(type) ? undefined : asJson(text);
  const views = isBinary(type)
    ? [hex, asText]
    : json === undefined
      ? [asText, hex]
      : [['json', json] as const, asText, hex];
  return { views, byteCount: bytes.length };
}
