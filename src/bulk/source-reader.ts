/** Creates the reader of a source from the parameters of an import. */
import type { ImportRequest } from '../grid/bulk.ts';
import { CsvReader } from './csv-reader.ts';
import { NdjsonReader } from './ndjson-reader.ts';
import type { ReaderOptions, RecordReader } from './records.ts';

export interface SourceReaderOptions extends ReaderOptions {
  /** The columns of a CSV source whose header has been read by an earlier request. */
  readonly header: readonly string[] | undefined;
  /** Checks the columns of a CSV source. Throws IMPORT_COLUMN_REQUIRED. */
  readonly checkColumns: (names: readonly string[]) => void;
  /** Called with the columns when the header has been read. */
  readonly onHeader: (names: readonly string[]) => void;
}

/** Throws IMPORT_COLUMN_UNKNOWN, IMPORT_COLUMN_REPEATED, IMPORT_COLUMN_REQUIRED. */
export function sourceReader(
  { format, header: hasHeader, columns: given, delimiter, nullText }: ImportRequest,
  { header, checkColumns, onHeader, ...common }: SourceReaderOptions,
): RecordReader {
  if (format === 'ndjson') return new NdjsonReader(common);
  const names = header ?? (hasHeader ? undefined : (given ?? common.columns.names));
  if (names !== undefined) checkColumns(names);
  return new CsvReader({
    ...common,
    delimiter,
    nullText,
    header: names,
    replacement: given,
    onHeader(found) {
      checkColumns(found);
      onHeader(found);
    },
  });
}
