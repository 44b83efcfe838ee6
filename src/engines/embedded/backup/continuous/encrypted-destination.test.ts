/** Encrypted objects of a continuous backup: shipped, merged, restored, switched on, and rejected. */
import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  closeSync,
  copyFileSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LOST, ScriptedObjectStore } from '../../../../../test/scripted-object-store.ts';
import { type Clock, systemClock } from '../../../../base/clock.ts';
import { type BackupKeys, newKeyFile, readKeys } from '../backup-keys.ts';
import { Compactor } from './compactor.ts';
import { type Ownership, ShippingStopped } from './destination.ts';
import { EncryptedDestination } from './encrypted-destination.ts';
import { FolderDestination } from './folder-destination.ts';
import { checkKeys, openDestination } from './open-destination.ts';
import { OwnedDestination } from './owned-destination.ts';
import { listRestorable } from './restore-continuous.ts';
import { writeDatabase } from './restore-objects.ts';
import { planRestore } from './restore-plan.ts';
import { Shipper } from './shipper.ts';
import { SourceDatabase } from './source-database.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 0, 1);
const NAME = { level: 0, first: 1n, last: 1n };
const CONTEXT = { clock: systemClock, environment: {} };

let folder = '';
let target = '';
let writer: Database;
let source: SourceDatabase;
let nowMs = START_MS;
const clock: Clock = { ...systemClock, nowMs: () => nowMs };
const owners: Ownership[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-encrypted-'));
  target = join(folder, 'target');
  nowMs = START_MS;
  const path = join(folder, 'a.db');
  writer = new Database(path, { create: true });
  for (const pragma of ['journal_mode = WAL', 'wal_autocheckpoint = 0']) writer.run(`PRAGMA ${pragma}`);
  writer.run('CREATE TABLE settings (name, value); CREATE TABLE t (id INTEGER PRIMARY KEY, text)');
  source = new SourceDatabase(path);
});

afterEach(() => {
  for (const owner of owners.splice(0)) owner.release();
  writer.close();
  rmSync(folder, { recursive: true, force: true });
});

async function newKeys(...before: readonly BackupKeys[]): Promise<BackupKeys> {
  const file = join(mkdtempSync(join(folder, 'keys-')), 'keys');
  const texts = [await newKeyFile(nowMs), ...before.map((keys) => readFileSync(keys.file, 'utf8'))];
  writeFileSync(file, texts.join(''), { mode: 0o600 });
  return readKeys(file);
}

/** Begins to ship like a service that starts with these keys. */
async function start(keys: BackupKeys | undefined) {
  for (const owner of owners.splice(0)) owner.release();
  const unowned = new EncryptedDestination(new FolderDestination(target), keys);
  const ownership = await unowned.acquire({ database: '', host: 'h', processId: 1, folder });
  owners.push(ownership);
  const destination = new OwnedDestination(unowned, ownership);
  const shipper = new Shipper({ source, destination, epoch: ownership.epoch, clock, bytesPerSecond: 0 });
  const reason = await shipper.start();
  const compactor = new Compactor({ destination, clock, pitrWindowMs: DAY_MS, retentionMs: 30 * DAY_MS });
  return { shipper, compactor, reason };
}

/** Commits and ships this many changes, with a pause before each. */
async function ship(shipper: Shipper, changes: number, pauseMs = 1_000): Promise<void> {
  for (let at = 0; at < changes; at++) {
    nowMs += pauseMs;
    writer.run("INSERT INTO t (text) VALUES ('readable ' || hex(randomblob(2000)))");
    await shipper.ship();
  }
}

/** Restores a position with these keys, and returns its rows; without one, the last. */
async function rowsAt(keys: BackupKeys | undefined, position?: bigint): Promise<number> {
  const destination = openDestination(`file://${target}`, CONTEXT, { keys });
  const point = position === undefined ? {} : { position };
  const plan = await planRestore(destination, await destination.objects(), point);
  const file = join(folder, 'restored.db');
  const descriptor = openSync(file, 'w+');
  const progress: number[] = [];
  await writeDatabase(destination, plan, descriptor, { onProgress: (bytes) => void progress.push(bytes) });
  closeSync(descriptor);
  expect(progress.at(-1)).toBe(plan.reduce((sum, { bytes }) => sum + bytes, 0));
  using database = new Database(file);
  return database.query<{ n: number }, []>('SELECT count(*) AS n FROM t').get()?.n ?? -1;
}

const pathOf = (level: number, file: string): string => join(target, 'ltx', String(level), file);

function filesOf(level: number): string[] {
  return readdirSync(join(target, 'ltx', String(level))).sort();
}

const isAge = (level: number, file: string): boolean =>
  readFileSync(pathOf(level, file)).toString('latin1', 0, 21) === 'age-encryption.org/v1';

test('what is shipped and merged is encrypted, and every state is restored with the key', async () => {
  const keys = await newKeys();
  const { shipper, compactor } = await start(keys);
  await ship(shipper, 30, MINUTE_MS);
  await ship(shipper, 30, HOUR_MS);
  await compactor.run();
  for (const level of [0, 1, 2, 3, 9]) {
    expect(filesOf(level).length).toBeGreaterThan(0);
    for (const file of filesOf(level)) expect(isAge(level, file), `${level}/${file}`).toBe(true);
    for (const file of filesOf(level)) expect(readFileSync(pathOf(level, file)).includes('readable')).toBe(false);
  }
  expect(filesOf(9).length).toBeGreaterThan(1);
  for (const position of [1n, 2n, 31n, 61n]) expect(await rowsAt(keys, position)).toBe(Number(position) - 1);
  expect(await listRestorable(`file://${target}`, CONTEXT, undefined)).toMatchObject({ encrypted: true });
  await expect(rowsAt(undefined)).rejects.toMatchObject({ code: 'BACKUP_KEY_MISSING' });
  const others = await newKeys();
  await expect(rowsAt(others)).rejects.toMatchObject({ code: 'BACKUP_KEY_WRONG' });
  await expect(listRestorable(`file://${target}`, CONTEXT, others)).rejects.toMatchObject({ code: 'BACKUP_KEY_WRONG' });
  await expect(checkKeys(`file://${target}`, CONTEXT, others)).rejects.toMatchObject({ code: 'BACKUP_KEY_WRONG' });
  await checkKeys(`file://${target}`, CONTEXT, keys);
}, 60_000);

test('it continues after a restart, also with a new key before the old one, and not without its key', async () => {
  const keys = await newKeys();
  await ship((await start(keys)).shipper, 2);
  expect((await start(keys)).reason).toBeUndefined();
  const rotated = await newKeys(keys);
  const later = await start(rotated);
  expect(later.reason).toBeUndefined();
  await ship(later.shipper, 2);
  expect(await rowsAt(rotated)).toBe(4);
  expect(await rowsAt(keys, 3n)).toBe(2);
  await expect(rowsAt(keys)).rejects.toMatchObject({ code: 'BACKUP_KEY_WRONG' });
  // Objects encrypted with an earlier key are merged into objects encrypted with the new one.
  nowMs += MINUTE_MS;
  await later.compactor.run();
  const others = await newKeys();
  for (const wrong of [undefined, others]) {
    const failure = await start(wrong).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ShippingStopped);
    expect(String(failure)).toMatch(/is encrypted: name the key file|No key in .* decrypts the object 0\//);
  }
});

test('switched on, it begins with a snapshot; the older states stay as they are, and are merged as such', async () => {
  const { shipper } = await start(undefined);
  await ship(shipper, 70);
  const keys = await newKeys();
  const later = await start(keys);
  expect(later.reason).toBe('the last object is not encrypted (position 0000000000000047)');
  await ship(later.shipper, 70);
  nowMs += HOUR_MS;
  await later.compactor.run();
  const merged = filesOf(1).map((file) => isAge(1, file));
  expect(new Set(merged)).toEqual(new Set([false, true]));
  expect(merged).toEqual([...merged].sort());
  expect(await rowsAt(keys)).toBe(140);
  expect(await rowsAt(undefined, 71n)).toBe(70);
  await expect(rowsAt(keys, 71n)).rejects.toMatchObject({ code: 'BACKUP_NOT_ENCRYPTED' });
  await expect(rowsAt(undefined)).rejects.toMatchObject({ code: 'BACKUP_KEY_MISSING' });
  expect((await start(keys)).reason).toBeUndefined();
});

describe('an object that is not the one of its name', () => {
  const names = ['0000000000000002-0000000000000002.ltx', '0000000000000003-0000000000000003.ltx'] as const;

  test('is rejected: of another position, of another level', async () => {
    const keys = await newKeys();
    const { shipper, compactor } = await start(keys);
    await ship(shipper, 2, 10);
    const kept = readFileSync(pathOf(0, names[1]));
    copyFileSync(pathOf(0, names[0]), pathOf(0, names[1]));
    await expect(rowsAt(keys)).rejects.toThrow(
      'the object 0/0000000000000003-0000000000000003.ltx was encrypted under',
    );
    writeFileSync(pathOf(0, names[1]), kept);
    expect(await rowsAt(keys)).toBe(2);
    nowMs += MINUTE_MS;
    await compactor.run();
    const [step = ''] = filesOf(1);
    const read = (level: number) =>
      Array.fromAsync(
        new EncryptedDestination(new FolderDestination(target), keys).read({ level, first: 2n, last: 3n }),
      );
    expect((await read(1)).length).toBeGreaterThan(0);
    renameSync(join(target, 'ltx/1'), join(target, 'ltx/2'));
    await expect(read(2)).rejects.toThrow(`the object 2/${step} was encrypted under another name`);
  });

  test('is not merged with others', async () => {
    const keys = await newKeys();
    const { shipper, compactor } = await start(keys);
    await ship(shipper, 3, 10);
    const opened = await Array.fromAsync(
      new EncryptedDestination(new FolderDestination(target), keys).read({ level: 0, first: 3n, last: 3n }),
    );
    writeFileSync(pathOf(0, names[1]), Buffer.concat(opened));
    nowMs += MINUTE_MS;
    await expect(compactor.run()).rejects.toThrow('are not encrypted, and others are');
  });
});

async function* parts(fill: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < 3; at++) yield new Uint8Array(100_000).fill(fill + at);
}

test('in a folder, the object of a repeated attempt is its own only with the same contents and key', async () => {
  const keys = await newKeys();
  const inner = new FolderDestination(target);
  const destination = new EncryptedDestination(inner, keys);
  const bytes = await destination.create(NAME, 1, parts(1));
  expect(bytes).toBeGreaterThan(300_000);
  expect(await destination.create(NAME, 1, parts(1))).toBe(bytes);
  expect(await destination.create(NAME, 1, parts(2))).toBeUndefined();
  expect(await new EncryptedDestination(inner, await newKeys()).create(NAME, 1, parts(1))).toBeUndefined();
  expect(await inner.create(NAME, 1, parts(1))).toBeUndefined();
});

test('in a bucket, an object whose answers were all lost is recognized by the next attempt', async () => {
  const keys = await newKeys();
  using store = new ScriptedObjectStore();
  const url = `s3://bucket/p?endpoint=${store.origin}&forcePathStyle=true`;
  const environment = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };
  const destination = openDestination(url, { clock: systemClock, environment }, { keys });
  // The answer to the PUT is lost, and those to the attempts after it.
  store.script.push(LOST);
  store.loses = (request) => request.startsWith('PUT') || request.startsWith('HEAD');
  await expect(destination.create(NAME, 1, parts(1))).rejects.toThrow('500 InternalError');
  store.loses = () => false;
  store.script.length = 0;
  expect(store.objects.size).toBe(1);
  const [stored] = store.objects.values();
  expect(await destination.create(NAME, 1, parts(1))).toBe(stored?.bytes.length);
  expect(await destination.create(NAME, 1, parts(2))).toBeUndefined();
  expect(store.objects.size).toBe(1);
}, 60_000);
