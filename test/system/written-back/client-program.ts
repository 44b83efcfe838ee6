/** A program in another language, which executes calls of its client. */
import { type Parameters, type Program, Source, write } from './requests.ts';

/** Sends a line of JSON for each call and reads one for each answer. */
export class ClientProgram implements Program, AsyncDisposable {
  readonly #child: Bun.Subprocess<'pipe', 'pipe', 'inherit'>;
  readonly #lines: AsyncGenerator<string>;
  #last: Promise<unknown> = Promise.resolve();

  constructor(command: readonly string[], env: Readonly<Record<string, string>>) {
    const streams = { stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' } as const;
    this.#child = Bun.spawn([...command], { ...streams, env: { ...process.env, ...env } });
    this.#lines = linesOf(this.#child.stdout);
  }

  /** Executes a call, after those before it. Rejects with its failure. */
  call(method: string, parameters: Parameters): Promise<Source> {
    const answer = this.#last.then(() => this.#exchange(write({ method, parameters })));
    this.#last = answer.catch(() => {});
    return answer;
  }

  async #exchange(task: string): Promise<Source> {
    this.#child.stdin.write(`${task}\n`);
    await this.#child.stdin.flush();
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error(`the program has ended at ${task}`);
    const answer = new Source(value);
    const error = answer.member('error');
    if (error !== undefined) throw new Error(`${task}: ${error.text}`);
    return answer.at('result');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#child.stdin.end();
    await this.#child.exited;
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
