/** `svc import`: sends a file to the command `import`, and continues where an earlier attempt was interrupted. */
import { createHash } from 'node:crypto';
import type { Command } from 'commander';
import { keepAlive, sleep } from '../../base/clock.ts';
import { EXIT_CODES } from '../../base/exit-codes.ts';
import type { ServiceClient } from '../client.ts';
import { addConnectionOptions, type ConnectionOptions, connect } from '../connection.ts';
import { CommandLineError, ServiceFailure, usageError } from '../failures.ts';
import { plainJson } from '../json-text.ts';
import type { ClientInvocation } from '../subcommand.ts';
import {
  basisOf,
  formNotes,
  formsIn,
  type ImportPlan,
  isHeaderUnclear,
  planOf,
  quotedNote,
  tableNamedLike,
  unreadable,
  withOptions,
} from './import-plan.ts';
import { progressBar } from './progress-bar.ts';
import { bodyOf } from './request-body.ts';
import { delimiterOf, formatOf, MEDIA_TYPES, type RowFormat, type TargetOptions, targetOf } from './row-format.ts';
import { SourceFile } from './source-file.ts';

interface ImportOptions extends ConnectionOptions, TargetOptions {
  readonly format?: string;
  readonly delimiter?: string;
  readonly nullText?: string;
  readonly dateFormat?: string;
  readonly decimalSeparator?: string;
  readonly thousands?: string;
  readonly omit?: string;
  readonly columns?: string;
  readonly header?: boolean;
  readonly key?: string;
  readonly types?: string;
  readonly rowNumber?: string;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly keyType?: string;
  readonly valueType?: string;
  readonly ttlMs?: string;
  readonly onDuplicate?: string;
  readonly onError?: string;
  readonly importId?: string;
  readonly atomic?: boolean;
}

/** How long an import waits for a service that has stopped responding, and between attempts. */
const RETRY_MS = 60_000;
const RETRY_INTERVAL_MS = 1_000;
const ID_CHARACTERS = 32;

const NOT_FOUND = 404;
const UNAVAILABLE = 503;

export function declareImport(command: Command, invocation: ClientInvocation): void {
  addConnectionOptions(command)
    .argument('<file>', 'file to read (.csv, .tsv, .ndjson, .jsonl, each also with .gz), - for standard input')
    .option('--table <name>', 'table whose rows the file contains; default: named like the file')
    .option('--cache <name>', 'cache whose entries the file contains; with --table, the cache of its schema')
    .option('--format <format>', 'csv or ndjson; default: by the name of the file')
    .option('--on-duplicate <action>', 'for keys that exist: error, replace or skip; default: error, replace in caches')
    .option('--on-error <action>', 'stop at the first record that cannot be stored, or skip it; default: stop')
    .option('--atomic', 'store all records together at the end, or none; cannot be continued')
    .option('--create, --yes', 'create a missing table without asking')
    .option('--dry-run', 'print the statement that would create the table, and import nothing')
    .option('--key <columns>', 'new table: the columns of its key, separated by commas; default: inferred')
    .option(
      '--types <column=type,...>',
      'new table: types that are not inferred, such as zip=varchar',
      (list: string, before: string | undefined) => (before === undefined ? list : `${before},${list}`),
    )
    .option('--row-number <column>', 'column that receives the number of the record')
    .option('--columns <names>', 'CSV: names of the columns in order, in place of the first line')
    .option('--omit <columns>', 'columns of the file that are left out, separated by commas')
    .option('--header', 'CSV: the first line names the columns; default: inferred')
    .option('--no-header', 'CSV: the first line is a record')
    .option('--delimiter <character>', 'CSV: character between two fields, tab for a tab; default: inferred')
    .option('--null-text <text>', 'CSV: text of a field without quotes that is NULL; default: nothing')
    .option('--date-format <format>', 'how the file writes days, such as dd.MM.yyyy; default: inferred')
    .option('--decimal-separator <character>', 'what precedes decimals, a comma or a point; default: inferred')
    .option('--thousands <character>', "what separates thousands: . , ' or space; default: inferred")
    .option('--key-type <type>', 'cache: type of the keys')
    .option('--value-type <type>', 'cache: type of the values')
    .option('--ttl-ms <ms>', 'cache: time to live of entries without expires in milliseconds; 0: none')
    .option('--import-id <id>', 'id by which the import is continued; default: by file and target, none for -')
    .action((file: string, options: ImportOptions) => importRows(file, options, invocation));
}

/** The service's report of an import. */
interface Report {
  readonly state: string;
  readonly rows: number;
  readonly skipped: number;
  readonly rejected: number;
  readonly offset: number;
  readonly errors: ReadonlyArray<{ readonly line: number; readonly message: string }>;
}

async function importRows(file: string, options: ImportOptions, invocation: ClientInvocation): Promise<void> {
  const { terminal, clock } = invocation;
  const format = formatOf(file, options.format);
  const source = new SourceFile(file, terminal);
  if (format === undefined) throw usageError('--format: name csv or ndjson, which the name of the file does not tell');
  const given = parametersOf(file, options);
  const client = await connect(options, invocation);
  if (options.atomic === true && options.importId !== undefined) {
    throw usageError('--import-id: an import with --atomic cannot be continued');
  }
  const parameters = await prepared(file, format, source, given, options, { ...invocation, client });
  if (parameters === undefined) return;
  const { create: _, ...reading } = parameters;
  const identity = { ...reading, format, url: client.url };
  const importId = options.importId ?? (options.atomic === true ? undefined : idOf(source, identity));
  const job: Job = { file, format, source, parameters, importId, client, invocation };
  const startMs = clock.monotonicMs();
  let report: Report;
  try {
    report = await sendWhole(job);
  } catch (error) {
    await explain(error, job);
    throw error instanceof CommandLineError ? withOptions(error) : error;
  }
  // The same file can be imported again, for example after its table was emptied.
  if (options.importId === undefined && importId !== undefined) {
    await client.command('importrmv', { importId }).catch(() => {});
  }
  await showRejected(report.errors, job);
  if (report.rejected > report.errors.length) {
    terminal.errors.write(`... and ${report.rejected - report.errors.length} more\n`);
  }
  const seconds = (clock.monotonicMs() - startMs) / 1000;
  const counts = `${report.rows} imported, ${report.skipped} skipped, ${report.rejected} rejected`;
  terminal.output.write(`${counts}, in ${seconds.toFixed(1)} s\n`);
  if (report.rejected > 0) invocation.exit(EXIT_CODES.failed);
}

/**
 * Returns the import's parameters, including those that the service infers, or undefined after a dry run. Shows the
 * statement that creates a missing table, and asks for consent.
 */
async function prepared(
  file: string,
  format: RowFormat,
  source: SourceFile,
  given: Readonly<Record<string, string>>,
  options: ImportOptions,
  { client, terminal }: Pick<ClientInvocation, 'terminal'> & { readonly client: ServiceClient },
): Promise<Readonly<Record<string, string>> | undefined> {
  const { table } = given;
  if (table === undefined) return given;
  const isInteractive = terminal.input.isTTY === true && terminal.errors.isTTY === true && source.path !== undefined;
  const planned = (parameters: typeof given): Promise<ImportPlan> =>
    planOf(file, source, format, parameters, client).catch((error: unknown) => {
      throw error instanceof CommandLineError ? withOptions(error) : error;
    });
  let plan: ImportPlan;
  let isAgreed = false;
  try {
    plan = await planned(given);
  } catch (error) {
    isAgreed = isInteractive && options.yes !== true && options.dryRun !== true && isHeaderUnclear(error);
    if (!isAgreed) throw error;
    const withHeader = await planned({ ...given, header: 'true' });
    plan = await askForHeader(table, withHeader, await planned({ ...given, header: 'false' }), terminal);
  }
  const { types, key, ...reading } = given;
  const { statement } = plan;
  if (options.dryRun === true) {
    terminal.errors.write(statement === null ? `table ${table} exists\n` : `${file}: inferred ${basisOf(plan)}\n`);
    terminal.errors.write(formNotes(plan));
    if (statement !== null) terminal.output.write(`${statement};\n`);
    return undefined;
  }
  if (statement === null) {
    const unused = Object.entries({ types, key }).flatMap(([name, value]) =>
      value === undefined ? [] : [`--${name}`],
    );
    if (unused.length > 0) terminal.errors.write(`table ${table} exists; ignoring ${unused.join(' and ')}\n`);
    const own = Object.entries(plan.parameters).filter(([name]) => reading[name] === undefined);
    const guessed = formsIn(Object.fromEntries(own));
    if (guessed.length > 0) terminal.errors.write(`${file}: inferred ${guessed.join(', ')}\n`);
    terminal.errors.write(formNotes(plan));
    return { ...reading, ...plan.parameters };
  }
  if (isAgreed) return { ...given, ...plan.parameters, create: 'true' };
  const shown = options.yes === true ? terminal.output : terminal.errors;
  shown.write(
    `there is no table ${table}; inferred ${basisOf(plan)}:\n${statement}\n${quotedNote(statement)}${formNotes(plan)}`,
  );
  if (options.yes !== true) {
    if (!isInteractive) throw usageError('nothing was imported: --yes creates this table, --table names another');
    const { askConsent } = await import('../prompt.ts');
    if (!(await askConsent('Create it and import?', terminal))) throw usageError('nothing was imported');
  }
  return { ...given, ...plan.parameters, create: 'true' };
}

/**
 * Shows the file with and without a header, and returns the plan that the user chooses, which counts as consent. Throws
 * CommandLineError.
 */
async function askForHeader(
  table: string,
  withHeader: ImportPlan,
  without: ImportPlan,
  terminal: ClientInvocation['terminal'],
): Promise<ImportPlan> {
  const shown = ({ statement, parameters }: ImportPlan): string =>
    statement ?? `into ${table}${parameters.columns === undefined ? '' : ` (${parameters.columns})`}`;
  terminal.errors.write(
    `the first line may name the columns or be a row, and nothing in the file tells\n` +
      `if it names the columns (--header):\n${shown(withHeader)}\nif it is a row (--no-header):\n${shown(without)}\n`,
  );
  const { askYesOrNo } = await import('../prompt.ts');
  const answer = await askYesOrNo('Import it? y: the first line names the columns, n: it is a row', terminal);
  if (answer === undefined) throw usageError('nothing was imported');
  return answer ? withHeader : without;
}

interface Job {
  /** The file as the user wrote it. */
  readonly file: string;
  readonly format: RowFormat;
  readonly source: SourceFile;
  readonly parameters: Readonly<Record<string, string>>;
  readonly importId: string | undefined;
  readonly client: ServiceClient;
  readonly invocation: ClientInvocation;
}

/** The options that the command `import` also has. */
const OF_COMMAND = [
  ...(['onDuplicate', 'onError', 'columns', 'delimiter', 'nullText', 'keyType', 'valueType', 'ttlMs'] as const),
  ...([
    'header',
    'key',
    'types',
    'rowNumber',
    'omit',
    'atomic',
    'dateFormat',
    'decimalSeparator',
    'thousands',
  ] as const),
];

/** The options that a cache does not have. */
const OF_TABLES = [
  ...(['yes', 'dryRun', 'key', 'types', 'rowNumber', 'omit', 'dateFormat', 'decimalSeparator', 'thousands'] as const),
];

function parametersOf(file: string, options: ImportOptions): Readonly<Record<string, string>> {
  const named = { ...options, delimiter: delimiterOf(file, options.delimiter) };
  const given = OF_COMMAND.flatMap((name) => (named[name] === undefined ? [] : [[name, String(named[name])] as const]));
  const { table, cache } = options;
  const isForTable = table !== undefined || cache === undefined;
  for (const flag of OF_TABLES) {
    if (isForTable || options[flag] === undefined) continue;
    throw usageError(`--${flag.replace(/[A-Z]/g, '-$&').toLowerCase()}: applies to tables, and --cache names a cache`);
  }
  const target = targetOf(isForTable ? { ...options, table: table ?? tableNamedLike(file) } : options);
  return { ...target, ...Object.fromEntries(given) };
}

/** Returns an id that is the same for the same unchanged file and target, or undefined for standard input. */
function idOf(
  { path, size, changedAtMs }: SourceFile,
  parameters: Readonly<Record<string, string>>,
): string | undefined {
  if (path === undefined) return undefined;
  const identity = JSON.stringify([path, size, changedAtMs, parameters]);
  return `svc-${createHash('sha256').update(identity).digest('hex').slice(0, ID_CHARACTERS)}`;
}

/**
 * Sends the file, and resends the missing part if the connection is lost or the service cannot store it now. Gives up
 * if nothing more has been stored for a minute.
 */
async function sendWhole(job: Job): Promise<Report> {
  const { file, invocation } = job;
  const { clock, terminal } = invocation;
  let state = await stateOf(job);
  if (state !== undefined && state.rows > 0) {
    terminal.errors.write(`${file}: continues; rows stored already: ${state.rows}\n`);
  }
  let stuckSinceMs: number | undefined;
  for (;;) {
    if (state?.state === 'done') return state;
    try {
      return await sendFrom(job, state?.offset ?? 0);
    } catch (error) {
      // Standard input cannot be read again.
      if (job.importId === undefined || job.source.path === undefined || !isTemporary(error)) throw error;
      const failedMs = clock.monotonicMs();
      if (stuckSinceMs === undefined) terminal.errors.write(`${file}: interrupted (${error.message}), retrying\n`);
      const next = await stateAfter(error, job);
      const hasAdvanced = (next?.offset ?? 0) > (state?.offset ?? 0);
      stuckSinceMs = hasAdvanced ? undefined : (stuckSinceMs ?? failedMs);
      if (stuckSinceMs !== undefined && failedMs - stuckSinceMs >= RETRY_MS) throw error;
      state = next;
    }
  }
}

async function sendFrom(job: Job, offset: number): Promise<Report> {
  const { file, format, source, parameters, importId, client, invocation } = job;
  const { terminal } = invocation;
  const bar = progressBar(file, source.path === undefined ? undefined : source.size, terminal);
  let failure: unknown;
  try {
    const body = bodyOf(source.bytes(offset, bar.add), (error) => {
      failure = error;
    });
    const position = { ...parameters, ...(importId !== undefined && { importId, offset: String(offset) }) };
    const { response } = await client.upload('import', position, MEDIA_TYPES[format], body);
    return plainJson<Report>(response);
  } catch (error) {
    if (failure === undefined) throw error;
    if (failure instanceof CommandLineError) throw failure;
    throw unreadable(file, failure);
  } finally {
    bar.stop();
  }
}

/** Returns how far the import has come, or undefined if it has not begun or has no id. */
async function stateOf({ importId, client }: Job): Promise<Report | undefined> {
  if (importId === undefined) return undefined;
  try {
    return plainJson<Report>((await client.command('importstate', { importId })).response);
  } catch (error) {
    if (error instanceof ServiceFailure && error.status === NOT_FOUND) return undefined;
    throw error;
  }
}

/** Waits until the service responds again, and returns how far the import has come. Throws `failure` after a minute. */
async function stateAfter(failure: CommandLineError, job: Job): Promise<Report | undefined> {
  const { clock, terminal } = job.invocation;
  const deadlineMs = clock.monotonicMs() + RETRY_MS;
  const alive = keepAlive();
  try {
    while (clock.monotonicMs() < deadlineMs && !terminal.interrupted.aborted) {
      await sleep(clock, RETRY_INTERVAL_MS);
      try {
        return await stateOf(job);
      } catch (error) {
        if (!isTemporary(error)) throw error;
      }
    }
    throw failure;
  } finally {
    alive.cancel();
  }
}

/** Reports whether the same request can succeed later: the connection was lost, or the service is stopping or busy. */
function isTemporary(error: unknown): error is CommandLineError {
  if (!(error instanceof CommandLineError)) return false;
  if (error.exitCode === EXIT_CODES.unreachable) return true;
  if (!(error instanceof ServiceFailure)) return false;
  // The service may not have noticed yet that the earlier connection is gone.
  return error.status === UNAVAILABLE || error.details.code === 'IMPORT_IN_USE';
}

/** Reports the records stored before an error, and shows the text of the line that it names. */
async function explain(error: unknown, job: Job): Promise<void> {
  if (!(error instanceof CommandLineError)) return;
  const { file, importId, source, invocation } = job;
  const { errors } = invocation.terminal;
  if (error instanceof ServiceFailure && error.response.kind === 'object') {
    const report = plainJson<Report>(error.response);
    await showRejected(report.errors, job);
    const [, line] = /^Line (\d+)/.exec(error.message) ?? [];
    if (line !== undefined) {
      const text = (await source.lines([Number(line)])).get(Number(line));
      if (text !== undefined) errors.write(`${file}:${line}: ${text}\n`);
    }
    errors.write(`${file}: rows stored before the error: ${report.rows}\n`);
  }
  const isInterrupted = error.exitCode === EXIT_CODES.interrupted || error.exitCode === EXIT_CODES.unreachable;
  if (isInterrupted && importId !== undefined && source.path !== undefined) {
    errors.write(`${file}: run the same command again to continue where it stopped\n`);
  }
}

async function showRejected(rejected: Report['errors'], { file, source, invocation }: Job): Promise<void> {
  if (rejected.length === 0) return;
  const texts = await source.lines(rejected.map(({ line }) => line));
  for (const { line, message } of rejected) {
    const text = texts.get(line);
    invocation.terminal.errors.write(`${file}:${line}: ${message}\n${text === undefined ? '' : `    ${text}\n`}`);
  }
}
