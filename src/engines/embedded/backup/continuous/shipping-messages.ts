/** The messages between the service and the process that ships. All are structured-cloneable. */
import type { BackupCheck, ContinuousStatus, Restorable, RestoreCheck } from '../../../../grid/backup.ts';
import type { BackupCheckRequest } from '../check-backup.ts';
import type { RestoreCheckOptions } from './restore-check.ts';

/** The argument that starts the program as the process that ships. */
export const SHIPPING_PROCESS_ARGUMENT = '--shipping-process';

export interface ShippingRequest {
  /** The data file. */
  readonly path: string;
  /** The data folder. */
  readonly folder: string;
  readonly url: string;
  /** Whether a person sees to it that one service ships to a store without conditional requests. */
  readonly isGuarded: boolean;
  /** The file with the keys that objects are encrypted with; undefined: they are not. */
  readonly keyFile?: string | undefined;
  readonly intervalMs: number;
  /** How long the states of single intervals can be restored, and all states. */
  readonly secondsForMs: number;
  readonly retentionMs: number;
  /** Bytes that a snapshot reads per second at most; 0: no limit. */
  readonly bytesPerSecond: number;
  /** The process of the service. */
  readonly processId: number;
}

/** What the service asks for; each is answered, with the same number. */
export type ShippingAction =
  /** Ships what there is, while others write. */
  | 'ship'
  /** Ships the rest and stops keeping the log, if it can. Nothing is written until `keep`. */
  | 'release'
  /** Keeps the log, which may have been emptied. What has not been released yet no longer is. */
  | 'keep'
  /** Ships everything and ends. */
  | 'finish';

export type ToShippingProcess =
  | { readonly type: 'start'; readonly request: ShippingRequest }
  /** Ships nothing, but checks that what was shipped restores. */
  | { readonly type: 'check'; readonly request: RestoreCheckOptions }
  /** Verifies a backup. */
  | { readonly type: 'checkBackup'; readonly request: BackupCheckRequest }
  /** Lists what can be restored from a destination. */
  | { readonly type: 'list'; readonly url: string }
  | { readonly type: 'ask'; readonly action: ShippingAction; readonly number: number };

export type FromShippingProcess =
  | { readonly type: 'listening' }
  | { readonly type: 'log'; readonly level: 'info' | 'warn' | 'error'; readonly text: string }
  /** `logBytes`: how much of the log is in use. */
  | { readonly type: 'status'; readonly status: ContinuousStatus; readonly logBytes: number }
  | { readonly type: 'checked'; readonly check: RestoreCheck }
  | { readonly type: 'backupChecked'; readonly check: BackupCheck }
  | { readonly type: 'listed'; readonly restorable: Restorable }
  /** What was asked for failed. */
  | { readonly type: 'failed'; readonly reason: string }
  /** Whether the action has succeeded. */
  | { readonly type: 'done'; readonly number: number; readonly done: boolean };
