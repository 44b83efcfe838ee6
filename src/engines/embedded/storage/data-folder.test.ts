/** Data folders whose data file is missing or empty. */

import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { entriesOf } from '../../../../test/grid/entry-methods.ts';
import { systemClock as clock } from '../../../base/clock.ts';
import { text } from '../../../values/value.ts';
import { backupFolder } from '../backup/backup-folder.ts';
import { verifyFolder } from '../backup/verify.ts';
import { type EmbeddedGrid, openEmbeddedGrid } from '../embedded-grid.ts';

const log = (): void => {};
const KEY = text('key');

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-data-folder-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function open(): Promise<EmbeddedGrid> {
  return openEmbeddedGrid({ dataDir: folder, clock, version: '1.1.0' });
}

/** Leaves the folder as a killed service does: with a log of acknowledged changes. Returns the log. */
async function leaveLog(): Promise<Buffer> {
  const grid = await open();
  await entriesOf(grid).put('default', KEY, text('value'));
  const files = ['svc.db', 'svc.db-wal'].map((name) => [name, readFileSync(join(folder, name))] as const);
  await grid.close();
  for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes);
  const [, written = Buffer.alloc(0)] = files[1] ?? [];
  expect(written.length).toBeGreaterThan(0);
  return written;
}

async function failureOf(action: () => unknown): Promise<string> {
  try {
    await action();
    return 'no failure';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const LOSSES = {
  missing: () => rmSync(join(folder, 'svc.db')),
  empty: () => truncateSync(join(folder, 'svc.db')),
} as const;

describe.each(Object.entries(LOSSES))('with a data file that is %s', (_name, lose) => {
  test('a log with changes is an error, and stays', async () => {
    const written = await leaveLog();
    rmSync(join(folder, 'lock.db'));
    lose();
    const expected = 'The data file svc.db is missing or empty, but its log svc.db-wal contains changes';
    expect(await failureOf(open)).toContain(expected);
    expect(await failureOf(() => verifyFolder(folder, log))).toContain(expected);
    const backup = backupFolder({ folder, program: '1.1.0', clock, log });
    expect(await failureOf(() => backup.next())).toContain(expected);
    expect(readFileSync(join(folder, 'svc.db-wal')).equals(written)).toBe(true);
  });

  test('a lock file that records a data file is an error, until both are gone', async () => {
    await (await open()).close();
    lose();
    expect(existsSync(join(folder, 'svc.db-wal'))).toBe(false);
    expect(await failureOf(open)).toContain('but lock.db records that the folder had one');
    expect(await failureOf(() => verifyFolder(folder, log))).toContain('There is no data file');
    rmSync(join(folder, 'lock.db'));
    const grid = await open();
    expect(await entriesOf(grid).size('default')).toBe(0);
    await grid.close();
  });
});

test('a folder of an earlier version, whose lock file is empty, has its data file recorded by a start', async () => {
  await (await open()).close();
  truncateSync(join(folder, 'lock.db'));
  await (await open()).close();
  expect(statSync(join(folder, 'lock.db')).size).toBeGreaterThan(0);
  LOSSES.missing();
  expect(await failureOf(open)).toContain('but lock.db records that the folder had one');
});

test('a creation that was interrupted is no error', async () => {
  writeFileSync(join(folder, 'svc.db'), '');
  writeFileSync(join(folder, 'lock.db'), '');
  await (await open()).close();
});

test('a second process is rejected after the record as before', async () => {
  for (const start of ['first', 'second']) {
    const grid = await open();
    const script = `
      import { lockFolder } from ${JSON.stringify(join(import.meta.dir, 'data-folder.ts'))};
      try { lockFolder(${JSON.stringify(folder)}, () => {}); console.log('locked'); }
      catch (error) { console.log(error.message); }`;
    const { stdout } = Bun.spawnSync([process.execPath, '--eval', script]);
    expect([start, stdout.toString()]).toEqual([start, expect.stringContaining('is in use by')]);
    await grid.close();
  }
});

/** The treatment of the log of a killed service. */
const LOG_LOSSES = {
  damaged: () => {
    const path = join(folder, 'svc.db-wal');
    const bytes = readFileSync(path);
    bytes[60] = (bytes[60] ?? 0) ^ 1;
    writeFileSync(path, bytes);
  },
  missing: () => rmSync(join(folder, 'svc.db-wal')),
} as const;

describe.each(Object.entries(LOG_LOSSES))('with a log that is %s', (_name, lose) => {
  test('a young store is still the same', async () => {
    const before = await open();
    const { nodeId } = before.thread.identity;
    await before.records.put('user', 'ann', 'her password');
    before.writeNewBack();
    const file = readFileSync(join(folder, 'svc.db'));
    await entriesOf(before).put('default', KEY, text('value'));
    const written = readFileSync(join(folder, 'svc.db-wal'));
    await before.close();
    writeFileSync(join(folder, 'svc.db'), file);
    writeFileSync(join(folder, 'svc.db-wal'), written);
    lose();
    const grid = await open();
    expect(grid.thread.identity.nodeId).toBe(nodeId);
    expect(await grid.records.get('user', 'ann')).toBe('her password');
    await grid.close();
  });

  test('a store of which the log had everything is an error, and the log stays', async () => {
    await (await open()).close();
    for (const suffix of ['', '-wal', '-shm']) rmSync(join(folder, `svc.db${suffix}`), { force: true });
    // The state in which version 1.0.0 left a store until its first checkpoint.
    const young = new Database(join(folder, 'svc.db'));
    young.run('PRAGMA journal_mode = WAL');
    young.run('PRAGMA user_version = 2; CREATE TABLE caches (id)');
    const written = readFileSync(join(folder, 'svc.db-wal'));
    const file = new Uint8Array(4096);
    file.set(readFileSync(join(folder, 'svc.db')).subarray(0, 4096));
    young.close(true);
    writeFileSync(join(folder, 'svc.db'), file);
    writeFileSync(join(folder, 'svc.db-wal'), written);
    lose();
    const logBytes = () =>
      existsSync(join(folder, 'svc.db-wal')) ? readFileSync(join(folder, 'svc.db-wal')).toHex() : '';
    const left = logBytes();
    const expected = 'its log svc.db-wal was damaged or removed';
    expect(await failureOf(open)).toContain(expected);
    expect(verifyFolder(folder, log).violations).toEqual([expect.stringContaining(expected)]);
    const backup = backupFolder({ folder, program: '1.1.0', clock, log });
    expect(await failureOf(() => backup.next())).toContain(expected);
    expect(logBytes()).toBe(left);
  });
});
