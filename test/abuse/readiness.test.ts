/** Whatever makes writes fail, the service reports that it is not ready, and still that it is alive. */
import { expect, test } from 'bun:test';
import { closeSync, mkdirSync, openSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, queryOf, type ServiceProcess, startService } from '../system/service-process.ts';

const LIMIT_MS = 60_000;
const PAGE_BYTES = 4_096;
const sql = (qry: string) => queryOf({ cmd: 'qryfldexe', pageSize: 1, qry });

/** A way to make writes fail, and to end the failure if possible. */
interface Failure {
  readonly title: string;
  /** Mount options of a small disk for the data folder; undefined for any folder. */
  readonly disk?: string;
  /** `tell` records what happened, for the error of a test that waits in vain. */
  begin(service: ServiceProcess, folder: string, tell: (text: string) => void): void | Promise<void>;
  /** Undefined if only a restore helps. */
  readonly end?: (service: ServiceProcess, folder: string) => void | Promise<void>;
}

const FAILURES: readonly Failure[] = [
  {
    title: 'damaged inner pages',
    begin({ dataDir }) {
      // Written by this process, so that the locks of the service's SQLite are unaffected.
      const path = join(dataDir, 'svc.db');
      const file = openSync(path, 'r+');
      const { size } = statSync(path);
      for (let at = 16 * PAGE_BYTES; at < size; at += PAGE_BYTES) writeSync(file, Buffer.alloc(64, 0xee), 0, 64, at);
      closeSync(file);
    },
  },
  {
    title: 'a full disk',
    disk: 'size=48m',
    begin(_, folder) {
      try {
        writeFileSync(join(folder, 'filler'), new Uint8Array(48 * 1024 * 1024));
      } catch {
        // The file has used up the remaining space.
      }
    },
    end: (_, folder) => rmSync(join(folder, 'filler')),
  },
  {
    title: 'a change that holds the write lock',
    begin(service, _, tell) {
      const update = sql('UPDATE T SET v = (SELECT COUNT(*) FROM SYSTEM_RANGE(1, 100000000000))');
      void service.send(update).then(
        ({ error }) => tell(`the change ended: ${error}`),
        (error: unknown) => tell(`the change had no answer: ${error}`),
      );
    },
    // The change ends by query.maxWriteLockMs.
    end: () => Bun.sleep(100),
  },
];

async function untilReady(service: ServiceProcess, isReady: boolean, told: readonly string[] = []): Promise<void> {
  const deadlineMs = performance.now() + 20_000;
  while ((await fetch(`${service.origin}/health/ready`)).ok !== isReady) {
    if (performance.now() > deadlineMs) {
      throw new Error([`/health/ready is still ${isReady ? 'down' : 'up'}`, ...told].join('; '));
    }
    // A new entry takes space, whereas changes of existing ones continue in the log even on a full disk. Not awaited:
    // it may have to wait for the write lock.
    const query = `cmd=put&key=new${performance.now()}&val=${'v'.repeat(2_000)}`;
    void service.send(query).catch(() => {});
    await Bun.sleep(50);
  }
}

const isRoot = process.platform === 'linux' && process.getuid?.() === 0;

for (const failure of FAILURES) {
  test.skipIf(failure.disk !== undefined && !isRoot)(
    `${failure.title}: not ready, alive, and reads are answered`,
    async () => {
      const folder = newFolder();
      const disk = join(folder, 'disk');
      mkdirSync(disk);
      const isMounted =
        failure.disk !== undefined &&
        Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', failure.disk, 'tmpfs', disk]).success;
      try {
        const dataDir = join(disk, 'data');
        {
          await using before = await startService({ dataDir });
          const value = 'v'.repeat(1_000);
          for (let key = 0; key < 300; key++) await before.command(`cmd=put&key=k${key}&val=${value}`);
          await before.command(sql('CREATE TABLE T(id INT PRIMARY KEY, v BIGINT)'));
          await before.command(sql('INSERT INTO T VALUES(1, 1)'));
        }
        await using service = await startService({
          dataDir,
          env: { SVC_STORAGE_MIN_FREE_BYTES: '0', SVC_QUERY_MAX_WRITE_LOCK_MS: '10000' },
        });
        await untilReady(service, true);
        const told: string[] = [];
        await failure.begin(service, disk, (text) => told.push(text));
        const writes = Array.from({ length: 300 }, (_, key) => service.send(`cmd=put&key=k${key}&val=x`));
        await untilReady(service, false, told);
        expect((await fetch(`${service.origin}/health/live`)).status).toBe(200);
        expect((await service.send('cmd=version')).successStatus).toBe(0);
        if (failure.end === undefined) {
          await Bun.sleep(1_500);
          expect((await fetch(`${service.origin}/health/ready`)).status).toBe(503);
        } else {
          await failure.end(service, disk);
          await untilReady(service, true);
          expect(await service.command('cmd=put&key=k1&val=y')).toBe(true);
        }
        await Promise.allSettled(writes);
      } finally {
        if (isMounted) Bun.spawnSync(['umount', disk]);
        rmSync(folder, { recursive: true, force: true });
      }
    },
    LIMIT_MS,
  );
}
