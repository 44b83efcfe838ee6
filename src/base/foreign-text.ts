/** Recognizes files that are not UTF-8 text as they should be, and suggests a remedy. */

/** The first bytes of formats that are often sent instead of text. */
const FOREIGN: ReadonlyArray<readonly [first: readonly number[], advice: string]> = [
  [[0xff, 0xfe], 'is UTF-16: convert it to UTF-8 (iconv -f UTF-16 -t UTF-8)'],
  [[0xfe, 0xff], 'is UTF-16: convert it to UTF-8 (iconv -f UTF-16 -t UTF-8)'],
  [[0x1f, 0x8b], 'is compressed with gzip: decompress it, or end its name in .gz where svc reads it'],
  [[0x50, 0x4b, 0x03, 0x04], 'is a ZIP archive, perhaps a workbook: save it as text (CSV)'],
];

const LINE_FEED = 10;

export const NOT_UTF8 = 'if it is Latin-1, convert it (iconv -f WINDOWS-1252 -t UTF-8)';

/** Returns a file's format by its first bytes, or undefined if it may be UTF-8 text. */
export function foreignText(bytes: Uint8Array): string | undefined {
  const [, advice] = FOREIGN.find(([first]) => first.every((byte, at) => bytes[at] === byte)) ?? [];
  if (advice !== undefined) return advice;
  // UTF-16 has zero bytes in the column names, whereas a field in UTF-8 may contain anything.
  const end = bytes.indexOf(LINE_FEED);
  return bytes.subarray(0, end < 0 ? bytes.length : end).includes(0)
    ? 'contains zero bytes: if it is UTF-16, convert it to UTF-8, else it is no text'
    : undefined;
}
