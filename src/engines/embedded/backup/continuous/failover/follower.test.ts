/**
 * Follows a database that is being written to, with interruptions: the copy must have its pages, and be copied once.
 */
import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { closeSync, copyFileSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../../../base/clock.ts';
import type { Loss } from '../../../../../base/failover-status.ts';
import { DATA_FILE } from '../../../storage/data-folder.ts';
import { Compactor } from '../compactor.ts';
import { type Destination, type ObjectName, type Ownership, positionText, type StoredObject } from '../destination.ts';
import { FolderDestination } from '../folder-destination.ts';
import { OwnedDestination } from '../owned-destination.ts';
import { Shipper } from '../shipper.ts';
import { SourceDatabase } from '../source-database.ts';
import { readCopyState, writeCopyState } from './copy-state.ts';
import { Follower } from './follower.ts';
import type { FailoverRecord } from './record.ts';

let folder = '';
let writer: Database;
let source: SourceDatabase;
let destination: Destination;
let ownership: Ownership;
let shipper: Shipper;
let written = 0;
const logged: string[] = [];
const losses: Loss[] = [];
/** The record, or undefined if there is none. */
let record: FailoverRecord | undefined;
/** What a store lists that is slow to list new objects, or undefined for what it has. */
let listed: readonly StoredObject[] | undefined;
let listings = 0;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-follower-'));
  mkdirSync(join(folder, 'copy'));
  writer = new Database(join(folder, 'a.db'), { create: true });
  for (const pragma of ['journal_mode = WAL', 'wal_autocheckpoint = 0']) writer.run(`PRAGMA ${pragma}`);
  writer.run(
    'CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT); CREATE TABLE t (id INTEGER PRIMARY KEY, text)',
  );
  writer.run("INSERT INTO settings VALUES ('consistentId', 'one')");
  source = new SourceDatabase(join(folder, 'a.db'));
  destination = new FolderDestination(join(folder, 'target'));
  ownership = await destination.acquire({ database: 'one', host: 'h', processId: 1, folder });
  const { epoch } = ownership;
  shipper = new Shipper({ source, destination, epoch, clock: systemClock, bytesPerSecond: 0, isFailover: true });
  await shipper.start();
  logged.length = 0;
  losses.length = 0;
  written = 0;
  record = undefined;
  listed = undefined;
  listings = 0;
});

afterEach(() => {
  source.release();
  ownership.release();
  writer.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Ships commits, each as an object. */
async function ship(count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    const id = ++written;
    writer.run('INSERT OR REPLACE INTO t VALUES (?, hex(randomblob(900)))', [id % 40]);
    await shipper.ship();
  }
}

/** Opens a follower; `failsAt`: reading the object at that position fails in the middle. */
function follow(failsAt?: bigint): Follower {
  const read = (name: ObjectName): AsyncIterable<Uint8Array> =>
    name.last === failsAt ? firstHalf(destination.read(name)) : destination.read(name);
  return new Follower({
    destination: Object.assign(Object.create(destination), { read, objects: list }),
    leases: { read: async () => record && { record, version: '' } },
    ...{ folder: join(folder, 'copy'), database: 'one', program: '1', clock: systemClock },
    log: (_, text) => logged.push(text),
    onLost: (loss) => losses.push(loss),
  });
}

async function list() {
  listings++;
  return [...(listed ?? (await destination.objects()))];
}

/** Returns a record of which the follower reads the epoch, the base, and since when all owners have had failover. */
function recordWith(epoch: number, allSince: number | undefined, base: string): FailoverRecord {
  const owner = { database: 'one', host: 'h', processId: 1, folder };
  const part = { leaseMs: 1, url: null, schemaVersion: 1, declarations: '', isAutomatic: true, since: 1, seals: [] };
  return { ...owner, epoch, id: 'i', released: false, failover: { ...part, allSince, base } };
}

/** Merges all objects, and removes those of level 0. */
async function mergeAll(): Promise<void> {
  const clock = { ...systemClock, nowMs: () => Date.now() + 7_200_000 };
  const raiseBase = async (position: string) => {
    record = recordWith(1, 1, position);
    return [];
  };
  const owned = new OwnedDestination(destination, ownership);
  await new Compactor({ destination: owned, clock, pitrWindowMs: 0, retentionMs: 1e12, raiseBase }).run();
}

async function* firstHalf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    yield chunk.subarray(0, chunk.length / 2);
    throw new Error('cut');
  }
}

/** Returns the pages as SQLite sees them. */
function contents(path: string): string {
  const database = new Database(path, { readonly: true });
  const rows = database.query('SELECT group_concat(id || text) AS all_of_it FROM (SELECT * FROM t ORDER BY id)').get();
  database.close();
  return JSON.stringify(rows);
}

function expectSame(): void {
  writer.run('PRAGMA wal_checkpoint(PASSIVE)');
  const copy = readFileSync(join(folder, 'copy', DATA_FILE));
  expect(copy.length).toBeGreaterThan(0);
  expect(contents(join(folder, 'copy', DATA_FILE))).toBe(contents(join(folder, 'a.db')));
}

const copied = (): number => logged.filter((text) => text.startsWith('The data was copied up to')).length;

describe('a follower', () => {
  test('applies many objects at once, and says that it has all of them', async () => {
    await ship(3);
    const follower = follow();
    await follower.catchUp();
    await ship(100);
    let steps = 0;
    for (; await follower.step(); steps++) expect(follower.hasAll).toBe(steps > 0 && follower.counts.objects >= 100);
    expect(steps).toBeLessThan(10);
    follower.close();
    expectSame();
    expect(copied()).toBe(1);
  });

  test.each([
    [20, 1],
    // The base is one beyond the next name.
    [1, 0],
  ])('lists the objects only where the next name may have been removed: %i, and %i not', async (merged, further) => {
    record = recordWith(1, 1, '0');
    await ship(3);
    const follower = follow();
    await follower.catchUp();
    const before = listings;
    await ship(20);
    await follower.catchUp();
    expect([listings, follower.isLast]).toEqual([before, true]);
    await ship(merged);
    await mergeAll();
    await ship(further);
    expect((await destination.objects()).filter(({ level }) => level === 0)).toHaveLength(further);
    await follower.catchUp();
    expect(listings).toBeGreaterThan(before);
    follower.close();
    expectSame();
    expect(copied()).toBe(1);
  });

  test.each([
    ['has had the lease', 3],
    ['had it before a version that does not say so', undefined],
  ])('finds what a service without failover has shipped that %s', async (_, allSince) => {
    record = recordWith(1, 1, '0');
    await ship(3);
    const follower = follow();
    await follower.catchUp();
    source.release();
    writer.run("INSERT INTO t VALUES (100, 'of the other service')");
    writer.run('PRAGMA wal_checkpoint(TRUNCATE)');
    const plan = { source, destination, clock: systemClock, bytesPerSecond: 0 };
    const plain = new Shipper({ ...plan, epoch: 2n });
    await plain.start();
    // It skips the next position.
    expect(plain.last.position).toBe(shipper.last.position + 2n);
    record = recordWith(3, allSince, '0');
    await follower.catchUp();
    expect(follower.position).toBe(positionText(plain.last.position));
    follower.close();
    expectSame();
  });

  test('does not take freed names for the end of the chain while a store does not list what was merged', async () => {
    record = recordWith(1, 1, '0');
    await ship(3);
    const follower = follow();
    await follower.catchUp();
    listed = await destination.objects();
    await ship(1);
    await mergeAll();
    await expect(follower.catchUp()).rejects.toThrow('nothing leads to position');
    listed = undefined;
    await follower.catchUp();
    follower.close();
    expectSame();
  });

  // The file has pages of objects after the recorded position, and not all pages of some of them.
  test.each([2, 5, 17, 18, 30])('goes on after an interruption in object %i, without a new copy', async (after) => {
    await ship(3);
    const first = follow();
    await first.catchUp();
    const failsAt = BigInt(`0x${first.position}`) + BigInt(after);
    first.close();
    await ship(60);
    const interrupted = follow(failsAt);
    const reach = async (): Promise<void> => {
      while (await interrupted.step());
    };
    await expect(reach()).rejects.toThrow('cut');
    const again = follow();
    await again.catchUp();
    expect(again.position).toBe(readCopyState(join(folder, 'copy')).copy?.position ?? null);
    again.close();
    expectSame();
    expect(copied()).toBe(1);
  });

  test('knows the hashes of the pages, so that who takes over need not read the file', async () => {
    await ship(50);
    const follower = follow();
    await follower.catchUp();
    const { pageHashes } = follower;
    follower.close();
    const copy = new Database(join(folder, 'copy', DATA_FILE));
    const taken = new SourceDatabase(join(folder, 'copy', DATA_FILE));
    let runs = 0;
    const original = taken.readRun.bind(taken);
    const readRun: SourceDatabase['readRun'] = (...args) => {
      runs++;
      return original(...args);
    };
    const plan = { destination, epoch: ownership.epoch + 1n, clock: systemClock, bytesPerSecond: 0, isFailover: true };
    const next = new Shipper({ ...plan, source: Object.assign(taken, { readRun }), pageHashes });
    expect(await next.start()).toBeUndefined();
    expect(await next.seal()).toBe(true);
    expect(runs).toBe(0);
    copy.run("INSERT OR REPLACE INTO t VALUES (1, 'taken over')");
    expect(await next.ship()).toBe(true);
    taken.release();
    copy.close();
    // All of it is read, and matches the hashes.
    const third = follow();
    await third.catchUp();
    third.close();
    expect(copied()).toBe(1);
  });

  // An interruption after the log was removed.
  test.each([0, 3])('counts %i commits that a former primary has not shipped, also if interrupted', async (lost) => {
    await ship(4);
    const beganMs = Date.now();
    for (let at = 0; at < lost; at++) writer.run('INSERT INTO t (text) VALUES (?)', [`lost ${at}`]);
    for (const end of ['', '-wal']) copyFileSync(join(folder, `a.db${end}`), join(folder, 'copy', DATA_FILE + end));
    const state = { database: 'one', sealed: 1 };
    writeCopyState(join(folder, 'copy'), state);
    for (let attempt = 0; attempt < 2; attempt++) {
      const follower = follow();
      await follower.catchUp();
      follower.close();
      expect(readCopyState(join(folder, 'copy')).lost).toEqual(losses[attempt]);
      writeCopyState(join(folder, 'copy'), state);
    }
    expect(losses.map(({ commits }) => commits)).toEqual([lost, lost]);
    const [{ withinMs = 0 } = {}] = losses;
    expect(withinMs).toBeLessThanOrEqual(lost === 0 ? 0 : Date.now() - beganMs + 1_000);
    expect(copied()).toBe(0);
    // Rows that were not shipped are gone.
    const copy = new Database(join(folder, 'copy', DATA_FILE), { readonly: true });
    expect(copy.query("SELECT count(*) AS n FROM t WHERE text LIKE 'lost%'").get()).toEqual({ n: 0 });
    copy.close();
  });

  // A file system may have lengthened a file whose contents were not written when the power failed.
  test.each(['', '-wal'])('follows a former primary whose file svc.db%s has zeros for a header', async (end) => {
    await ship(4);
    for (const each of ['', '-wal']) copyFileSync(join(folder, `a.db${each}`), join(folder, 'copy', DATA_FILE + each));
    writeCopyState(join(folder, 'copy'), { database: 'one', sealed: 1 });
    const file = openSync(join(folder, 'copy', DATA_FILE + end), 'r+');
    writeSync(file, Buffer.alloc(100));
    closeSync(file);
    if (end === '') rmSync(join(folder, 'copy', `${DATA_FILE}-wal`));
    const follower = follow();
    await follower.catchUp();
    follower.close();
    expectSame();
  });

  test('copies everything anew when the file is not what the objects lead to', async () => {
    await ship(40);
    const first = follow();
    await first.catchUp();
    first.close();
    const file = openSync(join(folder, 'copy', DATA_FILE), 'r+');
    writeSync(file, 'damage', 4096 * 3 + 2_000);
    await ship(40);
    const again = follow();
    await again.catchUp();
    again.close();
    expectSame();
    expect(copied()).toBe(2);
  });
});
