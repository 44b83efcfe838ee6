/** The records of a sample of CSV, with delimiter and header where nobody has named them. */
import { parse } from 'csv-parse/sync';
import { typeOfText } from './column-types.ts';

/** A field: its text, and whether it was in quotes. */
interface CsvField {
  readonly text: string;
  readonly isQuoted: boolean;
}

type CsvRecord = readonly CsvField[];

const DELIMITERS = [',', ';', '\t', '|'] as const;
/** Characters and records that decide which delimiter it is. */
const TRIED_CHARACTERS = 16_384;
const TRIED_RECORDS = 100;

/** Before a field that was in quotes; a sample of text contains no zeros. */
const QUOTED = '\0';

function fieldOf(text: string): CsvField {
  return text.startsWith(QUOTED) ? { text: text.slice(1), isQuoted: true } : { text, isQuoted: false };
}

/** Reads records up to the first that has a misplaced quote or is cut off, which the import reports. */
export function readSample(text: string, delimiter: string, most = Number.MAX_SAFE_INTEGER): CsvRecord[] {
  const records: CsvRecord[] = [];
  try {
    parse(text, {
      delimiter,
      record_delimiter: ['\r\n', '\n'],
      relax_column_count: true,
      skip_empty_lines: true,
      to: most,
      cast: (value, { quoting }) => (quoting ? `${QUOTED}${value}` : value),
      on_record(record: string[]): null {
        records.push(record.map(fieldOf));
        return null;
      },
    });
  } catch {
    // What precedes the error is sample enough.
  }
  return records;
}

/** Returns the delimiter that divides most records into as many fields as the first; a comma if none does. */
export function inferDelimiter(text: string): string {
  const tried = text.length > TRIED_CHARACTERS ? text.slice(0, text.lastIndexOf('\n', TRIED_CHARACTERS) + 1) : text;
  let best = { delimiter: ',', share: 0, fields: 1 };
  for (const delimiter of DELIMITERS) {
    const records = readSample(tried, delimiter, TRIED_RECORDS);
    const fields = records[0]?.length ?? 0;
    const share = records.filter((record) => record.length === fields).length / records.length;
    if (fields < 2 || share < best.share || (share === best.share && fields <= best.fields)) continue;
    best = { delimiter, share, fields };
  }
  return best.delimiter;
}

/** Reports whether the first record names columns: all of its fields are texts, and none is a value of another type. */
export function isHeader(first: CsvRecord): boolean {
  return (
    first.some(({ text }) => text.trim() !== '') && first.every(({ text }) => typeOfText(text.trim()) === 'VARCHAR')
  );
}

/** Reports whether all fields of the first record are columns of a table. */
export function namesColumns(first: CsvRecord, columns: readonly string[] = []): boolean {
  const folded = new Set(columns.map((name) => name.toUpperCase()));
  return first.every(({ text }) => folded.has(text.trim().toUpperCase()));
}
