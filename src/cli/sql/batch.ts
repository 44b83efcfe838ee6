/** Runs statements and prompt commands from arguments, a file or standard input. */
import type { ClientInvocation } from '../subcommand.ts';
import { openScript } from './load-sql.ts';
import type { PromptState } from './meta-commands.ts';
import { type ResultOptions, runStatement } from './result-output.ts';
import { runScript, type ScriptOptions } from './script.ts';

/** Runs scripts one after another or nested, with the settings made by their commands. */
export class StatementBatch {
  readonly #terminal: ClientInvocation['terminal'];
  readonly #settings: ResultOptions;
  readonly #continues: boolean;
  readonly #state: PromptState;
  #isLeft = false;
  #failed = 0;

  constructor(settings: ResultOptions, continues: boolean, { terminal }: ClientInvocation) {
    this.#terminal = terminal;
    this.#settings = settings;
    this.#continues = continues;
    const { client, format, expanded, cache } = settings;
    const { output, print } = terminal;
    this.#state = {
      ...{ client, output, print, format, expanded, cache, timing: false, pager: false },
      quit: () => {
        this.#isLeft = true;
      },
      include: (file) => this.runFile(file),
    };
  }

  /** Statements and commands that failed. */
  get failed(): number {
    return this.#failed;
  }

  /** Runs arguments, which need no semicolon. */
  async runArguments(given: readonly string[]): Promise<void> {
    const script = given.map((each) => (each.trimStart().startsWith('\\') ? `${each}\n` : `${each};\n`));
    await this.#run(script, () => 'svc: ');
  }

  /** Runs a file; `-` is standard input. Throws CommandLineError if there is none. */
  async runFile(file: string): Promise<void> {
    const { script, close } = await openScript(file, this.#terminal);
    await this.#run(script, (line) => (file === '-' ? `svc: line ${line}: ` : `${file}:${line}: `)).finally(close);
  }

  async #run(script: ScriptOptions['script'], placeOf: (line: number) => string): Promise<void> {
    const { failed } = await runScript({
      script,
      continues: this.#continues,
      execute: async ({ text }) => {
        if (!this.#isLeft) await runStatement(text, this.#options(), this.#terminal.print);
      },
      command: async (line) => {
        if (this.#isLeft) return;
        const { runMetaCommand } = await import('./meta-commands.ts');
        await runMetaCommand(line, this.#state);
      },
      failed: ({ line }, message) => this.#terminal.errors.write(`${placeOf(line)}${message}\n`),
    });
    this.#failed += failed;
  }

  #options(): ResultOptions {
    const { format, expanded, cache } = this.#state;
    return { ...this.#settings, format, expanded, cache };
  }
}
