/** Ships a database that is written to, and restores every point from the objects alone: here and with Litestream. */
import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  closeSync,
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
import { litestream } from '../../../../../test/litestream.ts';
import { systemClock } from '../../../../base/clock.ts';
import { migrateDataFile } from '../../storage/schema.ts';
import { type Destination, fileNameOf, newestOf, type Ownership } from './destination.ts';
import { FolderDestination } from './folder-destination.ts';
import { type DatabaseHash, encodeLtx, LtxDecoder, type LtxPage, PageHashes } from './ltx-format.ts';
import { writeDatabase } from './restore-objects.ts';
import { planRestore, type RestoreTarget } from './restore-plan.ts';
import { Shipper } from './shipper.ts';
import { SourceDatabase } from './source-database.ts';

let folder = '';
let path = '';
let target = '';
let writer: Database;
let destination: Destination;
let ownership: Ownership;

beforeEach(() => open(4096));

afterEach(() => {
  ownership.release();
  writer.close();
  rmSync(folder, { recursive: true, force: true });
  digests.clear();
});

async function open(pageBytes: number): Promise<void> {
  folder = mkdtempSync(join(tmpdir(), 'svc-shipper-'));
  path = join(folder, 'a.db');
  target = join(folder, 'target');
  writer = new Database(path, { create: true });
  writer.run(`PRAGMA page_size = ${pageBytes}`);
  for (const pragma of ['journal_mode = WAL', 'wal_autocheckpoint = 0', 'auto_vacuum = NONE'])
    writer.run(`PRAGMA ${pragma}`);
  writer.run(
    'CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT); CREATE TABLE t (id INTEGER PRIMARY KEY, text)',
  );
  writer.run("INSERT INTO settings VALUES ('consistentId', 'one')");
  destination = new FolderDestination(target);
  ownership = await destination.acquire({ database: 'one', host: 'h', processId: 1, folder });
}

function shipper(source: SourceDatabase): Shipper {
  return new Shipper({ source, destination, epoch: ownership.epoch, clock: systemClock, bytesPerSecond: 0 });
}

/** Creates the shipper of a primary in a new term, which other services may follow. */
function primary(source: SourceDatabase, epoch: bigint): Shipper {
  return new Shipper({ source, destination, epoch, clock: systemClock, bytesPerSecond: 0, isFailover: true });
}

function insert(from: number, count: number, bytes = 400): void {
  writer.run(
    `WITH RECURSIVE r(i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM r WHERE i < ${from + count - 1})
    INSERT OR REPLACE INTO t SELECT i, 'text ' || i || hex(randomblob(${bytes / 2})) FROM r`,
  );
}

/** The contents of the database at each position. */
const digests = new Map<bigint, string>();

function digestOf(database: Database): string {
  const row = database
    .query<{ text: string | null; pages: number }, []>(
      "SELECT group_concat(id || ':' || text) AS text, (SELECT page_count FROM pragma_page_count) AS pages FROM t",
    )
    .get();
  return `${row?.pages} ${Bun.hash(row?.text ?? '')}`;
}

async function ship(each: Shipper): Promise<void> {
  await each.ship();
  digests.set(each.last.position, digestOf(writer));
}

async function restored(point: RestoreTarget): Promise<string> {
  const file = join(folder, 'restored.db');
  rmSync(file, { force: true });
  const descriptor = openSync(file, 'w+');
  await writeDatabase(destination, await planRestore(destination, await destination.objects(), point), descriptor);
  closeSync(descriptor);
  return checked(file);
}

function checked(file: string): string {
  const database = new Database(file);
  expect(database.query('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  const digest = digestOf(database);
  database.close();
  return digest;
}

/** Restores every position here, and with Litestream, which must write the same bytes. */
async function compareAll(): Promise<void> {
  const program = litestream();
  for (const [position, digest] of digests) {
    expect(`${position} ${await restored({ position })}`).toBe(`${position} ${digest}`);
    if (program === undefined) continue;
    const file = join(folder, `litestream-${position}.db`);
    const txid = position.toString(16).padStart(16, '0');
    const run = Bun.spawnSync([program, 'restore', '-txid', txid, '-o', file, `file://${target}`]);
    expect(run.stderr.toString() + run.stdout.toString()).toEqual(expect.not.stringContaining('error'));
    expect(readFileSync(file).equals(readFileSync(join(folder, 'restored.db')))).toBe(true);
  }
  digests.clear();
}

async function begin(): Promise<{ source: SourceDatabase; each: Shipper; reason: string | undefined }> {
  const source = new SourceDatabase(path);
  const each = shipper(source);
  const reason = await each.start();
  digests.set(each.last.position, digestOf(writer));
  return { source, each, reason };
}

function checkpoint(mode: string): { busy: number; log: number; checkpointed: number } | null {
  return writer.query<{ busy: number; log: number; checkpointed: number }, []>(`PRAGMA wal_checkpoint(${mode})`).get();
}

describe('what is restored equals the database at that position', () => {
  test('when it grows, shrinks and grows again between objects', async () => {
    const { each } = await begin();
    insert(1, 500);
    await ship(each);
    writer.run('DELETE FROM t WHERE id > 20');
    writer.run('VACUUM');
    await ship(each);
    insert(1000, 300);
    await ship(each);
    await compareAll();
  }, 60_000);

  test('when it shrinks and grows within one object', async () => {
    insert(1, 500);
    const { each } = await begin();
    writer.run('DELETE FROM t WHERE id > 20');
    writer.run('VACUUM');
    insert(1000, 800);
    writer.run('DELETE FROM t WHERE id > 1010');
    await ship(each);
    await compareAll();
  }, 60_000);

  test('when pages are freed and new ones never written', async () => {
    const { each } = await begin();
    writer.run('BEGIN');
    insert(1, 2_000, 2_000);
    writer.run('DELETE FROM t WHERE id > 5');
    writer.run('COMMIT');
    await ship(each);
    insert(1, 300, 2_000);
    await ship(each);
    await compareAll();
  }, 60_000);

  test('when the log starts over, and its salts change', async () => {
    const { source, each } = await begin();
    for (let round = 0; round < 4; round++) {
      insert(round * 10, 100);
      await ship(each);
      source.release();
      checkpoint('TRUNCATE');
      each.keep();
      insert(round * 10, 5);
      await ship(each);
    }
    await compareAll();
  }, 60_000);

  test('when a shorter log lies over the frames of a longer one', async () => {
    const { source, each } = await begin();
    insert(1, 1_000);
    await ship(each);
    source.release();
    expect(checkpoint('PASSIVE')?.busy).toBe(0);
    each.keep();
    insert(1, 1);
    await ship(each);
    insert(2, 1);
    await ship(each);
    await compareAll();
  }, 60_000);

  test('when the program is upgraded between two objects and migrates the schema', async () => {
    const earlier = { dataFile: 'CREATE TABLE m (n); INSERT INTO m VALUES (1)' };
    const later = { dataFile: 'ALTER TABLE m ADD COLUMN o DEFAULT 7; CREATE INDEX m_o ON m (o)' };
    writer.run('DROP TABLE settings');
    const settings = { dataFile: 'CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT)' };
    migrateDataFile(writer, 'folder', '1', [settings, earlier]);
    const { each, source } = await begin();
    insert(1, 100);
    await ship(each);
    source.release();
    migrateDataFile(writer, 'folder', '2', [settings, earlier, later]);
    const second = await begin();
    expect(second.reason).toBeUndefined();
    digests.delete(second.each.last.position);
    await ship(second.each);
    await compareAll();
    const database = new Database(join(folder, 'restored.db'));
    expect(database.query('SELECT n, o FROM m').values()).toEqual([[1, 7]]);
    database.close();
  });

  test.each([512, 65_536])(
    'with pages of %d bytes',
    async (pageBytes) => {
      ownership.release();
      writer.close();
      await open(pageBytes);
      const { each } = await begin();
      insert(1, 300);
      await ship(each);
      await compareAll();
    },
    60_000,
  );
});

describe('the log is kept until it has been shipped', () => {
  test('by transactions that take turns', async () => {
    const { each } = await begin();
    insert(1, 100);
    expect(checkpoint('TRUNCATE')?.busy).toBe(1);
    await ship(each);
    insert(200, 100);
    const { log, checkpointed } = checkpoint('PASSIVE') ?? { log: 0, checkpointed: 0 };
    expect(checkpointed).toBeLessThan(log);
    await ship(each);
    await compareAll();
  });
});

describe('a start', () => {
  test('continues after the last object', async () => {
    const first = await begin();
    expect(first.reason).toBe('the destination was empty');
    insert(1, 100);
    await ship(first.each);
    first.source.release();
    insert(200, 10);
    const second = await begin();
    expect(second.reason).toBeUndefined();
    // The beginning of the second one is not the state at that position.
    digests.delete(second.each.last.position);
    await ship(second.each);
    await compareAll();
  });

  test('continues after the log was emptied in between', async () => {
    const first = await begin();
    insert(1, 100);
    await ship(first.each);
    first.source.release();
    checkpoint('TRUNCATE');
    const second = await begin();
    expect(second.reason).toBeUndefined();
    insert(300, 10);
    await ship(second.each);
    await compareAll();
  });

  test('on a log that has no frames yet', async () => {
    writer.close();
    writer = new Database(path);
    writer.run('PRAGMA wal_autocheckpoint = 0');
    const { each } = await begin();
    insert(1, 100);
    await ship(each);
    await compareAll();
  });

  test('begins with a snapshot when the log was written back before it was shipped', async () => {
    const first = await begin();
    insert(1, 100);
    await ship(first.each);
    first.source.release();
    insert(200, 10);
    checkpoint('TRUNCATE');
    const second = await begin();
    expect(second.reason).toBe('the data is not what the objects lead to (position 0000000000000002)');
    insert(300, 10);
    await ship(second.each);
    await compareAll();
  });

  test('begins with a snapshot when the last object is damaged', async () => {
    const first = await begin();
    insert(1, 100);
    await ship(first.each);
    first.source.release();
    const level = join(target, 'ltx/0');
    const [name = ''] = readdirSync(level);
    const bytes = readFileSync(join(level, name));
    bytes[2_000] = (bytes[2_000] ?? 0) ^ 1;
    writeFileSync(join(level, name), bytes);
    const second = await begin();
    expect(second.reason).toBe('the last object is damaged (position 0000000000000002)');
    digests.delete(2n);
    await expect(restored({ position: 2n })).rejects.toThrow('its checksum differs');
    await compareAll();
  });
});

/** Rows that each fill a page, at the same offset in it. */
function insertTwins(count: number): void {
  writer.run('CREATE TABLE twins (id INTEGER PRIMARY KEY, n INTEGER, text TEXT)');
  writer.run(
    `WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < ${count})
    INSERT INTO twins SELECT i, 100, replace(hex(zeroblob(1900)), '0', 'x') FROM r`,
  );
}

/** Writes the newest object again, with another hash and changed pages, and correct in itself. */
async function rewriteNewest(databaseHash: DatabaseHash | undefined, change = (_: Uint8Array) => {}): Promise<void> {
  const newest = newestOf(await destination.objects());
  if (newest === undefined) throw new Error('there is no object');
  const decoder = new LtxDecoder('newest', destination.read(newest));
  const header = await decoder.header();
  const pages: LtxPage[] = [];
  for await (const page of decoder.pages(header)) {
    change(page.bytes);
    pages.push(page);
  }
  const encoded = encodeLtx({ ...header, databaseHash: databaseHash ?? header.databaseHash }, chunksOf(pages));
  const bytes = Buffer.concat(await Array.fromAsync(encoded));
  writeFileSync(join(target, 'ltx', String(newest.level), fileNameOf(newest)), bytes);
}

async function* chunksOf(pages: readonly LtxPage[]): AsyncGenerator<readonly LtxPage[]> {
  yield pages;
}

describe('equal changes of several pages', () => {
  test.each([
    ['of a number on two pages', 'UPDATE twins SET n = n + 1 WHERE id <= 2'],
    ['of a number on all pages', 'UPDATE twins SET n = n + 1'],
    ['of a text on two pages', "UPDATE twins SET text = 'y' || substr(text, 2) WHERE id IN (1, 4)"],
    ['to the same contents', 'UPDATE twins SET n = 0, text = zeroblob(3800) WHERE id IN (3, 4)'],
    ['by two commits', 'UPDATE twins SET n = 101 WHERE id = 1; UPDATE twins SET n = 101 WHERE id = 2'],
  ])('that were written back before they were shipped are found: %s', async (_, change) => {
    insertTwins(6);
    const first = await begin();
    // The last object does not contain the pages.
    insert(1, 1);
    await ship(first.each);
    first.source.release();
    writer.run(change);
    checkpoint('TRUNCATE');
    const second = await begin();
    expect(second.reason).toBe('the data is not what the objects lead to (position 0000000000000002)');
    await restored({});
    expect(readFileSync(join(folder, 'restored.db')).equals(readFileSync(path))).toBe(true);
  });

  test('in an object are found when it is restored', async () => {
    insertTwins(2);
    await begin();
    const change = (bytes: Uint8Array): void => {
      const at = bytes.length - 1;
      if (bytes[at] === 0x78) bytes[at] = 0x79;
    };
    await rewriteNewest(undefined, change);
    await expect(restored({})).rejects.toThrow('differs from the hash of its pages');
  });
});

describe('objects of versions without a hash of the pages', () => {
  /** The value that the earlier version calculated for the database of this test. */
  async function rewriteAsEarlier(): Promise<void> {
    const newest = newestOf(await destination.objects());
    if (newest === undefined) throw new Error('there is no object');
    const decoder = new LtxDecoder('newest', destination.read(newest));
    const crcs = new PageHashes('crc');
    for await (const page of decoder.pages(await decoder.header())) crcs.add(page);
    await rewriteNewest(crcs.total());
  }

  test('are continued by a snapshot, once, and restored as before', async () => {
    insert(1, 100);
    const first = await begin();
    await rewriteAsEarlier();
    await compareAll();
    first.source.release();
    const second = await begin();
    expect(second.reason).toContain('the last object has no hash of the pages');
    second.source.release();
    const third = await begin();
    expect(third.reason).toBeUndefined();
    insert(200, 10);
    await ship(third.each);
    await compareAll();
  }, 60_000);

  test('are compared with their checksums', async () => {
    await begin();
    await rewriteNewest({ by: 'crc', value: 1n << 63n });
    await expect(restored({})).rejects.toThrow('differs from the hash of its pages');
  });
});

test('nothing is shipped when nothing was committed', async () => {
  const { each } = await begin();
  expect(await each.ship()).toBe(false);
  writer.run('BEGIN');
  insert(1, 10);
  expect(await each.ship()).toBe(false);
  writer.run('ROLLBACK');
  expect(await each.ship()).toBe(false);
  expect(each.created.objects).toBe(1);
});

test('an object of somebody else stays as it is, and stops shipping', async () => {
  const { each } = await begin();
  const other = join(target, 'ltx/0');
  insert(1, 10);
  await ship(each);
  writeFileSync(join(other, '0000000000000003-0000000000000003.ltx'), 'other');
  insert(1, 10);
  await expect(each.ship()).rejects.toThrow('somebody else has created the object of position 0000000000000003');
  expect(readFileSync(join(other, '0000000000000003-0000000000000003.ltx'), 'utf8')).toBe('other');
});

test.each([
  ['ends the term of a primary', true, 'ShippingStopped'],
  ['is repeated where no other service takes over', false, 'Error'],
] as const)('a failed sync of the log %s', async (_, isPrimary, name) => {
  const { source, each } = await begin();
  const failing = isPrimary ? primary(source, ownership.epoch) : each;
  if (isPrimary) await failing.start();
  insert(1, 10);
  const { syncLog } = source;
  source.syncLog = () => Promise.reject(new Error('EIO: i/o error, fdatasync'));
  const failure: unknown = await failing.ship().catch((error: unknown) => error);
  expect(failure).toMatchObject({ name, message: expect.stringContaining('EIO') });
  source.syncLog = syncLog;
  if (!isPrimary) expect(await failing.ship()).toBe(true);
});

test('a failed sync of the log ends the term of a primary, although its object could not be created either', async () => {
  const { source } = await begin();
  const failing = primary(source, ownership.epoch);
  await failing.start();
  insert(1, 10);
  const { create } = destination;
  const { syncLog } = source;
  destination.create = () => Promise.reject(new Error('away'));
  source.syncLog = () => Promise.reject(new Error('EIO: i/o error, fdatasync'));
  await expect(failing.ship()).rejects.toThrow('away');
  destination.create = create;
  source.syncLog = syncLog;
  await expect(failing.ship()).rejects.toMatchObject({
    name: 'ShippingStopped',
    message: expect.stringContaining('EIO'),
  });
});

describe('an object that an earlier process has created, and that lands after the start', () => {
  /** Ships with one process, whose object has not landed when the next one starts. Returns a function that lands it. */
  async function delayed(before: () => void): Promise<{ readonly each: Shipper; readonly land: () => void }> {
    const first = await begin();
    before();
    await ship(first.each);
    first.source.release();
    const file = join(target, 'ltx/0/0000000000000002-0000000000000002.ltx');
    const hidden = join(folder, 'hidden');
    renameSync(file, hidden);
    ownership.release();
    ownership = await destination.acquire({ database: 'one', host: 'h', processId: 2, folder });
    const second = await begin();
    expect(second.reason).toBeUndefined();
    return { each: second.each, land: () => renameSync(hidden, file) };
  }

  test.each([0, 3])('is continued, with %d commits after it', async (commits) => {
    const { each, land } = await delayed(() => insert(1, 50));
    for (let at = 0; at < commits; at++) insert(100 + at, 1);
    land();
    expect(await each.ship()).toBe(true);
    expect([each.last.position, each.isComplete()]).toEqual([2n, commits === 0]);
    insert(200, 10);
    await ship(each);
    expect(each.last.position).toBe(3n);
    // The beginning of the second one is not the state at that position.
    digests.delete(1n);
    await compareAll();
  });

  test('is not, if it has other pages, although they are changed alike', async () => {
    insertTwins(4);
    const { each, land } = await delayed(() =>
      writer.run("UPDATE twins SET text = 'y' || substr(text, 2) WHERE id <= 2"),
    );
    land();
    await rewriteNewest(undefined, (bytes) => {
      if (bytes.at(-1) === 0x78) bytes[bytes.length - 1] = 0x79;
    });
    await expect(each.ship()).rejects.toThrow('somebody else has created the object of position 0000000000000002');
  });
});

test('a time is that of the newest object until then', async () => {
  const { each } = await begin();
  const beginMs = each.last.timestampMs;
  insert(1, 10);
  await ship(each);
  insert(20, 10);
  await ship(each);
  const objects = await destination.objects();
  expect((await planRestore(destination, objects, { atMs: beginMs })).length).toBe(1);
  expect((await planRestore(destination, objects, { atMs: each.last.timestampMs - 1 })).at(-1)?.last).toBe(2n);
  expect((await planRestore(destination, objects, { atMs: each.last.timestampMs })).at(-1)?.last).toBe(3n);
  await expect(planRestore(destination, objects, { atMs: beginMs - 1 })).rejects.toThrow(
    'is not among the points from',
  );
  const gap = objects.filter(({ last }) => last !== 2n);
  await expect(planRestore(destination, gap, {})).rejects.toThrow(
    'the object that follows position 0000000000000001 is missing',
  );
  digests.clear();
});

test('a chain that Litestream has written is read', async () => {
  const program = litestream();
  if (program === undefined) return;
  ownership.release();
  insert(1, 300);
  const replica = join(folder, 'replica');
  destination = new FolderDestination(replica);
  const configuration = join(folder, 'litestream.yml');
  writeFileSync(configuration, `dbs:\n  - path: ${path}\n    replica:\n      url: file://${replica}\n`);
  const child = Bun.spawn([program, 'replicate', '-config', configuration], { stdio: ['ignore', 'ignore', 'ignore'] });
  try {
    const until = async (last: bigint): Promise<void> => {
      while (!(await destination.objects()).some((each) => each.last >= last)) await Bun.sleep(50);
    };
    await until(1n);
    insert(1_000, 100);
    const digest = digestOf(writer);
    await until(2n);
    child.kill('SIGTERM');
    await child.exited;
    expect(await restored({})).toBe(digest);
  } finally {
    child.kill('SIGKILL');
  }
}, 60_000);

// A request of a killed process may arrive at any time; commits made before that are not lost.
test('a first object of an earlier term that lands late is followed by that of this one, and by what was not shipped', async () => {
  const source = new SourceDatabase(path);
  const first = primary(source, 1n);
  await first.start();
  expect(await first.seal()).toBe(true);
  insert(1, 10);
  const [killed, second] = [primary(source, 2n), primary(source, 3n)];
  await killed.start();
  await second.start();
  expect(await killed.seal()).toBe(true);
  expect(await second.seal()).toBe(true);
  await ship(second);
  expect(second.last.position).toBe(killed.last.position + 2n);
  await compareAll();
  source.release();
});

test('a first object of a later term is that of somebody else', async () => {
  const source = new SourceDatabase(path);
  await primary(source, 1n).start();
  const [deposed, successor] = [primary(source, 2n), primary(source, 3n)];
  await deposed.start();
  await successor.start();
  expect(await successor.seal()).toBe(true);
  expect(await deposed.seal()).toBe(false);
  source.release();
});
