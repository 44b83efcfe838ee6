/** The right to be the primary: its holder, its takeover and its renewal. Runs in the service's process. */
import { hostname } from 'node:os';
import { randomUuid } from '../../../../../base/clock.ts';
import { gridError } from '../../../../../base/errors.ts';
import type { TakeoverReason } from '../../../../../base/failover-status.ts';
import { describeOwner, isSameService, type ShippingOwner, ShippingStopped, takenFromOf } from '../destination.ts';
import { instanceOf } from '../instance.ts';
import { expiresAfterMs, type FailoverPart, type FailoverRecord, type FailoverTerms, nextPart } from './record.ts';

/** A record that was read; its version differs after each change. */
export interface SeenRecord {
  readonly record: FailoverRecord;
  readonly version: string;
}

/** A primary's lease. */
export interface Lease {
  readonly record: FailoverRecord;
  /** Until when its holder may respond, by the boot clock. */
  readonly untilMs: number;
  /** Whether another service has it, or may have it. */
  readonly isLost: boolean;
  /** The id of the service that has asked to be the next primary, as of the last renewal, or undefined if none has. */
  readonly heir: string | undefined;
  /** Renews it, possibly with another part. Resolves with whether it is certainly still held. Never rejects. */
  renew(change?: (part: FailoverPart) => FailoverPart): Promise<boolean>;
  /**
   * Ends it. With `isComplete`, everything is in the destination, so a standby takes over immediately. Nothing may be
   * answered from the call on, whatever its result. Never rejects.
   */
  release(isComplete: boolean): Promise<void>;
}

export interface TakenLease {
  readonly lease: Lease;
  /** The previous record, or undefined if there was none. */
  readonly before: FailoverRecord | undefined;
  /** Whether that record was this service's. */
  readonly isSameService: boolean;
}

export type Attempt =
  | { readonly kind: 'taken'; readonly taken: TakenLease }
  /**
   * Held by another service, or by this one before its machine restarted; `waitsFor` says what prevents this one from
   * taking it although it is not renewed.
   */
  | {
      readonly kind: 'held';
      readonly record: FailoverRecord;
      readonly isSameService: boolean;
      readonly waitsFor: string | undefined;
    };

export interface AttemptOptions {
  readonly terms: FailoverTerms;
  /** The data folder's database, or undefined if there is none. */
  readonly database: string | undefined;
  /** Takes over from a primary that does not renew, even if standbys do not do so by themselves. */
  readonly isForced: boolean;
  /**
   * The epoch of the last term of this service, if it did not serve in it: others may take over before it tries again.
   */
  readonly unbegun?: number | undefined;
  /** The time in ms since 1970. */
  readonly atMs: number;
}

export interface Leases {
  read(): Promise<SeenRecord | undefined>;
  /**
   * Takes the lease if it is free. Throws ShippingStopped if another database is in the destination, and SCHEMA_NEWER.
   */
  attempt(options: AttemptOptions): Promise<Attempt>;
  /**
   * Asks the primary to hand over to this service. It learns of this at its next renewal. Returns false if the record
   * has changed in the meantime.
   */
  ask(): Promise<boolean>;
}

/** The service that may take the lease. */
export interface OwnService {
  /** The data folder. */
  readonly folder: string;
  readonly processId: number;
}

/** The place of a lease, as seen by an attempt to take it. */
export interface LeaseLocation extends OwnService {
  /** How messages name the destination. */
  readonly url: string;
  hasObjects(): Promise<boolean>;
  read(): Promise<SeenRecord | undefined>;
  /** Whether the record's owner may still respond. */
  isHeld(seen: SeenRecord, own: ShippingOwner): boolean;
  /** Whether the record was released so recently that the service for which it was released may still come. */
  isKeptForHeir(seen: SeenRecord): boolean;
}

/** The last record's version, and when it was first seen by this service's clock: clocks are never compared. */
export class LastSeen {
  readonly #bootMs: () => number;
  #version: string | undefined;
  #sinceMs = 0;

  constructor(bootMs: () => number) {
    this.#bootMs = bootMs;
  }

  see({ version }: SeenRecord): void {
    if (this.#version !== version) this.#sinceMs = this.#bootMs();
    this.#version = version;
  }

  /** Whether a record has been unchanged for the duration of its lease. */
  hasExpired({ record, version }: SeenRecord): boolean {
    return this.#version === version && this.#bootMs() - this.#sinceMs > expiresAfterMs(record);
  }
}

/** The initial state of an attempt. */
export type NextTerm =
  /** `before`: the record that it replaces, on the condition that no other service has replaced it. */
  | {
      readonly kind: 'next';
      readonly record: FailoverRecord;
      readonly before: SeenRecord | undefined;
      readonly isSameService: boolean;
    }
  | Extract<Attempt, { kind: 'held' }>;

/** Returns the record of the next term, or why there is none. Throws ShippingStopped like {@link Leases.attempt}. */
export async function nextTerm(options: AttemptOptions, place: LeaseLocation): Promise<NextTerm> {
  const { terms, database, isForced, atMs } = options;
  const { url } = place;
  const seen = await place.read();
  const before = seen?.record;
  if (before === undefined && (await place.hasObjects())) {
    throw new ShippingStopped(`${url} has objects that svc has not written: name another destination`);
  }
  checkRecord(before, options, place);
  const owner = ownerOf(place, before?.database ?? database ?? randomUuid());
  const isSame = before !== undefined && isSameService(before, owner);
  const obstacle = before === undefined || before.released || isSame ? undefined : obstacleOf(before, terms);
  if (seen !== undefined) {
    const isHeld = seen.record.released ? isOfOthers(seen, owner, place) : place.isHeld(seen, owner);
    const held = { kind: 'held', record: seen.record, isSameService: isSame } as const;
    if (isHeld) return { ...held, waitsFor: undefined };
    if (obstacle !== undefined && !isForced) return { ...held, waitsFor: obstacle };
  }
  const epoch = (before?.epoch ?? 0) + 1;
  const because = isSame ? undefined : reasonOf(before, obstacle);
  const failover = nextPart(terms, before, { epoch, atMs, because });
  const record = { ...owner, epoch, id: randomUuid(), released: false, failover };
  return { kind: 'next', record, before: seen, isSameService: isSame };
}

/** Whether a record was released for another service, which may still come. */
function isOfOthers(seen: SeenRecord, own: ShippingOwner, place: LeaseLocation): boolean {
  const { heir } = seen.record;
  return heir !== undefined && heir !== own.instance?.id && place.isKeptForHeir(seen);
}

function reasonOf(before: FailoverRecord | undefined, obstacle: string | undefined): TakeoverReason {
  if (before === undefined) return 'start';
  if (before.released) return 'hand-over';
  return obstacle === undefined ? 'expiry' : 'force';
}

/** This service's name in its own record. */
function ownerOf({ folder, processId }: OwnService, database: string): ShippingOwner {
  return { database, host: hostname(), processId, folder, instance: instanceOf(folder) };
}

/**
 * Throws SCHEMA_NEWER if this version cannot read the record's data, and ShippingStopped if that is another database:
 * first of all, before anything is taken or copied.
 */
export function checkRecord(
  before: FailoverRecord | undefined,
  { database, terms }: AttemptOptions,
  { url, folder }: Pick<LeaseLocation, 'url' | 'folder'>,
): void {
  const { schemaVersion = 0, program } = before?.failover ?? {};
  if (schemaVersion > terms.schemaVersion) {
    throw gridError('SCHEMA_NEWER', folder, schemaVersion, program, terms.program ?? '', terms.schemaVersion);
  }
  if (before === undefined || database === undefined || before.database === database) return;
  throw new ShippingStopped(
    `${url} has the data of another service (${describeOwner(before)}): name another destination, or an empty data ` +
      'folder if this service is to have a copy of it',
  );
}

/**
 * Returns why a service does not take over by itself from an owner that does not renew its lease, or
 * undefined if it does.
 */
function obstacleOf({ failover }: FailoverRecord, terms: FailoverTerms): string | undefined {
  if (failover === undefined) return 'the owner has no failover';
  if (!failover.isAutomatic) return 'the primary acknowledges changes before they are shipped, without maxLossMs';
  if (failover.schemaVersion !== terms.schemaVersion) return 'the data has to be migrated';
  return undefined;
}

/**
 * Describes from whom a lease was taken, or returns undefined if from no one, or from an earlier process of
 * the same service.
 */
export function takenFrom({ before, lease }: TakenLease): string | undefined {
  return takenFromOf(before, lease.record);
}
