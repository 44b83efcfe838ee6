/** `svc load-sql`: executes a file's statements. */
import type { Command } from 'commander';
import { EXIT_CODES } from '../../base/exit-codes.ts';
import { addConnectionOptions, type ConnectionOptions, connect } from '../connection.ts';
import { usageError } from '../failures.ts';
import { existingFile } from '../local-path.ts';
import type { Terminal } from '../program.ts';
import type { ClientInvocation } from '../subcommand.ts';
import { progressBar } from '../transfer/progress-bar.ts';
import { SourceFile } from '../transfer/source-file.ts';
import { runScript } from './script.ts';

interface LoadSqlOptions extends ConnectionOptions {
  readonly cache?: string;
  readonly continue?: boolean;
  readonly fromLine?: string;
}

/** Maximum number of failed statements that are printed; the rest are counted. */
const MAX_SHOWN_FAILURES = 20;

export function declareLoadSql(command: Command, invocation: ClientInvocation): void {
  addConnectionOptions(command)
    .argument('<file>', 'script of statements that end with semicolons (also .gz), - for standard input')
    .option('--cache <name>', 'cache whose schema unqualified names belong to')
    .option('--continue', 'go on after a statement that fails; the exit code is 1 all the same')
    .option('--from-line <number>', 'skip the statements before this line, to resume after a failure')
    .action(async (file: string, options: LoadSqlOptions) => {
      const { terminal, clock } = invocation;
      const fromLine = lineOf(options.fromLine);
      const client = await connect(options, invocation);
      const startMs = clock.monotonicMs();
      let executed = 0;
      let shown = 0;
      const { script, close } = await openScript(file, terminal);
      const { failed } = await runScript({
        script,
        continues: options.continue === true,
        async execute({ text, line }) {
          if (line < fromLine) return;
          await client.command('qryfldexe', {
            qry: text,
            pageSize: '1',
            ...(options.cache !== undefined && { cacheName: options.cache }),
          });
          executed++;
        },
        failed({ line }, message) {
          shown++;
          if (shown <= MAX_SHOWN_FAILURES) terminal.errors.write(`${file}:${line}: ${message}\n`);
        },
      }).finally(close);
      const seconds = ((clock.monotonicMs() - startMs) / 1000).toFixed(1);
      if (failed > MAX_SHOWN_FAILURES) terminal.errors.write(`... and ${failed - MAX_SHOWN_FAILURES} more\n`);
      terminal.output.write(
        `${executed} ${executed === 1 ? 'statement' : 'statements'} executed, ${failed} failed, in ${seconds} s\n`,
      );
      if (failed > 0) invocation.exit(EXIT_CODES.failed);
    });
}

function lineOf(text: string | undefined): number {
  if (text === undefined) return 1;
  if (!/^[1-9]\d{0,14}$/.test(text)) throw usageError(`--from-line: must be the number of a line, not ${text}`);
  return Number(text);
}

/** Opens a file, with a progress bar on a terminal. Throws CommandLineError. */
export async function openScript(
  file: string,
  terminal: Terminal,
): Promise<{ readonly script: AsyncIterable<unknown>; close(): void }> {
  if (file === '-') return { script: terminal.input, close: () => {} };
  const { stats } = existingFile(terminal.cwd, file);
  const bar = progressBar(file, stats.size, terminal);
  const source = new SourceFile(file, terminal);
  return { script: source.bytes(0, bar.add), close: () => bar.stop() };
}
