/** The right to be the primary: who has it, who may take it, and how it is kept. Runs in the process of the service. */
import { hostname } from 'node:os';
import { randomUuid } from '../../../../../base/clock.ts';
import { describeOwner, isSameService, type ShippingOwner, ShippingStopped, takenFromOf } from '../destination.ts';
import { instanceOf } from '../instance.ts';
import { type FailoverPart, type FailoverRecord, type FailoverTerms, nextPart } from './record.ts';

/** A record that was read; its version differs after each change. */
export interface SeenRecord {
  readonly record: FailoverRecord;
  readonly version: string;
}

/** The lease of a primary. */
export interface Lease {
  readonly record: FailoverRecord;
  /** Until when its holder may answer, by the clock that counts suspension. */
  readonly untilMs: number;
  /** Whether another service has it, or may have it. */
  readonly isLost: boolean;
  /** Renews it, perhaps with another part. Resolves with whether it is known to be its own now. Never rejects. */
  renew(change?: (part: FailoverPart) => FailoverPart): Promise<boolean>;
  /**
   * Ends it. With `isComplete`, all is in the destination, so a standby takes over at once. Nothing may be
   * answered from the call on, whatever comes of it. Never rejects.
   */
  release(isComplete: boolean): Promise<void>;
}

export interface TakenLease {
  readonly lease: Lease;
  /** The record before; undefined: there was none. */
  readonly before: FailoverRecord | undefined;
  /** Whether that was one of this service. */
  readonly isSameService: boolean;
}

export type Attempt =
  | { readonly kind: 'taken'; readonly taken: TakenLease }
  /** Another service has it; `waitsFor`: what keeps this one from taking it although nobody renews it. */
  | { readonly kind: 'held'; readonly record: FailoverRecord; readonly waitsFor: string | undefined };

export interface AttemptOptions {
  readonly terms: FailoverTerms;
  /** The database of the data folder; undefined: there is none. */
  readonly database: string | undefined;
  /** Takes over from a primary that does not renew, also where standbys do not by themselves. */
  readonly isForced: boolean;
}

export interface Leases {
  read(): Promise<SeenRecord | undefined>;
  /** Takes the lease if it is free. Throws ShippingStopped if the destination has another database. */
  attempt(options: AttemptOptions): Promise<Attempt>;
}

/** The service that may take the lease. */
export interface OwnService {
  /** The data folder. */
  readonly folder: string;
  readonly processId: number;
}

/** What this service is called in a record of its own. */
export function ownerOf({ folder, processId }: OwnService, database: string): ShippingOwner {
  return { database, host: hostname(), processId, folder, instance: instanceOf(folder) };
}

/** Returns the next record. Throws ShippingStopped if the destination has another database, or foreign objects. */
export async function nextRecord(
  { terms, database }: AttemptOptions,
  before: FailoverRecord | undefined,
  { url, hasObjects, ...own }: OwnService & { readonly url: string; hasObjects(): Promise<boolean> },
): Promise<{ readonly record: FailoverRecord; readonly isSameService: boolean }> {
  if (before === undefined && (await hasObjects())) {
    throw new ShippingStopped(`${url} has objects that svc has not written: name another destination`);
  }
  checkDatabase(before, database, url);
  const owner = ownerOf(own, before?.database ?? database ?? randomUuid());
  const epoch = (before?.epoch ?? 0) + 1;
  const isSame = before !== undefined && isSameService(before, owner);
  const failover = nextPart(terms, before, epoch, isSame);
  return { record: { ...owner, epoch, id: randomUuid(), released: false, failover }, isSameService: isSame };
}

/** Throws ShippingStopped if a record is that of another database. */
export function checkDatabase(before: FailoverRecord | undefined, database: string | undefined, url: string): void {
  if (before === undefined || database === undefined || before.database === database) return;
  throw new ShippingStopped(
    `${url} has the data of another service (${describeOwner(before)}): name another destination, or an empty data ` +
      'folder if this service is to have a copy of it',
  );
}

/** Why a service does not take over by itself from an owner that does not renew its lease; undefined: it does. */
export function obstacleOf({ failover }: FailoverRecord, terms: FailoverTerms): string | undefined {
  if (failover === undefined) return 'the owner has no failover';
  if (!failover.isAutomatic) return 'the primary acknowledges changes before they are shipped, without maxLossMs';
  if (failover.schemaVersion !== terms.schemaVersion) return 'the data has to be migrated';
  return undefined;
}

/** Describes from whom a lease was taken; undefined: from nobody, or from an earlier process of the same service. */
export function takenFrom({ before, lease }: TakenLease): string | undefined {
  return takenFromOf(before, lease.record);
}
