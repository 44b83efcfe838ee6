/** Reads and writes objects of any length: in ranges and in parts, each with separate attempts. */

import type { Condition, ReadObject, S3Client } from './s3-client.ts';
import { ObjectStoreError } from './s3-errors.ts';

/** Larger objects are uploaded in parts. */
const PART_BYTES = 8 * 1024 * 1024;
/** A store accepts 10,000 parts of an object: after this many, they become larger. */
const PARTS_OF_ONE_SIZE = 1_000;
/** Number of bytes of an object read per request: initial and maximum. */
const FIRST_RANGE_BYTES = 1024 * 1024;
const MAX_RANGE_BYTES = 4 * 1024 * 1024;

/** Yields an object's bytes; the next range is read while one is being used. Throws an error with the code ENOENT. */
export async function* readInRanges(client: S3Client, key: string): AsyncGenerator<Uint8Array> {
  const load = (from: number, bytes: number): Promise<ReadObject | undefined> => {
    const loaded = client.get(key, { from, bytes });
    // It is awaited later, or not at all if the reader ends before.
    loaded.catch(() => {});
    return loaded;
  };
  let rangeBytes = FIRST_RANGE_BYTES;
  let next = load(0, rangeBytes);
  for (let at = 0; ; ) {
    const found = await next;
    if (found === undefined) throw missingObject(key);
    const { bytes, totalBytes } = found;
    at += bytes.length;
    if (bytes.length === 0 && (at > 0 || totalBytes > 0)) throw new Error(`the object ${key} ends early`);
    rangeBytes = Math.min(MAX_RANGE_BYTES, 2 * rangeBytes);
    if (at < totalBytes) next = load(at, Math.min(rangeBytes, totalBytes - at));
    yield bytes;
    if (at >= totalBytes) return;
  }
}

export function missingObject(key: string): Error {
  return Object.assign(new ObjectStoreError(`the object ${key} is missing`), { code: 'ENOENT' });
}

/** An object that is being written. It exists once it is complete. */
export class S3Upload {
  readonly #client: S3Client;
  readonly #key: string;
  readonly #metadata: Readonly<Record<string, string>>;
  readonly #etags: string[] = [];
  #id: string | undefined;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  /** The part that was sent last. */
  #lastPart = new Uint8Array();
  /** The digest of the sent parts. */
  readonly #digest = new Bun.CryptoHasher('sha256');
  /** Bytes written so far. */
  bytes = 0;

  constructor(client: S3Client, key: string, metadata: Readonly<Record<string, string>> = {}) {
    this.#client = client;
    this.#key = key;
    this.#metadata = metadata;
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    this.bytes += bytes.length;
    const partBytes = PART_BYTES * 2 ** Math.floor(this.#etags.length / PARTS_OF_ONE_SIZE);
    if (this.#waitingBytes >= partBytes) await this.#putPart();
  }

  /** Creates the object. Returns false if another object exists, for which the condition is not met. */
  async complete(condition: Condition): Promise<boolean> {
    // Its own object, if the response to the first attempt was lost.
    return (await this.#write(condition)) || this.#isSame();
  }

  /** Returns false if the condition is not met, or if an earlier attempt may have created the object. */
  async #write(condition: Condition): Promise<boolean> {
    const key = this.#key;
    if (this.#id === undefined) {
      return (await this.#client.put(key, this.#take(), condition, this.#metadata)) !== undefined;
    }
    if (this.#waitingBytes > 0) await this.#putPart();
    const written = await this.#client.completeParts(key, this.#id, this.#etags, condition);
    if (written === undefined) await this.discard();
    return written !== undefined;
  }

  /** Whether the object has these bytes. Throws if it does not exist. */
  async #isSame(): Promise<boolean> {
    const head = await this.#client.head(this.#key);
    if (head === undefined) throw new ObjectStoreError(`the object ${this.#key} could not be created`);
    if (head.bytes !== this.bytes) return false;
    const found = new Bun.CryptoHasher('sha256');
    for await (const chunk of readInRanges(this.#client, this.#key)) found.update(chunk);
    const own = this.#digest.update(this.#lastPart);
    return found.digest('hex') === own.digest('hex');
  }

  /** Removes the uploaded parts. Never rejects. */
  async discard(): Promise<void> {
    const id = this.#id;
    this.#id = undefined;
    // A rule of the bucket removes the rest.
    if (id !== undefined) await this.#client.abortParts(this.#key, id).catch(() => {});
  }

  async #putPart(): Promise<void> {
    this.#digest.update(this.#lastPart);
    this.#id ??= await this.#client.beginParts(this.#key, this.#metadata);
    this.#etags.push(await this.#client.putPart(this.#key, this.#id, this.#etags.length + 1, this.#take()));
  }

  #take(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(Buffer.concat(this.#waiting));
    this.#lastPart = bytes;
    this.#waiting = [];
    this.#waitingBytes = 0;
    return bytes;
  }
}
