/** What the service knows about backups, as `backups` answers. */

export interface RestorableRange {
  readonly from: string;
  readonly to: string;
  readonly points: number;
  readonly longestStepMs: number;
}

export interface ContinuousStatus {
  readonly url: string;
  readonly state: 'starting' | 'shipping' | 'waiting' | 'stopped';
  readonly reason: string | null;
  readonly shippedAt: string | null;
  readonly behindMs: number;
  readonly behindBytes: number;
  readonly restorable: {
    readonly bytes: number;
    /** Whether its newest object is. */
    readonly encrypted: boolean;
    readonly ranges: readonly RestorableRange[];
  } | null;
  readonly restoreCheck: {
    readonly running: boolean;
    readonly nextAt: string;
    readonly verifiedAt: string | null;
    readonly last: { readonly outcome: 'verified' | 'damaged' | 'failed'; readonly reason: string | null } | null;
  } | null;
}

export interface BackupStatus {
  readonly folder: string | null;
  readonly running: { readonly name: string | null; readonly startedAt: string; readonly bytes: number } | null;
  readonly nextAt: string | null;
  readonly lastFailure: { readonly failedAt: string; readonly error: string } | null;
  readonly continuous: ContinuousStatus | null;
  readonly backups: ReadonlyArray<{ readonly name: string; readonly bytes: number; readonly completedAt: string }>;
}
