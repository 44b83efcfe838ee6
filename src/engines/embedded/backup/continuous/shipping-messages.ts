/** The calls between the service and the process that ships. */
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

/** What the service asks for while the process ships. */
export type ShippingAction =
  /** Ships what there is, while others write. */
  | 'ship'
  /** Ships the rest and stops keeping the log, if it can. Nothing is written until `keep`. */
  | 'release'
  /** Keeps the log, which may have been emptied. What has not been released yet no longer is. */
  | 'keep'
  /** Ships everything and ends. */
  | 'finish';

/** What the process that ships does for the service. */
export type ShippingMethods = {
  /** Begins to ship. */
  readonly ship: { readonly request: ShippingRequest; readonly response: null };
  /** Returns whether the action has succeeded. */
  readonly act: { readonly request: ShippingAction; readonly response: boolean };
  /** Ships nothing, but checks that what was shipped restores. */
  readonly check: { readonly request: RestoreCheckOptions; readonly response: RestoreCheck };
  /** Verifies a backup. */
  readonly checkBackup: { readonly request: BackupCheckRequest; readonly response: BackupCheck };
  /** Lists what can be restored from the destination of a URL. */
  readonly list: { readonly request: string; readonly response: Restorable };
};

/** What it reports of itself; how old that is, the service knows. */
export type ReportedStatus = Omit<ContinuousStatus, 'reportAgeMs'>;

/** What it tells the service. */
export type ShippingReports = {
  readonly log: {
    readonly request: { readonly level: 'info' | 'warn' | 'error'; readonly text: string };
    readonly response: null;
  };
  /** `logBytes`: how much of the log is in use. */
  readonly status: {
    readonly request: { readonly status: ReportedStatus; readonly logBytes: number };
    readonly response: null;
  };
};
