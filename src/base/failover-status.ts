/** What a service with failover knows of its role, and the part of it that anybody may know at `/health/role`. */

/** Why a service became the primary. */
export type TakeoverReason =
  /** The destination had no primary before. */
  | 'start'
  /** The primary before had ended in order. */
  | 'hand-over'
  /** The primary before did not renew its lease. */
  | 'expiry'
  /** The same, and a person decided. */
  | 'force';

/** The last time that another service became the primary. */
export interface Takeover {
  readonly epoch: number;
  readonly atMs: number;
  readonly because: TakeoverReason;
  /** Describes the primary before; null: there was none. */
  readonly from: string | null;
  /**
   * Milliseconds of acknowledged changes that may have been lost; 0: nothing was; null: there was no bound; undefined:
   * an earlier version did not say.
   */
  readonly mayHaveLostMs?: number | null | undefined;
}

/** What a service had committed as the primary and not shipped, when it followed another one. */
export interface Loss {
  /** null: its data is not what the objects lead to, so that nobody can count. */
  readonly commits: number | null;
  /** All of them were made within so many milliseconds, or fewer. */
  readonly withinMs: number;
  /** When this was found, in ms since 1970. */
  readonly atMs: number;
}

export interface FailoverStatus {
  readonly role: 'primary' | 'standby';
  /** The epoch of the primary: it grows with each takeover and with each restart. */
  readonly epoch: number;
  /** The advertised address of the primary; null: it has none. */
  readonly primary: string | null;
  /** null: the primary is of an earlier version. */
  readonly takeover: Takeover | null;
  /** The last object that was shipped, or applied to the copy: 16 hexadecimal digits; null: none. */
  readonly position: string | null;
  /** For how long something has not been shipped, or it has not been known that the copy has everything. */
  readonly behindMs: number;
  /** Objects that the primary had when it last renewed its lease, and the copy does not; 0 on the primary. */
  readonly behindPositions: number;
  /** Time since that object; null: there is none. */
  readonly lastObjectAgeMs: number | null;
  /** Whether a person should look: a standby does not follow, or a primary does not ship. */
  readonly isSilent: boolean;
  /** Why it does not follow or ship; null: it does. */
  readonly reason: string | null;
  /** Whether the primary renews its lease, as far as is known. */
  readonly isHeld: boolean;
  /** Why a standby does not take over although nobody renews the lease; null: it does. */
  readonly waitsFor: string | null;
  /** Milliseconds of acknowledged changes that are lost with a primary that is killed; null: there is no bound. */
  readonly mayLoseMs: number | null;
  /** What this service had not shipped when it was last replaced; undefined: it has not been. */
  readonly lost?: Loss | undefined;
}

/** What of the status only the user of the data folder may know: it names hosts, processes, folders and buckets. */
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

/** Returns what anybody may know. */
export function publicStatus(status: FailoverStatus): FailoverStatus {
  const { takeover, reason } = status;
  return {
    ...status,
    takeover: takeover && { ...takeover, from: null },
    reason: reason === null ? null : HIDDEN_REASON,
  };
}

/** Returns what anybody may know with the details, as far as they are of the same takeover. */
export function detailedStatus(status: FailoverStatus, details: FailoverDetails | undefined): FailoverStatus {
  if (details === undefined) return status;
  const { takeover, reason } = status;
  return {
    ...status,
    takeover: takeover && { ...takeover, from: details.epoch === takeover.epoch ? details.from : null },
    reason: reason === null ? null : (details.reason ?? reason),
  };
}

/** Reports whether a value that was read is details. */
export function isFailoverDetails(value: unknown): value is FailoverDetails {
  if (typeof value !== 'object' || value === null) return false;
  const { epoch, from, reason } = value as Partial<Record<keyof FailoverDetails, unknown>>;
  return typeof epoch === 'number' && [from, reason].every((each) => each === null || typeof each === 'string');
}

/** Returns the status in a text; undefined: it is none. */
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

/** Reports whether a value that was read is a takeover. */
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

/** Reports whether a value that was read is a loss. */
export function isLoss(value: unknown): value is Loss {
  if (typeof value !== 'object' || value === null) return false;
  const { commits, withinMs, atMs } = value as Partial<Record<keyof Loss, unknown>>;
  return (
    (commits === null || typeof commits === 'number') && [withinMs, atMs].every((each) => typeof each === 'number')
  );
}

/** Returns what was lost, for people. */
export function lossText({ commits, withinMs }: Loss): string {
  if (commits === 0) return 'everything that this service had committed had been shipped: nothing is lost';
  const known = commits === null ? 'an unknown number of commits' : `${commits} commits within ${withinMs} ms`;
  return `${known} had not been shipped, and are lost: see the folder deposed`;
}

/** Returns why a service became the primary, for people. */
export function takeoverText({ because, from }: Takeover): string {
  return from === null ? REASONS[because] : `${REASONS[because]} (${from})`;
}
