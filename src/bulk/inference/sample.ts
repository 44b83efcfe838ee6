/** The sample from which an import infers its columns: whole lines of UTF-8. */
import { gridError } from '../../base/errors.ts';
import { foreignText, NOT_UTF8 } from '../../base/foreign-text.ts';
import { BYTE_ORDER_MARK, decodeUtf8 } from '../records.ts';

const LINE_FEED = 10;

/** Decodes the beginning of a source up to its last whole line, or all of it. Throws IMPORT_SOURCE_UNREADABLE. */
export function sampleText(bytes: Uint8Array, isWhole: boolean): string {
  const foreign = foreignText(isWhole ? bytes : bytes.subarray(0, bytes.lastIndexOf(LINE_FEED) + 1));
  if (foreign !== undefined) throw gridError('IMPORT_SOURCE_UNREADABLE', foreign);
  const from = BYTE_ORDER_MARK.every((byte, at) => bytes[at] === byte) ? BYTE_ORDER_MARK.length : 0;
  const to = isWhole ? bytes.length : bytes.lastIndexOf(LINE_FEED) + 1;
  const part = bytes.subarray(from, Math.max(from, to));
  const text = decodeUtf8(part);
  if (text !== undefined) {
    const [separator] = /^"?sep=.(?="?\r*\n)/i.exec(text) ?? [];
    if (separator === undefined) return text;
    throw gridError(
      'IMPORT_SOURCE_UNREADABLE',
      `begins with ${separator.replace('"', '')}, which only spreadsheets read: remove this line`,
    );
  }
  const line = lineOfWrongByte(part);
  throw gridError('IMPORT_SOURCE_UNREADABLE', `is not UTF-8 on line ${line}: ${NOT_UTF8}`);
}

function lineOfWrongByte(bytes: Uint8Array): number {
  let line = 1;
  for (let from = 0; from < bytes.length; line++) {
    const end = bytes.indexOf(LINE_FEED, from);
    const to = end < 0 ? bytes.length : end + 1;
    if (decodeUtf8(bytes.subarray(from, to)) === undefined) return line;
    from = to;
  }
  return line;
}
