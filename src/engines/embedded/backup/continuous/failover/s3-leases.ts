/** The lease in a bucket: the object `owner.json`, which its holder renews with conditional requests. */
import { randomUuid } from '../../../../../base/clock.ts';
import { createMutex } from '../../../../../base/maybe-promise.ts';
import { DestinationOwned, hasEnded, ShippingStopped } from '../destination.ts';
import { instanceOf } from '../instance.ts';
import type { S3Client } from '../s3-client.ts';
import {
  type Attempt,
  type AttemptOptions,
  LastSeen,
  type Lease,
  type Leases,
  nextTerm,
  type OwnService,
  type SeenRecord,
} from './leases.ts';
import { answersForMs, type FailoverPart, type FailoverRecord, recordIn } from './record.ts';

export interface S3LeasesOptions extends OwnService {
  readonly client: S3Client;
  /** The key of the record. */
  readonly key: string;
  /** How messages name the destination. */
  readonly url: string;
  /** The boot clock. */
  readonly bootMs: () => number;
  hasObjects(): Promise<boolean>;
  /** Throws ShippingStopped if the store does not support conditional requests. */
  probe(): Promise<void>;
}

export class S3Leases implements Leases {
  readonly #options: S3LeasesOptions;
  readonly #lastSeen: LastSeen;

  constructor(options: S3LeasesOptions) {
    this.#options = options;
    this.#lastSeen = new LastSeen(options.bootMs);
  }

  async read(): Promise<SeenRecord | undefined> {
    const { client, key, url } = this.#options;
    const found = await client.get(key);
    if (found === undefined) return undefined;
    const record = recordIn(new TextDecoder().decode(found.bytes));
    if (record === undefined) throw new ShippingStopped(`owner.json in ${url} is not a record of svc`);
    const seen = { record, version: found.etag };
    this.#lastSeen.see(seen);
    return seen;
  }

  async attempt(options: AttemptOptions): Promise<Attempt> {
    const { client, key, url, bootMs, probe } = this.#options;
    // Even if another service is the primary: the takeover then does not wait for it.
    await probe();
    const next = await nextTerm(options, {
      ...this.#options,
      read: () => this.read(),
      isHeld: (seen, own) => {
        const isOver = hasEnded(seen.record, own) && seen.record.epoch !== options.unbegun;
        return !isOver && !this.#lastSeen.hasExpired(seen);
      },
      isKeptForHeir: (seen) => !this.#lastSeen.hasExpired(seen),
    });
    if (next.kind === 'held') return next;
    const { record, before, isSameService } = next;
    const condition = before === undefined ? { ifAbsent: true } : { ifMatch: before.version };
    const beganMs = bootMs();
    const written = await client.put(key, JSON.stringify(record), condition);
    if (written === undefined) throw new DestinationOwned(`${url} was taken by another process`);
    const { leaseMs } = options.terms;
    const lease = new S3Lease({ client, key, bootMs, leaseMs, record, etag: written.etag, beganMs });
    return { kind: 'taken', taken: { lease, before: before?.record, isSameService } };
  }

  async ask(): Promise<boolean> {
    const { client, key, folder } = this.#options;
    const seen = await this.read();
    if (seen === undefined || seen.record.released) return false;
    // A version that differs from all others, even if it requests the same.
    const content = JSON.stringify({ ...seen.record, heir: instanceOf(folder).id, renewal: randomUuid() });
    return (await client.put(key, content, { ifMatch: seen.version })) !== undefined;
  }
}

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
  #heir: string | undefined;
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

  get heir(): string | undefined {
    return this.#heir;
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
    // Set first: the response that confirms the change of the record may be late or lost.
    this.#isReleased = true;
    await this.#exclusively(async () => {
      if (!isComplete) return;
      try {
        // A second time if another service has asked for it in the meantime.
        if (!(await this.#release()) && !this.#isLost) await this.#release();
      } catch {
        // Standbys wait until the lease has expired.
      }
    });
  }

  async #release(): Promise<boolean> {
    const { client, key } = this.#options;
    if (this.#isLost) return false;
    const content = JSON.stringify({ ...this.#record, heir: this.#heir, released: true });
    const written = await client.put(key, content, { ifMatch: this.#etag });
    if (written === undefined) await this.#reread();
    return written !== undefined;
  }

  /** Writes a version of the record. Returns false if the record is not certainly still this service's. */
  async #write(record: FailoverRecord): Promise<boolean> {
    const { client, key } = this.#options;
    const content = JSON.stringify({ ...record, heir: this.#heir, renewal: ++this.#renewals });
    const written = await client.put(key, content, { ifMatch: this.#etag });
    if (written === undefined) await this.#reread();
    else this.#etag = written.etag;
    return written !== undefined;
  }

  /**
   * Determines who wrote the last version: this service's own renewal, if the response to an earlier attempt was lost,
   * or a standby that asks for a hand-over; the next attempt begins where that ended.
   */
  async #reread(): Promise<void> {
    const { client, key } = this.#options;
    const found = await client.get(key);
    const last = found && recordIn(new TextDecoder().decode(found.bytes));
    if (found === undefined || last?.id !== this.#record.id || last.released) {
      this.#isLost = true;
      return;
    }
    this.#etag = found.etag;
    this.#heir = last.heir ?? this.#heir;
  }
}
