/** Executes a script's statements in order. */
import { EXIT_CODES } from '../../base/exit-codes.ts';
import { foreignText, NOT_UTF8 } from '../../base/foreign-text.ts';
import { CommandLineError, usageError } from '../failures.ts';
import { failureText } from './failure-text.ts';
import { type ScriptStatement, StatementSplitter } from './statement-splitter.ts';

export interface ScriptOptions {
  /** Chunks of the script, as text or as bytes in UTF-8. */
  readonly script: AsyncIterable<unknown> | Iterable<unknown>;
  /** Whether to continue after a statement that fails. */
  readonly continues: boolean;
  execute(statement: ScriptStatement): Promise<void>;
  /** Runs a line that begins with a backslash between statements; if undefined, such lines are parts of statements. */
  command?(line: string): Promise<void>;
  /** Reports a failed statement, with the text to show. */
  failed(statement: ScriptStatement, message: string): void;
}

export interface ScriptResult {
  /** Statements that failed. */
  readonly failed: number;
}

/**
 * Executes statements until the end of the script, or until one fails unless `continues`. Throws errors that do not
 * concern one statement: a service that does not respond, rejected credentials, an interruption.
 */
export async function runScript({ script, continues, execute, command, failed }: ScriptOptions): Promise<ScriptResult> {
  const splitter = new StatementSplitter();
  const counts = { failed: 0 };
  const attempt = async (statement: ScriptStatement, action: () => Promise<void>): Promise<boolean> => {
    try {
      await action();
      return true;
    } catch (error) {
      if (!(error instanceof CommandLineError) || error.exitCode !== EXIT_CODES.failed) throw error;
      counts.failed++;
      failed(statement, failureText(error, statement.text));
      return continues;
    }
  };
  const run = async (statements: readonly ScriptStatement[]): Promise<boolean> => {
    for (const statement of statements) if (!(await attempt(statement, () => execute(statement)))) return false;
    return true;
  };
  for await (const text of command === undefined ? texts(script) : byCommands(texts(script))) {
    if (command !== undefined && splitter.isEmpty && COMMAND_LINE.test(text)) {
      const line = { text: text.trim(), line: splitter.skipLine() };
      if (!(await attempt(line, () => command(line.text)))) return counts;
    } else if (!(await run(splitter.add(text)))) return counts;
  }
  await run(splitter.end());
  return counts;
}

const COMMAND_LINE = /^[ \t]*\\/;

/** Yields each line that begins with a backslash separately, and the text between them by whole lines. */
async function* byCommands(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const text of texts) {
    const all = rest + text;
    const end = all.lastIndexOf('\n') + 1;
    rest = all.slice(end);
    yield* partsOf(all.slice(0, end));
  }
  if (rest !== '') yield rest;
}

/** Splits lines before and after each one that begins with a backslash. */
function partsOf(lines: string): string[] {
  return lines.split(/^(?=[ \t]*\\)|(?<=^[ \t]*\\.*\n)/m).filter((part) => part !== '');
}

/** Yields the text of a script. Throws CommandLineError if its first bytes are not text, or a byte is not UTF-8. */
async function* texts(script: ScriptOptions['script']): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (bytes?: Uint8Array): string => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      throw usageError(`the script is not UTF-8: ${NOT_UTF8}`);
    }
  };
  let isFirst = true;
  for await (const chunk of script) {
    const foreign = isFirst && chunk instanceof Uint8Array ? foreignText(chunk) : undefined;
    if (foreign !== undefined) throw usageError(`the script ${foreign}`);
    isFirst = false;
    yield chunk instanceof Uint8Array ? decode(chunk) : String(chunk);
  }
  yield decode();
}
