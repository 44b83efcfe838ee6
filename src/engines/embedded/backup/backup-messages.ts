/** The messages between the service and the process that copies a backup. All are structured-cloneable. */
import type { ErrorCode } from '../../../base/errors.ts';
import type { BackupReport } from '../../../grid/backup.ts';
import type { DatabaseFile } from '../storage/databases.ts';
import type { BackupHeader } from './backup-format.ts';

/** The argument that starts the program as the process that copies. */
export const BACKUP_PROCESS_ARGUMENT = '--backup-process';

/** What to copy, and where to. */
export interface CopyRequest {
  readonly files: readonly DatabaseFile[];
  /** Path of the backup, or URL of an object; null: standard output. */
  readonly target: string | null;
  readonly program: string;
  readonly regions: BackupHeader['regions'];
  /** Bytes per second to read; 0: no limit. */
  readonly bytesPerSecond: number;
  /** The file with the keys that a stored backup is encrypted with; undefined: it is not. */
  readonly keyFile?: string | undefined;
  /** The reserve of free space on the disks of the data folder and of the target (storage.minFreeBytes). */
  readonly minFreeBytes: number | undefined;
}

export type ToBackupProcess =
  /** Opens the files. */
  | { readonly type: 'open'; readonly request: CopyRequest }
  /** Takes the snapshot of these files; nothing is written until the response. */
  | { readonly type: 'pin'; readonly files: readonly DatabaseFile[]; readonly createdAt: string }
  | { readonly type: 'copy' };

export type FromBackupProcess =
  | { readonly type: 'listening' }
  | { readonly type: 'opened' }
  | { readonly type: 'pinned' }
  | { readonly type: 'progress'; readonly bytes: number }
  | { readonly type: 'done'; readonly report: BackupReport }
  | { readonly type: 'failed'; readonly code: ErrorCode; readonly text: string };
