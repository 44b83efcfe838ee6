/** The calls between the service and the process that copies a backup. */
import type { BackupReport } from '../../../grid/backup.ts';
import type { DatabaseFile } from '../storage/databases.ts';
import type { BackupHeader } from './backup-format.ts';

/** The argument that starts the program as the copying process. */
export const BACKUP_PROCESS_ARGUMENT = '--backup-process';

/** The files to copy, and the target. */
export interface CopyRequest {
  readonly files: readonly DatabaseFile[];
  /** Path of the backup, or URL of an object, or null for standard output. */
  readonly target: string | null;
  readonly program: string;
  readonly regions: BackupHeader['regions'];
  /** Bytes per second to read, or 0 for no limit. */
  readonly bytesPerSecond: number;
  /** The file with the keys for encrypting a stored backup, or undefined if it is not encrypted. */
  readonly keyFile?: string | undefined;
  /** The reserve of free space on the disks of the data folder and of the target (storage.minFreeBytes). */
  readonly minFreeBytes: number | undefined;
}

/** The methods that the copying process serves. */
export type CopyMethods = {
  /** Opens the files. */
  readonly open: { readonly request: CopyRequest; readonly response: null };
  /** Takes the snapshot of these files; nothing is written until the response. */
  readonly pin: {
    readonly request: { readonly files: readonly DatabaseFile[]; readonly createdAt: string };
    readonly response: null;
  };
  readonly copy: { readonly request: null; readonly response: BackupReport };
};

/** The reports to the service. */
export type CopyReports = {
  /** The number of the backup's bytes so far. */
  readonly progress: { readonly request: number; readonly response: null };
};
