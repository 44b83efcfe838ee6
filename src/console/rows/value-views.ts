/** A value of a row in full: as text, as JSON, as bytes. */
import { Decimal, type Json } from '../../client/exact-json.ts';
import { formatValue, writeJson } from '../elements/formats.ts';

export type ValueView = 'text' | 'json' | 'hex';

const HEX_WIDTH = 16;
/** More bytes than these are not looked at, but copied or exported. */
const MOST_HEX_BYTES = 64 * 1024;

/** Returns whether values of a class are bytes, which are sent in base64. */
export function isBinary(type: string): boolean {
  return type === '[B' || type === 'byte[]';
}

function bytesOf(value: Json, type: string): Uint8Array {
  const text = formatValue(value);
  if (!isBinary(type)) return new TextEncoder().encode(text);
  return Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
}

/** Returns the text as indented JSON; undefined if it is none. */
function asJson(value: Json): string | undefined {
  if (value !== null && typeof value === 'object' && !(value instanceof Decimal)) return writeJson(value, 2);
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return undefined;
  try {
    return JSON.stringify(JSON.parse(value), null, 2);
  } catch {
    return undefined;
  }
}

/** Returns lines of an offset, bytes in hexadecimal digits, and their ASCII characters. */
function asHex(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < Math.min(bytes.length, MOST_HEX_BYTES); at += HEX_WIDTH) {
    const row = [...bytes.subarray(at, at + HEX_WIDTH)];
    const digits = row.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const characters = row.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('');
    lines.push(`${at.toString(16).padStart(6, '0')}  ${digits.padEnd(HEX_WIDTH * 3 - 1)}  ${characters}`);
  }
  if (bytes.length > MOST_HEX_BYTES) lines.push(`… ${bytes.length - MOST_HEX_BYTES} further bytes`);
  return lines.join('\n');
}

/** Returns the views of a value; the first one suits it best. NULL has none. */
export function viewsOf(value: Json, type: string): ReadonlyArray<readonly [view: ValueView, text: string]> {
  if (value === null) return [];
  const json = asJson(value);
  const hex = ['hex', asHex(bytesOf(value, type))] as const;
  const text = ['text', formatValue(value)] as const;
  if (isBinary(type)) return [hex, text];
  return json === undefined ? [text, hex] : [['json', json], text, hex];
}
