/** The processes that make, ship and check backups: the same program, started with a hidden argument. */
import type { Clock, Timer } from '../../../base/clock.ts';
import { gridError } from '../../../base/errors.ts';
import type { MaybePromise } from '../../../base/maybe-promise.ts';
import { ProcessPort, sendTo } from '../../../base/process-port.ts';
import { readProcessStat } from '../../../base/process-stat.ts';
import { RpcChannel, type RpcMethods } from '../../../base/rpc-channel.ts';

export interface ProcessCommand {
  /** Program and arguments of the process. */
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

/** The report that a process sends regularly besides its calls, so that a hanging one is noticed. */
const ALIVE = 'alive';
const ALIVE_MS = 1_000;
const LOOK_MS = 5_000;

/** Reports regularly to the process that started this one. */
export function reportAlive(clock: Clock): void {
  clock.every(ALIVE_MS, () => void process.send?.(ALIVE));
}

/** The error while a process hangs and no other is started. */
export const HUNG = 'the process before hangs, and does not end';

/** The end of a process's standard error output that fits into a log entry. */
const ERROR_CHARACTERS = 1_000;

/** A started process. `Remote` are the methods that it serves. */
export class BackupProcess<Remote extends RpcMethods, Local extends RpcMethods> {
  readonly #clock: Clock;
  readonly #child: Bun.Subprocess<'ignore', 'ignore' | 'pipe', 'pipe'>;
  readonly #channel: RpcChannel<Remote, Local>;
  readonly #looks: Timer | undefined;
  #endedBy: Error | undefined;
  #errors = '';
  /** When it last reported or used a processor, by the monotonic clock, and its processor time by then. */
  #activeMs: number;
  #ticks: string | undefined;
  #isSilent = false;
  #onExit: ((how: string) => void) | undefined;

  /**
   * `streams`: its standard output is read. `onExit` is called with how it ended, unless {@link end} ended it. After
   * `silentMs` without a report and without using a processor, it is ended (only on Linux, which reports processor
   * time).
   */
  constructor(
    { command, environment, clock }: ProcessCommand,
    {
      streams = false,
      onExit,
      silentMs,
    }: { readonly streams?: boolean; readonly onExit?: (how: string) => void; readonly silentMs?: number } = {},
  ) {
    this.#onExit = onExit;
    this.#activeMs = clock.monotonicMs();
    this.#looks = silentMs === undefined ? undefined : clock.every(LOOK_MS, () => this.#look(silentMs));
    const port = new ProcessPort((message) => sendTo(this.#child, message));
    this.#clock = clock;
    this.#channel = new RpcChannel(port, clock);
    this.#child = Bun.spawn({
      cmd: [...command],
      env: environment,
      stdio: ['ignore', streams ? 'pipe' : 'ignore', 'pipe'],
      // Otherwise, the runtime would read as fast as the process writes, however slow the client is.
      lazy: true,
      serialization: 'advanced',
      ipc: (message) => {
        this.#activeMs = clock.monotonicMs();
        if (message !== ALIVE) port.receive(message);
      },
      onExit: (_child, exitCode, signalCode) => {
        if (this.#endedBy !== undefined) return;
        const how = `exit ${exitCode ?? signalCode}${this.#errors === '' ? '' : `: ${this.#errors}`}`;
        this.#close(gridError('BACKUP_FAILED', how));
        this.#onExit?.(how);
      },
    });
    void this.#collectErrors();
  }

  get processId(): number {
    return this.#child.pid;
  }

  /** Replaces the function to call when the process exits. Returns false if it has already ended. */
  handOver(onExit: (how: string) => void): boolean {
    this.#onExit = onExit;
    return this.#endedBy === undefined;
  }

  get output(): ReadableStream<Uint8Array> | undefined {
    const { stdout } = this.#child;
    return stdout instanceof ReadableStream ? stdout : undefined;
  }

  /** Registers the handler of a call by the process. It is not called after the process has ended. */
  serve<N extends keyof Local & string>(
    name: N,
    handler: (request: Local[N]['request']) => MaybePromise<Local[N]['response']>,
  ): void {
    this.#channel.serve(name, (request) => {
      if (this.#endedBy !== undefined) throw this.#endedBy;
      return handler(request);
    });
  }

  /** Calls the process, and ends it if it does not respond within `limitMs`. Rejects with the reason for its end. */
  async call<N extends keyof Remote & string>(
    name: N,
    request: Remote[N]['request'],
    limitMs?: number,
  ): Promise<Remote[N]['response']> {
    if (this.#endedBy !== undefined) throw this.#endedBy;
    const overdue = (): void => this.end(gridError('BACKUP_FAILED', `no answer within ${limitMs} ms`));
    const limit = limitMs === undefined ? undefined : this.#clock.after(limitMs, overdue);
    try {
      return await this.#channel.call(name, request);
    } finally {
      limit?.cancel();
    }
  }

  /** Ends the process, and rejects pending calls. */
  end(reason: Error): void {
    this.#close(reason);
    this.#child.kill('SIGKILL');
  }

  /** Whether it hangs and cannot be killed, like a process waiting for a file system that does not respond. */
  get isHung(): boolean {
    return this.#isSilent && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Ends the process, which has done its work, and resolves when it has exited; immediately if it hangs. */
  async close(): Promise<void> {
    this.end(gridError('STOPPING'));
    if (!this.#isSilent) await this.#child.exited;
  }

  /** Ends it if it hangs. Verifying blocks for long, but uses a processor. */
  #look(silentMs: number): void {
    const ticks = readProcessStat(this.#child.pid)?.processorTicks;
    const nowMs = this.#clock.monotonicMs();
    if (ticks === undefined || ticks !== this.#ticks) this.#activeMs = nowMs;
    this.#ticks = ticks;
    if (nowMs - this.#activeMs < silentMs) return;
    this.#isSilent = true;
    this.end(gridError('BACKUP_FAILED', `its process hangs: nothing from it for ${Math.round(silentMs / 1000)} s`));
  }

  #close(reason: Error): void {
    this.#looks?.cancel();
    this.#endedBy ??= reason;
    this.#channel.close(this.#endedBy);
  }

  async #collectErrors(): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of this.#child.stderr) {
      this.#errors = (this.#errors + decoder.decode(chunk)).slice(-ERROR_CHARACTERS);
    }
  }
}
