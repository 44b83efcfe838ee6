/**
 * Encrypts backups in the format of age (age-encryption.org/v1): a separate key for each file, wrapped by X25519 for
 * the key in the key file, and the contents in chunks of 64 KiB with ChaCha20-Poly1305. `age -d` decrypts them.
 */

import { errorText, GridError, gridError } from '../../../base/errors.ts';
import type { BackupKeys } from './backup-keys.ts';

const MAGIC = Buffer.from('age-encryption.org/v1\n');
/** A stanza of the header with the name of the object. Other programs skip it; the header's MAC covers it. */
const NAME_STANZA = 'svc-object';

/**
 * Yields the encrypted bytes. With a name, they decrypt only as an object with that name. Throws BACKUP_KEY_INVALID.
 */
export async function* encrypted(
  source: AsyncIterable<Uint8Array>,
  keys: BackupKeys,
  name?: string,
): AsyncGenerator<Uint8Array> {
  const { Encrypter, Stanza, identityToRecipient } = await import('age-encryption');
  const encrypter = new Encrypter();
  try {
    encrypter.addRecipient(await identityToRecipient(keys.identities[0]));
  } catch {
    throw invalidKey(keys);
  }
  if (name !== undefined) {
    encrypter.addRecipient({ wrapFileKey: () => [new Stanza([NAME_STANZA, name], new Uint8Array(0))] });
  }
  const contents = through(source);
  try {
    yield* await encrypter.encrypt(streamOf(contents));
  } finally {
    await contents.return(undefined);
  }
}

export interface Decryption {
  /** If undefined, encrypted bytes are rejected. */
  readonly keys: BackupKeys | undefined;
  /** Whether unencrypted bytes are accepted although there are keys. */
  readonly acceptsPlain?: boolean;
  /** Its name in messages. */
  readonly what: string;
  /** The name with which it must have been encrypted. */
  readonly name?: string;
  /** Called before the first bytes. */
  readonly onBegin?: (isEncrypted: boolean) => void;
}

/**
 * Yields the decrypted bytes, each only after authentication; unencrypted bytes unchanged. Returns normally only if
 * nothing is missing at the end. Throws BACKUP_KEY_MISSING, BACKUP_KEY_WRONG, BACKUP_KEY_INVALID, BACKUP_NOT_ENCRYPTED,
 * BACKUP_DAMAGED, and the source's errors.
 */
export async function* decrypted(
  source: AsyncIterable<Uint8Array>,
  { keys, acceptsPlain = false, what, name, onBegin }: Decryption,
): AsyncGenerator<Uint8Array> {
  const begun = await beginningOf(source);
  const isEncrypted = begun.first.subarray(0, MAGIC.length).equals(MAGIC);
  try {
    if (isEncrypted && keys === undefined) throw gridError('BACKUP_KEY_MISSING', what);
    if (!isEncrypted && keys !== undefined && !acceptsPlain) throw gridError('BACKUP_NOT_ENCRYPTED', what);
    onBegin?.(isEncrypted);
  } catch (error) {
    await begun.rest.return?.(undefined);
    throw error;
  }
  if (isEncrypted && keys !== undefined) yield* opened(begun, keys, what, name);
  else yield* all(begun);
}

async function* opened(
  begun: Begun,
  keys: BackupKeys,
  what: string,
  name: string | undefined,
): AsyncGenerator<Uint8Array> {
  const { Decrypter } = await import('age-encryption');
  const decrypter = new Decrypter();
  let found: string | undefined;
  decrypter.addIdentity({
    unwrapFileKey(stanzas) {
      found = stanzas.find(({ args }) => args[0] === NAME_STANZA)?.args[1];
      return null;
    },
  });
  try {
    for (const identity of keys.identities) decrypter.addIdentity(identity);
  } catch {
    await begun.rest.return?.(undefined);
    throw invalidKey(keys);
  }
  let isOpened = true;
  // Asked only if no key has matched.
  decrypter.addIdentity({
    unwrapFileKey() {
      isOpened = false;
      return null;
    },
  });
  let failure: { readonly error: unknown } | undefined;
  const watched = async function* (): AsyncGenerator<Uint8Array> {
    try {
      yield* all(begun);
    } catch (error) {
      failure = { error };
      throw error;
    }
  };
  const chunks = watched();
  try {
    const contents = await decrypter.decrypt(streamOf(chunks));
    if (found !== name) throw gridError('BACKUP_DAMAGED', `${what} was encrypted under another name`);
    yield* contents;
  } catch (error) {
    if (failure !== undefined) throw failure.error;
    if (error instanceof GridError) throw error;
    if (!isOpened) throw gridError('BACKUP_KEY_WRONG', what, keys.file);
    throw gridError('BACKUP_DAMAGED', `${what} cannot be decrypted: ${errorText(error)}`);
  } finally {
    await chunks.return(undefined);
  }
}

interface Begun {
  readonly first: Buffer;
  readonly rest: AsyncIterator<Uint8Array>;
}

/** Reads enough bytes to determine whether the rest is encrypted. */
async function beginningOf(source: AsyncIterable<Uint8Array>): Promise<Begun> {
  const rest = source[Symbol.asyncIterator]();
  const chunks: Uint8Array[] = [];
  for (let bytes = 0; bytes < MAGIC.length; ) {
    const { value, done } = await rest.next();
    if (done === true) break;
    chunks.push(value);
    bytes += value.length;
  }
  return { first: Buffer.concat(chunks), rest };
}

async function* all({ first, rest }: Begun): AsyncGenerator<Uint8Array> {
  if (first.length > 0) yield first;
  yield* { [Symbol.asyncIterator]: () => rest };
}

async function* through(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* source;
}

/** Returns a stream that reads on demand. The library does not tell it when its reader ends. */
function streamOf(chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await chunks.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
    },
    { highWaterMark: 0 },
  );
}

/** The library's messages contain the key, so they are dropped. */
function invalidKey({ file }: BackupKeys): Error {
  return gridError('BACKUP_KEY_INVALID', file, 'one of its keys has another checksum than it says: copy it again');
}
