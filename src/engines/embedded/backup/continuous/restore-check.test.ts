/** Checks that a continuous backup restores, from sound and from damaged destinations. */
import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../../../base/clock.ts';
import { migrateDataFile } from '../../storage/schema.ts';
import type { Ownership } from './destination.ts';
import { FolderDestination } from './folder-destination.ts';
import { checkRestore, type RestoreCheckOptions } from './restore-check.ts';
import { restoreContinuous } from './restore-continuous.ts';
import { Shipper } from './shipper.ts';
import { SourceDatabase } from './source-database.ts';

const MEBIBYTE = 1024 * 1024;
const START_MS = Date.UTC(2026, 0, 1);

let folder = '';
let target = '';
let writer: Database;
let ownership: Ownership;
let shipper: Shipper;
let nowMs = START_MS;
const clock: Clock = { ...systemClock, nowMs: () => nowMs };

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-restore-check-'));
  target = join(folder, 'target');
  const path = join(folder, 'a.db');
  writer = new Database(path, { create: true });
  for (const pragma of ['journal_mode = WAL', 'wal_autocheckpoint = 0']) writer.run(`PRAGMA ${pragma}`);
  migrateDataFile(writer, folder, '1');
  writer.run('CREATE TABLE t (id INTEGER PRIMARY KEY, text)');
  const destination = new FolderDestination(target);
  ownership = await destination.acquire({ database: '', host: 'h', processId: 1, folder });
  const source = new SourceDatabase(path);
  shipper = new Shipper({ source, destination, epoch: ownership.epoch, clock, bytesPerSecond: 0 });
  nowMs = START_MS;
  await shipper.start();
});

afterEach(() => {
  ownership.release();
  writer.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Ships an object a second. */
async function ship(objects: number): Promise<void> {
  for (let at = 0; at < objects; at++) {
    nowMs += 1000;
    writer.run('INSERT INTO t (text) VALUES (hex(randomblob(2000)))');
    await shipper.ship();
  }
}

function check(options: Partial<RestoreCheckOptions> = {}) {
  const request = { url: `file://${target}`, folder: join(folder, 'check'), atMs: undefined, program: '1' };
  return checkRestore(
    { ...request, bytesPerSecond: 0, minFreeBytes: 0, ...options },
    { clock: systemClock, environment: {} },
  );
}

/** Changes a byte of an object. */
function damage(level: number, index: number): void {
  const levelFolder = join(target, 'ltx', String(level));
  const path = join(levelFolder, readdirSync(levelFolder).sort()[index] ?? '');
  const bytes = readFileSync(path);
  const { mtime } = statSync(path);
  bytes[200] = (bytes[200] ?? 0) ^ 1;
  writeFileSync(path, bytes);
  utimesSync(path, mtime, mtime);
}

test('random instants are restored and verified, and nothing is left', async () => {
  await ship(20);
  const found = await Promise.all(
    [1, 2, 3, 4, 5, 6, 7, 8].map((number) => check({ folder: join(folder, `check${number}`) })),
  );
  const positions = new Set<string>();
  for (const { outcome, reason, atMs, position, restoredBytes } of found) {
    expect({ outcome, reason }).toEqual({ outcome: 'verified', reason: null });
    const seconds = Math.floor((atMs - START_MS) / 1000);
    expect(BigInt(`0x${position}`)).toBe(BigInt(seconds + 1));
    expect(restoredBytes).toBeGreaterThan(0);
    positions.add(position ?? '');
  }
  expect(positions.size).toBeGreaterThan(1);
  expect(readdirSync(folder).filter((name) => name.startsWith('check'))).toEqual([]);
}, 60_000);

test('a damaged object is found, again at the same instant, and not before it', async () => {
  await ship(4);
  damage(0, 2);
  const damaged = await check({ atMs: START_MS + 3_500 });
  expect(damaged).toMatchObject({ outcome: 'damaged', atMs: START_MS + 3_500, position: null });
  expect(damaged.reason).toContain('The backup is damaged or incomplete');
  expect(await check({ atMs: START_MS + 2_500 })).toMatchObject({
    outcome: 'verified',
    position: '0000000000000003',
  });
  expect(existsSync(join(folder, 'check'))).toBe(false);
});

test('a missing object and a destination without a snapshot are damage', async () => {
  await ship(4);
  rmSync(join(target, 'ltx/0/0000000000000003-0000000000000003.ltx'));
  const atMs = START_MS + 4_000;
  expect((await check({ atMs })).reason).toContain('position 0000000000000002 is missing');
  rmSync(join(target, 'ltx/9'), { recursive: true });
  expect(await check()).toMatchObject({ outcome: 'damaged' });
  expect((await check()).reason).toContain('there is no snapshot');
});

test('without space it fails, and leaves the rest of the disk alone', async () => {
  await ship(1);
  const { outcome, reason } = await check({ minFreeBytes: 2 ** 60 });
  expect(outcome).toBe('failed');
  expect(reason).toContain('The disk has too little space to restore a backup');
  expect(existsSync(join(folder, 'check'))).toBe(false);
});

test('it restores no faster than its rate', async () => {
  nowMs += 1000;
  writer.run('INSERT INTO t (text) VALUES (zeroblob(4 * 1024 * 1024))');
  await shipper.ship();
  const beganMs = performance.now();
  expect(await check({ bytesPerSecond: 8 * MEBIBYTE, atMs: nowMs })).toMatchObject({ outcome: 'verified' });
  expect(performance.now() - beganMs).toBeGreaterThan(480);
});

test('objects that are merged meanwhile are no damage', async () => {
  await ship(3);
  const levelFolder = join(target, 'ltx/0');
  let looked = 0;
  const restart: Clock = {
    ...systemClock,
    monotonicMs() {
      // A restore begins: an object of its plan is removed, and with it those after it.
      if (looked++ === 0) for (const name of readdirSync(levelFolder).sort().slice(1)) rmSync(join(levelFolder, name));
      return systemClock.monotonicMs();
    },
  };
  const request = { url: `file://${target}`, folder: join(folder, 'check'), atMs: nowMs, program: '1' };
  const found = await checkRestore(
    { ...request, bytesPerSecond: 0, minFreeBytes: 0 },
    { clock: restart, environment: {} },
  );
  expect(found).toMatchObject({ outcome: 'verified' });
  expect(looked).toBeGreaterThan(1);
});

test('a restore plans again when objects were merged or removed meanwhile', async () => {
  await ship(3);
  const levelFolder = join(target, 'ltx/0');
  const restored = join(folder, 'restored');
  let plans = 0;
  const point = await restoreContinuous({
    ...{ url: `file://${target}`, target: {}, folder: restored, replace: false, program: '1', log: () => {} },
    ...{ clock: systemClock, environment: {} },
    onProgress() {
      if (plans++ > 0) return;
      for (const name of readdirSync(levelFolder).sort().slice(1)) rmSync(join(levelFolder, name));
    },
  });
  expect(plans).toBeGreaterThan(1);
  expect(point).toMatchObject({ position: '0000000000000002', checksums: true, found: { violations: [] } });
  // Objects that are missing for another reason are damage.
  rmSync(join(target, 'ltx/9'), { recursive: true });
  await expect(check().then(({ reason }) => reason)).resolves.toContain('there is no snapshot');
});
