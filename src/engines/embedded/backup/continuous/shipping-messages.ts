/** The calls between the service and the shipping process. */

import type { Loss } from '../../../../base/failover-status.ts';
import type { SharedArea } from '../../../../base/shared-areas.ts';
import type { BackupCheck, ContinuousStatus, Restorable, RestoreCheck } from '../../../../grid/backup.ts';
import type { BackupCheckRequest } from '../check-backup.ts';
import type { RestoreCheckOptions } from './restore-check.ts';

/** The argument that starts the program as the shipping process. */
export const SHIPPING_PROCESS_ARGUMENT = '--shipping-process';

export interface ShippingRequest {
  /** The data file. */
  readonly path: string;
  /** The data folder. */
  readonly folder: string;
  readonly url: string;
  /** Whether a person ensures that only one service ships to a store without conditional requests. */
  readonly assumesSoleWriter: boolean;
  /** The file with the keys for encrypting objects, or undefined if they are not encrypted. */
  readonly keyFile?: string | undefined;
  readonly intervalMs: number;
  /** How long all states can be restored and, after that, the state at the end of each interval. */
  readonly pitrWindowMs: number;
  readonly retentionMs: number;
  /** Bytes per second that a snapshot reads at most, or 0 for no limit. */
  readonly bytesPerSecond: number;
  /** The option storage.minFreeBytes. */
  readonly minFreeBytes: number | undefined;
  /** The service's process. */
  readonly processId: number;
  /** undefined if no other service takes over. */
  readonly failover?: ShippingFailover | undefined;
  /** The hashes of all pages of the data file, if they are known and it has no log; only for the first check. */
  readonly pageHashes?: Uint8Array | undefined;
  /** The position that the data file is at, if it is known; only for the first check. */
  readonly position?: string | undefined;
}

/** The term of a primary that ships. */
export interface ShippingFailover {
  readonly epoch: number;
  readonly leaseMs: number;
  /** The service from which the lease was taken, or undefined if none, or itself before a restart. */
  readonly takenFrom: string | undefined;
  /** The state of the term that the service and its processes share. */
  readonly state: SharedArea;
  /** Whether changes wait until they are in the destination, so that nothing waits for an interval. */
  readonly isPrompt: boolean;
}

/** The outcome of a term's first object. */
export type SealOutcome =
  /** The object is the primary's: no other service can ship. */
  | 'sealed'
  /** Another service's object has its name, which the data does not have yet. */
  | 'behind'
  /** The objects do not lead to the data. */
  | 'differs';

/** Where a copy of another service's data is kept. */
export interface FollowRequest {
  /** The id of the followed database. */
  readonly database: string;
  readonly url: string;
  /** The data folder. */
  readonly folder: string;
  readonly keyFile?: string | undefined;
  readonly leaseMs: number;
  /** The service's process. */
  readonly processId: number;
  /** Time between checks for the next object. */
  readonly pollMs: number;
  /** The program's version, for messages. */
  readonly program: string;
}

/** The final state of a copy, which has applied all objects. */
export interface CaughtUp {
  /** The position of the last object, or null if there is nothing. */
  readonly position: string | null;
  /** The hashes of all pages of the data file: another program need not read it to know its state. */
  readonly pageHashes: Uint8Array | undefined;
  /** See `Follower.isLast`. */
  readonly isLast: boolean;
}

/** A standby's copy. */
export interface CopyStatus {
  /** The position of the last applied object, or null if nothing has been copied. */
  readonly position: string | null;
  /** The time of that object, in ms since 1970, or 0 if there is none. */
  readonly lastObjectMs: number;
  /** When it was last known that there are no more objects, in ms since 1970, or 0 if not yet. */
  readonly currentAtMs: number;
  readonly objects: number;
  /** How often everything was copied again. */
  readonly copies: number;
  /** Why it does not follow, or null if it does. */
  readonly reason: string | null;
}

/** The requests of the service while the process ships. */
export type ShippingAction =
  /** Ships all commits while others write. */
  | 'ship'
  /** Ships the rest and stops keeping the log, if possible. Nothing is written until `keep`. */
  | 'release'
  /** Keeps the log, which may have been emptied. A pending release is cancelled. */
  | 'keep'
  /** Ships everything and ends. */
  | 'finish';

/** The methods that the shipping process serves. */
export type ShippingMethods = {
  /** Begins to ship. */
  readonly ship: { readonly request: ShippingRequest; readonly response: null };
  /** Returns whether the action has succeeded. */
  readonly act: { readonly request: ShippingAction; readonly response: boolean };
  /** Ships nothing, but checks that the shipped objects restore. */
  readonly check: { readonly request: RestoreCheckOptions; readonly response: RestoreCheck };
  /** Sets where the number of commits is counted, once the engine is open. */
  readonly counts: { readonly request: SharedArea; readonly response: null };
  /** Ends its wait for commits, because a response is waiting. */
  readonly wake: { readonly request: null; readonly response: null };
  /** Begins to follow the objects that another service ships. */
  readonly follow: { readonly request: FollowRequest; readonly response: null };
  /** Applies all objects, and stops following. */
  readonly catchUp: { readonly request: FollowRequest; readonly response: CaughtUp };
  /** Verifies a backup. */
  readonly checkBackup: { readonly request: BackupCheckRequest; readonly response: BackupCheck };
  /** Lists the states that the destination of a URL can restore. */
  readonly list: { readonly request: string; readonly response: Restorable };
};

/** Positions whose objects of level 0 must not be removed. */
export type FailoverKept = readonly string[];

/** The report about itself; the service knows its age. */
export type ReportedStatus = Omit<ContinuousStatus, 'reportAgeMs'>;

/** The reports to the service. */
export type ShippingReports = {
  /** The outcome of the term's first object, whose position is given. */
  readonly sealed: {
    readonly request: { readonly outcome: SealOutcome; readonly position: string };
    readonly response: null;
  };
  /** More commits are in the destination, for which answers may wait. */
  readonly shipped: { readonly request: null; readonly response: null };
  /** Requests the promise that no service relies on names of level 0 before a position. */
  readonly base: { readonly request: string; readonly response: FailoverKept | null };
  readonly copy: { readonly request: CopyStatus; readonly response: null };
  /** The commits that this service had not shipped as the primary, which it no longer is. */
  readonly lost: { readonly request: Loss; readonly response: null };
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
