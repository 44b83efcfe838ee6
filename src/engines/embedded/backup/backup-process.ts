/**
 * The process that copies a backup: the same program, started with a hidden argument. It reads the service's database
 * files, and runs at a low priority once it has taken the snapshot.
 */
import { existsSync, statSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { dirname } from 'node:path';
import { errorText, GridError, gridError } from '../../../base/errors.ts';
import { isBucketUrl } from '../../../base/local-path.ts';
import type { MaybePromise } from '../../../base/maybe-promise.ts';
import { ProcessPort } from '../../../base/process-port.ts';
import { RpcChannel } from '../../../base/rpc-channel.ts';
import type { BackupReport } from '../../../grid/backup.ts';
import type { DatabaseFile } from '../storage/databases.ts';
import { freeSpace } from '../storage/disk-space.ts';
import { storageFailure } from '../storage/storage-failures.ts';
import { ObjectOutput } from './backup-bucket.ts';
import { readKeys } from './backup-keys.ts';
import type { CopyMethods, CopyReports, CopyRequest } from './backup-messages.ts';
import { reportAlive } from './child-process.ts';
import type { BucketContext } from './continuous/s3-bucket.ts';
import { copySnapshot } from './copy.ts';
import { encrypted } from './encryption.ts';
import { PrivateOutput } from './private-output.ts';
import { SnapshotFile } from './snapshot-file.ts';

/** The fraction of the reserve below which the data's disk must be for a backup to be rejected. */
const DATA_PART = 1 / 2;

/** Serves the parent process until it disconnects. */
export function runBackupProcess(context: BucketContext): void {
  const service = new ProcessPort((message) => void process.send?.(message));
  process.on('message', service.receive);
  const channel = new RpcChannel<CopyReports, CopyMethods>(service, context.clock);
  reportAlive(context.clock);
  const copier = new Copier(context, (bytes) => void channel.call('progress', bytes).catch(() => {}));
  channel.serve('open', (request) => failing(() => copier.open(request)));
  channel.serve('pin', (request) => failing(() => copier.pin(request)));
  channel.serve('copy', () => failing(() => copier.copy()));
  // An exit would close the files: the last one to do so writes the log back, at this low priority and with the file
  // locked, while a service that restarts after a crash waits.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  // The parent ends this process: a signal to the process group must not interrupt a backup during an orderly shutdown.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => {});
}

/** Returns an action's result. Throws its error as the service reports it. */
async function failing<T>(action: () => MaybePromise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    const failure = storageFailure(error);
    if (failure instanceof GridError) throw failure;
    throw gridError('BACKUP_FAILED', errorText(failure));
  }
}

class Copier {
  readonly #context: BucketContext;
  readonly #onProgress: (bytes: number) => void;
  #request: CopyRequest | undefined;
  #files: SnapshotFile[] = [];
  #createdAt = '';

  constructor(context: BucketContext, onProgress: (bytes: number) => void) {
    this.#context = context;
    this.#onProgress = onProgress;
  }

  open(request: CopyRequest): null {
    this.#request = request;
    this.#openInAdvance(request.files);
    return null;
  }

  pin({ files, createdAt }: CopyMethods['pin']['request']): null {
    this.#open(files);
    for (const file of this.#files) file.pin();
    this.#createdAt = createdAt;
    return null;
  }

  /**
   * Opens in advance the files that can be opened. A change of the cluster's state may remove files of regions in the
   * meantime; taking the snapshot opens whatever exists then.
   */
  #openInAdvance(files: readonly DatabaseFile[]): void {
    for (const { path, region } of files) {
      try {
        this.#files.push(new SnapshotFile(path, region));
      } catch (error) {
        if (existsSync(path)) throw error;
      }
    }
  }

  /** Opens files that are not open, and closes those that no longer exist. */
  #open(files: readonly DatabaseFile[]): void {
    const open = new Map(this.#files.map((file) => [file.path, file]));
    for (const [path, file] of open) {
      if (file.isCurrent()) continue;
      file.close();
      open.delete(path);
    }
    this.#files = files.map(({ path, region }) => {
      const file = open.get(path) ?? new SnapshotFile(path, region);
      open.delete(path);
      return file;
    });
    for (const file of open.values()) file.close();
  }

  async copy(): Promise<BackupReport> {
    if (this.#request === undefined) throw new TypeError('a copy before its request');
    const { target, program, regions, bytesPerSecond, keyFile, minFreeBytes } = this.#request;
    const { clock } = this.#context;
    lowerPriority();
    const [data] = this.#files;
    const check = (): void => {
      // The data file's log grows while the snapshot is held, although changes that add data may be rejected.
      const dataFolder = data === undefined ? undefined : dirname(data.path);
      const promised = data?.promisedBytes() ?? 0;
      if (dataFolder !== undefined) checkSpace(dataFolder, minFreeBytes, DATA_PART, promised);
      if (target === null || isBucketUrl(target)) return;
      const isSameDisk = dataFolder !== undefined && statSync(dataFolder).dev === statSync(dirname(target)).dev;
      checkSpace(dirname(target), minFreeBytes, 1, isSameDisk ? promised : 0);
    };
    // A stream is read by its receiver: TLS protects it.
    const keys = keyFile === undefined || target === null ? undefined : readKeys(keyFile);
    const output = this.#outputTo(target);
    try {
      const parts = copySnapshot(
        this.#files,
        { createdAt: this.#createdAt, program, regions },
        { bytesPerSecond, clock, check },
      );
      let report: Omit<BackupReport, 'bytes'> | undefined;
      const contents = async function* (): AsyncGenerator<Uint8Array> {
        report = yield* parts;
      };
      for await (const chunk of keys === undefined ? contents() : encrypted(contents(), keys)) {
        await output.write(chunk);
        this.#onProgress(output.bytes);
        // Without a pause, nothing would be sent before the end.
        await new Promise<void>((resolve) => clock.nextTick(resolve));
      }
      if (report === undefined) throw gridError('BACKUP_FAILED', 'it ended early');
      await output.complete();
      return { ...report, bytes: output.bytes };
    } catch (error) {
      await output.discard();
      throw error;
    }
  }

  #outputTo(target: string | null): StandardOutput | PrivateOutput | ObjectOutput {
    if (target === null) return new StandardOutput();
    return isBucketUrl(target) ? new ObjectOutput(target, this.#context) : new PrivateOutput(target);
  }
}

/**
 * Throws BACKUP_SPACE if the folder's disk has less than a fraction of the reserve, not counting the bytes needed to
 * write the data file's log back.
 */
function checkSpace(folder: string, minFreeBytes: number | undefined, part: number, promised: number): void {
  const space = freeSpace(folder, minFreeBytes);
  if (space === undefined) return;
  const leastBytes = Math.floor(space.reserveBytes * part);
  const leftBytes = space.freeBytes - promised;
  if (leftBytes < leastBytes) throw gridError('BACKUP_SPACE', folder, leftBytes, leastBytes);
}

/** Writes to the parent as fast as it reads. */
class StandardOutput {
  bytes = 0;

  write(bytes: Uint8Array): Promise<void> {
    this.bytes += bytes.length;
    return new Promise((resolve, reject) => {
      process.stdout.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
  }

  complete(): void {}

  discard(): void {}
}

function lowerPriority(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Some systems do not allow it. The copy is slower than the service in any case, because its rate is limited.
  }
}
