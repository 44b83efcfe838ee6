/** Encrypted backups: which are opened, which are rejected, and that other programs for the format open them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { age } from '../../../../test/age.ts';
import { type BackupKeys, keyFileMistake, newKeyFile, readKeys } from './backup-keys.ts';
import { type Decryption, decrypted, encrypted } from './encryption.ts';

const CHUNK = 64 * 1024;
/** Bytes of the authentication tag of a chunk. */
const TAG = 16;

let folder = '';
let keys: BackupKeys;
let others: BackupKeys;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-encryption-'));
  keys = await newKeys('keys');
  others = await newKeys('others');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function newKeys(name: string): Promise<BackupKeys> {
  const file = join(folder, name);
  writeFileSync(file, await newKeyFile(Date.now()), { mode: 0o600 });
  return readKeys(file);
}

async function* parts(bytes: Uint8Array, length = 10_000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

async function collected(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(source));
}

const encryptedOf = (bytes: Uint8Array, name?: string) => collected(encrypted(parts(bytes), keys, name));
const open = (bytes: Uint8Array, options: Partial<Decryption> = {}) =>
  collected(decrypted(parts(bytes), { keys, what: 'the backup', ...options }));

function random(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at += CHUNK) crypto.getRandomValues(bytes.subarray(at, at + CHUNK));
  return bytes;
}

test.each([0, 1, 21, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 1_000_000])('%i bytes are read back', async (length) => {
  const bytes = random(length);
  const cipher = await encryptedOf(bytes);
  expect(cipher.length).toBeGreaterThan(length);
  expect((await open(cipher)).equals(bytes)).toBe(true);
});

test('the same bytes are never encrypted twice to the same, and nothing of them is readable', async () => {
  const text = Buffer.from('readable '.repeat(1_000));
  const cipher = [await encryptedOf(text), await encryptedOf(text)];
  expect(cipher[0]?.equals(cipher[1] ?? Buffer.alloc(0))).toBe(false);
  for (const each of cipher) expect(each.includes('readable')).toBe(false);
});

describe('anything but the whole is rejected', () => {
  const bytes = random(5 * CHUNK + 100);

  test('a changed byte, wherever it is', async () => {
    const cipher = await encryptedOf(bytes);
    const contents = cipher.length - bytes.length - 6 * TAG;
    for (const at of [5, 30, 60, contents - 20, contents - 1, contents, contents + CHUNK, cipher.length - 1]) {
      const changed = Buffer.from(cipher);
      changed[at] = (changed[at] ?? 0) ^ 1;
      const code = /STORAGE_CORRUPT|BACKUP_KEY_WRONG|BACKUP_NOT_ENCRYPTED/;
      await expect(open(changed), `byte ${at}`).rejects.toMatchObject({ code: expect.stringMatching(code) });
    }
  });

  test('cut off, at the end of a chunk, too', async () => {
    const cipher = await encryptedOf(bytes);
    const header = cipher.length - bytes.length - 6 * TAG;
    for (const length of [header - 1, header, header + CHUNK + TAG, header + 5 * (CHUNK + TAG), cipher.length - 1]) {
      await expect(open(cipher.subarray(0, length)), `${length} bytes`).rejects.toMatchObject({
        code: 'STORAGE_CORRUPT',
      });
    }
  });

  test('more bytes, or chunks in another order', async () => {
    const cipher = await encryptedOf(bytes);
    const start = cipher.length - bytes.length - 6 * TAG;
    const at = (chunk: number) => cipher.subarray(start + chunk * (CHUNK + TAG), start + (chunk + 1) * (CHUNK + TAG));
    const swapped = Buffer.concat([cipher.subarray(0, start), at(1), at(0), at(2), at(3), at(4), at(5)]);
    for (const wrong of [Buffer.concat([cipher, Buffer.from('x')]), Buffer.concat([cipher, cipher]), swapped]) {
      await expect(open(wrong)).rejects.toMatchObject({ code: 'STORAGE_CORRUPT' });
    }
  });

  test('a name that it was not encrypted with', async () => {
    const cipher = await encryptedOf(bytes, '0/1');
    expect((await open(cipher, { name: '0/1' })).equals(bytes)).toBe(true);
    const text = 'the backup was encrypted under another name';
    for (const wrong of [{ name: '1/1' }, {}]) await expect(open(cipher, wrong)).rejects.toThrow(text);
    await expect(open(await encryptedOf(bytes), { name: '0/1' })).rejects.toThrow(text);
    const renamed = Buffer.from(cipher.toString('latin1').replace('svc-object 0/1', 'svc-object 1/1'), 'latin1');
    await expect(open(renamed, { name: '1/1' })).rejects.toThrow('cannot be decrypted: invalid header HMAC');
  });

  test('another key, no key, and no encryption', async () => {
    const cipher = await encryptedOf(bytes);
    await expect(open(cipher, { keys: others })).rejects.toMatchObject({
      code: 'BACKUP_KEY_WRONG',
      message: expect.stringContaining(`No key in ${others.file} decrypts the backup`),
    });
    await expect(open(cipher, { keys: undefined })).rejects.toMatchObject({ code: 'BACKUP_KEY_MISSING' });
    await expect(open(bytes)).rejects.toMatchObject({ code: 'BACKUP_NOT_ENCRYPTED' });
    expect((await open(bytes, { acceptsPlain: true })).equals(bytes)).toBe(true);
    expect((await open(bytes, { keys: undefined })).equals(bytes)).toBe(true);
  });
});

test('a new key before the old one encrypts, and both decrypt', async () => {
  const cipher = await encryptedOf(random(100));
  const file = join(folder, 'rotated');
  writeFileSync(file, `${readFileSync(others.file, 'utf8')}${readFileSync(keys.file, 'utf8')}`, { mode: 0o600 });
  const rotated = readKeys(file);
  expect((await open(cipher, { keys: rotated })).length).toBe(100);
  const later = await collected(encrypted(parts(random(100)), rotated));
  expect((await open(later, { keys: others })).length).toBe(100);
  await expect(open(later)).rejects.toMatchObject({ code: 'BACKUP_KEY_WRONG' });
});

test('another program of the format opens it, and its files are opened here', async () => {
  const bytes = random(3 * CHUNK);
  const opened = age('decrypt', keys.file, await encryptedOf(bytes, '0/1'));
  if (opened === undefined) return;
  expect(Buffer.from(opened).equals(bytes)).toBe(true);
  expect((await open(age('encrypt', keys.file, bytes) ?? bytes)).equals(bytes)).toBe(true);
});

test('a failure of the source is passed on as it is, and its end as well', async () => {
  const failure = new Error('the store is away');
  let ended = false;
  async function* failing(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
    try {
      yield* parts(bytes);
      throw failure;
    } finally {
      ended = true;
    }
  }
  const cipher = await encryptedOf(random(CHUNK));
  await expect(collected(decrypted(failing(cipher), { keys, what: 'it' }))).rejects.toBe(failure);
  await expect(collected(encrypted(failing(random(CHUNK)), keys))).rejects.toBe(failure);
  ended = false;
  for await (const _ of decrypted(failing(await encryptedOf(random(20 * CHUNK))), { keys, what: 'it' })) break;
  expect(ended).toBe(true);
  ended = false;
  const mistaken: BackupKeys = { file: 'mistaken', identities: [mistakenOf(keys.identities[0])] };
  const opening = collected(decrypted(failing(cipher), { keys: mistaken, what: 'it' }));
  await expect(opening).rejects.toMatchObject({ code: 'BACKUP_KEY_INVALID' });
  expect(ended).toBe(true);
});

/** Returns a key whose checksum is wrong. */
function mistakenOf(identity: string): string {
  return identity.replace(/.$/, (last) => (last === 'Q' ? 'P' : 'Q'));
}

test.each<[string, string, number, RegExp]>([
  ['it is missing', '', -1, /cannot be read \(ENOENT\)/],
  ['others can read it', 'AGE-SECRET-KEY-1X', 0o644, /other users can read or change it: run chmod 600/],
  ['the group can change it', 'AGE-SECRET-KEY-1X', 0o660, /other users can read or change it/],
  ['it has only a comment', '# nothing\n', 0o600, /it has no key/],
  ['a line is something else', '# created\nage1abc\n', 0o600, /line 2 is not a key of age/],
])('a key file is rejected when %s', (_, text, mode, reason) => {
  const file = join(folder, `wrong-${mode}-${text.length}`);
  if (mode >= 0) {
    writeFileSync(file, text);
    chmodSync(file, mode);
  }
  expect(keyFileMistake(file)).toMatch(reason);
  expect(() => readKeys(file)).toThrow(expect.objectContaining({ code: 'BACKUP_KEY_INVALID' }));
});

test('a group may read a key file, and a key with a mistake is in no message', async () => {
  chmodSync(keys.file, 0o440);
  expect(keyFileMistake(keys.file)).toBeUndefined();
  const identity = mistakenOf(keys.identities[0]);
  const mistaken: BackupKeys = { file: 'mistaken', identities: [identity] };
  const cipher = await encryptedOf(random(10));
  for (const action of [collected(encrypted(parts(random(10)), mistaken)), open(cipher, { keys: mistaken })]) {
    const error = await action.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'BACKUP_KEY_INVALID' });
    expect(Bun.inspect(error)).not.toContain(identity.slice(0, 30));
  }
});
