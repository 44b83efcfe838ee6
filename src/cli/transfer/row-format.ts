/** The format of rows in a file, by an option or else by the name of the file. */
import { basename, extname } from 'node:path';
import { usageError } from '../exit-codes.ts';

export type RowFormat = 'csv' | 'ndjson';

export const MEDIA_TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const satisfies Record<
  RowFormat,
  string
>;

/** In place of a file: standard input or output. */
export const STREAM = '-';

const COMPRESSED = /\.gz$/i;

const ENDINGS: ReadonlyArray<readonly [ending: RegExp, format: RowFormat]> = [
  [/\.(?:csv|tsv)$/i, 'csv'],
  [/\.(?:ndjson|jsonl)$/i, 'ndjson'],
];

/** Reports whether the name of a file says that it is compressed with gzip. */
export function isCompressed(file: string): boolean {
  return COMPRESSED.test(file);
}

/**
 * Returns the format that the option or else the ending of the file names; undefined if there is no ending. Throws
 * CommandLineError for other endings: a file whose name promises another format would hold CSV or NDJSON.
 */
export function formatOf(file: string, option: string | undefined): RowFormat | undefined {
  if (option === 'csv' || option === 'ndjson') return option;
  if (option !== undefined) throw usageError(`--format: must be csv or ndjson, not ${option}`);
  const name = basename(file).replace(COMPRESSED, '');
  const ending = extname(name);
  const found = ENDINGS.find(([expression]) => expression.test(name))?.[1];
  if (found === undefined && ending !== '') {
    throw usageError(
      `${file}: ${ending} is not supported; files end in .csv, .tsv, .ndjson or .jsonl, each also with .gz, ` +
        'or --format names csv or ndjson',
    );
  }
  return found;
}

/** Returns the delimiter that the option or else the name of the file names; undefined: a comma. */
export function delimiterOf(file: string, option: string | undefined): string | undefined {
  return option ?? (/\.tsv$/i.test(file.replace(COMPRESSED, '')) ? 'tab' : undefined);
}

/** The options that say which rows are meant. */
export interface TargetOptions {
  readonly table?: string;
  readonly cache?: string;
}

/** Returns the parameters that name a table or a cache. Throws CommandLineError unless there is one of them. */
export function targetOf({ table, cache }: TargetOptions): Readonly<Record<string, string>> {
  if (table !== undefined) return { table, ...(cache !== undefined && { cacheName: cache }) };
  if (cache === undefined) throw usageError('say which table (--table) or which cache (--cache)');
  return { cacheName: cache };
}
