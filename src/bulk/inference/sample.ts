/** The sample from which an import infers its columns: whole lines of UTF-8. */
import { fail } from '../../base/errors.ts';
import { BYTE_ORDER_MARK, decodeUtf8 } from '../records.ts';

const LINE_FEED = 10;

/** The beginnings of what is sent in place of text, and what to do about it. */
const FOREIGN: ReadonlyArray<readonly [first: readonly number[], advice: string]> = [
  [[0xff, 0xfe], 'is UTF-16: convert it to UTF-8 (iconv -f UTF-16 -t UTF-8)'],
  [[0xfe, 0xff], 'is UTF-16: convert it to UTF-8 (iconv -f UTF-16 -t UTF-8)'],
  [[0x1f, 0x8b], 'is compressed with gzip: decompress it, or end its name in .gz where svc import reads it'],
  [[0x50, 0x4b, 0x03, 0x04], 'is a ZIP archive, perhaps a workbook: save it as CSV'],
];

/** Decodes the beginning of a source up to its last whole line, or all of it. Throws IMPORT_SOURCE_UNREADABLE. */
export function sampleText(bytes: Uint8Array, isWhole: boolean): string {
  const foreign = FOREIGN.find(([first]) => first.every((byte, at) => bytes[at] === byte));
  if (foreign !== undefined) throw fail('IMPORT_SOURCE_UNREADABLE', foreign[1]);
  const from = BYTE_ORDER_MARK.every((byte, at) => bytes[at] === byte) ? BYTE_ORDER_MARK.length : 0;
  const to = isWhole ? bytes.length : bytes.lastIndexOf(LINE_FEED) + 1;
  const part = bytes.subarray(from, Math.max(from, to));
  if (part.includes(0)) {
    throw fail(
      'IMPORT_SOURCE_UNREADABLE',
      'contains zero bytes: if it is UTF-16, convert it to UTF-8, else it is no text',
    );
  }
  const text = decodeUtf8(part);
  if (text !== undefined) {
    const [separator] = /^sep=.(?=\r*\n)/i.exec(text) ?? [];
    if (separator === undefined) return text;
    throw fail('IMPORT_SOURCE_UNREADABLE', `begins with ${separator}, which only spreadsheets read: remove this line`);
  }
  const line = lineOfWrongByte(part);
  const advice = 'if it is Latin-1, convert it (iconv -f WINDOWS-1252 -t UTF-8)';
  throw fail('IMPORT_SOURCE_UNREADABLE', `is not UTF-8 on line ${line}: ${advice}`);
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
