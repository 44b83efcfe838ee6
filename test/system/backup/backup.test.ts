/** Backups of a running service under load: consistent, complete, cancelled, killed, restored and verified. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import product from '../../../package.json' with { type: 'json' };
import { runSvcProcess } from '../cli/cli-process.ts';
import { allowedMs } from '../machine.ts';
import { newFolder, queryOf, type ServiceProcess, StartFailure, startService } from '../service-process.ts';
import { until } from '../until.ts';

const CONFIG = ['--config', join(import.meta.dir, '../../fixtures/data-folders/fixture.config.ts')];
const PAIRS = 20;
/** The constant sum of the two entries of a pair, and of the two counters in a statement. */
const SUM = 1_000;

let root = '';

beforeAll(() => {
  root = newFolder();
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

function svc(...args: readonly string[]) {
  return runSvcProcess(args, { cwd: root });
}

function start(dataDir: string, env: Readonly<Record<string, string>> = {}): Promise<ServiceProcess> {
  return startService({ dataDir, args: CONFIG, env });
}

/** Sends changes over real sockets until it is stopped, and records what was acknowledged. */
class Writers {
  readonly #service: ServiceProcess;
  readonly #done: Promise<unknown>;
  #stopped = false;
  /** The last number that each sequence has acknowledged. */
  readonly acknowledged: number[] = [];
  changes = 0;

  constructor(service: ServiceProcess, clients: number) {
    this.#service = service;
    const transfers = Array.from({ length: clients }, (_, at) => this.#transfer(at));
    const sequences = Array.from({ length: 2 }, (_, at) => this.#sequence(at));
    this.#done = Promise.all([...transfers, ...sequences, this.#rows()]);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#done;
  }

  /** Moves amounts between the entries of pairs, both in one commit. */
  async #transfer(client: number): Promise<void> {
    for (let at = 0; !this.#stopped; at++) {
      const pair = (client * 7 + at) % PAIRS;
      const amount = (at * 37 + client) % SUM;
      await this.#service.command(
        `cmd=putall&cacheName=typed&k1=left${pair}&v1=${amount}&k2=right${pair}&v2=${SUM - amount}`,
      );
      this.changes++;
    }
  }

  /** Writes a growing number to the data file, then to the file of a non-persistent region. */
  async #sequence(number: number): Promise<void> {
    for (let at = 1; !this.#stopped; at++) {
      await this.#service.command(`cmd=put&cacheName=typed&key=sequence${number}&val=${at}`);
      await this.#service.command(`cmd=put&cacheName=volatile&key=sequence${number}&val=${at}`);
      this.acknowledged[number] = at;
      this.changes += 2;
    }
  }

  /** Moves an amount between rows by statements that run in a statement process. */
  async #rows(): Promise<void> {
    for (let at = 0; !this.#stopped; at++) {
      const qry = `UPDATE account SET amount = CASE WHEN id = 1 THEN ${at % SUM} ELSE ${SUM - (at % SUM)} END`;
      await this.#service.command(queryOf({ cmd: 'qryfldexe', pageSize: 1, qry }));
      this.changes++;
    }
  }
}

async function prepare(service: ServiceProcess): Promise<void> {
  await service.command('cmd=getorcreate&cacheName=typed');
  for (let pair = 0; pair < PAIRS; pair++) {
    await service.command(`cmd=putall&cacheName=typed&k1=left${pair}&v1=0&k2=right${pair}&v2=${SUM}`);
  }
  for (const qry of [
    'CREATE TABLE account (id INT PRIMARY KEY, amount INT)',
    'CREATE INDEX by_amount ON account (amount)',
    `INSERT INTO account VALUES (1, 0), (2, ${SUM})`,
  ]) {
    await service.command(queryOf({ cmd: 'qryfldexe', pageSize: 1, qry }));
  }
}

/** Stores entries of some megabytes, which do not compress. */
async function fill(service: ServiceProcess, count: number): Promise<void> {
  await service.command('cmd=getorcreate&cacheName=filler');
  for (let start = 0; start < count; start += 200) {
    const body = new URLSearchParams({ cmd: 'putall', cacheName: 'filler' });
    for (let at = 1; at <= 200; at++) {
      body.set(`k${at}`, `f${start + at}`);
      body.set(`v${at}`, Buffer.from(crypto.getRandomValues(new Uint8Array(1_500))).toString('base64'));
    }
    expect((await service.send('', { method: 'POST', body })).error).toBeNull();
  }
}

async function number(service: ServiceProcess, query: string): Promise<number> {
  return Number(await service.command(query));
}

/** Checks that the service contains a consistent state that is at least as new as the given numbers. */
async function checkConsistent(service: ServiceProcess, acknowledged: readonly number[]): Promise<void> {
  for (let pair = 0; pair < PAIRS; pair++) {
    const left = await number(service, `cmd=get&cacheName=typed&key=left${pair}`);
    const right = await number(service, `cmd=get&cacheName=typed&key=right${pair}`);
    expect([pair, left + right]).toEqual([pair, SUM]);
  }
  const qry = 'SELECT sum(amount), count(*) FROM account';
  const page = await service.command(queryOf({ cmd: 'qryfldexe', pageSize: 10, qry }));
  expect((page as { items: unknown }).items).toEqual([[SUM, 2]]);
  for (const [at, least] of acknowledged.entries()) {
    const persistent = await number(service, `cmd=get&cacheName=typed&key=sequence${at}`);
    const volatile = await number(service, `cmd=get&cacheName=volatile&key=sequence${at}`);
    expect(volatile).toBeGreaterThanOrEqual(least);
    // The number goes to the data file first, and the files are copied at different times.
    expect([0, 1]).toContain(persistent - volatile);
  }
}

/** Returns the processes that copy backups of a service. */
function copiersOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        const parent = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${name}/status`, 'utf8'))?.[1];
        return Number(parent) === pid && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes('--backup-process');
      } catch {
        return false;
      }
    })
    .map(Number);
}

interface Status {
  readonly running: { readonly name: string | null; readonly bytes: number } | null;
  readonly lastFailure: { readonly error: string } | null;
  readonly backups: ReadonlyArray<{ readonly name: string; readonly bytes: number }>;
}

const statusOf = async (service: ServiceProcess) => (await service.command('cmd=backups')) as Status;

describe('a backup under load', () => {
  for (const [workers, checked] of [
    ['1', ['a', 'b', 'c']],
    ['2', ['c']],
  ] as const) {
    test(`is one point in time of all regions, with every acknowledged write, with ${workers} HTTP threads`, async () => {
      const folder = join(root, `load-${workers}`);
      const dataDir = join(folder, 'data');
      const stored = join(folder, 'backups');
      const acknowledged: number[][] = [];
      {
        await using service = await start(dataDir, {
          SVC_WORKERS: workers,
          SVC_BACKUP_FOLDER: stored,
          // Slow enough for commits, checkpoints and statements during each copy.
          SVC_BACKUP_BYTES_PER_SECOND: '15000000',
        });
        await prepare(service);
        await fill(service, 2_000);
        const writers = new Writers(service, 8);
        await Bun.sleep(300);
        for (const name of ['a', 'b']) {
          acknowledged.push([...writers.acknowledged]);
          const before = writers.changes;
          const report = (await service.command(`cmd=backup&name=${name}`)) as Readonly<Record<string, unknown>>;
          expect(report).toMatchObject({ name: `${name}.svcbackup`, complete: true, program: product.version });
          expect(report.regions).toEqual([
            { name: 'default', persistent: true },
            { name: 'memory', persistent: false },
            { name: 'bounded', persistent: true },
          ]);
          expect(statSync(join(stored, `${name}.svcbackup`)).size).toBe(Number(report.bytes));
          // The writers continued meanwhile.
          expect(writers.changes - before).toBeGreaterThan(20);
        }
        acknowledged.push([...writers.acknowledged]);
        const streamed = await svc('backup', '--url', service.url, '--to', join(stored, 'c.svcbackup'), '--json');
        expect([streamed.exitCode, streamed.errors]).toEqual([0, '']);
        await writers.stop();
        await until('no process is left', () => copiersOf(service.pid).length === 0);
      }
      for (const [at, name] of ['a', 'b', 'c'].entries()) {
        if (!checked.some((each) => each === name)) continue;
        const file = join(stored, `${name}.svcbackup`);
        const restored = join(folder, `restored-${name}`);
        const verified = await svc('verify', file);
        expect([verified.exitCode, verified.errors]).toEqual([0, '']);
        expect((await svc('restore', file, '--to', restored)).exitCode).toBe(0);
        await using service = await start(restored);
        await checkConsistent(service, acknowledged[at] ?? []);
        expect(await service.command('cmd=size&cacheName=filler')).toBe(2_000);
      }
    }, 60_000);
  }
});

describe('an interrupted backup', () => {
  const slow = { SVC_BACKUP_BYTES_PER_SECOND: '1000000' };

  test('ends when the client leaves, and the next one works', async () => {
    await using service = await start(join(root, 'left'), { ...slow, SVC_BACKUP_FOLDER: join(root, 'left-backups') });
    await fill(service, 1_000);
    const leaving = new AbortController();
    const answer = await fetch(`${service.url}?cmd=backup&stream=true`, { signal: leaving.signal });
    expect(answer.headers.get('content-type')).toBe('application/octet-stream');
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="backup-[\w-]+\.svcbackup"$/);
    await answer.body?.getReader().read();
    expect((await service.send('cmd=backup')).error).toContain('A backup is already running');
    expect(copiersOf(service.pid).length).toBe(1);
    leaving.abort();
    await until('the stream has ended', async () => (await statusOf(service)).running === null);
    await until('the process that copies has ended', () => copiersOf(service.pid).length === 0);

    const second = new AbortController();
    const waiting = fetch(`${service.url}?cmd=backup&name=left`, { signal: second.signal }).catch(() => undefined);
    await until('the backup writes', async () => ((await statusOf(service)).running?.bytes ?? 0) > 0);
    second.abort();
    await waiting;
    await until('the backup has ended', async () => (await statusOf(service)).running === null);
    const { lastFailure, backups } = await statusOf(service);
    expect(lastFailure?.error).toContain('the client disconnected');
    expect(backups).toEqual([]);
    expect(readdirSync(join(root, 'left-backups'))).toEqual([]);

    await service.command('cmd=backup&name=kept&wait=false');
    await until('the backup is complete', async () => (await statusOf(service)).backups.length === 1);
    expect((await service.send('cmd=backup&name=kept')).error).toContain('is in use');
    expect((await svc('verify', join(root, 'left-backups', 'kept.svcbackup'))).exitCode).toBe(0);
  }, 30_000);

  test('of a killed service leaves nothing that can be restored, and its folder opens', async () => {
    const dataDir = join(root, 'killed');
    const folder = join(root, 'killed-backups');
    const service = await start(dataDir, { ...slow, SVC_BACKUP_FOLDER: folder });
    await fill(service, 1_000);
    await service.command('cmd=backup&name=cut&wait=false');
    const partial = join(folder, 'cut.svcbackup.partial');
    await until('the backup writes', () => existsSync(partial) && statSync(partial).size > 300_000);
    const [copier = 0] = copiersOf(service.pid);
    expect(copier).toBeGreaterThan(0);
    await service.kill();
    await until('the process that copies has ended', () => !existsSync(`/proc/${copier}/cmdline`));
    // It was the last one to use the files, but it must not write the log back at its low priority.
    expect(statSync(join(dataDir, 'svc.db-wal')).size).toBeGreaterThan(0);
    expect(readdirSync(folder)).toEqual(['cut.svcbackup.partial']);
    expect((await svc('verify', partial)).errors).toContain('damaged or incomplete');
    const target = join(root, 'killed-target');
    expect(await svc('restore', partial, '--to', target)).toMatchObject({
      exitCode: 1,
      errors: expect.stringContaining('\nUse another backup: svc verify FILE checks whether one is sound.\n'),
    });
    expect(existsSync(target)).toBe(false);
    {
      await using again = await start(dataDir, { SVC_BACKUP_FOLDER: folder });
      expect(await again.command('cmd=size&cacheName=filler')).toBe(1_000);
      await again.command('cmd=backup&name=cut');
      expect((await statusOf(again)).backups.map(({ name }) => name)).toEqual(['cut.svcbackup']);
    }
    expect((await svc('verify', join(folder, 'cut.svcbackup'))).exitCode).toBe(0);
  }, 30_000);

  test('ends with its service within the time of a stop', async () => {
    const service = await start(join(root, 'stopped'), { ...slow, SVC_BACKUP_FOLDER: join(root, 'stopped-backups') });
    await fill(service, 1_000);
    const waiting = service.send('cmd=backup').catch(() => undefined);
    await until('the backup writes', async () => ((await statusOf(service)).running?.bytes ?? 0) > 0);
    const startMs = performance.now();
    expect(await service.stop()).toBe(0);
    expect(performance.now() - startMs).toBeLessThan(allowedMs(5_000));
    expect((await waiting)?.error ?? 'The service is stopping').toContain('stopping');
    expect(readdirSync(join(root, 'stopped-backups'))).toEqual([]);
  }, 30_000);
});

test('a killed restore leaves a folder that no service opens until the restore is repeated', async () => {
  const dataDir = join(root, 'source');
  const backup = join(root, 'source.svcbackup');
  {
    await using service = await start(dataDir);
    await fill(service, 2_000);
    expect((await svc('backup', '--url', service.url, '--to', backup)).exitCode).toBe(0);
  }
  const target = join(root, 'restored');
  const bytes = readFileSync(backup);
  const program = [
    join(import.meta.dir, '../../../node_modules/.bin/bun'),
    join(import.meta.dir, '../../../src/main.ts'),
  ];
  for (const part of [0.02, 0.5, 0.99]) {
    const child = Bun.spawn([...program, 'restore', '-', '--to', target], {
      cwd: root,
      stdin: 'pipe',
      stdout: 'ignore',
      stderr: 'ignore',
    });
    child.stdin.write(bytes.subarray(0, bytes.length * part));
    await child.stdin.flush();
    await until('the restore has begun', () => existsSync(join(target, 'svc.db.restoring')));
    await Bun.sleep(100 * part);
    child.kill('SIGKILL');
    await child.exited;
    expect(existsSync(join(target, 'svc.db'))).toBe(false);
    const failure = await start(target).then(
      () => 'the service started',
      (error: unknown) => (error instanceof StartFailure ? error.output : String(error)),
    );
    expect(failure).toContain('A restore to this folder was interrupted: run svc restore with it again');
    expect((await svc('verify', target)).errors).toContain('was interrupted');
  }
  expect((await svc('restore', backup, '--to', target)).exitCode).toBe(0);
  await using service = await start(target);
  expect(await service.command('cmd=size&cacheName=filler')).toBe(2_000);
}, 30_000);

test('scheduled backups begin at the start, go on after a restart, and old ones are removed', async () => {
  const dataDir = join(root, 'scheduled');
  const folder = join(root, 'scheduled-backups');
  const env = { SVC_BACKUP_FOLDER: folder, SVC_BACKUP_INTERVAL_MS: '300', SVC_BACKUP_KEEP: '2' };
  const names = (): string[] => (existsSync(folder) ? readdirSync(folder).filter((name) => !/partial/.test(name)) : []);
  const seen = new Set<string>();
  const more = (count: number) =>
    until('further backups', () => {
      for (const name of names()) seen.add(name);
      return seen.size >= count;
    });
  {
    await using service = await start(dataDir, env);
    await service.command('cmd=put&key=a&val=b');
    // Rejected while a scheduled one runs.
    await until('a backup on request', () =>
      service.command('cmd=backup&name=kept').then(
        () => true,
        () => false,
      ),
    );
    await more(4);
    expect(await (await fetch(`${service.origin}/metrics`)).text()).toMatch(
      /svc_backups_total\{outcome="completed"\} [3-9]/,
    );
  }
  const before = seen.size;
  {
    await using service = await start(dataDir, env);
    await more(before + 2);
    // None is stated while one runs.
    await until('the time of the next backup', async () => {
      const { nextAt } = (await service.command('cmd=backups')) as { nextAt: string | null };
      return nextAt?.startsWith('20') === true;
    });
    await until('only the latest are kept', () => names().length <= 3);
  }
  expect(names()).toContain('kept.svcbackup');
  const [, latest = ''] = names().sort();
  expect(latest).toMatch(/^scheduled-/);
  expect((await svc('verify', join(folder, latest))).exitCode).toBe(0);
}, 30_000);

test('a backup is rejected with the reason', async () => {
  const folder = join(root, 'rejected-backups');
  await using service = await start(join(root, 'rejected'), { SVC_BACKUP_FOLDER: folder });
  const cases: ReadonlyArray<readonly [query: string, expected: string]> = [
    ['cmd=backup&name=../a', 'must consist of letters, digits, dots, dashes and underscores [name=../a]'],
    ['cmd=backup&name=.a', 'must consist of letters'],
    ['cmd=backup&name=scheduled-1', 'must not begin with scheduled-'],
    [`cmd=backup&name=${'a'.repeat(200)}`, 'at most 128 characters'],
    ['cmd=backup&stream=1', 'Boolean type [stream=1]'],
  ];
  for (const [query, expected] of cases) expect((await service.send(query)).error).toContain(expected);
  expect(existsSync(folder)).toBe(false);
  await using bare = await start(join(root, 'bare'), { SVC_STORAGE_MIN_FREE_BYTES: String(2 ** 50) });
  expect((await bare.send('cmd=backup')).error).toContain('No backup folder is configured: set backup.folder');
  expect((await bare.send('cmd=backup&stream=true')).error).toContain('The disk is almost full, so no backup was made');
  writeFileSync(join(root, 'file'), '');
  await using wrong = await start(join(root, 'wrong'), { SVC_BACKUP_FOLDER: join(root, 'file', 'x') });
  expect((await wrong.send('cmd=backup')).error).toMatch(/The backup failed: E[A-Z]+: /);
}, 30_000);
