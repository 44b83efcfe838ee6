/**
 * Encrypts the objects of a destination if there are keys. Names, lengths and times stay readable. Each object has a
 * separate random key, so a repeated attempt does not send the same bytes: an object whose response was lost is
 * recognized by its decrypted contents.
 */
import { GridError, gridError } from '../../../../base/errors.ts';
import type { BackupKeys } from '../backup-keys.ts';
import { decrypted, encrypted } from '../encryption.ts';
import {
  type Destination,
  fileNameOf,
  type ObjectName,
  type Ownership,
  type ShippingOwner,
  type StoredObject,
} from './destination.ts';

export class EncryptedDestination implements Destination {
  readonly #destination: Destination;
  readonly #keys: BackupKeys | undefined;
  readonly #acceptsPlain: boolean;
  /** Objects that were read and are not encrypted. */
  readonly #plain = new Set<string>();

  /** Without keys, objects are created unencrypted, and encrypted ones are rejected. */
  constructor(destination: Destination, keys: BackupKeys | undefined, acceptsPlain = false) {
    this.#destination = destination;
    this.#keys = keys;
    this.#acceptsPlain = acceptsPlain;
  }

  objects(): Promise<StoredObject[]> {
    return this.#destination.objects();
  }

  withTimes(objects: readonly StoredObject[]): Promise<StoredObject[]> {
    return this.#destination.withTimes(objects);
  }

  read(name: ObjectName, acceptsPlain = this.#acceptsPlain): AsyncGenerator<Uint8Array> {
    const key = keyOf(name);
    return decrypted(this.#destination.read(name), {
      keys: this.#keys,
      acceptsPlain,
      what: `the object ${key}`,
      name: key,
      onBegin: (isEncrypted) => {
        if (!isEncrypted && this.#keys !== undefined) this.#plain.add(key);
      },
    });
  }

  /** Reports whether an object is encrypted; with keys, only if they decrypt it. Throws like {@link read}. */
  async isEncrypted(name: ObjectName): Promise<boolean> {
    let isEncrypted = false;
    const chunks = decrypted(this.#destination.read(name), {
      keys: this.#keys,
      acceptsPlain: true,
      what: `the object ${keyOf(name)}`,
      name: keyOf(name),
      onBegin: (is) => {
        isEncrypted = is;
      },
    });
    try {
      await chunks.next();
      return isEncrypted;
    } catch (error) {
      if (error instanceof GridError && error.code === 'BACKUP_KEY_MISSING') return true;
      throw error;
    } finally {
      await chunks.return(undefined);
    }
  }

  async create(
    name: ObjectName,
    timestampMs: number,
    chunks: AsyncIterable<Uint8Array>,
    sources: readonly ObjectName[] = [],
  ): Promise<number | undefined> {
    const keys = this.#keys;
    const plainSources = sources.filter((source) => this.#plain.has(keyOf(source))).length;
    if (plainSources > 0 && plainSources < sources.length) {
      throw gridError('BACKUP_DAMAGED', `objects before ${keyOf(name)} are not encrypted, and others are`);
    }
    // An unencrypted object must not look as if the key's owner had written it.
    if (keys === undefined || plainSources > 0) return this.#destination.create(name, timestampMs, chunks);
    const contents = new Bun.CryptoHasher('sha256');
    let bytes = 0;
    const encryptedChunks = encrypted(hashed(chunks, contents), keys, keyOf(name));
    const written = await this.#destination.create(
      name,
      timestampMs,
      observed(encryptedChunks, (chunk) => {
        bytes += chunk.length;
      }),
    );
    if (written !== undefined) return written;
    return (await this.#digestOf(name)) === contents.digest('hex') ? bytes : undefined;
  }

  async remove(name: ObjectName): Promise<void> {
    await this.#destination.remove(name);
    this.#plain.delete(keyOf(name));
  }

  acquire(owner: ShippingOwner): Promise<Ownership> {
    return this.#destination.acquire(owner);
  }

  /** Returns the digest of an object's contents, or undefined if the keys do not decrypt it. */
  async #digestOf(name: ObjectName): Promise<string | undefined> {
    const contents = new Bun.CryptoHasher('sha256');
    try {
      for await (const chunk of this.read(name, false)) contents.update(chunk);
      return contents.digest('hex');
    } catch (error) {
      if (error instanceof GridError) return undefined;
      throw error;
    }
  }
}

/** Returns the name under which an object is encrypted: the same in a folder and in a bucket. */
function keyOf(name: ObjectName): string {
  return `${name.level}/${fileNameOf(name)}`;
}

function hashed(chunks: AsyncIterable<Uint8Array>, hasher: Bun.CryptoHasher): AsyncGenerator<Uint8Array> {
  return observed(chunks, (chunk) => hasher.update(chunk));
}

async function* observed(
  chunks: AsyncIterable<Uint8Array>,
  observe: (chunk: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    observe(chunk);
    yield chunk;
  }
}
