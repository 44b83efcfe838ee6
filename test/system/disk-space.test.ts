/** A disk that is almost full: the service rejects what adds data, says so, and recovers by itself. */
import { afterAll, expect, test } from 'bun:test';
import { mkdirSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, queryOf, type ServiceProcess, StartFailure, startService } from './service-process.ts';
import { until } from './until.ts';

const folder = newFolder();
const MEBIBYTE = 1024 * 1024;
const LIMIT_MS = 120_000;

/** Mounts a small disk; returns undefined where that is not possible (another system, no rights). */
function mountSmallDisk(name: string, mebibytes: number): string | undefined {
  const disk = join(folder, name);
  mkdirSync(disk);
  if (process.platform !== 'linux') return undefined;
  const mounted = Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', disk]);
  return mounted.success ? disk : undefined;
}

const disk = mountSmallDisk('disk', 16);
/** Large enough for a log that is written back. */
const largeDisk = mountSmallDisk('large-disk', 160);
const fullDisk = mountSmallDisk('full-disk', 2);

afterAll(() => {
  for (const mounted of [disk, largeDisk, fullDisk]) if (mounted !== undefined) Bun.spawnSync(['umount', mounted]);
  rmSync(folder, { recursive: true, force: true });
});

const sql = (statement: string) => queryOf({ cmd: 'qryfldexe', pageSize: 10, qry: statement });

/** Commands that add data, and commands that must work on a full disk. */
const ADDING = [
  'cmd=put&key=a&val=2',
  'cmd=put&key=new&val=1',
  'cmd=putall&k1=a&v1=2&k2=b&v2=2',
  'cmd=getorcreate&cacheName=new',
  'cmd=incr&key=unknown&delta=1',
  'cmd=adduser&user=ann&password=secret',
  sql("INSERT INTO T VALUES(3, 'c')"),
  sql("MERGE INTO T VALUES(1, 'c')"),
  sql("UPDATE T SET v = 'c' WHERE id = 1"),
  sql("UPDATE T SET v = 'c'"),
  sql('CREATE INDEX I ON T(v)'),
  sql('CREATE TABLE U(id INT PRIMARY KEY, v VARCHAR)'),
];
const POSSIBLE = [
  'cmd=get&key=a',
  'cmd=incr&key=known&delta=1',
  'cmd=rmv&key=a',
  'cmd=rmvall&k1=b',
  sql('SELECT * FROM T'),
  sql('DELETE FROM T WHERE id = 1'),
  sql("DELETE FROM T WHERE v = 'b'"),
  sql('DROP TABLE T'),
  'cmd=clear&cacheName=old',
  'cmd=destcache&cacheName=old',
];

async function untilReady(service: ServiceProcess, isReady: boolean): Promise<void> {
  const deadlineMs = performance.now() + 30_000;
  while ((await fetch(`${service.origin}/health/ready`)).ok !== isReady) {
    if (performance.now() > deadlineMs) throw new Error(`/health/ready is still ${isReady ? 'down' : 'up'}`);
    await Bun.sleep(100);
  }
}

/** Rows, half of which, spread over all pages, fill the write-ahead log beyond the size at which it is written back. */
const LARGE_ROWS = 80_000;
const LOG_LIMIT_BYTES = 16 * MEBIBYTE;

test.skipIf(largeDisk === undefined)(
  'deletes large amounts, writes the log back and makes backups while the disk is almost full',
  async () => {
    const parent = largeDisk ?? '';
    const backups = join(folder, 'backups');
    await using service = await startService({
      dataDir: join(parent, 'data'),
      env: { SVC_STORAGE_MIN_FREE_BYTES: String(60 * MEBIBYTE), SVC_BACKUP_FOLDER: backups },
    });
    const run = async (query: string) => (await service.send(query)).error;
    expect(await run(sql('CREATE TABLE L(id INT PRIMARY KEY, v VARCHAR)'))).toBeNull();
    const rows = `SELECT x, REPEAT('v', 200) FROM SYSTEM_RANGE(1, ${LARGE_ROWS})`;
    expect(await run(sql(`INSERT INTO L ${rows}`))).toBeNull();
    expect(await run('cmd=incr&key=known&delta=1')).toBeNull();
    // The log is checkpointed during other work, and needs the space of the rows once more.
    const isWrittenBack = () => statSync(join(parent, 'data/svc.db')).size > LARGE_ROWS * 200;
    await until('the rows are in the data file', isWrittenBack);
    const { bavail, bsize } = statfsSync(parent);
    writeFileSync(join(parent, 'filler'), new Uint8Array(bavail * bsize - 30 * MEBIBYTE));
    await untilReady(service, false);
    expect(await run(sql("INSERT INTO L VALUES(0, 'c')"))).toContain('The disk is almost full');
    expect(await run(sql('DELETE FROM L WHERE MOD(id, 2) = 0'))).toBeNull();
    const log = join(parent, 'data/svc.db-wal');
    await until('the log is small', async () => {
      // The writer looks at the size of the log every few commits.
      expect(await run('cmd=incr&key=known&delta=1')).toBeNull();
      return statSync(log).size < LOG_LIMIT_BYTES;
    });
    expect(await service.command('cmd=backup&name=low')).toMatchObject({ complete: true });
    expect(statSync(join(backups, 'low.svcbackup')).size).toBeGreaterThan(0);
    rmSync(join(parent, 'filler'));
    await untilReady(service, true);
  },
  LIMIT_MS,
);

test.skipIf(disk === undefined)(
  'rejects changes that add data, allows the others and recovers when there is room',
  async () => {
    const parent = disk ?? '';
    await using service = await startService({
      dataDir: join(parent, 'data'),
      env: {
        SVC_AUTHENTICATION: 'true',
        SVC_ADMIN_PASSWORD: 'svc',
        SVC_STORAGE_MIN_FREE_BYTES: String(6 * MEBIBYTE),
      },
    });
    const login = 'svc.login=svc&svc.password=svc';
    const { sessionToken } = await service.send(`cmd=authenticate&${login}`);
    const run = (query: string) => service.send(`${query}&sessionToken=${sessionToken}`);
    for (const query of [
      'cmd=put&key=a&val=1',
      'cmd=put&key=b&val=1',
      'cmd=incr&key=known&delta=1',
      'cmd=getorcreate&cacheName=old',
      sql('CREATE TABLE T(id INT PRIMARY KEY, v VARCHAR)'),
      sql("INSERT INTO T VALUES(1, 'a'), (2, 'b')"),
    ]) {
      expect([query, (await run(query)).error]).toEqual([query, null]);
    }
    const filler = join(parent, 'filler');
    writeFileSync(filler, new Uint8Array(11 * MEBIBYTE));
    await untilReady(service, false);
    for (const query of ADDING) {
      expect([query, (await run(query)).error]).toEqual([query, expect.stringContaining('The disk is almost full')]);
    }
    expect((await service.send(`cmd=authenticate&${login}`)).successStatus).toBe(0);
    for (const query of POSSIBLE) expect([query, (await run(query)).error]).toEqual([query, null]);
    rmSync(filler);
    await untilReady(service, true);
    expect((await run('cmd=put&key=a&val=2')).response).toBe(true);
    const log = await Bun.file(join(parent, 'data/log/svc.log')).text();
    expect(log).toContain('The disk is almost full');
    expect(log).toContain('The disk has room again');
  },
  LIMIT_MS,
);

test.skipIf(fullDisk === undefined)('a start on a full disk fails, and says why', async () => {
  const parent = fullDisk ?? '';
  const dataDir = join(parent, 'data');
  await (await startService({ dataDir })).stop();
  const { bavail, bsize } = statfsSync(parent);
  writeFileSync(join(parent, 'filler'), new Uint8Array(bavail * bsize));
  const failure = await startService({ dataDir }).catch((error: unknown) => error);
  const output = failure instanceof StartFailure ? failure.output : '';
  expect(output).toContain(`The disk of the data folder is full: free some space on it [dataDir=${dataDir}]\n`);
});
