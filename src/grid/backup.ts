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
  /**
   * Starts a backup to `target`, a file or the URL of an object in a bucket; null: one that streams its bytes.
   */
  start(target: string | null, signal: AbortSignal): RunningBackup;
}

/**
 * What a continuous backup does: `starting`, with a snapshot or by comparing what there is; `shipping`; `waiting`,
 * after a failure that may pass; `stopped`, after one that needs a person.
 */
export type ContinuousState = 'starting' | 'shipping' | 'waiting' | 'stopped';

/** What a check has found: whether a continuous backup restores. */
export interface RestoreCheck {
  /**
   * `verified`; `damaged`: the objects do not lead to what was shipped; `failed`: it could not be checked, for lack of
   * space or of the destination.
   */
  readonly outcome: 'verified' | 'damaged' | 'failed';
  /** Why it is not verified. */
  readonly reason: string | null;
  /** The instant that was restored, in ms since 1970; 0: none was chosen. */
  readonly atMs: number;
  /** The position that was restored; null: none was. */
  readonly position: string | null;
  readonly entries: number;
  readonly restoredBytes: number;
}

/** Points that can be restored and follow each other in steps of one kind. Times are ISO 8601. */
export interface RestorableRange {
  readonly from: string;
  readonly to: string;
  readonly firstPosition: string;
  readonly lastPosition: string;
  readonly points: number;
  /** The longest time between two points. */
  readonly longestStepMs: number;
}

/** What can be restored from a continuous backup. */
export interface Restorable {
  readonly objects: number;
  readonly bytes: number;
  /** Whether the newest one is encrypted. */
  readonly encrypted: boolean;
  /** The oldest first. */
  readonly ranges: readonly RestorableRange[];
}

/** What the verification of a backup has found. */
export interface BackupCheck {
  readonly outcome: RestoreCheck['outcome'];
  /** Why it is not verified. */
  readonly reason: string | null;
  /** Whether it is encrypted; null: it could not be read. */
  readonly encrypted: boolean | null;
  /** The time of its snapshot, ISO 8601; null: it could not be read. */
  readonly createdAt: string | null;
  readonly entries: number;
  readonly restoredBytes: number;
}

/** Reads backups in a process of its own, at a low priority. The signal ends the process. */
export interface BackupReader {
  /** Restores a backup, a file or the URL of an object, to a temporary folder and verifies it. Rejects never. */
  verify(target: string, signal: AbortSignal): Promise<BackupCheck>;
  /** Lists what can be restored from a continuous backup. Throws BACKUP_FAILED. */
  restorable(url: string, signal: AbortSignal): Promise<Restorable>;
}

/** A continuous backup, with counts since the start of the service. */
export interface ContinuousStatus {
  readonly state: ContinuousState;
  /** Why it waits or has stopped. */
  readonly reason: string | null;
  /** The service from which it has taken the destination over; null: from none, or from itself before a restart. */
  readonly takenFrom: string | null;
  /** The position of the last object: 16 hexadecimal digits; null: there is none. */
  readonly position: string | null;
  /** The age of what its process has last reported, on which the rest is based. */
  readonly reportAgeMs: number;
  /** The time of the last object, in ms since 1970; 0: there is none. */
  readonly lastObjectMs: number;
  /** Since when something is not in the destination, in ms since 1970; 0: everything is. */
  readonly behindSinceMs: number;
  /** Bytes of the write-ahead log that are not in the destination. */
  readonly behindBytes: number;
  readonly objects: number;
  readonly bytes: number;
  readonly failures: number;
  readonly snapshots: number;
}
