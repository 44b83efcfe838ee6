/** A failover service's view of its role, and the public part of it, served at `/health/role`. */

/** Why a service became the primary. */
export type TakeoverReason =
  /** The destination had no primary before. */
  | 'start'
  /** The previous primary had shut down in an orderly way. */
  | 'hand-over'
  /** The previous primary did not renew its lease. */
  | 'expiry'
  /** The same, and a person decided. */
  | 'force';

/** The most recent takeover by another service. */
export interface Takeover {
  readonly epoch: number;
  readonly atMs: number;
  readonly because: TakeoverReason;
  /** Describes the previous primary; null if there was none. */
  readonly from: string | null;
  /**
   * Milliseconds of acknowledged changes that may have been lost: 0 if none, null if unbounded, undefined if an
   * earlier version did not say.
   */
  readonly mayHaveLostMs?: number | null | undefined;
}

/** Commits that a former primary had not shipped before it followed another primary. */
export interface Loss {
  /** null if its data has diverged from the objects, so the number is unknown. */
  readonly commits: number | null;
  /** All of them were made within at most this many milliseconds. */
  readonly withinMs: number;
  /** When this was detected, in ms since 1970. */
  readonly atMs: number;
}

export interface FailoverStatus {
  readonly role: 'primary' | 'standby';
  /** The primary's epoch, which grows with each takeover and each restart. */
  readonly epoch: number;
  /** The primary's advertised address, or null if it has none. */
  readonly primary: string | null;
  /** null if the primary runs an earlier version. */
  readonly takeover: Takeover | null;
  /** The last object shipped or applied to the copy: 16 hexadecimal digits; null if none. */
  readonly position: string | null;
  /** How long something has been unshipped, or how long it has been unknown whether the copy is complete. */
  readonly behindMs: number;
  /** Objects that the primary had at its last lease renewal and the copy lacks; 0 on the primary. */
  readonly behindPositions: number;
  /** Time since that object, or null if there is none. */
  readonly lastObjectAgeMs: number | null;
  /** Whether a person should look: a standby does not follow, or a primary does not ship. */
  readonly isSilent: boolean;
  /** Why it does not follow or ship, or null if it does. */
  readonly reason: string | null;
  /** Whether the primary renews its lease, as far as is known. */
  readonly isHeld: boolean;
  /** Why a standby does not take over although the lease is not being renewed, or null if it would. */
  readonly waitsFor: string | null;
  /** Milliseconds of acknowledged changes that killing the primary would lose, or null if unbounded. */
  readonly mayLoseMs: number | null;
  /** Unshipped commits when this service was last replaced as the primary, or undefined if it has not been. */
  readonly lost?: Loss | undefined;
}

/** The part of the status for the user of the data folder only: it names hosts, processes, folders and buckets. */
export interface FailoverDetails {
  /** Epoch of the last takeover. */
  readonly epoch: number;
  readonly from: string | null;
  readonly reason: string | null;
}

export function failoverDetails({ takeover, reason }: FailoverStatus): FailoverDetails {
  return { epoch: takeover?.epoch ?? 0, from: takeover?.from ?? null, reason };
}

const HIDDEN_REASON = 'see the log of the service';

/** Returns the public part. */
export function publicStatus(status: FailoverStatus): FailoverStatus {
  const { takeover, reason } = status;
  return {
    ...status,
    takeover: takeover && { ...takeover, from: null },
    reason: reason === null ? null : HIDDEN_REASON,
  };
}

/** Returns the public part with those details that belong to the same takeover. */
export function detailedStatus(status: FailoverStatus, details: FailoverDetails | undefined): FailoverStatus {
  if (details === undefined) return status;
  const { takeover, reason } = status;
  return {
    ...status,
    takeover: takeover && { ...takeover, from: details.epoch === takeover.epoch ? details.from : null },
    reason: reason === null ? null : (details.reason ?? reason),
  };
}

/** Reports whether a parsed value has the shape of the details. */
export function isFailoverDetails(value: unknown): value is FailoverDetails {
  if (typeof value !== 'object' || value === null) return false;
  const { epoch, from, reason } = value as Partial<Record<keyof FailoverDetails, unknown>>;
  return typeof epoch === 'number' && [from, reason].every((each) => each === null || typeof each === 'string');
}

/** Parses a status; returns undefined if the text is not one. */
export function failoverStatusIn(text: string): FailoverStatus | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isStatus(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isStatus(value: unknown): value is FailoverStatus {
  if (typeof value !== 'object' || value === null) return false;
  const { role, epoch, behindMs, behindPositions } = value as Partial<Record<keyof FailoverStatus, unknown>>;
  const isNamed = role === 'primary' || role === 'standby';
  return isNamed && [epoch, behindMs, behindPositions].every((each) => typeof each === 'number');
}

/** Reports whether a parsed value is a takeover. */
export function isTakeover(value: unknown): value is Takeover {
  if (typeof value !== 'object' || value === null) return false;
  const { epoch, atMs, because } = value as Partial<Record<keyof Takeover, unknown>>;
  return typeof epoch === 'number' && typeof atMs === 'number' && typeof because === 'string';
}

const REASONS: Readonly<Record<TakeoverReason, string>> = {
  start: 'there was no primary',
  'hand-over': 'the primary before has handed over',
  expiry: 'the primary before had not renewed its lease',
  force: 'the primary before had not renewed its lease, and a person decided',
};

/** Reports whether a parsed value is a loss. */
export function isLoss(value: unknown): value is Loss {
  if (typeof value !== 'object' || value === null) return false;
  const { commits, withinMs, atMs } = value as Partial<Record<keyof Loss, unknown>>;
  return (
    (commits === null || typeof commits === 'number') && [withinMs, atMs].every((each) => typeof each === 'number')
  );
}

/** Describes a loss for people. */
export function lossText({ commits, withinMs }: Loss): string {
  if (commits === 0) return 'everything that this service had committed had been shipped: nothing is lost';
  const known = commits === null ? 'an unknown number of commits' : `${commits} commits within ${withinMs} ms`;
  return `${known} had not been shipped, and are lost: see the folder deposed`;
}

/** Describes for people why a service became the primary. */
export function takeoverText({ because, from }: Takeover): string {
  return from === null ? REASONS[because] : `${REASONS[because]} (${from})`;
}
