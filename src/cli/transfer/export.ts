/** `svc export`: writes the rows of a table or the entries of a cache to a file or to standard output. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Command } from 'commander';
import { addConnectionOptions, type ConnectionOptions, connect } from '../connection.ts';
import { localPath } from '../local-path.ts';
import type { Invocation } from '../subcommand.ts';
import { progressBar } from './progress-bar.ts';
import {
  delimiterOf,
  formatOf,
  isCompressed,
  MEDIA_TYPES,
  STREAM,
  type TargetOptions,
  targetOf,
} from './row-format.ts';
import { throughOutput, writtenTo } from './target-file.ts';

interface ExportOptions extends ConnectionOptions, TargetOptions {
  readonly format?: string;
  readonly delimiter?: string;
  readonly nullText?: string;
  readonly header: boolean;
  readonly replace?: boolean;
}

export function declareExport(command: Command, invocation: Invocation): void {
  addConnectionOptions(command)
    .argument(
      '[file]',
      'file to write (.csv, .tsv, .ndjson, .jsonl, each also with .gz), - for standard output',
      STREAM,
    )
    .option('--table <name>', 'table whose rows are written')
    .option('--cache <name>', 'cache whose entries are written; with --table, the cache of its schema')
    .option('--format <format>', 'csv or ndjson; default: by the ending of the file, ndjson without one')
    .option('--delimiter <character>', 'CSV: character between two fields, tab for a tab; default: a comma')
    .option('--null-text <text>', 'CSV: text of NULL; default: nothing')
    .option('--no-header', 'CSV: write no line with the names of the columns')
    .option('--replace', 'replace the file if it exists')
    .action((file: string, options: ExportOptions) => exportRows(file, options, invocation));
}

async function exportRows(file: string, options: ExportOptions, invocation: Invocation): Promise<void> {
  const { terminal } = invocation;
  const path = file === STREAM ? undefined : localPath(terminal.cwd, file);
  const format = formatOf(file, options.format) ?? 'ndjson';
  const delimiter = delimiterOf(file, options.delimiter);
  const parameters = {
    ...targetOf(options),
    ...(delimiter !== undefined && { delimiter }),
    ...(options.nullText !== undefined && { nullText: options.nullText }),
    ...(!options.header && { header: 'false' }),
  };
  const client = await connect(options, invocation);
  const bar = progressBar(file === STREAM ? 'export' : file, undefined, terminal);
  try {
    const rows = await client.rows('export', parameters, MEDIA_TYPES[format]);
    const read = async (chunks: AsyncIterable<Uint8Array>): Promise<void> => {
      for await (const chunk of chunks) bar.add(chunk.length);
    };
    if (path === undefined) await read(throughOutput(rows, terminal));
    else {
      const target = { replace: options.replace === true, option: file };
      await writtenTo(path, target, isCompressed(file) ? compressed(rows) : rows, read);
    }
  } finally {
    bar.stop();
  }
}

async function* compressed(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gzip = createGzip();
  const done = pipeline(Readable.from(source), gzip);
  // The iteration reports the failure too.
  done.catch(() => {});
  yield* gzip;
  await done;
}
