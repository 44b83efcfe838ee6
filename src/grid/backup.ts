/** Backups of an engine that stores the data itself. */

/** A complete backup. */
export interface BackupReport {
  /** The time of the snapshot, ISO 8601. */
  readonly createdAt: string;
  /** Version of the program that made the backup. */
  readonly program: string;
  readonly schemaVersion: number;
  /** The regions whose caches it contains: all. */
  readonly regions: ReadonlyArray<{ readonly name: string; readonly persistent: boolean }>;
  /** Bytes of the backup. */
  readonly bytes: number;
  /** Bytes of the database files that it restores. */
  readonly restoredBytes: number;
  /** SHA-256 over the contents, in hexadecimal. It is also the end of the backup. */
  readonly sha256: string;
}

/** A backup that is being made. */
export interface RunningBackup {
  /** The bytes of a backup that is streamed; none of one that is written to a file. Must be read to the end. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Rejects with BACKUP_FAILED, BACKUP_SPACE, errors of storage, and the reason of the signal. */
  readonly report: Promise<BackupReport>;
  /** Returns the bytes written so far. */
  bytes(): number;
}

/** Makes backups while the grid serves requests. */
export interface BackupEngine {
  /** Starts a backup to the file `target`, or one that streams its bytes if `target` is null. */
  start(target: string | null, signal: AbortSignal): RunningBackup;
}
