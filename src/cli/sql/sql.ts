/** `svc sql`: statements from the command line, from standard input, or at a prompt. */
import type { Command } from 'commander';
import { EXIT_CODES } from '../../base/exit-codes.ts';
import { addConnectionOptions, type ConnectionOptions, connect } from '../connection.ts';
import { usageError } from '../failures.ts';
import type { ClientInvocation } from '../subcommand.ts';
import { StatementBatch } from './batch.ts';
import { RESULT_FORMATS, type ResultFormat, type ResultOptions } from './result-output.ts';

interface SqlOptions extends ConnectionOptions {
  readonly command?: readonly string[];
  readonly file?: string;
  readonly cache?: string;
  readonly timeout?: string;
  readonly expanded?: boolean;
  readonly continue?: boolean;
  readonly csv?: boolean;
  readonly json?: boolean;
  readonly ndjson?: boolean;
  readonly table?: boolean;
}

export function declareSql(command: Command, invocation: ClientInvocation): void {
  addConnectionOptions(command)
    .argument('[statements...]', 'the same as --command')
    .option('-c, --command <statements...>', 'execute statements, separated by semicolons, and exit')
    .option('-f, --file <file>', 'execute the statements of a file (also .gz, - for standard input), and exit')
    .option('--cache <name>', 'cache whose schema unqualified names belong to')
    .option('--timeout <ms>', 'time limit of each statement in milliseconds')
    .option('--continue', 'go on after a statement that fails; the exit code is 1 all the same')
    .option('--table', 'print tables; the default')
    .option('--csv', 'print rows as CSV with a header')
    .option('--json', 'print rows as an array of JSON objects')
    .option('--ndjson', 'print rows as JSON objects, one per line')
    .option('-x, --expanded', 'print each row of a table as a list of columns')
    .addHelpText(
      'after',
      '\nOtherwise statements come from standard input; on a terminal, from a prompt. Commands of the prompt,\nsuch as \\dt, can stand in place of a statement; \\? lists them.',
    )
    .action(async (statements: readonly string[], options: SqlOptions) => {
      const { terminal } = invocation;
      const timeoutMs = timeoutOf(options.timeout);
      const settings: ResultOptions = {
        client: await connect(options, invocation),
        format: formatOf(options),
        expanded: options.expanded === true,
        cache: options.cache,
        timeoutMs,
      };
      const given = [...(options.command ?? []), ...statements];
      if (given.length > 0 && options.file !== undefined)
        throw usageError('--file: cannot be combined with statements');
      const isInteractive = given.length === 0 && options.file === undefined && terminal.input.isTTY === true;
      if (isInteractive) {
        const { runPrompt } = await import('./sql-prompt.ts');
        await runPrompt(settings, invocation);
        return;
      }
      const batch = new StatementBatch(settings, options.continue === true, invocation);
      await (given.length > 0 ? batch.runArguments(given) : batch.runFile(options.file ?? '-'));
      if (batch.failed > 0) invocation.exit(EXIT_CODES.failed);
    });
}

function formatOf(options: SqlOptions): ResultFormat {
  const chosen = RESULT_FORMATS.filter((format) => options[format] === true);
  if (chosen.length > 1) throw usageError(`choose one of ${chosen.map((each) => `--${each}`).join(' and ')}`);
  return chosen[0] ?? 'table';
}

function timeoutOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw usageError(`--timeout: must be a number of milliseconds, not ${text}`);
  return Number(text);
}
