/** Creates a source's reader from an import's parameters. */
import { gridError } from '../base/errors.ts';
import type { ImportRequest } from '../grid/bulk.ts';
import { CsvReader } from './csv-reader.ts';
import { NdjsonReader } from './ndjson-reader.ts';
import type { Progress } from './progress.ts';
import type { ColumnKind, ReaderOptions, RecordReader, SourceRecord } from './records.ts';
import { formConverter } from './source-forms.ts';

export interface SourceReaderOptions extends ReaderOptions {
  /** Where the source begins, and the records before it. */
  readonly start: Progress;
  /** The columns of a CSV source whose header an earlier request has read; only used after the first record. */
  readonly header: readonly string[] | undefined;
  /** Checks a CSV source's columns. Throws IMPORT_COLUMN_REQUIRED. */
  readonly checkColumns: (names: readonly string[]) => void;
  /** Called with the columns when the header has been read. */
  readonly onHeader: (names: readonly string[]) => void;
}

/** Throws IMPORT_COLUMN_UNKNOWN, IMPORT_COLUMN_REPEATED, IMPORT_COLUMN_REQUIRED. */
export function sourceReader(request: ImportRequest, options: SourceReaderOptions): RecordReader {
  const { omit, columns: given, header } = request;
  if (omit === undefined || omit.length === 0) return numberedReader(request, options);
  const { columns, checkColumns } = options;
  // Omitted columns are read after the target's columns, and cut off.
  const count = columns.names.length;
  const places = new Map(omit.map((name, at) => [foldedName(name), count + at]));
  const placeOf = (name: string) => places.get(foldedName(name));
  const reader = numberedReader(
    // Without a header, the fields are the columns of the target.
    { ...request, columns: given ?? (header ? undefined : columns.names) },
    {
      ...options,
      columns: {
        names: [...columns.names, ...omit],
        indexOf: (name) => placeOf(name) ?? columns.indexOf(name),
        ...(columns.kinds && { kinds: [...columns.kinds, ...omit.map((): ColumnKind => 'text')] }),
      },
      checkColumns: (names) => checkColumns(names.filter((name) => placeOf(name) === undefined)),
    },
  );
  return changed(reader, ({ fields, ...record }) => ({ ...record, fields: fields?.slice(0, count) }));
}

function foldedName(name: string): string {
  return name.trim().toUpperCase();
}

function numberedReader(request: ImportRequest, options: SourceReaderOptions): RecordReader {
  const { rowNumber } = request;
  if (rowNumber === undefined) return formedReader(request, options);
  const { columns, start, checkColumns } = options;
  const target = columns.indexOf(rowNumber);
  if (target < 0) throw gridError('IMPORT_COLUMN_UNKNOWN', rowNumber, columns.names);
  const reader = formedReader(request, {
    ...options,
    checkColumns(names) {
      if (names.some((name) => columns.indexOf(name) === target)) throw gridError('IMPORT_COLUMN_REPEATED', rowNumber);
      checkColumns([...names, rowNumber]);
    },
  });
  return numbered(reader, target, start.rows + start.skipped + start.rejected);
}

/** Returns a reader whose fields have svc's formats. */
function formedReader({ forms, ...request }: ImportRequest, options: SourceReaderOptions): RecordReader {
  const reader = plainReader(request, options);
  const { names, kinds } = options.columns;
  return forms === undefined || kinds === undefined ? reader : changed(reader, formConverter(forms, names, kinds));
}

function plainReader(
  { format, header: hasHeader, columns: given, delimiter, nullText }: ImportRequest,
  { header, checkColumns, onHeader, ...common }: SourceReaderOptions,
): RecordReader {
  if (format === 'ndjson') return new NdjsonReader(common);
  // A source that is sent from its beginning again also has its header again.
  const known = common.start.offset > 0 ? header : undefined;
  const names = known ?? (hasHeader ? undefined : (given ?? common.columns.names));
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

/** Returns a reader that adds the number of each record in a column, from `before` + 1 on. */
function numbered(reader: RecordReader, column: number, before: number): RecordReader {
  let last = before;
  return changed(reader, (record) => {
    last++;
    return record.fields === undefined ? record : { ...record, fields: record.fields.with(column, String(last)) };
  });
}

function changed(reader: RecordReader, change: (record: SourceRecord) => SourceRecord): RecordReader {
  return {
    feed: (bytes) => reader.feed(bytes).map(change),
    suspend: () => reader.suspend().map(change),
    end: () => reader.end().map(change),
  };
}
