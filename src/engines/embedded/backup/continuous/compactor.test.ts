/** Weeks of objects, merged and removed by age: what remains leads to the same states, here and with Litestream. */
import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { litestream } from '../../../../../test/litestream.ts';
import { type Clock, systemClock } from '../../../../base/clock.ts';
import { Compactor } from './compactor.ts';
import { fileNameOf, type ObjectName, type Ownership } from './destination.ts';
import { FolderDestination } from './folder-destination.ts';
import { encodeLtx, LtxDecoder, type LtxHeader, type LtxPage } from './ltx-format.ts';
import { OwnedDestination } from './owned-destination.ts';
import { writeDatabase } from './restore-objects.ts';
import { planRestore, restorePoints } from './restore-plan.ts';
import { Shipper } from './shipper.ts';
import { SourceDatabase } from './source-database.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 0, 1);

let folder = '';
let target = '';
let writer: Database;
let ownership: Ownership;
let destination: OwnedDestination;
let source: SourceDatabase;
let shipper: Shipper;
let nowMs = START_MS;
/** The contents of the database at each position. */
const digests = new Map<bigint, string>();
const clock: Clock = { ...systemClock, nowMs: () => nowMs };

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-compactor-'));
  target = join(folder, 'target');
  nowMs = START_MS;
  const path = join(folder, 'a.db');
  writer = new Database(path, { create: true });
  for (const pragma of ['journal_mode = WAL', 'wal_autocheckpoint = 0']) writer.run(`PRAGMA ${pragma}`);
  writer.run('CREATE TABLE settings (name, value); CREATE TABLE t (id INTEGER PRIMARY KEY, text)');
  const unowned = new FolderDestination(target);
  ownership = await unowned.acquire({ database: '', host: 'h', processId: 1, folder });
  destination = new OwnedDestination(unowned, ownership);
  source = new SourceDatabase(path);
  shipper = new Shipper({ source, destination, epoch: ownership.epoch, clock, bytesPerSecond: 0 });
  await shipper.start();
  digests.clear();
  digests.set(shipper.last.position, digestOf(writer));
});

afterEach(() => {
  ownership.release();
  writer.close();
  rmSync(folder, { recursive: true, force: true });
});

function digestOf(database: Database): string {
  const row = database
    .query<{ text: string | null }, []>("SELECT group_concat(id || ':' || text) AS text FROM t")
    .get();
  return String(Bun.hash(row?.text ?? ''));
}

/** Commits a change that adds, changes or removes rows, and ships it. */
async function change(number: number): Promise<void> {
  if (number % 17 === 16) {
    writer.run('DELETE FROM t WHERE id > 3');
    writer.run('VACUUM');
  } else {
    writer.run(
      `WITH RECURSIVE r(i) AS (SELECT ${number % 40} UNION ALL SELECT i + 1 FROM r WHERE i < ${(number % 40) + 5})
      INSERT OR REPLACE INTO t SELECT i, ${number} || hex(randomblob(300)) FROM r`,
    );
  }
  await shipper.ship();
  digests.set(shipper.last.position, digestOf(writer));
}

function compactor(): Compactor {
  return new Compactor({ destination, clock, pitrWindowMs: DAY_MS, retentionMs: 20 * DAY_MS });
}

async function restored(position: bigint): Promise<string> {
  const file = join(folder, 'restored.db');
  rmSync(file, { force: true });
  const descriptor = openSync(file, 'w+');
  await writeDatabase(
    destination,
    await planRestore(destination, await destination.objects(), { position }),
    descriptor,
  );
  closeSync(descriptor);
  const database = new Database(file);
  const digest = digestOf(database);
  database.close();
  return digest;
}

/** Returns the number of objects of each level. */
async function levels(): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const { level } of await destination.objects()) counts[level] = (counts[level] ?? 0) + 1;
  return counts;
}

test('steps grow with age, a snapshot is made each day, and every state that remains is right', async () => {
  const program = litestream();
  let number = 0;
  for (let day = 0; day < 30; day++) {
    for (const hour of [1, 9, 9, 9, 20]) {
      const atMs = START_MS + day * DAY_MS + hour * HOUR_MS;
      // Three objects in one hour, two of them within 30 seconds.
      nowMs = Math.max(atMs, nowMs + (nowMs >= atMs ? (number % 2 === 0 ? 10_000 : 6 * MINUTE_MS) : 0));
      await change(number++);
    }
    nowMs = START_MS + (day + 1) * DAY_MS;
    await compactor().run();
  }
  const objects = await destination.objects();
  const ages = (level: number): number[] =>
    objects.filter((each) => each.level === level).map(({ timestampMs }) => (nowMs - timestampMs) / DAY_MS);
  expect(Math.max(...ages(0))).toBeLessThanOrEqual(1);
  expect(Math.max(...ages(1))).toBeLessThanOrEqual(3);
  expect(Math.max(...ages(2))).toBeLessThanOrEqual(7);
  expect(Math.max(...ages(3))).toBeLessThan(22);
  // One snapshot is older than the retention period: the restorable states begin with it.
  expect(ages(9).filter((age) => age > 20)).toHaveLength(1);
  expect(ages(9).length).toBeGreaterThan(17);
  const points = restorePoints(objects);
  const days = (nowMs - (points[0]?.timestampMs ?? 0)) / DAY_MS;
  expect(days).toBeGreaterThan(20);
  expect(days).toBeLessThan(22);
  for (const { position } of points) {
    expect(`${position} ${await restored(position)}`).toBe(`${position} ${digests.get(position)}`);
  }
  expect(points.at(-1)?.position).toBe(shipper.last.position);
  for (const { position } of program === undefined ? [] : points.filter((_, at) => at % 7 === 0)) {
    const file = join(folder, `litestream-${position}.db`);
    await restored(position);
    const txid = position.toString(16).padStart(16, '0');
    expect(Bun.spawnSync([program ?? '', 'restore', '-txid', txid, '-o', file, `file://${target}`]).exitCode).toBe(0);
    const ours = new Database(join(folder, 'restored.db'));
    const theirs = new Database(file);
    expect(digestOf(theirs)).toBe(digestOf(ours));
    for (const each of [ours, theirs]) each.close();
  }
}, 120_000);

test('a step is merged when it has ended, and nothing is removed before it is old', async () => {
  for (let number = 0; number < 4; number++) {
    nowMs += 10_000;
    await change(number);
  }
  await compactor().run();
  expect(await levels()).toEqual({ 0: 4, 1: 1, 9: 1 });
  nowMs += HOUR_MS;
  await compactor().run();
  expect(await levels()).toEqual({ 0: 4, 1: 2, 2: 1, 3: 1, 9: 1 });
  nowMs += DAY_MS;
  await compactor().run();
  expect(await levels()).toEqual({ 1: 2, 2: 1, 3: 1, 9: 1 });
});

test('after a snapshot that began anew, steps before and after it stay apart', async () => {
  nowMs += 1_000;
  await change(1);
  source.release();
  writer.run('DELETE FROM t');
  writer.query('PRAGMA wal_checkpoint(TRUNCATE)').get();
  expect(await shipper.start()).toContain('the data is not what the objects lead to');
  digests.set(shipper.last.position, digestOf(writer));
  await change(2);
  nowMs += HOUR_MS;
  await compactor().run();
  const steps = (await destination.objects()).filter(({ level }) => level === 3);
  expect(steps.map(({ first, last }) => `${first}-${last}`)).toEqual(['2-2', '5-5']);
  for (const [position, digest] of digests) expect(await restored(position)).toBe(digest);
});

test('a damaged object is not merged, and nothing that it leads to is removed', async () => {
  nowMs += 1_000;
  await change(1);
  await change(2);
  const [name = ''] = readdirSync(join(target, 'ltx/0'));
  const file = join(target, 'ltx/0', name);
  const bytes = readFileSync(file);
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
  writeFileSync(file, bytes);
  nowMs += 3 * DAY_MS;
  await expect(compactor().run()).rejects.toThrow('its checksum differs');
  expect(await levels()).toEqual({ 0: 2, 9: 1 });
  expect(readdirSync(join(target, 'ltx/1'))).toEqual([]);
});

describe('an object that lands after the objects were listed', () => {
  const pathOf = (name: ObjectName): string => join(target, 'ltx', String(name.level), fileNameOf(name));
  const hidden = (): string => join(folder, 'hidden');

  /** Lists the objects as long as one has not landed. */
  async function listWithout(name: ObjectName): Promise<void> {
    renameSync(pathOf(name), hidden());
    destination = new OwnedDestination(new FolderDestination(target), ownership);
    await destination.relist();
  }

  function land(name: ObjectName): void {
    renameSync(hidden(), pathOf(name));
  }

  async function changes(count: number): Promise<void> {
    for (let at = 1; at <= count; at++) {
      nowMs += 1_000;
      await change(at);
    }
  }

  /** Merges for days, like owners that list the objects again, and compares every remaining state. */
  async function compareLater(): Promise<void> {
    const newest = shipper.last.position;
    for (let day = 0; day < 4; day++) {
      nowMs += DAY_MS;
      destination = new OwnedDestination(new FolderDestination(target), ownership);
      await compactor().run();
    }
    const points = restorePoints(await destination.objects());
    expect(points.at(-1)?.position).toBe(newest);
    for (const { position } of points) expect(await restored(position)).toBe(digests.get(position) ?? '');
  }

  test.each([2n, 3n, 5n])('leaves no gap: of a single interval, at position %d', async (position) => {
    await changes(5);
    const name = { level: 0, first: position, last: position };
    await listWithout(name);
    land(name);
    nowMs += MINUTE_MS;
    await compactor().run();
    await compareLater();
  });

  test('leaves no gap: of a step that another owner has merged at other times', async () => {
    await changes(3);
    nowMs += MINUTE_MS;
    await compactor().run();
    const longer = { level: 1, first: 2n, last: 4n };
    await listWithout(longer);
    // This owner merges less.
    const shorter = { level: 1, first: 2n, last: 3n };
    await writeMerged(shorter, [2n, 3n]);
    destination = new OwnedDestination(new FolderDestination(target), ownership);
    await destination.relist();
    land(longer);
    await compactor().run();
    await compareLater();
  });

  test('is waited for, and nothing is removed, if it never does', async () => {
    await changes(4);
    const name = { level: 0, first: 3n, last: 3n };
    await listWithout(name);
    nowMs += 3 * DAY_MS;
    await expect(compactor().run()).rejects.toThrow('the object that follows position 0000000000000002 is missing');
    expect(await levels()).toEqual({ 0: 3, 1: 1, 9: 1 });
    land(name);
    await compactor().run();
    await compareLater();
  });

  test.each([
    ['is taken over if it has the same pages', false],
    ['is reported if it has others', true],
  ])('under the name of a merged one %s', async (_, isChanged) => {
    await changes(3);
    nowMs += MINUTE_MS;
    await compactor().run();
    const name = { level: 1, first: 2n, last: 4n };
    await rewrite(name, isChanged);
    await listWithout(name);
    land(name);
    const run = compactor().run();
    if (isChanged) await expect(run).rejects.toThrow('position 0000000000000004 has other pages');
    else await run.then(compareLater);
  });

  async function decoded(name: ObjectName) {
    const decoder = new LtxDecoder('test', destination.read(name));
    const header = await decoder.header();
    return { header, pages: await Array.fromAsync(decoder.pages(header)) };
  }

  /** Writes an object again, by another owner. */
  async function rewrite(name: ObjectName, isChanged: boolean): Promise<void> {
    const { header, pages } = await decoded(name);
    const last = pages.at(-1)?.bytes;
    if (isChanged && last !== undefined) last[last.length - 1] = (last.at(-1) ?? 0) ^ 1;
    await write(name, { ...header, epoch: 77n }, pages);
  }

  /** Merges objects of single intervals. */
  async function writeMerged(name: ObjectName, positions: readonly bigint[]): Promise<void> {
    const objects = await Promise.all(positions.map((at) => decoded({ level: 0, first: at, last: at })));
    const last = objects.at(-1)?.header;
    if (last === undefined) throw new Error('nothing to merge');
    const pages = new Map(objects.flatMap((each) => each.pages.map((page) => [page.number, page] as const)));
    const sorted = [...pages.values()].filter(({ number }) => number <= last.pages).sort((a, b) => a.number - b.number);
    await write(name, { ...last, firstTransaction: name.first }, sorted);
  }

  async function write(name: ObjectName, header: LtxHeader, pages: readonly LtxPage[]): Promise<void> {
    async function* runs(): AsyncGenerator<readonly LtxPage[]> {
      yield pages;
    }
    mkdirSync(join(target, 'ltx', String(name.level)), { recursive: true });
    writeFileSync(pathOf(name), Buffer.concat(await Array.fromAsync(encodeLtx(header, runs()))));
    utimesSync(pathOf(name), header.timestampMs / 1000, header.timestampMs / 1000);
  }
});

test('a chain without a snapshot gets one, and keeps no more than the retention', async () => {
  const name = '0000000000000001-0000000000000001.ltx';
  mkdirSync(join(target, 'ltx/0'));
  renameSync(join(target, 'ltx/9', name), join(target, 'ltx/0', name));
  destination = new OwnedDestination(new FolderDestination(target), ownership);
  shipper = new Shipper({ source, destination, epoch: ownership.epoch, clock, bytesPerSecond: 0 });
  expect(await shipper.start()).toBeUndefined();
  for (let day = 0; day < 25; day++) {
    nowMs += DAY_MS;
    await change(day);
    await compactor().run();
  }
  const objects = await destination.objects();
  expect(objects.filter(({ level }) => level === 9).length).toBeGreaterThan(17);
  expect(objects.filter(({ level }) => level === 0).length).toBeLessThanOrEqual(2);
  const points = restorePoints(objects);
  expect((nowMs - (points[0]?.timestampMs ?? 0)) / DAY_MS).toBeLessThan(22);
  for (const { position } of points) expect(await restored(position)).toBe(digests.get(position) ?? '');
});
