/**
 * A deposed primary is killed, or its power is cut, at each file operation while it returns to the shipped data. From
 * the data then on the disk, it must reach the new primary's data, the count of losses, and the saved data.
 */
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../src/base/clock.ts';
import { readCopyState, writeCopyState } from '../../../src/engines/embedded/backup/continuous/failover/copy-state.ts';
import { FolderDestination } from '../../../src/engines/embedded/backup/continuous/folder-destination.ts';
import { Shipper } from '../../../src/engines/embedded/backup/continuous/shipper.ts';
import { SourceDatabase } from '../../../src/engines/embedded/backup/continuous/source-database.ts';
import { DATA_FILE } from '../../../src/engines/embedded/storage/data-folder.ts';
import { Random } from '../../simulation/random.ts';
import { BUN } from '../../system/program.ts';
import { JournaledFolder, readDisk, writeDisk } from '../crash/disk.ts';
import { followAll } from './rewind-follower.ts';
import { CUT_CODE, ROOT_JOURNAL } from './rewind-process.ts';

const LIMIT_MS = 600_000;
const LOST = 3;
const DEPOSED = 'deposed';
/** Each one, if there is time. */
const STEP = Number(process.env.SVC_TEST_REWIND_STEP ?? 4);
const seed = Number(process.env.SVC_TEST_SEED ?? 20_261);
let root = '';

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'svc-rewind-'));
  mkdirSync(join(root, 'primary'));
  const writer = new Database(join(root, 'a.db'), { create: true });
  for (const pragma of ['journal_mode = WAL', 'wal_autocheckpoint = 0']) writer.run(`PRAGMA ${pragma}`);
  writer.run(
    'CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT); CREATE TABLE t (id INTEGER PRIMARY KEY, text)',
  );
  writer.run("INSERT INTO settings VALUES ('consistentId', 'one')");
  const source = new SourceDatabase(join(root, 'a.db'));
  const destination = new FolderDestination(join(root, 'destination'));
  const ownership = await destination.acquire({ database: 'one', host: 'h', processId: 1, folder: root });
  const primary = new Shipper({
    ...{ source, destination, epoch: ownership.epoch, clock: systemClock, bytesPerSecond: 0, isFailover: true },
  });
  const insert = (id: number) => writer.run('INSERT OR REPLACE INTO t VALUES (?, ?)', [id % 6, `${id} `.repeat(900)]);
  await primary.start();
  for (let id = 0; id < 8; id++) {
    insert(id);
    await primary.ship();
  }
  cpSync(join(root, 'a.db'), join(root, 'shipped.db'));
  cpSync(join(root, 'a.db-wal'), join(root, 'shipped.db-wal'));
  for (let id = 0; id < LOST; id++) writer.run('INSERT INTO t (text) VALUES (?)', [`lost ${id}`.repeat(500)]);
  for (const end of ['', '-wal']) cpSync(join(root, `a.db${end}`), join(root, 'primary', DATA_FILE + end));
  writeCopyState(join(root, 'primary'), { database: 'one', sealed: Number(ownership.epoch) });
  source.release();
  ownership.release();
  writer.close();
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

function rowsOf(path: string): unknown {
  const database = new Database(path, { readwrite: true, create: false });
  const rows = database.query('SELECT id, text FROM t ORDER BY id').all();
  expect(database.query('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  database.close();
  return rows;
}

/** Lets a process follow in a copy of the primary's folder, up to an operation; returns its exit code and output. */
async function follow(folder: string, endsAt: number): Promise<readonly [number, string]> {
  cpSync(join(root, 'primary'), folder, { recursive: true });
  const journals = `${folder}-journals`;
  mkdirSync(journals);
  const plan = { folder, destination: join(root, 'destination'), journals, endsAt };
  const child = Bun.spawn([BUN, join(import.meta.dir, 'rewind-process.ts'), JSON.stringify(plan)], {
    stderr: 'inherit',
  });
  return [await child.exited, await new Response(child.stdout).text()];
}

/** Replaces a folder with possible contents of its disk after a power cut. */
function cutPower(folder: string, random: Random): void {
  const counts = { unsynced: 0, dropped: 0, torn: 0, reordered: 0 };
  const journal = (name: string): Buffer => {
    const path = join(`${folder}-journals`, name);
    return existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  };
  const disk = new Map(new JournaledFolder(readDisk(join(root, 'primary')), journal(ROOT_JOURNAL)).cut(random, counts));
  const hasDeposed = disk.delete(DEPOSED);
  writeDisk(folder, disk);
  if (hasDeposed)
    writeDisk(join(folder, DEPOSED), new JournaledFolder(new Map(), journal(DEPOSED)).cut(random, counts));
}

test.each(['is killed', 'loses its power'])(
  `a deposed primary that %s on its way back has the shipped data, a count of the rest and a copy (seed ${seed})`,
  async (how) => {
    const random = new Random(seed);
    const [code, output] = await follow(join(root, `${how} never`), 0);
    const operations = Number(output);
    expect([code, operations > 20]).toEqual([0, true]);
    const shipped = rowsOf(join(root, 'shipped.db'));
    for (let at = 1 + random.below(STEP); at <= operations; at += STEP) {
      const folder = join(root, `${how} ${at}`);
      expect((await follow(folder, at))[0]).toBe(CUT_CODE);
      if (how !== 'is killed') cutPower(folder, random);
      const { copies } = await followAll(folder, join(root, 'destination'));
      const { lost } = readCopyState(folder);
      expect([at, copies, lost?.commits]).toEqual([at, 0, LOST]);
      expect(rowsOf(join(folder, DATA_FILE))).toEqual(shipped);
      const kept = rowsOf(join(folder, DEPOSED, DATA_FILE));
      expect(JSON.stringify(kept)).toContain(`lost ${LOST - 1}`);
      rmSync(folder, { recursive: true });
    }
  },
  LIMIT_MS,
);
