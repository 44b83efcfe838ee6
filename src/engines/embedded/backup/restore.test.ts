/** Backups of folders and of open grids, restored, verified and damaged. */

import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countersOf, entriesOf } from '../../../../test/grid/entry-methods.ts';
import { systemClock as clock } from '../../../base/clock.ts';
import { text, type Value } from '../../../values/value.ts';
import { type EmbeddedGrid, openEmbeddedGrid } from '../embedded-grid.ts';
import { SCHEMA_VERSION } from '../storage/schema.ts';
import { backupFolder } from './backup-folder.ts';
import { BackupEncoder, type BackupHeader } from './backup-format.ts';
import { BACKUP_PROCESS_ARGUMENT } from './backup-messages.ts';
import { BackupRunner } from './backup-runner.ts';
import { restoreBackup } from './restore.ts';
import { verifyFolder } from './verify.ts';
import { verifyBackup } from './verify-backup.ts';

const REGIONS = [
  { name: 'memory', persistent: false },
  { name: 'other', persistent: false },
];
const PROGRAM = '1.1.0';
const log = (): void => {};
const int = (data: number): Value => ({ type: 'integer', data });

let root = '';
let source = '';
let target = '';

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-backup-'));
  source = join(root, 'source');
  target = join(root, 'target');
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

function open(dataDir: string): Promise<EmbeddedGrid> {
  return openEmbeddedGrid({ dataDir, clock, version: PROGRAM, regions: REGIONS });
}

/** Creates a data folder with entries, and closes it. */
async function createFolder(entries = 300): Promise<void> {
  const grid = await open(source);
  await grid.caches.getOrCreate('c', {});
  await entriesOf(grid).putAll('c', pairs(entries));
  await countersOf(grid).add('count', 41n, 1n);
  await grid.close();
}

function pairs(count: number, value = 'value') {
  return Array.from({ length: count }, (_, at) => ({ key: int(at), value: text(`${value} ${at}`) }));
}

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts);
}

const ofFolder = (): Promise<Buffer> => collect(backupFolder({ folder: source, program: PROGRAM, clock, log }));

async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 50_000) yield bytes.subarray(at, at + 50_000);
}

function restore(bytes: Uint8Array, replace = false, folder = target) {
  return restoreBackup({ source: chunksOf(bytes), folder, replace, program: PROGRAM, log });
}

function runnerOf(grid: EmbeddedGrid, bytesPerSecond = 0): BackupRunner {
  const main = join(import.meta.dir, '../../../main.ts');
  return new BackupRunner({
    grid,
    clock,
    command: [process.execPath, main, BACKUP_PROCESS_ARGUMENT, String(process.pid)],
    environment: process.env,
    program: PROGRAM,
    regions: [{ name: 'default', persistent: true }],
    bytesPerSecond,
    minFreeBytes: undefined,
  });
}

async function failureOf(action: Promise<unknown>): Promise<string> {
  return action.then(
    () => 'no failure',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}

const never = new AbortController().signal;

describe('a backup of a folder', () => {
  test('restores everything to another folder', async () => {
    await createFolder();
    const { header, end } = await restore(await ofFolder());
    expect(header).toMatchObject({ program: PROGRAM, schemaVersion: SCHEMA_VERSION, regions: [{ name: 'default' }] });
    expect(end.sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(verifyFolder(target, log)).toMatchObject({ caches: 2, entries: 300, violations: [] });
    const grid = await open(target);
    expect(entriesOf(grid).get('c', int(7))).toEqual(text('value 7'));
    expect(await countersOf(grid).add('count', 0n, 0n)).toBe(42n);
    await grid.close();
  });

  test('is rejected while a process uses the folder, without a data file, and after an interrupted restore', async () => {
    await createFolder(1);
    const grid = await open(source);
    expect(await failureOf(ofFolder())).toContain('is in use');
    await grid.close();
    writeFileSync(join(source, 'svc.db.restoring'), '');
    expect(await failureOf(ofFolder())).toContain('A restore to this folder was interrupted');
    rmSync(source, { recursive: true });
    expect(await failureOf(ofFolder())).toContain('no data file');
  });
});

describe('a restore', () => {
  test('is rejected where the folder is a file, as are backups and checks of one', async () => {
    await createFolder();
    const bytes = await ofFolder();
    writeFileSync(target, 'a file');
    const reason = 'The data folder cannot be used';
    expect(await failureOf(restore(bytes))).toContain(reason);
    expect(await failureOf(collect(backupFolder({ folder: target, program: PROGRAM, clock, log })))).toContain(reason);
    expect(() => verifyFolder(target, log)).toThrow(reason);
    expect(readFileSync(target, 'utf8')).toBe('a file');
  });

  test('is rejected in a folder with contents, and replaces them if asked to', async () => {
    await createFolder();
    const bytes = await ofFolder();
    await restore(bytes);
    const grid = await open(target);
    await entriesOf(grid).put('c', int(7), text('changed'));
    await grid.close();
    expect(await failureOf(restore(bytes))).toContain('--replace');
    await restore(bytes, true);
    const again = await open(target);
    expect(entriesOf(again).get('c', int(7))).toEqual(text('value 7'));
    await again.close();
    const files = join(root, 'files');
    await restore(bytes, false, files);
    rmSync(join(files, 'svc.db'));
    writeFileSync(join(files, 'note.txt'), 'mine');
    expect(await failureOf(restore(bytes, false, files))).toContain('not empty');
    await restore(bytes, true, files);
    expect(readFileSync(join(files, 'note.txt'), 'utf8')).toBe('mine');
  });

  test('drops the write-ahead log of a killed service with the file that it replaces', async () => {
    await createFolder();
    const bytes = await ofFolder();
    await restore(bytes);
    const grid = await open(target);
    await entriesOf(grid).putAll('c', pairs(300, 'changed'));
    for (const file of ['svc.db', 'svc.db-wal']) writeFileSync(join(root, file), readFileSync(join(target, file)));
    await grid.close();
    // The folder as after a kill: the log has frames of the old file.
    for (const file of ['svc.db', 'svc.db-wal']) writeFileSync(join(target, file), readFileSync(join(root, file)));
    expect(statSync(join(target, 'svc.db-wal')).size).toBeGreaterThan(0);
    await restore(bytes, true);
    expect(verifyFolder(target, log).violations).toEqual([]);
    const again = await open(target);
    expect(entriesOf(again).get('c', int(7))).toEqual(text('value 7'));
    await again.close();
  });

  test('is rejected while a process uses the folder', async () => {
    await createFolder(1);
    const bytes = await ofFolder();
    const grid = await open(source);
    expect(await failureOf(restore(bytes, true, source))).toContain('is in use');
    expect(await entriesOf(grid).size('c')).toBe(1);
    await grid.close();
  });

  test('of a damaged or cut backup leaves the folder as it was, or none', async () => {
    await createFolder();
    const bytes = await ofFolder();
    await restore(bytes);
    const before = readdirSync(target).sort();
    for (const length of [10, 300, bytes.length - 1]) {
      expect(await failureOf(restore(bytes.subarray(0, length), true))).toContain('damaged or incomplete');
    }
    const flipped = Buffer.from(bytes);
    flipped[bytes.length >> 1] = (flipped[bytes.length >> 1] ?? 0) ^ 4;
    expect(await failureOf(restore(flipped, true))).toContain('damaged or incomplete');
    expect(readdirSync(target).sort()).toEqual(before);
    expect(verifyFolder(target, log)).toMatchObject({ entries: 300, violations: [] });
    const empty = join(root, 'empty');
    expect(await failureOf(restore(flipped, false, empty))).toContain('damaged or incomplete');
    expect(existsSync(empty)).toBe(false);
    for (const length of [10, 300, bytes.length - 1]) {
      const nested = join(root, 'outer', 'inner');
      expect(await failureOf(restore(bytes.subarray(0, length), false, nested))).toContain('damaged or incomplete');
      expect(existsSync(join(root, 'outer'))).toBe(false);
    }
  });

  test('of a newer schema version is rejected with both versions before anything is written', async () => {
    const header: BackupHeader = {
      createdAt: '2026-11-22T10:00:00.000Z',
      program: '9.0.0',
      schemaVersion: 77,
      regions: [],
      files: [{ region: null, pageBytes: 4096, pages: 1 }],
    };
    const failure = await failureOf(restore(Buffer.from(new BackupEncoder(header.files).header(header))));
    expect(failure).toContain('newer program (9.0.0) and has schema version 77; this program (1.1.0) supports');
    expect(existsSync(target)).toBe(false);
  });

  test('that was interrupted keeps the folder from being opened until it is repeated', async () => {
    await createFolder();
    const bytes = await ofFolder();
    const begun = Promise.withResolvers<void>();
    async function* stuck(): AsyncGenerator<Uint8Array> {
      yield bytes.subarray(0, bytes.length - 10);
      begun.resolve();
      await new Promise(() => {});
    }
    // A kill is an end without clean-up: this one is never resumed.
    const child = Bun.spawn({
      cmd: [
        process.execPath,
        join(import.meta.dir, '../../../../test/fixtures/embedded/interrupted-restore-process.ts'),
        target,
        PROGRAM,
      ],
      stdin: 'pipe',
      stdout: 'pipe',
    });
    for await (const chunk of stuck()) {
      child.stdin.write(chunk);
      await child.stdin.flush();
      break;
    }
    for (let tries = 0; !existsSync(join(target, 'svc.db.restoring')) && tries < 500; tries++) await Bun.sleep(10);
    child.kill('SIGKILL');
    await child.exited;
    expect(existsSync(join(target, 'svc.db.restoring'))).toBe(true);
    expect(await failureOf(open(target))).toContain('A restore to this folder was interrupted: run svc restore');
    await restore(bytes);
    expect(verifyFolder(target, log)).toMatchObject({ entries: 300, violations: [] });
    await (await open(target)).close();
  });
});

describe('a backup of an open grid', () => {
  test('contains the entries of non-persistent regions, which the first start loads', async () => {
    await createFolder();
    const grid = await open(source);
    await grid.caches.getOrCreate('volatile', { region: 'memory' });
    await grid.caches.getOrCreate('gone', { region: 'other' });
    await entriesOf(grid).putAll('volatile', pairs(50));
    await entriesOf(grid).put('volatile', int(1000), text('expires'), 60_000n);
    const bytes = await collect(runnerOf(grid).start(null, never).chunks);
    await grid.close();

    await restore(bytes);
    expect(verifyFolder(target, log)).toMatchObject({ caches: 4, entries: 351, violations: [] });
    const copied = await collect(backupFolder({ folder: target, program: PROGRAM, clock, log }));
    for (const each of [bytes, copied]) {
      await restore(each, true);
      const first = await open(target);
      expect(await entriesOf(first).size('volatile')).toBe(51);
      expect(entriesOf(first).get('volatile', int(49))).toEqual(text('value 49'));
      await entriesOf(first).put('volatile', int(51), text('new'));
      expect(await entriesOf(first).size('gone')).toBe(0);
      await first.close();
      expect(readdirSync(target).filter((name) => name.includes('restor'))).toEqual([]);
      const second = await open(target);
      expect(await entriesOf(second).size('volatile')).toBe(0);
      await second.close();
    }
  });

  test('does not touch the files of the service that it is a copy of', async () => {
    await createFolder();
    const grid = await open(source);
    await grid.caches.getOrCreate('volatile', { region: 'memory' });
    await entriesOf(grid).put('volatile', int(1), text('kept'));
    await restore(await collect(runnerOf(grid).start(null, never).chunks));
    await (await open(target)).close();
    expect(entriesOf(grid).get('volatile', int(1))).toEqual(text('kept'));
    await entriesOf(grid).put('volatile', int(2), text('new'));
    await grid.close();
  });

  test('to a file is private, reports its size and leaves nothing when it is cancelled', async () => {
    await createFolder(20_000);
    const grid = await open(source);
    const path = join(root, 'a.svcbackup');
    const report = await runnerOf(grid).start(path, never).report;
    expect(statSync(path).size).toBe(report.bytes);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await restore(readFileSync(path));
    const controller = new AbortController();
    const running = runnerOf(grid, 300_000).start(join(root, 'b.svcbackup'), controller.signal);
    while (running.bytes() === 0) await Bun.sleep(5);
    controller.abort(new Error('cancelled'));
    expect(await failureOf(running.report)).toBe('cancelled');
    expect(readdirSync(root).filter((name) => name.startsWith('b.'))).toEqual([]);
    await entriesOf(grid).put('c', int(1), text('still writes'));
    await grid.close();
  });

  test('that is read slowly or left ends its process', async () => {
    await createFolder(20_000);
    const grid = await open(source);
    const running = runnerOf(grid).start(null, never);
    for await (const chunk of running.chunks) {
      expect(chunk.length).toBeGreaterThan(0);
      break;
    }
    expect(await failureOf(running.report)).not.toBe('no failure');
    await grid.close();
  });

  test('fails with the reason when the folder cannot be written', async () => {
    await createFolder(10);
    const grid = await open(source);
    const running = runnerOf(grid).start(join(root, 'missing', 'a.svcbackup'), never);
    expect(await failureOf(running.report)).toContain('ENOENT');
    await grid.close();
  });

  test('respects its rate', async () => {
    await createFolder(20_000);
    const grid = await open(source);
    const startMs = performance.now();
    const { restoredBytes } = await runnerOf(grid, 1_500_000).start(join(root, 'a.svcbackup'), never).report;
    const seconds = (performance.now() - startMs) / 1000;
    expect(seconds).toBeGreaterThan(restoredBytes / 1_500_000 - 0.05);
    await grid.close();
  });
});

describe('a verification finds', () => {
  function damage(sql: string, file = 'svc.db'): void {
    const database = new Database(join(source, file), { readwrite: true, create: false });
    database.run(sql);
    database.close(true);
  }

  const cases: ReadonlyArray<readonly [title: string, sql: string, expected: string]> = [
    ['a wrong count', 'UPDATE entry_counts SET entries = entries + 1 WHERE entries > 0', 'a count of 301'],
    ['a missing table', 'DROP TABLE e2', 'the cache c has no table'],
    ['a missing index', 'UPDATE e2 SET exp = 3000000000000 WHERE k = 7', 'has no index e2_exp'],
    ['a table without a cache', 'CREATE TABLE e99 (a)', 'the table e99 belongs to no cache'],
    [
      'a value of another type',
      'UPDATE e2 SET vt = 12 WHERE k = 7',
      'the cache c has a value that cannot be decoded [key=7]',
    ],
    ['a value of an unknown type', 'UPDATE e2 SET vt = 4711 WHERE k = 7', 'type 4711 has no name'],
    [
      'a key of another type',
      'UPDATE e2 SET kt = 14 WHERE k = 7',
      'the cache c has a key that cannot be decoded [key=7]',
    ],
    ['a newer schema', 'PRAGMA user_version = 9', 'schema version 9 is newer'],
  ];
  for (const [title, sql, expected] of cases) {
    test(title, async () => {
      await createFolder();
      expect(verifyFolder(source, log).violations).toEqual([]);
      damage(sql);
      expect(verifyFolder(source, log).violations.join('\n')).toContain(expected);
    });
  }

  test('an index that differs from its table, in the folder and in a backup of it', async () => {
    const grid = await open(source);
    await entriesOf(grid).put('default', int(1), text('expires'), 3_000_000_000_000n);
    const { table } = grid.thread.registry.require('default');
    await grid.close();
    const database = new Database(join(source, 'svc.db'), { readwrite: true, create: false });
    const [[rootPage] = []] = database.query(`SELECT rootpage FROM sqlite_schema WHERE name = '${table}_exp'`).values();
    database.close(true);
    const bytes = readFileSync(join(source, 'svc.db'));
    // The index entry is at the end of its page: the deadline, the key and its type.
    const at = Number(rootPage) * 4096 - 4;
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    writeFileSync(join(source, 'svc.db'), bytes);
    expect(verifyFolder(source, log).violations.join('\n')).toContain(`${table}_exp`);
    const options = { source: chunksOf(await ofFolder()), program: PROGRAM, log, temporaryFolder: root };
    const { found } = await verifyBackup(options);
    expect(found.violations.join('\n')).toContain(`${table}_exp`);
    expect(readdirSync(root).filter((name) => name.startsWith('svc-verify'))).toEqual([]);
  });

  test('a field that is not of its type', async () => {
    const fields = [{ name: 'since', type: { kind: 'scalar', type: 'timestamp' } }] as const;
    const caches = [{ name: 'c', entities: [{ keyType: 'integer', valueType: 'Person', fields }] }];
    const grid = await openEmbeddedGrid({ dataDir: source, clock, version: PROGRAM, caches });
    const value: Value = {
      type: 'object',
      typeName: 'Person',
      fields: [{ name: 'since', value: { type: 'timestamp', data: 1_000_000n } }],
    };
    await entriesOf(grid).put('c', int(7), value);
    const { table } = grid.thread.registry.require('c');
    await grid.close();
    expect(verifyFolder(source, log).violations).toEqual([]);
    damage(`UPDATE ${table} SET f1 = 'changed'`);
    expect(verifyFolder(source, log).violations.join('\n')).toContain(
      'the cache c has a field since that cannot be decoded [key=7]',
    );
  });

  test('a changed byte of a value in a backup, but not in a folder, which has no checksums', async () => {
    await createFolder(3);
    const damaged = await ofFolder();
    const middle = damaged.length >> 1;
    damaged[middle] = (damaged[middle] ?? 0) ^ 1;
    const options = { source: chunksOf(damaged), program: PROGRAM, log, temporaryFolder: root };
    expect(await failureOf(verifyBackup(options))).toContain('The backup is damaged or incomplete');
    const path = join(source, 'svc.db');
    const bytes = readFileSync(path);
    bytes.write('w', bytes.indexOf('value 1'));
    writeFileSync(path, bytes);
    expect(verifyFolder(source, log).violations).toEqual([]);
  });

  test('damaged pages', async () => {
    await createFolder(2_000);
    const bytes = readFileSync(join(source, 'svc.db'));
    let found = 0;
    const pages = bytes.length / 4096;
    for (let page = 1; page < pages; page++) {
      const damaged = Buffer.from(bytes);
      damaged.fill(0xa5, page * 4096, page * 4096 + 64);
      writeFileSync(join(source, 'svc.db'), damaged);
      if (verifyFolder(source, log).violations.length > 0) found++;
    }
    expect(found).toBe(pages - 1);
  });

  test('a file that is no database', async () => {
    await createFolder(1);
    writeFileSync(join(source, 'svc.db'), Buffer.alloc(8192, 1));
    expect(verifyFolder(source, log).violations.join()).toContain('not a database');
  });
});
