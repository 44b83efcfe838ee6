/** The interactive prompt of `svc sql`. */
import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { EXIT_CODES } from '../../base/exit-codes.ts';
import { isMissing } from '../../base/missing-files.ts';
import { CommandLineError, interruptedError } from '../failures.ts';
import { plainText } from '../json-text.ts';
import type { Terminal } from '../program.ts';
import type { ClientInvocation } from '../subcommand.ts';
import { failureText } from './failure-text.ts';
import { joinLines, MAX_HISTORY_LINES, readHistory, writeHistory } from './history.ts';
import { META_COMMAND_NAMES, type PromptState, runMetaCommand } from './meta-commands.ts';
import { exceedsScreen, page } from './pager.ts';
import { type ResultOptions, runStatement, tables } from './result-output.ts';
import { type CatalogTable, completeSql, readCatalog } from './schema-catalog.ts';
import { runScript } from './script.ts';
import { StatementSplitter } from './statement-splitter.ts';

const PROMPT = 'svc> ';
/** Shown while a statement waits for its semicolon. */
const CONTINUATION = '  -> ';
/** Statements after which tables and columns may have changed. */
const DEFINITION = /^(?:create|alter|drop)\b/i;

/** Reads statements and commands until the user quits. */
export async function runPrompt(settings: ResultOptions, invocation: ClientInvocation): Promise<void> {
  const version = plainText((await settings.client.command('version')).response);
  invocation.terminal.output.write(`svc ${version} at ${settings.client.url}. \\? lists commands.\n`);
  await new SqlPrompt(settings, invocation).run();
}

class SqlPrompt {
  readonly #terminal: Terminal;
  readonly #clock: ClientInvocation['clock'];
  readonly #settings: ResultOptions;
  readonly #lines: Interface;
  readonly #splitter = new StatementSplitter();
  readonly #state: PromptState;
  readonly #ended = Promise.withResolvers<void>();
  /** Lines in the order in which they were typed; each waits for the previous one. */
  #queue: Promise<void> = Promise.resolve();
  #running: AbortController | undefined;
  #catalog: Promise<readonly CatalogTable[]> | undefined;
  /** The lines of the prompt, newest first. */
  #history: string[];
  /** Lines of the statement that waits for its semicolon. */
  #typed: string[] = [];
  #isClosed = false;

  constructor(settings: ResultOptions, { terminal, clock }: ClientInvocation) {
    this.#terminal = terminal;
    this.#clock = clock;
    this.#settings = settings;
    this.#history = readHistory(terminal);
    this.#lines = createInterface({
      input: terminal.input,
      output: terminal.output,
      terminal: true,
      prompt: PROMPT,
      history: [...this.#history],
      historySize: MAX_HISTORY_LINES,
      removeHistoryDuplicates: true,
      completer: (text: string, done: (error: null, result: [string[], string]) => void) => {
        this.#complete(text).then(
          (result) => done(null, result),
          () => done(null, [[], text]),
        );
      },
    });
    this.#state = {
      client: settings.client,
      output: terminal.output,
      print: terminal.print,
      format: settings.format,
      expanded: settings.expanded,
      timing: false,
      pager: true,
      cache: settings.cache,
      quit: () => this.#lines.close(),
      include: (file) => this.#include(file),
    };
  }

  async run(): Promise<void> {
    const lines = this.#lines;
    lines.on('line', (line) => {
      this.#queue = this.#queue.then(() => this.#read(line)).catch((error: unknown) => this.#ended.reject(error));
    });
    lines.on('history', (history: string[]) => {
      this.#history = history;
    });
    lines.on('SIGINT', () => this.#interrupt());
    lines.on('close', () => {
      this.#isClosed = true;
      this.#running?.abort();
      void this.#queue.then(() => this.#ended.resolve());
    });
    this.#terminal.interrupted.addEventListener('abort', () => lines.close());
    lines.prompt();
    try {
      await this.#ended.promise;
      if (this.#terminal.interrupted.aborted) throw interruptedError();
    } finally {
      writeHistory(this.#history, this.#terminal);
      lines.close();
    }
  }

  /** Cancels the running statement, or the typed text. */
  #interrupt(): void {
    if (this.#running !== undefined) {
      this.#running.abort();
      return;
    }
    this.#splitter.reset();
    this.#terminal.output.write('^C\n');
    this.#lines.write(null, { ctrl: true, name: 'e' });
    this.#lines.write(null, { ctrl: true, name: 'u' });
    this.#showPrompt();
  }

  #showPrompt(): void {
    if (this.#isClosed) return;
    this.#lines.setPrompt(this.#splitter.isEmpty ? PROMPT : CONTINUATION);
    this.#lines.prompt();
  }

  async #read(line: string): Promise<void> {
    if (this.#splitter.isEmpty && /^\s*(?:quit|exit)\s*;?\s*$/i.test(line)) return this.#lines.close();
    const isHelp = /^\s*help\s*;?\s*$/i.test(line);
    if (this.#splitter.isEmpty && (isHelp || line.trimStart().startsWith('\\'))) {
      await this.#report(() => runMetaCommand(isHelp ? '\\?' : line.trim(), this.#state));
    } else {
      if (this.#splitter.isEmpty) this.#typed = [];
      this.#typed.push(line);
      const statements = this.#splitter.add(`${line}\n`);
      if (this.#splitter.isEmpty && this.#typed.length > 1) joinLines(this.#history, this.#typed);
      for (const { text } of statements) await this.#report(() => this.#execute(text), text);
    }
    this.#showPrompt();
  }

  /** Runs an action and prints its errors, with the location for a statement's. */
  async #report(action: () => Promise<void>, statement = ''): Promise<void> {
    try {
      await action();
    } catch (error) {
      const cancelled = error instanceof Error && error.name === 'AbortError';
      if (!cancelled && !(error instanceof CommandLineError)) throw error;
      this.#terminal.errors.write(`${cancelled ? 'cancelled' : failureText(error, statement)}\n`);
    }
  }

  async #execute(sql: string): Promise<void> {
    const { timing, format } = this.#state;
    const startMs = this.#clock.monotonicMs();
    const running = new AbortController();
    this.#running = running;
    try {
      const options = this.#options(running.signal);
      if (format === 'table') await this.#showTables(sql, options);
      else await runStatement(sql, options, this.#terminal.print);
    } finally {
      this.#running = undefined;
      if (DEFINITION.test(sql)) this.#catalog = undefined;
    }
    if (timing) this.#terminal.output.write(`Time: ${(this.#clock.monotonicMs() - startMs).toFixed(3)} ms\n`);
  }

  #options(signal: AbortSignal): ResultOptions {
    const { format, expanded, cache } = this.#state;
    return { ...this.#settings, format, expanded, cache, signal };
  }

  /** Prints a result that fits the screen, and shows any other in the pager. */
  async #showTables(sql: string, options: ResultOptions): Promise<void> {
    const texts = tables(sql, options);
    const first = await texts.next();
    if (first.done === true) return;
    const second = await texts.next();
    const begun = [first.value, ...(second.done === true ? [] : [second.value])];
    if (this.#state.pager && exceedsScreen(begun.join(''), this.#terminal)) {
      this.#lines.pause();
      this.#terminal.input.setRawMode?.(false);
      try {
        if (await page(chained(begun, texts), this.#terminal)) return;
      } finally {
        this.#terminal.input.setRawMode?.(true);
        this.#lines.resume();
      }
    }
    for await (const text of chained(begun, texts)) await this.#terminal.print(text);
  }

  async #include(file: string): Promise<void> {
    if (file === '') throw new CommandLineError(EXIT_CODES.failed, '\\i: name a file');
    const path = resolve(this.#terminal.cwd, file);
    const script = createReadStream(path);
    try {
      await runScript({
        script,
        continues: false,
        execute: ({ text }) => this.#execute(text),
        command: (line) => runMetaCommand(line, this.#state),
        failed: ({ line }, message) => this.#terminal.errors.write(`${file}:${line}: ${message}\n`),
      });
    } catch (error) {
      if (!isMissing(error)) throw error;
      throw new CommandLineError(EXIT_CODES.failed, `\\i: there is no file ${path}`);
    }
  }

  async #complete(text: string): Promise<[string[], string]> {
    if (this.#splitter.isEmpty && /^\s*\\\S*$/.test(text)) {
      const word = text.trimStart();
      return [META_COMMAND_NAMES.filter((name) => name.startsWith(word)), word];
    }
    this.#catalog ??= readCatalog(this.#settings.client);
    return completeSql(text, await this.#catalog);
  }
}

async function* chained(begun: readonly string[], rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield* begun;
  yield* rest;
}
