/** Backups of an engine that stores the data itself. */

/** A complete backup. */
export interface BackupReport {
  /** The snapshot's time, ISO 8601. */
  readonly createdAt: string;
  /** Version of the program that made the backup. */
  readonly program: string;
  readonly schemaVersion: number;
  /** The regions whose caches it contains: all of them. */
  readonly regions: ReadonlyArray<{ readonly name: string; readonly persistent: boolean }>;
  /** Bytes of the backup. */
  readonly bytes: number;
  /** Bytes of the database files that it restores. */
  readonly restoredBytes: number;
  /** SHA-256 of the contents, in hexadecimal. The backup ends with it. */
  readonly sha256: string;
}

/** A backup in progress. */
export interface RunningBackup {
  /** The bytes of a streamed backup, empty for one that is written to a file. Must be read to the end. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Rejects with BACKUP_FAILED, BACKUP_SPACE, storage errors, or the signal's reason. */
  readonly report: Promise<BackupReport>;
  /** Returns the bytes written so far. */
  bytes(): number;
}

/** Makes backups while the grid serves requests. */
export interface BackupEngine {
  /** Starts a backup to `target`, a file or the URL of an object in a bucket; null streams its bytes. */
  start(target: string | null, signal: AbortSignal): RunningBackup;
}

/**
 * The activity of a continuous backup: `starting` with a snapshot or by comparing what exists; `shipping`; `waiting`
 * after a failure that may be temporary; `stopped` after one that needs a person.
 */
export type ContinuousState = 'starting' | 'shipping' | 'waiting' | 'stopped';

/** The result of checking whether a continuous backup restores. */
export interface RestoreCheck {
  /**
   * `verified`; `damaged`: the objects do not lead to the shipped data; `failed`: not checked, for lack of
   * space or of the destination.
   */
  readonly outcome: 'verified' | 'damaged' | 'failed';
  /** Why it is not verified. */
  readonly reason: string | null;
  /** The restored point in time, in ms since 1970, or 0 if none was chosen. */
  readonly atMs: number;
  /** The restored position, or null if none was. */
  readonly position: string | null;
  readonly entries: number;
  readonly restoredBytes: number;
}

/** Consecutive restorable points, in steps of one kind. Times are ISO 8601. */
export interface RestorableRange {
  readonly from: string;
  readonly to: string;
  readonly firstPosition: string;
  readonly lastPosition: string;
  readonly points: number;
  /** The longest time between points. */
  readonly longestStepMs: number;
}

/** The restorable states of a continuous backup. */
export interface Restorable {
  readonly objects: number;
  readonly bytes: number;
  /** Whether the newest one is encrypted. */
  readonly encrypted: boolean;
  /** Oldest first. */
  readonly ranges: readonly RestorableRange[];
}

/** The result of verifying a backup. */
export interface BackupCheck {
  readonly outcome: RestoreCheck['outcome'];
  /** Why it is not verified. */
  readonly reason: string | null;
  /** Whether it is encrypted, or null if unreadable. */
  readonly encrypted: boolean | null;
  /** The snapshot's time, ISO 8601, or null if unreadable. */
  readonly createdAt: string | null;
  readonly entries: number;
  readonly restoredBytes: number;
}

/** Reads backups in a separate low-priority process, which the signal ends. */
export interface BackupReader {
  /** Restores a backup, a file or the URL of an object, to a temporary folder and verifies it. Never rejects. */
  verify(target: string, signal: AbortSignal): Promise<BackupCheck>;
  /** Lists what can be restored from a continuous backup. Throws BACKUP_FAILED. */
  restorable(url: string, signal: AbortSignal): Promise<Restorable>;
}

/** A continuous backup, with counts since startup. */
export interface ContinuousStatus {
  readonly state: ContinuousState;
  /** Why it is waiting or has stopped. */
  readonly reason: string | null;
  /** The service from which it took over the destination, or null if none, or itself before a restart. */
  readonly takenFrom: string | null;
  /** The position of the last object: 16 hexadecimal digits; null if there is none. */
  readonly position: string | null;
  /** The age of the process's last report, on which the rest is based. */
  readonly reportAgeMs: number;
  /** The time of the last object, in ms since 1970, or 0 if there is none. */
  readonly lastObjectMs: number;
  /** Since when something has been missing from the destination, in ms since 1970, or 0 if nothing is. */
  readonly behindSinceMs: number;
  /** Bytes of the write-ahead log that are not yet in the destination. */
  readonly behindBytes: number;
  readonly objects: number;
  readonly bytes: number;
  readonly failures: number;
  readonly snapshots: number;
}
