/** The lease in a bucket: the object `owner.json`, which its holder renews by conditional requests. */
import { createMutex } from '../../../../../base/maybe-promise.ts';
import { DestinationOwned, hasEnded, ShippingStopped } from '../destination.ts';
import type { S3Client } from '../s3-client.ts';
import {
  type Attempt,
  type AttemptOptions,
  checkDatabase,
  type Lease,
  type Leases,
  nextRecord,
  type OwnService,
  obstacleOf,
  ownerOf,
  type SeenRecord,
} from './leases.ts';
import { answersForMs, expiresAfterMs, type FailoverPart, type FailoverRecord, recordIn } from './record.ts';

export interface S3LeasesOptions extends OwnService {
  readonly client: S3Client;
  /** The key of the record. */
  readonly key: string;
  /** How messages name the destination. */
  readonly url: string;
  /** The clock that counts suspension. */
  readonly bootMs: () => number;
  hasObjects(): Promise<boolean>;
  /** Throws ShippingStopped if the store has no conditional requests. */
  probe(): Promise<void>;
}

export class S3Leases implements Leases {
  readonly #options: S3LeasesOptions;
  /** The version of the record that was seen last, and since when. */
  #seen: { readonly version: string; readonly sinceMs: number } | undefined;

  constructor(options: S3LeasesOptions) {
    this.#options = options;
  }

  async read(): Promise<SeenRecord | undefined> {
    const { client, key, url, bootMs } = this.#options;
    const found = await client.get(key);
    if (found === undefined) return undefined;
    const record = recordIn(new TextDecoder().decode(found.bytes));
    if (record === undefined) throw new ShippingStopped(`owner.json in ${url} is not a record of svc`);
    if (this.#seen?.version !== found.etag) this.#seen = { version: found.etag, sinceMs: bootMs() };
    return { record, version: found.etag };
  }

  async attempt(options: AttemptOptions): Promise<Attempt> {
    const { client, key, url, bootMs, probe } = this.#options;
    const seen = await this.read();
    checkDatabase(seen?.record, options.database, url);
    const waitsFor = seen && this.#waitsFor(seen, options);
    if (seen !== undefined && waitsFor !== undefined) {
      return { kind: 'held', record: seen.record, waitsFor: waitsFor === HELD ? undefined : waitsFor };
    }
    await probe();
    const { record, isSameService } = await nextRecord(options, seen?.record, this.#options);
    const condition = seen === undefined ? { ifAbsent: true } : { ifMatch: seen.version };
    const beganMs = bootMs();
    const written = await client.put(key, JSON.stringify(record), condition);
    if (written === undefined) throw new DestinationOwned(`${url} was taken by another process`);
    const { leaseMs } = options.terms;
    const lease = new S3Lease({ client, key, bootMs, leaseMs, record, etag: written.etag, beganMs });
    return { kind: 'taken', taken: { lease, before: seen?.record, isSameService } };
  }

  /** Returns what keeps this service from taking the lease; undefined: nothing does. */
  #waitsFor({ record, version }: SeenRecord, { terms, isForced }: AttemptOptions): string | undefined {
    const { bootMs } = this.#options;
    const owner = ownerOf(this.#options, record.database);
    if (record.released || hasEnded(record, owner)) return undefined;
    const sinceMs = this.#seen?.version === version ? this.#seen.sinceMs : bootMs();
    // By its own clock, so no clocks are compared.
    if (bootMs() - sinceMs <= expiresAfterMs(record)) return HELD;
    const isOwn = record.instance !== undefined && record.instance.id === owner.instance?.id;
    return isForced || isOwn ? undefined : obstacleOf(record, terms);
  }
}

const HELD = '';

interface S3LeaseOptions {
  readonly client: S3Client;
  readonly key: string;
  readonly bootMs: () => number;
  readonly leaseMs: number;
  readonly record: FailoverRecord;
  readonly etag: string;
  /** When the request began that took it. */
  readonly beganMs: number;
}

class S3Lease implements Lease {
  readonly #options: S3LeaseOptions;
  readonly #exclusively = createMutex();
  #record: FailoverRecord;
  #etag: string;
  #untilMs: number;
  #renewals = 0;
  #isLost = false;
  #isReleased = false;

  constructor(options: S3LeaseOptions) {
    this.#options = options;
    this.#record = options.record;
    this.#etag = options.etag;
    this.#untilMs = options.beganMs + answersForMs(options.leaseMs);
  }

  get record(): FailoverRecord {
    return this.#record;
  }

  get untilMs(): number {
    return this.#untilMs;
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  renew(change: (part: FailoverPart) => FailoverPart = (part) => part): Promise<boolean> {
    return this.#exclusively(async () => {
      if (this.#isLost || this.#isReleased) return false;
      const { failover } = this.#record;
      const record = { ...this.#record, failover: failover && change(failover) };
      const beganMs = this.#options.bootMs();
      try {
        if (!(await this.#write(record))) return false;
        this.#record = record;
        this.#untilMs = beganMs + answersForMs(this.#options.leaseMs);
        return true;
      } catch {
        // Until it can be renewed, nothing is answered beyond its end.
        return false;
      }
    });
  }

  async release(isComplete: boolean): Promise<void> {
    // First of all: whether the record says so is not known until the answer, which may be late or lost.
    this.#isReleased = true;
    await this.#exclusively(async () => {
      const { client, key } = this.#options;
      if (this.#isLost || !isComplete) return;
      try {
        await client.put(key, JSON.stringify({ ...this.#record, released: true }), { ifMatch: this.#etag });
      } catch {
        // Standbys wait until the lease has expired.
      }
    });
  }

  /** Writes a version of the record. Returns false if that is not known to have been its own. */
  async #write(record: FailoverRecord): Promise<boolean> {
    const { client, key } = this.#options;
    const content = JSON.stringify({ ...record, renewal: ++this.#renewals });
    const written = await client.put(key, content, { ifMatch: this.#etag });
    if (written !== undefined) {
      this.#etag = written.etag;
      return true;
    }
    // A renewal of its own, if the answer to an earlier attempt was lost: the next one begins where that ended.
    const found = await client.get(key);
    const last = found && recordIn(new TextDecoder().decode(found.bytes));
    if (found !== undefined && last?.id === record.id && !last.released) this.#etag = found.etag;
    else this.#isLost = true;
    return false;
  }
}
