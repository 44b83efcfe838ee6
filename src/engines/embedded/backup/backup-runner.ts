/**
 * Makes backups of an open grid: starts the process that copies, lets it take the snapshot while nothing is written,
 * and passes on what it copies. Runs in the thread that writes.
 */
import { rmSync } from 'node:fs';
import type { Clock } from '../../../base/clock.ts';
import { fail, GridError } from '../../../base/errors.ts';
import { BACKUP_BOUNDS } from '../../../base/limits.ts';
import { isBucketUrl } from '../../../base/local-path.ts';
import type { BackupEngine, BackupReport, RunningBackup } from '../../../grid/backup.ts';
import type { DatabaseFile } from '../storage/databases.ts';
import type { BackupHeader } from './backup-format.ts';
import type { FromBackupProcess, ToBackupProcess } from './backup-messages.ts';
import { PARTIAL } from './private-output.ts';

/** The part of the grid that a backup needs. */
export interface SnapshotSource {
  databaseFiles(): readonly DatabaseFile[];
  whileUnwritten(action: (files: readonly DatabaseFile[]) => Promise<void>): Promise<void>;
  pauseCheckpoints(): () => void;
}

export interface BackupRunnerOptions {
  readonly grid: SnapshotSource;
  readonly clock: Clock;
  /** Program and arguments of the process. */
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The program's version. */
  readonly program: string;
  readonly regions: BackupHeader['regions'];
  /** Bytes per second to read; 0: no limit. */
  readonly bytesPerSecond: number;
  /** The file with the keys that stored backups are encrypted with; undefined: they are not. */
  readonly keyFile?: string | undefined;
  readonly minFreeBytes: number | undefined;
}

/** Time for the process to start, and to open the files. */
const START_MS = 20_000;
const ERROR_CHARACTERS = 1_000;

export class BackupRunner implements BackupEngine {
  readonly #options: BackupRunnerOptions;

  constructor(options: BackupRunnerOptions) {
    this.#options = options;
  }

  start(target: string | null, signal: AbortSignal): RunningBackup {
    const child = new BackupChild(this.#options, target !== null);
    const report = this.#run(child, target, signal);
    // Whoever reads the chunks meets the error, too.
    report.catch(() => {});
    return { chunks: chunksOf(child, report), report, bytes: () => child.bytes };
  }

  async #run(child: BackupChild, target: string | null, signal: AbortSignal): Promise<BackupReport> {
    const { grid, clock, program, regions, bytesPerSecond, keyFile, minFreeBytes } = this.#options;
    const request = { target, program, regions, bytesPerSecond, keyFile, minFreeBytes };
    const onAbort = (): void => child.end(signal.reason);
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    let resume: (() => void) | undefined;
    try {
      await child.receive('listening', START_MS);
      // The files are opened in advance, so that taking the snapshot takes a millisecond.
      child.send({ type: 'open', request: { ...request, files: grid.databaseFiles() } });
      await child.receive('opened', START_MS);
      resume = grid.pauseCheckpoints();
      await grid.whileUnwritten(async (files) => {
        child.send({ type: 'pin', files, createdAt: new Date(clock.nowMs()).toISOString() });
        await child.receive('pinned', BACKUP_BOUNDS.snapshotMs);
      });
      child.send({ type: 'copy' });
      const { report } = await child.receive('done');
      return report;
    } finally {
      resume?.();
      signal.removeEventListener('abort', onAbort);
      // A stream ends when its last bytes have been read.
      if (target !== null) await child.close();
      if (target !== null && !isBucketUrl(target)) rmSync(target + PARTIAL, { force: true });
    }
  }
}

/** Yields the bytes of a streamed backup and ends the process. Throws if the backup fails or is incomplete. */
async function* chunksOf(child: BackupChild, report: Promise<BackupReport>): AsyncGenerator<Uint8Array> {
  const reader = child.output?.getReader();
  if (reader === undefined) return;
  let total: number | undefined;
  // The report arrives on another pipe than the bytes, before or after the last ones.
  const reported = report.then(({ bytes }) => {
    total = bytes;
  });
  try {
    for (let received = 0, next = reader.read(); received !== total; ) {
      const read = await (total === undefined ? Promise.race([next, reported]) : next);
      if (read === undefined) continue;
      if (read.done) break;
      received += read.value.length;
      next = reader.read();
      yield read.value;
    }
    await reported;
  } finally {
    await child.close();
  }
}

interface Expected {
  readonly type: FromBackupProcess['type'];
  readonly resolve: (message: never) => void;
}

/** The process that copies. */
class BackupChild {
  readonly #child: Bun.Subprocess<'ignore', 'ignore' | 'pipe', 'pipe'>;
  readonly #clock: Clock;
  readonly #ended = Promise.withResolvers<never>();
  #expected: Expected | undefined;
  /** Messages that nobody has waited for yet. */
  #waiting: FromBackupProcess[] = [];
  #errors = '';
  bytes = 0;

  constructor({ command, environment, clock }: BackupRunnerOptions, writesFile: boolean) {
    this.#clock = clock;
    this.#ended.promise.catch(() => {});
    this.#child = Bun.spawn({
      cmd: [...command],
      env: environment,
      stdio: ['ignore', writesFile ? 'ignore' : 'pipe', 'pipe'],
      // The runtime would otherwise read as fast as the process writes, however slow the client is.
      lazy: true,
      serialization: 'advanced',
      ipc: (message) => this.#receive(message as FromBackupProcess),
      onExit: (_child, exitCode, signalCode) => {
        const how = `exit ${exitCode ?? signalCode}`;
        this.end(fail('BACKUP_FAILED', this.#errors === '' ? how : `${how}: ${this.#errors}`));
      },
    });
    void this.#collectErrors();
  }

  get output(): ReadableStream<Uint8Array> | undefined {
    const { stdout } = this.#child;
    return stdout instanceof ReadableStream ? stdout : undefined;
  }

  send(message: ToBackupProcess): void {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.send(message);
  }

  /** Waits for a message. Rejects with the failure that the process reports instead, or when it ends. */
  async receive<T extends FromBackupProcess['type']>(
    type: T,
    limitMs?: number,
  ): Promise<Extract<FromBackupProcess, { type: T }>> {
    const received = new Promise<Extract<FromBackupProcess, { type: T }>>((resolve) => {
      this.#expected = { type, resolve };
    });
    for (const message of this.#waiting.splice(0)) this.#receive(message);
    const limit =
      limitMs === undefined
        ? undefined
        : this.#clock.after(limitMs, () => this.end(fail('BACKUP_FAILED', `no answer within ${limitMs} ms`)));
    try {
      return await Promise.race([received, this.#ended.promise]);
    } finally {
      limit?.cancel();
    }
  }

  /** Ends the process, and rejects what waits for it. */
  end(reason: unknown): void {
    this.#ended.reject(reason instanceof Error ? reason : fail('BACKUP_FAILED', String(reason)));
    this.#child.kill('SIGKILL');
  }

  /** Ends the process, which has done its work, and resolves when it is gone. */
  async close(): Promise<void> {
    this.end(fail('STOPPING'));
    await this.#child.exited;
  }

  #receive(message: FromBackupProcess): void {
    if (message.type === 'progress') this.bytes = message.bytes;
    else if (message.type === 'failed') this.end(new GridError(message.code, message.text));
    else if (this.#expected?.type === message.type) this.#expected.resolve(message as never);
    else this.#waiting.push(message);
  }

  async #collectErrors(): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of this.#child.stderr) {
      this.#errors = (this.#errors + decoder.decode(chunk)).slice(-ERROR_CHARACTERS);
    }
  }
}
