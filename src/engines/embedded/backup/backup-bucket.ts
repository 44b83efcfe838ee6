/** Backups as objects in a bucket. */
import { type BucketContext, type OpenBucket, openBucket } from './continuous/s3-bucket.ts';
import { ObjectStoreError } from './continuous/s3-errors.ts';
import { readInRanges, S3Upload } from './continuous/s3-transfer.ts';

/** Writes a backup as an object, which exists once it is complete. */
export class ObjectOutput {
  readonly #name: string;
  readonly #upload: S3Upload;
  readonly #replaces: boolean;

  /** Without `replaces`, an existing object with that name stays unchanged, and {@link complete} throws. */
  constructor(url: string, context: BucketContext, replaces = false) {
    const { client, path, name } = openBucket(url, context);
    this.#name = name;
    this.#upload = new S3Upload(client, path);
    this.#replaces = replaces;
  }

  /** Bytes written so far. */
  get bytes(): number {
    return this.#upload.bytes;
  }

  write(bytes: Uint8Array): Promise<void> {
    return this.#upload.write(bytes);
  }

  async complete(): Promise<void> {
    if (await this.#upload.complete(this.#replaces ? {} : { ifAbsent: true })) return;
    const reason = this.#replaces ? 'could not be replaced' : 'exists, and is not replaced';
    throw new ObjectStoreError(`the object ${this.#name} ${reason}`);
  }

  discard(): Promise<void> {
    return this.#upload.discard();
  }
}

/** Yields the bytes of a backup in a bucket. Throws an error with the code ENOENT if it does not exist. */
export function readBackupObject(url: string, context: BucketContext): AsyncIterable<Uint8Array> {
  const { client, path } = openBucket(url, context);
  return readInRanges(client, path);
}

/** A service's backups in a bucket, under a prefix. */
export class BackupBucket {
  readonly #url: string;
  readonly #bucket: OpenBucket;

  constructor(url: string, context: BucketContext) {
    this.#url = url;
    this.#bucket = openBucket(url, context);
  }

  /** Returns a backup's URL. */
  urlOf(name: string): string {
    const url = new URL(this.#url);
    url.pathname = `/${this.#keyOf(name).split('/').map(encodeURIComponent).join('/')}`;
    return url.href;
  }

  async has(name: string): Promise<boolean> {
    return (await this.#bucket.client.head(this.#keyOf(name))) !== undefined;
  }

  /** Returns the objects directly under the prefix. */
  async list(): Promise<Array<{ readonly name: string; readonly bytes: number; readonly completedMs: number }>> {
    const start = this.#keyOf('');
    const objects = await this.#bucket.client.list(start);
    return objects
      .map(({ key, bytes, modifiedMs }) => ({ name: key.slice(start.length), bytes, completedMs: modifiedMs }))
      .filter(({ name }) => !name.includes('/'));
  }

  remove(name: string): Promise<void> {
    return this.#bucket.client.remove(this.#keyOf(name));
  }

  #keyOf(name: string): string {
    const { path } = this.#bucket;
    return path === '' ? name : `${path}/${name}`;
  }
}
