/**
 * Fills a disk with acknowledged changes until the service rejects more: nothing acknowledged is lost, removals work, a
 * kill changes nothing, and what was removed makes room for new data.
 */
import { Database } from 'bun:sqlite';
import { afterAll, expect, test } from 'bun:test';
import { rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mountLoopDisk } from './loop-disk.ts';
import { newFolder, queryOf, type ServiceProcess, startService } from './service-process.ts';
import { until } from './until.ts';

const MEBIBYTE = 1024 * 1024;
const ROW_BYTES = 4_000;
const KEPT_ROWS = 500;
const LEFT_MEBIBYTES = 2;
/** Time in which the service empties a log that is being read. */
const LOG_MS = 1_500;
/** Time in which written data reaches the disk. */
const UNMOUNT_MS = 60_000;

export interface FullDiskCase {
  readonly diskMebibytes: number;
  /** The free space when the service starts; absent for all. */
  readonly freeMebibytes?: number;
  /** Size of the first statement. Each one that is rejected is followed by one of half the size. */
  readonly statementMebibytes: number;
  readonly limitMs: number;
}

const sql = (statement: string) => queryOf({ cmd: 'qryfldexe', pageSize: 10, qry: statement });

async function errorOf(service: ServiceProcess, query: string): Promise<string | null> {
  return (await service.send(query)).error;
}

async function countOf(service: ServiceProcess, from: string): Promise<number> {
  const page = await service.command(sql(`SELECT COUNT(*) FROM ${from}`));
  const [[count]] = (page as { items: number[][] }).items as [[number]];
  return count;
}

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/**
 * Inserts rows by ever smaller statements until even a small one is rejected, after the log of the previous one has
 * been written back. Returns how many rows were acknowledged.
 */
async function fill(service: ServiceProcess, statementMebibytes: number): Promise<number> {
  let next = 1;
  for (let bytes = statementMebibytes * MEBIBYTE; bytes >= 16 * ROW_BYTES; ) {
    const rows = Math.floor(bytes / ROW_BYTES);
    const statement = `INSERT INTO L SELECT x, REPEAT('v', ${ROW_BYTES}) FROM SYSTEM_RANGE(${next}, ${next + rows - 1})`;
    const lastMs = performance.now() + LOG_MS;
    let error = await errorOf(service, sql(statement));
    while (error?.includes('almost full') === true && performance.now() < lastMs) {
      await Bun.sleep(50);
      error = await errorOf(service, sql(statement));
    }
    if (error === null) next += rows;
    else {
      expect(error).toContain('disk');
      expect(error).not.toContain('The disk is full');
      bytes /= 2;
    }
  }
  return next - 1;
}

/** Expects that the caller's rows and entries are there. */
async function expectKept(service: ServiceProcess, rows: number): Promise<void> {
  expect(await countOf(service, 'KEPT')).toBe(KEPT_ROWS);
  expect(await countOf(service, `KEPT WHERE v = REPEAT('k', 100)`)).toBe(KEPT_ROWS);
  expect(await service.command('cmd=get&key=kept')).toBe('1');
  expect(await countOf(service, 'L')).toBe(rows);
}

/** The log is written back, so that the data file has what was acknowledged. */
async function untilWrittenBack(dataDir: string): Promise<void> {
  await until('the log is short', () => statSync(join(dataDir, 'svc.db-wal')).size < 17 * MEBIBYTE);
}

const removals = (key: number) => [
  `cmd=rmv&key=p${key}`,
  sql(`DELETE FROM L WHERE id = ${key}`),
  sql(`DELETE FROM L WHERE id > ${key} AND id <= ${key + 3}`),
];

export function testFullDisk({ diskMebibytes, freeMebibytes, statementMebibytes, limitMs }: FullDiskCase): void {
  const parent = newFolder();
  const disk = mountLoopDisk(parent, diskMebibytes);
  const reason = 'missing' in disk ? ` (skipped: ${disk.missing})` : '';
  if (reason !== '') process.stderr.write(`A disk of ${diskMebibytes} MiB cannot be mounted${reason}\n`);

  afterAll(() => {
    if ('folder' in disk) disk.unmount();
    rmSync(parent, { recursive: true, force: true });
  }, UNMOUNT_MS);

  test.skipIf('missing' in disk)(
    `a disk of ${diskMebibytes} MiB is filled, and recovers by deletes`,
    async () => {
      const folder = 'folder' in disk ? disk.folder : '';
      const dataDir = join(folder, 'data');
      if (freeMebibytes !== undefined) {
        const filler = Buffer.alloc(MEBIBYTE, 1);
        while (freeBytes(folder) > freeMebibytes * MEBIBYTE) {
          writeFileSync(join(folder, 'filler'), filler, { flag: 'a' });
        }
      }
      // On a busy machine a large statement takes longer than the usual limit.
      const env = { SVC_ALLOW_UNAUTHENTICATED: 'true', SVC_QUERY_MAX_WRITE_LOCK_MS: '0' };
      let rows = 0;
      {
        await using service = await startService({ dataDir, env });
        for (const query of [
          sql('CREATE TABLE KEPT(id INT PRIMARY KEY, v VARCHAR)'),
          sql(`INSERT INTO KEPT SELECT x, REPEAT('k', 100) FROM SYSTEM_RANGE(1, ${KEPT_ROWS})`),
          sql('CREATE TABLE L(id INT PRIMARY KEY, v VARCHAR)'),
          'cmd=put&key=kept&val=1',
        ]) {
          expect([query, await errorOf(service, query)]).toEqual([query, null]);
        }
        rows = await fill(service, statementMebibytes);
        expect(rows).toBeGreaterThan(0);
        // The remaining space is too little for statements; changes by key use it up.
        const val = 'p'.repeat(100_000);
        let puts = 0;
        let error: string | null = null;
        for (; error === null && puts < 20_000; puts++) {
          const body = new URLSearchParams({ cmd: 'put', key: `p${puts}`, val });
          error = (await service.send('', { method: 'POST', body })).error;
        }
        expect(error).toContain('The disk is almost full');
        await untilWrittenBack(dataDir);
        expect(freeBytes(folder)).toBeGreaterThan(2 * MEBIBYTE);
        await expectKept(service, rows);
        for (const query of removals(1)) expect([query, await errorOf(service, query)]).toEqual([query, null]);
        rows -= 4;
        // Half of the rows, spread over all pages: possibly too much for the log, and then reported as such.
        const answer = await errorOf(service, sql('DELETE FROM L WHERE MOD(id, 2) = 0'));
        if (answer !== null) expect(answer).toContain('in parts');
        rows = await countOf(service, 'L');
        await service.kill();
      }
      {
        await using service = await startService({ dataDir, env });
        await expectKept(service, rows);
        // Others use the space that removals by a condition leave; freeing a whole table needs next to none.
        await until('nothing but a little is left', () => {
          // The service empties its log meanwhile.
          const bytes = freeBytes(folder) - LEFT_MEBIBYTES * MEBIBYTE;
          if (bytes > 0) writeFileSync(join(folder, 'others'), Buffer.alloc(bytes, 1), { flag: 'a' });
          return statSync(join(dataDir, 'svc.db-wal')).size < MEBIBYTE && bytes < MEBIBYTE;
        });
        for (const query of removals(11).slice(0, 2)) {
          expect([query, await errorOf(service, query)]).toEqual([query, null]);
        }
        expect(await errorOf(service, sql('DELETE FROM L'))).toBeNull();
        rmSync(join(folder, 'others'));
        expect(await countOf(service, 'L')).toBe(0);
        await until('changes are accepted', async () => (await errorOf(service, 'cmd=put&key=new&val=1')) === null);
        const again = await fill(service, 4);
        expect(again).toBeGreaterThan((4 * MEBIBYTE) / ROW_BYTES);
        expect(await errorOf(service, sql('DROP TABLE L'))).toBeNull();
        await until('changes are accepted', async () => (await errorOf(service, 'cmd=put&key=new&val=1')) === null);
        expect(await errorOf(service, 'cmd=clear&cacheName=default')).toBeNull();
        expect(await errorOf(service, 'cmd=put&key=new&val=1')).toBeNull();
        expect(await countOf(service, 'KEPT')).toBe(KEPT_ROWS);
        expect(await service.stop()).toBe(0);
      }
      using database = new Database(join(dataDir, 'svc.db'), { readonly: true });
      expect(database.query('PRAGMA integrity_check').values()).toEqual([['ok']]);
    },
    limitMs,
  );
}
