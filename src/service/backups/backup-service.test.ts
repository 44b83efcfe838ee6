import { afterEach, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '../../../test/fixtures/base/manual-clock.ts';
import type { BackupEngine, BackupReader } from '../../grid/backup.ts';
import { createLog } from '../monitoring/log.ts';
import { folderPlace } from './backup-place.ts';
import { type OwnBackupService, StoredBackups } from './backup-service.ts';

const folders: string[] = [];
const open: OwnBackupService[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** The outcome of every verification. */
const FOUND = {
  outcome: 'verified',
  reason: null,
  encrypted: true,
  createdAt: null,
  entries: 2,
  restoredBytes: 8_192,
} as const;
const verified: string[] = [];
let listings = 0;
const READER: BackupReader = {
  async verify(target) {
    verified.push(target);
    return FOUND;
  },
  async restorable() {
    listings++;
    await Bun.sleep(1);
    return { objects: 0, bytes: 0, encrypted: false, ranges: [] };
  },
};

/** Makes backups that take some time by the clock. */
function serviceOf(
  clock: ManualClock,
  folder: string,
  schedule: { intervalMs: number; timeOfDay?: string },
  tookMs = 0,
) {
  const engine: BackupEngine = {
    start(target) {
      const done = Promise.withResolvers<void>();
      clock.after(tookMs, () => {
        if (target !== null) writeFileSync(target, '');
        done.resolve();
      });
      const finished = {
        createdAt: '',
        program: '',
        schemaVersion: 1,
        regions: [],
        bytes: 1,
        restoredBytes: 1,
        sha256: '',
      };
      return {
        chunks: (async function* () {})(),
        report: done.promise.then(() => finished),
        bytes: () => 0,
      };
    },
  };
  const log = createLog({ append() {} }, 'error', clock);
  const service = new StoredBackups({
    engine,
    reader: READER,
    continuousUrl: 'file:///continuous',
    continuous: () => undefined,
    restoreChecks: undefined,
    shippingEvents: undefined,
    place: folderPlace(folder),
    keep: 100,
    timeOfDay: undefined,
    ...schedule,
    clock,
    log,
  });
  open.push(service);
  return service;
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-backups-'));
  folders.push(folder);
  return folder;
}

/** Advances the clock in steps, and lets files be written between them. */
async function pass(clock: ManualClock, ms: number, stepMs: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += stepMs) {
    clock.advance(stepMs);
    await Bun.sleep(4);
  }
}

/** Returns when the backups in a folder were begun, according to their names. */
function begunMs(folder: string): number[] {
  const names = readdirSync(folder).sort();
  return names.map((name) => Date.parse(name.replace(/^scheduled-(.{10}T..)-(..)-(..)-(...Z).*$/, '$1:$2:$3.$4')));
}

test('the schedule keeps its interval, however long a backup takes', async () => {
  const clock = new ManualClock();
  const firstMs = clock.nowMs();
  const folder = newFolder();
  const service = serviceOf(clock, folder, { intervalMs: 20_000 }, 3_000);
  await service.start();
  await pass(clock, 90_000, 500);
  const seconds = begunMs(folder).map((each) => Math.round((each - firstMs) / 1000));
  expect(seconds.length).toBeGreaterThanOrEqual(3);
  expect(seconds.filter((each) => each % 20 !== 0)).toEqual([]);
}, 30_000);

test('after a restart the schedule goes on from the start of the latest backup', async () => {
  const clock = new ManualClock();
  const folder = newFolder();
  const first = serviceOf(clock, folder, { intervalMs: 20_000 }, 3_000);
  await first.start();
  await pass(clock, 10_000, 500);
  await first.close();
  const second = serviceOf(clock, folder, { intervalMs: 20_000 });
  await second.start();
  const { nextAt } = await second.status(false);
  expect(Date.parse(nextAt ?? '')).toBe((begunMs(folder)[0] ?? 0) + 20_000);
}, 30_000);

test('with a time of day, backups are made then', async () => {
  const clock = new ManualClock(new Date('2026-03-01T10:00:00').getTime());
  const folder = newFolder();
  const service = serviceOf(clock, folder, { intervalMs: 86_400_000, timeOfDay: '22:30' }, 60_000);
  await service.start();
  expect((await service.status(false)).nextAt).toBe(new Date('2026-03-01T22:30:00').toISOString());
  await pass(clock, 2 * 86_400_000, 600_000);
  // The clock stands when a timer is set again, so that it runs a millisecond late.
  const begun = begunMs(folder).map((each) => new Date(each).toTimeString().slice(0, 8));
  expect(begun).toEqual(['22:30:00', '22:30:00']);
}, 30_000);

test('verifies a backup of the folder, and names of others are rejected', async () => {
  const clock = new ManualClock();
  const folder = mkdtempSync(join(tmpdir(), 'svc-backups-'));
  folders.push(folder);
  const service = serviceOf(clock, folder, { intervalMs: 0 });
  open.push(service);
  writeFileSync(join(folder, 'scheduled-1.svcbackup'), '');
  const { signal } = new AbortController();
  expect(await service.verify('scheduled-1', signal)).toEqual({ name: 'scheduled-1.svcbackup', ...FOUND });
  expect(verified).toEqual([join(folder, 'scheduled-1.svcbackup')]);
  expect(service.verify('other', signal)).rejects.toThrow('is not that of a backup in the folder');
  expect(service.verify('../x', signal)).rejects.toThrow('letters, digits');
});

test('requests at once share a listing of what can be restored, and later ones have their own', async () => {
  const service = serviceOf(new ManualClock(), newFolder(), { intervalMs: 0 });
  await Promise.all([service.status(true), service.status(true)]);
  expect(listings).toBe(1);
  await service.status(true);
  expect(listings).toBe(2);
});
