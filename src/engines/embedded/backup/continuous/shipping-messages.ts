/** The messages between the service and the process that ships. All are structured-cloneable. */
import type { ContinuousStatus, RestoreCheck } from '../../../../grid/backup.ts';
import type { RestoreCheckOptions } from './restore-check.ts';

/** The argument that starts the program as the process that ships. */
export const SHIPPING_PROCESS_ARGUMENT = '--shipping-process';

export interface ShippingRequest {
  /** The data file. */
  readonly path: string;
  /** The data folder. */
  readonly folder: string;
  readonly url: string;
  readonly intervalMs: number;
  /** How long the states of single intervals can be restored, and all states. */
  readonly secondsForMs: number;
  readonly retentionMs: number;
  /** Bytes that a snapshot reads per second at most; 0: no limit. */
  readonly bytesPerSecond: number;
  /** The process of the service. */
  readonly processId: number;
}

export type ToShippingProcess =
  | { readonly type: 'start'; readonly request: ShippingRequest }
  /** Ships nothing, but checks that what was shipped restores. */
  | { readonly type: 'check'; readonly request: RestoreCheckOptions }
  /** Ships everything and stops keeping the log, if it can. Nothing is written until `keep`. */
  | { readonly type: 'release' }
  /** Keeps the log, which may have been emptied. */
  | { readonly type: 'keep' }
  /** Ships everything and ends. */
  | { readonly type: 'finish' };

export type FromShippingProcess =
  | { readonly type: 'listening' }
  | { readonly type: 'log'; readonly level: 'info' | 'warn' | 'error'; readonly text: string }
  | { readonly type: 'status'; readonly status: ContinuousStatus }
  | { readonly type: 'checked'; readonly check: RestoreCheck }
  | { readonly type: 'released'; readonly done: boolean }
  | { readonly type: 'kept' }
  /** Whether everything is shipped. */
  | { readonly type: 'finished'; readonly done: boolean };
