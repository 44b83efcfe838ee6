/**
 * A bucket in an object store as the destination of a continuous backup, with the names of Litestream's S3 layout. The
 * record in `owner.json` is a convenience; what protects objects is that each is created only if it does not exist.
 */
import { type Clock, randomUuid, type Timer } from '../../../../base/clock.ts';
import {
  type Destination,
  DestinationOwned,
  describeOwner,
  fileNameOf,
  hasEnded,
  LOWEST_LEVEL,
  type ObjectName,
  type OwnerRecord,
  type Ownership,
  objectOf,
  ownerIn,
  type ShippingOwner,
  ShippingStopped,
  SNAPSHOT_LEVEL,
  type StoredObject,
  takenFromOf,
} from './destination.ts';
import type { ReadObject, S3Client } from './s3-client.ts';
import { missingObject, readInRanges, S3Upload } from './s3-transfer.ts';

export interface S3DestinationOptions {
  readonly client: S3Client;
  /** Without leading and trailing slashes; empty for the whole bucket. */
  readonly prefix: string;
  /** How messages name the destination. */
  readonly url: string;
  /** Whether to accept a store without conditional requests, because a person ensures that only one service ships. */
  readonly assumesSoleWriter: boolean;
  readonly clock: Clock;
}

const OWNER_NAME = 'owner.json';
const PROBE_NAME = 'owner-probe';
/** Concurrent requests to create one object; only one may succeed. */
const PROBES = 16;
/** The contents with which a probe replaces an object. */
const REPLACED = 'replaced';
/** An entity tag that no object has. */
const OTHER_ETAG = '"00000000000000000000000000000000"';
/** How long the owner's record is valid after its renewal. */
const OWNED_MS = 30_000;
const RENEW_MS = 10_000;
/** Another owner waits this much longer. */
const MARGIN_MS = 5_000;
/** Maximum number of objects whose times are read concurrently. */
const HEADS_AT_ONCE = 50;
/** Name of the metadata in which Litestream keeps an object's time. */
const TIMESTAMP = 'litestream-timestamp';

/** The owner's record in the destination, which the owner renews. */
interface RenewedRecord extends OwnerRecord {
  /** The same in all renewals by one owner. */
  readonly id: string;
  /** Whether the owner has ended, and no longer needs it. */
  readonly released: boolean;
}

export class S3Destination implements Destination {
  readonly #options: S3DestinationOptions;
  /** Times that were read. */
  readonly #times = new Map<string, number>();
  /** Another owner's record as it was first seen, by the monotonic clock. */
  #seen: { readonly etag: string; readonly sinceMs: number } | undefined;
  #isProbed = false;

  constructor(options: S3DestinationOptions) {
    this.#options = options;
  }

  async objects(): Promise<StoredObject[]> {
    const objects: StoredObject[] = [];
    for (const { key, bytes, modifiedMs } of await this.#options.client.list(this.#key(''))) {
      const name = this.#nameOf(key);
      if (name !== undefined) objects.push({ ...name, bytes, timestampMs: this.#times.get(key) ?? modifiedMs });
    }
    return objects;
  }

  async withTimes(objects: readonly StoredObject[]): Promise<StoredObject[]> {
    const timed: StoredObject[] = [];
    for (let at = 0; at < objects.length; at += HEADS_AT_ONCE) {
      const some = objects.slice(at, at + HEADS_AT_ONCE);
      timed.push(
        ...(await Promise.all(some.map(async (each) => ({ ...each, timestampMs: await this.#timeOf(each) })))),
      );
    }
    return timed;
  }

  read(name: ObjectName): AsyncGenerator<Uint8Array> {
    return readInRanges(this.#options.client, this.#keyOf(name));
  }

  async create(name: ObjectName, timestampMs: number, chunks: AsyncIterable<Uint8Array>): Promise<number | undefined> {
    const { client } = this.#options;
    const key = this.#keyOf(name);
    const upload = new S3Upload(client, key, { [TIMESTAMP]: new Date(timestampMs).toISOString() });
    try {
      for await (const chunk of chunks) await upload.write(chunk);
      return (await upload.complete({ ifAbsent: true })) ? upload.bytes : undefined;
    } catch (error) {
      await upload.discard();
      throw error;
    }
  }

  async remove(name: ObjectName): Promise<void> {
    await this.#options.client.remove(this.#keyOf(name));
  }

  async acquire(owner: ShippingOwner): Promise<Ownership> {
    const { client, clock, url } = this.#options;
    await this.probe();
    const key = this.#key(OWNER_NAME);
    const found = await client.get(key);
    const last = found && recordOf(found);
    if (found !== undefined && last === undefined) {
      throw new ShippingStopped(`${OWNER_NAME} in ${url} is not a record of svc: name another prefix`);
    }
    if (last === undefined ? (await this.objects()).length > 0 : last.database !== owner.database) {
      const whose = last === undefined ? 'that svc has not written' : `of another database (${describeOwner(last)})`;
      throw new ShippingStopped(`${url} has objects ${whose}: name another prefix`);
    }
    const isHeld = last !== undefined && !last.released && !hasEnded(last, owner);
    if (isHeld && found !== undefined && !this.#hasExpired(found.etag)) {
      throw new DestinationOwned(`${url} belongs to ${describeOwner(last)}, which ships there`);
    }
    const epoch = (last?.epoch ?? 0) + 1;
    const beganMs = clock.monotonicMs();
    const record: RenewedRecord = { ...owner, epoch, id: randomUuid(), released: false };
    const condition = found === undefined ? { ifAbsent: true } : { ifMatch: found.etag };
    const written = await client.put(key, JSON.stringify(record), condition);
    if (written === undefined) throw new DestinationOwned(`${url} was taken by another process`);
    // Unfinished uploads of killed owners. Not all stores list them; a rule of the bucket also removes them.
    await client.abortAllParts(this.#key(''), (each) => this.#nameOf(each) !== undefined).catch(() => {});
    const takenFrom = takenFromOf(last, owner);
    return new S3Ownership({ client, clock, key, url, record, takenFrom, etag: written.etag, heldSinceMs: beganMs });
  }

  /** Whether a record has not been renewed for so long that its owner has stopped, by this process's clock. */
  #hasExpired(etag: string): boolean {
    const nowMs = this.#options.clock.monotonicMs();
    if (this.#seen?.etag !== etag) this.#seen = { etag, sinceMs: nowMs };
    return nowMs - this.#seen.sinceMs > OWNED_MS + MARGIN_MS;
  }

  /** Throws ShippingStopped if the store ignores a condition that prevents two services from writing one object. */
  async probe(): Promise<void> {
    const { client, assumesSoleWriter } = this.#options;
    if (assumesSoleWriter || this.#isProbed) return;
    const key = this.#key(`${PROBE_NAME}-${randomUuid()}`);
    try {
      await this.#probe(key);
    } finally {
      await client.remove(key);
    }
    this.#isProbed = true;
  }

  async #probe(key: string): Promise<void> {
    const { client, url } = this.#options;
    const results = await Promise.allSettled(
      Array.from({ length: PROBES }, (_, at) => client.put(key, String(at), { ifAbsent: true })),
    );
    const created = results.flatMap((each) => (each.status === 'fulfilled' ? (each.value ?? []) : []));
    if (created.length > 1) throw this.#unconditional(`${created.length} of ${PROBES} requests created one object`);
    for (const each of results) if (each.status === 'rejected') throw each.reason;
    const [first] = created;
    // The response to the request that created it was lost, and the next attempt found the object.
    if (first === undefined) throw new Error(`whether ${url} has conditional requests could not be found out`);
    if ((await client.put(key, 'other', { ifMatch: OTHER_ETAG })) !== undefined) {
      throw this.#unconditional('it ignores If-Match');
    }
    const isReplaced =
      (await client.put(key, REPLACED, { ifMatch: first.etag })) !== undefined ||
      // The response was lost, and the next attempt found another entity tag.
      new TextDecoder().decode((await client.get(key))?.bytes) === REPLACED;
    if (!isReplaced) {
      throw this.#unconditional('it rejects If-Match with the entity tag that it has given');
    }
    const id = await client.beginParts(key, {});
    const etag = await client.putPart(key, id, 1, new Uint8Array(1));
    if ((await client.completeParts(key, id, [etag], { ifAbsent: true })) !== undefined) {
      throw this.#unconditional('it ignores If-None-Match when parts are put together');
    }
    await client.abortParts(key, id);
  }

  #unconditional(found: string): ShippingStopped {
    return new ShippingStopped(
      `${this.#options.url} has no conditional requests (${found}): two services would destroy the backup; see ` +
        'backup.continuous.assumeSoleWriter',
    );
  }

  /** Returns the object that a key names, or undefined if the key belongs to something else. */
  #nameOf(key: string): ObjectName | undefined {
    const [folder = '', file = '', ...rest] = key.slice(this.#key('').length).split('/');
    const level = /^[0-9a-f]{4}$/.test(folder) ? Number.parseInt(folder, 16) : -1;
    if (level < LOWEST_LEVEL || level > SNAPSHOT_LEVEL || rest.length > 0) return undefined;
    return objectOf(level, file);
  }

  async #timeOf(object: StoredObject): Promise<number> {
    const key = this.#keyOf(object);
    const known = this.#times.get(key);
    if (known !== undefined) return known;
    const head = await this.#options.client.head(key);
    if (head === undefined) throw missingObject(key);
    const text = head.metadata(TIMESTAMP);
    const timeMs = text === null ? object.timestampMs : Date.parse(text);
    this.#times.set(key, timeMs);
    return timeMs;
  }

  #key(name: string): string {
    const { prefix } = this.#options;
    return prefix === '' ? name : `${prefix}/${name}`;
  }

  /** The key of the owner's record. */
  get ownerKey(): string {
    return this.#key(OWNER_NAME);
  }

  #keyOf(name: ObjectName): string {
    return this.#key(`${name.level.toString(16).padStart(4, '0')}/${fileNameOf(name)}`);
  }
}

interface S3OwnershipOptions {
  readonly client: S3Client;
  readonly clock: Clock;
  readonly key: string;
  readonly url: string;
  readonly record: RenewedRecord;
  readonly takenFrom: string | undefined;
  readonly etag: string;
  /** When the request began that acquired it, by the monotonic clock. */
  readonly heldSinceMs: number;
}

/** The right to ship, which is renewed. */
class S3Ownership implements Ownership {
  readonly #options: S3OwnershipOptions;
  readonly #timer: Timer;
  #etag: string;
  #heldSinceMs: number;
  #isLost = false;
  #isReleased = false;
  #renewing: Promise<void> | undefined;

  constructor(options: S3OwnershipOptions) {
    this.#options = options;
    this.#etag = options.etag;
    this.#heldSinceMs = options.heldSinceMs;
    this.#timer = options.clock.every(RENEW_MS, () => {
      this.#renewing ??= this.#renew().finally(() => {
        this.#renewing = undefined;
      });
    });
  }

  get epoch(): bigint {
    return BigInt(this.#options.record.epoch);
  }

  get takenFrom(): string | undefined {
    return this.#options.takenFrom;
  }

  check(): void {
    const { url, clock } = this.#options;
    if (this.#isReleased) throw new Error(`${url} was released`);
    if (this.#isLost) throw new ShippingStopped(`another service has taken ${url} over`);
    if (clock.monotonicMs() - this.#heldSinceMs > OWNED_MS)
      throw new Error(`the ownership of ${url} could not be renewed`);
  }

  async release(): Promise<void> {
    const { client, key, record } = this.#options;
    // Set first: the response that confirms the change of the record may be late or lost.
    this.#isReleased = true;
    this.#timer.cancel();
    await this.#renewing;
    if (!this.#isLost) await client.put(key, JSON.stringify({ ...record, released: true }), { ifMatch: this.#etag });
  }

  /** Never rejects. */
  async #renew(): Promise<void> {
    const { client, key, record, clock } = this.#options;
    const beganMs = clock.monotonicMs();
    // A change, so that others see that it is renewed.
    const content = JSON.stringify({ ...record, renewal: randomUuid() });
    try {
      const written = await client.put(key, content, { ifMatch: this.#etag });
      if (written !== undefined) {
        this.#etag = written.etag;
        this.#heldSinceMs = beganMs;
        return;
      }
      // Its own renewal, if the response to an earlier attempt was lost.
      const found = await client.get(key);
      const last = found && recordOf(found);
      // Its own release is not a renewal: others may have had the destination since then.
      if (found === undefined || last?.id !== record.id || last.released) this.#isLost = true;
      else this.#etag = found.etag;
    } catch {
      // Once it has expired, nothing is shipped until it has been renewed.
    }
  }
}

/** Returns an owner's record, or undefined if the object is not one. */
function recordOf({ bytes }: ReadObject): RenewedRecord | undefined {
  const value = ownerIn(new TextDecoder().decode(bytes));
  if (value === undefined || !('released' in value) || typeof value.released !== 'boolean') return undefined;
  const id = 'id' in value && typeof value.id === 'string' ? value.id : '';
  return { ...value, released: value.released, id };
}
