/** The owner's record in the destination, as written by services with failover. */
import { isTakeover, type Takeover, type TakeoverReason } from '../../../../../base/failover-status.ts';
import { describeOwner, type OwnerRecord, ownerIn } from '../destination.ts';

/** A failover service's report about itself. */
export interface FailoverTerms {
  readonly leaseMs: number;
  /** The address that standbys give to clients, or null if none was configured. */
  readonly url: string | null;
  readonly schemaVersion: number;
  /** The program's version, or undefined if an earlier one did not say. */
  readonly program?: string | undefined;
  /** A hash of the declarations that the data depends on. */
  readonly declarations: string;
  /** Whether a standby may take over when the lease has expired: then nothing that was promised is lost. */
  readonly isAutomatic: boolean;
  /** Milliseconds of acknowledged changes that a takeover may lose, or null if unbounded. */
  readonly mayLoseMs?: number | null | undefined;
}

export interface FailoverPart extends FailoverTerms {
  /** The epoch at which the owner took the record from another service. */
  readonly since: number;
  /**
   * The epoch since which all owners have had failover, so that what `base` says is true, or undefined if an earlier
   * version did not say.
   */
  readonly allSince?: number | undefined;
  /** From this position on, no name of level 0 becomes free again: 16 hexadecimal digits. */
  readonly base: string;
  /** The positions of the first objects of epochs, which are never removed from level 0. */
  readonly seals: readonly string[];
  /** The last time that the record went to another service, or undefined if an earlier version did not say. */
  readonly takeover?: Takeover | undefined;
  /** Whether the owner is about to hand over, so that standbys check the record more often. */
  readonly isEnding?: boolean | undefined;
  /** The last object at the last renewal: 16 hexadecimal digits; undefined if none was known. */
  readonly position?: string | undefined;
}

export interface FailoverRecord extends OwnerRecord {
  /** The same in all versions of one term. */
  readonly id: string;
  /** Whether the owner has ended in an orderly way, with everything in the destination. */
  readonly released: boolean;
  /** The id of the service that has asked to be the next primary, or undefined if none has. */
  readonly heir?: string | undefined;
  /** undefined if the owner is a service without failover. */
  readonly failover: FailoverPart | undefined;
}

/** The lease of services without failover (`s3-destination.ts`), with their margin. */
const PLAIN_LEASE_MS = 30_000;

/** The part of a lease that its holder does not use, and that others additionally wait. */
const MARGIN_SHARE = 0.2;

/** Maximum number of seals in a record; an owner that was deposed this many takeovers ago cannot still be writing. */
const MAX_SEALS = 1_000;

/** How long a record's owner responds after the beginning of a renewal. */
export function answersForMs(leaseMs: number): number {
  return leaseMs * (1 - MARGIN_SHARE);
}

/** How long a record must have been unchanged before another service takes over. */
export function expiresAfterMs({ failover }: FailoverRecord): number {
  return (failover?.leaseMs ?? PLAIN_LEASE_MS) * (1 + MARGIN_SHARE);
}

/** How a term begins. */
export interface TermStart {
  readonly epoch: number;
  readonly atMs: number;
  /** undefined if the service was already the primary. */
  readonly because: TakeoverReason | undefined;
}

/** Returns the part of a new term. */
export function nextPart(
  terms: FailoverTerms,
  before: FailoverRecord | undefined,
  { because, ...start }: TermStart,
): FailoverPart {
  const known = before?.failover;
  const from = before === undefined ? null : describeOwner(before);
  const isUnshipped = because === 'expiry' || because === 'force';
  // The previous primary's promise: this one may make a different one.
  const mayHaveLostMs = isUnshipped ? (known?.mayLoseMs ?? null) : 0;
  return {
    ...terms,
    since: because === undefined && known !== undefined ? known.since : start.epoch,
    allSince: known?.allSince ?? start.epoch,
    base: known?.base ?? '0'.repeat(16),
    seals: known?.seals ?? [],
    takeover: because === undefined ? known?.takeover : { ...start, because, from, mayHaveLostMs },
    position: known?.position,
  };
}

/** Returns the record with another seal. */
export function withSeal(part: FailoverPart, position: string): FailoverPart {
  if (part.seals.includes(position)) return part;
  return { ...part, seals: [...part.seals, position].slice(-MAX_SEALS) };
}

/** Parses a record; returns undefined if the text is not one. */
export function recordIn(text: string): FailoverRecord | undefined {
  const owner = ownerIn(text);
  if (owner === undefined) return undefined;
  const { id, released, heir, failover } = owner as Partial<Record<'id' | 'released' | 'heir' | 'failover', unknown>>;
  return {
    ...owner,
    id: typeof id === 'string' ? id : '',
    released: released === true,
    heir: typeof heir === 'string' ? heir : undefined,
    failover: isPart(failover) ? failover : undefined,
  };
}

function isPart(value: unknown): value is FailoverPart {
  if (typeof value !== 'object' || value === null) return false;
  const part = value as Partial<Record<keyof FailoverPart, unknown>>;
  return (
    [part.leaseMs, part.schemaVersion, part.since].every((each) => Number.isSafeInteger(each)) &&
    [part.base, part.declarations].every((each) => typeof each === 'string') &&
    (part.url === null || typeof part.url === 'string') &&
    typeof part.isAutomatic === 'boolean' &&
    (part.allSince === undefined || Number.isSafeInteger(part.allSince)) &&
    (part.takeover === undefined || isTakeover(part.takeover)) &&
    Array.isArray(part.seals) &&
    part.seals.every((each) => typeof each === 'string')
  );
}
