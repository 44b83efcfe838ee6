/** The format of rows in a file, by an option or else by the file name. */
import { basename, extname } from 'node:path';
import { usageError } from '../failures.ts';

export type RowFormat = 'csv' | 'ndjson';
/** `json`: one array, from which a stream of records cannot be read. */
export type ExportFormat = RowFormat | 'json';

export const MEDIA_TYPES = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  json: 'application/x-ndjson',
} as const satisfies Record<ExportFormat, string>;

/** Used instead of a file: standard input or output. */
export const STREAM = '-';

const COMPRESSED = /\.gz$/i;

const ENDINGS: ReadonlyArray<readonly [ending: RegExp, format: RowFormat]> = [
  [/\.(?:csv|tsv)$/i, 'csv'],
  [/\.(?:ndjson|jsonl)$/i, 'ndjson'],
];

/** The remedies for files of other formats. */
const ADVICE: Readonly<Record<string, string>> = {
  '.json': "write one object a line (jq -c '.[]' FILE.json > FILE.ndjson), or name the format with --format ndjson",
  '.parquet':
    'DuckDB writes it as CSV: ' +
    `duckdb -c "COPY 'FILE' TO '/dev/stdout' (FORMAT csv)" | svc import - --table TABLE --format csv`,
  '.xlsx': 'save the sheet as CSV, or see docs/import.md for a line of Python that writes it',
  '.xls': 'save the sheet as CSV',
  '.ods': 'save the sheet as CSV',
};

/** Reports whether a file name says that the file is compressed with gzip. */
export function isCompressed(file: string): boolean {
  return COMPRESSED.test(file);
}

/**
 * Returns the format of a file to read, by the option or else by its extension, or undefined without one. Throws
 * CommandLineError for other extensions: a file whose name promises another format would contain CSV or NDJSON.
 */
export function formatOf(file: string, option: string | undefined): RowFormat | undefined {
  if (option === 'csv' || option === 'ndjson') return option;
  if (option !== undefined) throw usageError(`--format: must be csv or ndjson, not ${option}`);
  const found = formatByEnding(file);
  if (found !== undefined) return found;
  const ending = endingOf(file);
  if (ending === '') return undefined;
  const advice =
    ADVICE[ending.toLowerCase()] ??
    'files end in .csv, .tsv, .ndjson or .jsonl, each also with .gz, or --format names csv or ndjson';
  throw usageError(`${file}: ${ending} is not supported; ${advice}`);
}

/** Returns the format of a file to write. Throws CommandLineError like {@link formatOf}. */
export function exportFormatOf(file: string, option: string | undefined): ExportFormat {
  if (option === 'json' || option === 'csv' || option === 'ndjson') return option;
  if (option !== undefined) throw usageError(`--format: must be csv, ndjson or json, not ${option}`);
  const ending = endingOf(file);
  const found = /^\.json$/i.test(ending) ? 'json' : formatByEnding(file);
  if (found !== undefined || ending === '') return found ?? 'ndjson';
  throw usageError(
    `${file}: ${ending} is not supported; files end in .csv, .tsv, .ndjson, .jsonl or .json, each also with .gz, ` +
      'or --format names csv, ndjson or json',
  );
}

function endingOf(file: string): string {
  return extname(basename(file).replace(COMPRESSED, ''));
}

function formatByEnding(file: string): RowFormat | undefined {
  const name = basename(file).replace(COMPRESSED, '');
  return ENDINGS.find(([expression]) => expression.test(name))?.[1];
}

/** Returns the delimiter specified by the option, or else by the file name, or undefined for a comma. */
export function delimiterOf(file: string, option: string | undefined): string | undefined {
  return option ?? (/\.tsv$/i.test(file.replace(COMPRESSED, '')) ? 'tab' : undefined);
}

/** The options that select the rows. */
export interface TargetOptions {
  readonly table?: string;
  readonly cache?: string;
}

/** Returns the parameters that name a table or a cache. Throws CommandLineError unless exactly one is named. */
export function targetOf({ table, cache }: TargetOptions): Readonly<Record<string, string>> {
  if (table !== undefined) return { table, ...(cache !== undefined && { cacheName: cache }) };
  if (cache === undefined) throw usageError('name a table (--table) or a cache (--cache)');
  return { cacheName: cache };
}
