/** The calls between the service and the process that ships. */

import type { Loss } from '../../../../base/failover-status.ts';
import type { SharedArea } from '../../../../base/shared-areas.ts';
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
  readonly assumesSoleWriter: boolean;
  /** The file with the keys that objects are encrypted with; undefined: they are not. */
  readonly keyFile?: string | undefined;
  readonly intervalMs: number;
  /** How long the states of single intervals can be restored, and all states. */
  readonly pitrWindowMs: number;
  readonly retentionMs: number;
  /** Bytes that a snapshot reads per second at most; 0: no limit. */
  readonly bytesPerSecond: number;
  /** The option storage.minFreeBytes. */
  readonly minFreeBytes: number | undefined;
  /** The process of the service. */
  readonly processId: number;
  /** Undefined: no other service takes over. */
  readonly failover?: ShippingFailover | undefined;
  /** The hashes of all pages of the data file, if they are known and it has no log; for the first look only. */
  readonly pageHashes?: Uint8Array | undefined;
}

/** The term of a primary that ships. */
export interface ShippingFailover {
  readonly epoch: number;
  readonly leaseMs: number;
  /** The service from which the lease was taken; undefined: from none, or from itself before a restart. */
  readonly takenFrom: string | undefined;
  /** What the service and its processes share of the term. */
  readonly state: SharedArea;
  /** Whether changes wait until they are in the destination, so that nothing waits for an interval. */
  readonly isPrompt: boolean;
}

/** What became of the first object of a term. */
export type SealOutcome =
  /** It is the primary's: nobody else can ship. */
  | 'sealed'
  /** Somebody else's object has its name, which the data does not have yet. */
  | 'behind'
  /** The data is not what the objects lead to. */
  | 'differs';

/** Where a copy of the data of another service is kept. */
export interface FollowRequest {
  /** The id of the database that is followed. */
  readonly database: string;
  readonly url: string;
  /** The data folder. */
  readonly folder: string;
  readonly keyFile?: string | undefined;
  readonly leaseMs: number;
  /** The process of the service. */
  readonly processId: number;
  /** Time between two looks for the next object. */
  readonly pollMs: number;
  /** The version of the program, for messages. */
  readonly program: string;
}

/** The end of a copy, which has applied everything that there is. */
export interface CaughtUp {
  /** The position of the last object; null: there is nothing. */
  readonly position: string | null;
  /** The hashes of all pages of the data file: another program need not read it to know what it is. */
  readonly pageHashes: Uint8Array | undefined;
}

/** The copy of a standby. */
export interface CopyStatus {
  /** The position of the last object that was applied; null: nothing has been copied. */
  readonly position: string | null;
  /** The time of that object, in ms since 1970; 0: there is none. */
  readonly lastObjectMs: number;
  /** When it was last known that there is no further object, in ms since 1970; 0: not yet. */
  readonly currentAtMs: number;
  readonly objects: number;
  /** How often everything was copied anew. */
  readonly copies: number;
  /** Why it does not follow; null: it does. */
  readonly reason: string | null;
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
  /** Where the number of commits is counted, when the engine is open. */
  readonly counts: { readonly request: SharedArea; readonly response: null };
  /** Ends its wait for commits, for which an answer waits. */
  readonly wake: { readonly request: null; readonly response: null };
  /** Begins to follow the objects that another service ships. */
  readonly follow: { readonly request: FollowRequest; readonly response: null };
  /** Applies everything that there is, and stops following. */
  readonly catchUp: { readonly request: FollowRequest; readonly response: CaughtUp };
  /** Verifies a backup. */
  readonly checkBackup: { readonly request: BackupCheckRequest; readonly response: BackupCheck };
  /** Lists what can be restored from the destination of a URL. */
  readonly list: { readonly request: string; readonly response: Restorable };
};

/** Positions whose objects of level 0 must not be removed. */
export type FailoverKept = readonly string[];

/** What it reports of itself; how old that is, the service knows. */
export type ReportedStatus = Omit<ContinuousStatus, 'reportAgeMs'>;

/** What it tells the service. */
export type ShippingReports = {
  /** What became of the first object of the term, whose position is named. */
  readonly sealed: {
    readonly request: { readonly outcome: SealOutcome; readonly position: string };
    readonly response: null;
  };
  /** More commits are in the destination, for which answers may wait. */
  readonly shipped: { readonly request: null; readonly response: null };
  /** Asks for the promise that nobody relies on names of level 0 before a position. */
  readonly base: { readonly request: string; readonly response: FailoverKept | null };
  readonly copy: { readonly request: CopyStatus; readonly response: null };
  /** What this service had not shipped as the primary, which it is no longer. */
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
