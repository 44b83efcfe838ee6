/**
 * Makes backups of an open grid: starts the copying process, lets it take the snapshot while nothing is written, and
 * forwards its output. Runs in the writer's thread.
 */
import { rmSync } from 'node:fs';
import { gridError } from '../../../base/errors.ts';
import { BACKUP_BOUNDS } from '../../../base/limits.ts';
import { isBucketUrl } from '../../../base/local-path.ts';
import type { BackupEngine, BackupReport, RunningBackup } from '../../../grid/backup.ts';
import type { DatabaseFile } from '../storage/databases.ts';
import type { BackupHeader } from './backup-format.ts';
import type { CopyMethods, CopyReports } from './backup-messages.ts';
import { BackupProcess, HUNG, type ProcessCommand } from './child-process.ts';
import { PARTIAL } from './private-output.ts';

/** The part of the grid that a backup needs. */
export interface SnapshotSource {
  databaseFiles(): readonly DatabaseFile[];
  whileUnwritten(action: (files: readonly DatabaseFile[]) => Promise<void>): Promise<void>;
  pauseCheckpoints(): () => void;
}

export interface BackupRunnerOptions extends ProcessCommand {
  readonly grid: SnapshotSource;
  /** The program's version. */
  readonly program: string;
  readonly regions: BackupHeader['regions'];
  /** Bytes per second to read, or 0 for no limit. */
  readonly bytesPerSecond: number;
  /** The file with the keys for encrypting stored backups, or undefined if they are not encrypted. */
  readonly keyFile?: string | undefined;
  readonly minFreeBytes: number | undefined;
}

/** Time for the process to start and open the files. */
const START_MS = 40_000;

type CopyingProcess = BackupProcess<CopyMethods, CopyReports>;

export class BackupRunner implements BackupEngine {
  readonly #options: BackupRunnerOptions;
  /** The last backup's process, which may hang such that it cannot be killed. */
  #last: CopyingProcess | undefined;

  constructor(options: BackupRunnerOptions) {
    this.#options = options;
  }

  start(target: string | null, signal: AbortSignal): RunningBackup {
    if (this.#last?.isHung === true) return rejected(gridError('BACKUP_FAILED', HUNG));
    const { silentMs } = BACKUP_BOUNDS;
    const child: CopyingProcess = new BackupProcess(this.#options, { streams: target === null, silentMs });
    this.#last = child;
    let bytes = 0;
    child.serve('progress', (written) => {
      bytes = written;
      return null;
    });
    const report = this.#run(child, target, signal);
    // The reader of the chunks also gets the error.
    report.catch(() => {});
    return { chunks: chunksOf(child, report), report, bytes: () => bytes };
  }

  async #run(child: CopyingProcess, target: string | null, signal: AbortSignal): Promise<BackupReport> {
    const { grid, clock, program, regions, bytesPerSecond, keyFile, minFreeBytes } = this.#options;
    const request = { target, program, regions, bytesPerSecond, keyFile, minFreeBytes };
    const onAbort = (): void => {
      const { reason } = signal;
      child.end(reason instanceof Error ? reason : gridError('BACKUP_FAILED', String(reason)));
    };
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    let resume: (() => void) | undefined;
    try {
      // The files are opened in advance, so that taking the snapshot takes a millisecond.
      await child.call('open', { ...request, files: grid.databaseFiles() }, START_MS);
      resume = grid.pauseCheckpoints();
      await grid.whileUnwritten(async (files) => {
        const createdAt = new Date(clock.nowMs()).toISOString();
        await child.call('pin', { files, createdAt }, BACKUP_BOUNDS.snapshotMs);
      });
      return await child.call('copy', null);
    } finally {
      resume?.();
      signal.removeEventListener('abort', onAbort);
      // A stream ends when its last bytes have been read.
      if (target !== null) await child.close();
      if (target !== null && !isBucketUrl(target)) rmSync(target + PARTIAL, { force: true });
    }
  }
}

/** Returns a failed backup. */
function rejected(error: Error): RunningBackup {
  const report = Promise.reject(error);
  report.catch(() => {});
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield await report;
  }
  return { chunks: chunks(), report, bytes: () => 0 };
}

/** Yields the bytes of a streamed backup and ends the process. Throws if the backup fails or is incomplete. */
async function* chunksOf(child: CopyingProcess, report: Promise<BackupReport>): AsyncGenerator<Uint8Array> {
  const reader = child.output?.getReader();
  if (reader === undefined) return;
  let total: number | undefined;
  // The report arrives on a different pipe from the bytes, before or after the last ones.
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
