/** The page at 1 GiB, which SQLite locks and never stores: shipped, grown over, restored here and by Litestream. */
import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { litestream } from '../../../../../test/litestream.ts';
import { systemClock } from '../../../../base/clock.ts';
import { FolderDestination } from './folder-destination.ts';
import { writeDatabase } from './restore-objects.ts';
import { planRestore } from './restore-plan.ts';
import { Shipper } from './shipper.ts';
import { SourceDatabase } from './source-database.ts';

const LARGE_BYTES = 50_000_000;

test('a database grows over the page at 1 GiB, in an object and in a snapshot', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-lock-page-'));
  const target = join(folder, 'target');
  try {
    const path = join(folder, 'a.db');
    const writer = new Database(path, { create: true });
    for (const pragma of ['page_size = 65536', 'journal_mode = WAL', 'wal_autocheckpoint = 0']) {
      writer.run(`PRAGMA ${pragma}`);
    }
    writer.run('CREATE TABLE settings (name, value); CREATE TABLE t (id INTEGER PRIMARY KEY, bytes)');
    const insert = (from: number, count: number): void => {
      for (let id = from; id < from + count; id++)
        writer.run('INSERT INTO t VALUES (?, zeroblob(?))', [id, LARGE_BYTES]);
    };
    const destination = new FolderDestination(target);
    const ownership = await destination.acquire({ database: '', host: 'h', processId: 1, folder });
    const source = new SourceDatabase(path);
    const begin = async (): Promise<Shipper> => {
      const shipper = new Shipper({ source, destination, epoch: 1n, clock: systemClock, bytesPerSecond: 0 });
      await shipper.start();
      return shipper;
    };
    insert(1, 21);
    const first = await begin();
    insert(22, 2);
    await first.ship();
    // A snapshot beyond the page, and an object after it.
    source.release();
    writer.query('PRAGMA wal_checkpoint(TRUNCATE)').get();
    writer.run('DELETE FROM t WHERE id = 3');
    writer.query('PRAGMA wal_checkpoint(TRUNCATE)').get();
    const second = await begin();
    expect(second.last.position).toBe(4n);
    writer.run('UPDATE t SET id = 100 WHERE id = 1');
    await second.ship();
    const expected = new Map([
      [2n, 23],
      [5n, 22],
    ]);
    for (const [position, rows] of expected) {
      const file = join(folder, 'restored.db');
      const descriptor = openSync(file, 'w+');
      await writeDatabase(
        destination,
        await planRestore(destination, await destination.objects(), { position }),
        descriptor,
      );
      closeSync(descriptor);
      check(file, rows);
    }
    const program = litestream();
    if (program !== undefined) {
      const file = join(folder, 'litestream.db');
      expect(Bun.spawnSync([program, 'restore', '-o', file, `file://${target}`]).exitCode).toBe(0);
      check(file, 22);
    }
    ownership.release();
    writer.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 600_000);

function check(file: string, rows: number): void {
  const database = new Database(file);
  expect(database.query('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  expect(database.query('SELECT count(*) AS n, min(length(bytes)) AS bytes FROM t').get()).toEqual({
    n: rows,
    bytes: LARGE_BYTES,
  });
  database.close();
  rmSync(file);
}
