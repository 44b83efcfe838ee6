/** The records of a CSV sample, and the delimiter if it was not specified. */
import { CsvError, parse } from 'csv-parse/sync';
import { trimJava } from '../../values/java-number.ts';
import { quoteError } from '../quote-errors.ts';
import { LINE_ENDS } from '../records.ts';
import { typeOfText } from './column-types.ts';

/** A field: its text, and whether it was in quotes. */
export interface CsvField {
  readonly text: string;
  readonly isQuoted: boolean;
}

export type CsvRecord = readonly CsvField[];

const DELIMITERS = [',', ';', '\t', '|'] as const;
/** Maximum numbers of characters and records that determine the delimiter. */
const TRIED_CHARACTERS = 16_384;
const TRIED_RECORDS = 100;

/** Marks a field that was in quotes; a sample of text contains no zeros. */
const QUOTED = '\0';

function fieldOf(text: string): CsvField {
  return text.startsWith(QUOTED) ? { text: text.slice(1), isQuoted: true } : { text, isQuoted: false };
}

/** Reads records up to the first that has a misplaced quote or is cut off, which the import reports. */
export function readSample(
  text: string,
  delimiter: string,
  most = Number.MAX_SAFE_INTEGER,
  onError: (error: unknown, linesRead: number) => void = () => {},
): CsvRecord[] {
  const records: CsvRecord[] = [];
  let linesRead = 0;
  try {
    parse(text, {
      delimiter,
      record_delimiter: [...LINE_ENDS],
      relax_column_count: true,
      skip_empty_lines: true,
      to: most,
      cast: (value, { quoting }) => (quoting ? `${QUOTED}${value}` : value),
      on_record(record: string[], { lines }): null {
        linesRead = lines;
        records.push(record.map(fieldOf));
        return null;
      },
    });
  } catch (error) {
    // The records before the error are enough of a sample.
    onError(error, linesRead);
  }
  return records;
}

/** How a delimiter divides a sample. */
interface Division {
  readonly delimiter: string;
  /** Fields of the first record. */
  readonly fields: number;
  /** The share of records with that many fields. */
  readonly share: number;
  /** The share of fields whose values have a type other than string, including numbers with a decimal comma. */
  readonly typed: number;
  /** Whether a blank follows each delimiter, as it follows commas in prose. */
  readonly isSpaced: boolean;
}

/**
 * Returns the delimiter that divides the sample; a comma if none does. If several divide the records equally well, the
 * one between values rather than inside strings and numbers wins. Returns all that cannot be told apart.
 */
export function inferDelimiter(text: string): string | readonly [Division, Division] {
  const tried = text.length > TRIED_CHARACTERS ? text.slice(0, text.lastIndexOf('\n', TRIED_CHARACTERS) + 1) : text;
  const divisions = DELIMITERS.map((delimiter) => divide(tried, delimiter)).filter(({ fields }) => fields > 1);
  const best = [
    ({ share }: Division) => share,
    ({ typed }: Division) => typed,
    ({ isSpaced }: Division) => Number(!isSpaced),
    ({ fields }: Division) => fields,
  ].reduce((rest, rank) => {
    const most = Math.max(...rest.map(rank));
    return rest.filter((each) => rank(each) === most);
  }, divisions);
  const [first, second] = best;
  if (first === undefined) return ',';
  return second === undefined ? first.delimiter : [first, second];
}

function divide(text: string, delimiter: string): Division {
  const records = readSample(text, delimiter, TRIED_RECORDS);
  const fields = records[0]?.length ?? 0;
  const share = records.filter((record) => record.length === fields).length / records.length;
  // A first record that names columns says nothing about values.
  const values = (records.length > 1 ? records.slice(1) : records).flat();
  const typed = values.filter((field) => isTyped(field.text)).length;
  return {
    delimiter,
    fields,
    share,
    typed: typed / Math.max(1, values.length),
    isSpaced: records.every((record) => record.slice(1).every((field) => /^[ \u00a0]/.test(field.text))),
  };
}

const OTHER_DAY = /^\d{1,4}([./-])\d{1,2}\1\d{1,4}$/;
const DECIMAL_COMMA = /^[+-]?\d+(?:[. \u00a0']\d{3})*,\d+$/;

function isTyped(written: string): boolean {
  const text = trimJava(written);
  return typeOfText(text) !== 'VARCHAR' || DECIMAL_COMMA.test(text) || OTHER_DAY.test(text);
}

/** Reports whether most fields of the first record are columns of a table: the others are misspelt, or superfluous. */
export function knowsColumns(first: CsvRecord, columns: readonly string[] = []): boolean {
  const folded = new Set(columns.map((name) => name.toUpperCase()));
  return first.filter(({ text }) => folded.has(text.trim().toUpperCase())).length * 2 > first.length;
}

/** Returns the line and the reason of the first record that cannot be read. */
export function problemIn(text: string, delimiter: string): string | undefined {
  let problem: string | undefined;
  readSample(text, delimiter, undefined, (error, linesRead) => {
    if (!(error instanceof CsvError)) return;
    const { lines } = error as { readonly lines?: number };
    // An open quote is noticed at the end of the text; the record with it begins after those already read.
    const line = error.code === 'CSV_QUOTE_NOT_CLOSED' ? linesRead + 1 : lines;
    problem = `${line === undefined ? '' : `line ${line}: `}${quoteError(error.code)}`;
  });
  return problem;
}
