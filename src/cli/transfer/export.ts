/** `svc export`: writes the rows of a table or query, or the entries of a cache, to a file or to standard output. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Command } from 'commander';
import { errorText } from '../../base/errors.ts';
import { addConnectionOptions, type ConnectionOptions, connect } from '../connection.ts';
import { usageError } from '../failures.ts';
import { jsonArrayOf } from '../json-array.ts';
import { localPath } from '../local-path.ts';
import type { ClientInvocation } from '../subcommand.ts';
import { progressBar } from './progress-bar.ts';
import { RowCounter } from './row-counter.ts';
import {
  delimiterOf,
  exportFormatOf,
  isCompressed,
  MEDIA_TYPES,
  STREAM,
  type TargetOptions,
  targetOf,
} from './row-format.ts';
import { throughOutput, writtenTo } from './target-file.ts';

interface ExportOptions extends ConnectionOptions, TargetOptions {
  readonly query?: string;
  readonly format?: string;
  readonly delimiter?: string;
  readonly nullText?: string;
  readonly header: boolean;
  readonly replace?: boolean;
}

export function declareExport(command: Command, invocation: ClientInvocation): void {
  addConnectionOptions(command)
    .argument(
      '[file]',
      'file to write (.csv, .tsv, .ndjson, .jsonl, .json, each also with .gz), - for standard output',
      STREAM,
    )
    .option('--table <name>', 'table whose rows are written')
    .option('--cache <name>', 'cache whose entries are written; with --table, the cache of its schema')
    .option('--query <select>', 'SELECT whose rows are written; with --cache, over the schema of that cache')
    .option('--format <format>', 'csv, ndjson or json; default: by the ending of the file, ndjson without one')
    .option('--delimiter <character>', 'CSV: character between two fields, tab for a tab; default: a comma')
    .option('--null-text <text>', 'CSV: text of NULL; default: nothing')
    .option('--no-header', 'CSV: write no line with the names of the columns')
    .option('--replace', 'replace the file if it exists')
    .action((file: string, options: ExportOptions) => exportRows(file, options, invocation));
}

/**
 * Returns the parameters that name the table or cache to export. The file comes without an option, and may be meant as
 * a table.
 */
function sourceOf(file: string, options: ExportOptions): Readonly<Record<string, string>> {
  if (options.table !== undefined || options.cache !== undefined) return targetOf(options);
  const choices = 'a table (--table), a cache (--cache) or a statement (--query)';
  const hint = file === STREAM ? '' : `, such as --table ${file}: the argument is the file to write`;
  throw usageError(`name what to export: ${choices}${/^\w+$/.test(file) || file === STREAM ? hint : ''}`);
}

async function exportRows(file: string, options: ExportOptions, invocation: ClientInvocation): Promise<void> {
  const { terminal, clock } = invocation;
  const startMs = clock.monotonicMs();
  const path = file === STREAM ? undefined : localPath(terminal.cwd, file);
  const format = exportFormatOf(file, options.format);
  const delimiter = delimiterOf(file, options.delimiter);
  const command = options.query === undefined ? 'export' : 'qryfldexe';
  const parameters = {
    ...(options.query === undefined ? sourceOf(file, options) : await queryOf(options.query, options, delimiter)),
    ...(delimiter !== undefined && { delimiter }),
    ...(options.nullText !== undefined && { nullText: options.nullText }),
    ...(!options.header && { header: 'false' }),
  };
  const client = await connect(options, invocation);
  const bar = progressBar(file === STREAM ? 'export' : file, undefined, terminal);
  try {
    const counter = new RowCounter(format === 'csv' ? 'csv' : 'ndjson');
    const lines = counter.counting(await client.rows(command, parameters, MEDIA_TYPES[format]));
    const rows = format === 'json' ? jsonArrayOf(lines) : lines;
    const read = async (chunks: AsyncIterable<Uint8Array>): Promise<void> => {
      for await (const chunk of chunks) bar.add(chunk.length);
    };
    if (path === undefined) await read(throughOutput(rows, terminal));
    else {
      const target = { replace: options.replace === true, option: file };
      await writtenTo(path, target, isCompressed(file) ? compressed(rows) : rows, read);
    }
    bar.stop();
    const count = counter.lines - (format === 'csv' && options.header ? 1 : 0);
    const noun = options.table === undefined && options.query === undefined ? ['entry', 'entries'] : ['row', 'rows'];
    const seconds = ((clock.monotonicMs() - startMs) / 1000).toFixed(1);
    const report = `${count} ${noun[count === 1 ? 0 : 1]} exported, in ${seconds} s\n`;
    if (path !== undefined) terminal.output.write(report);
    else if (terminal.errors.isTTY === true) terminal.errors.write(report);
  } finally {
    bar.stop();
  }
}

/** Maximum number of rows: the only page contains all of them. */
const ALL_ROWS = 2_147_483_647;

/** Returns the parameters of a query. Throws CommandLineError for a statement that would change something. */
async function queryOf(
  query: string,
  { table, cache, nullText, header }: ExportOptions,
  delimiter: string | undefined,
): Promise<Readonly<Record<string, string>>> {
  if (table !== undefined) throw usageError('--query: cannot be combined with --table: the statement names its tables');
  const isPlain = nullText === undefined && header && delimiter === undefined;
  if (!isPlain) throw usageError('--query: writes CSV with commas and a header; --table writes other forms');
  const { analyze, parseOnce } = await import('../../sql/analysis/analysis.ts');
  const { kind, verb } = analyze(query);
  if (kind === 'unknown' && verb === 'SELECT') {
    try {
      parseOnce(query);
    } catch (error) {
      throw usageError(`--query: must be one SELECT: ${errorText(error)}`);
    }
  }
  if (kind !== 'query' && kind !== 'explain') {
    throw usageError(`--query: must be a SELECT, not ${verb}: svc sql executes other statements`);
  }
  return { qry: query, pageSize: String(ALL_ROWS), ...(cache !== undefined && { cacheName: cache }) };
}

async function* compressed(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gzip = createGzip();
  const done = pipeline(Readable.from(source), gzip);
  // The iteration reports the failure too.
  done.catch(() => {});
  yield* gzip;
  await done;
}
