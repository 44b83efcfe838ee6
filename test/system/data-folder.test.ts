/** Data folders that are in use, full, read-only or corrupt: no acknowledged write is lost, and errors are clear. */
import { describe, expect, test } from 'bun:test';
import { chmodSync, closeSync, openSync, readdirSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { newFolder, type ServiceProcess, StartFailure, startService } from './service-process.ts';
import { until } from './until.ts';

async function failureOf(start: Promise<unknown>): Promise<StartFailure> {
  try {
    await start;
  } catch (error) {
    if (error instanceof StartFailure) return error;
    throw error;
  }
  throw new Error('The service started.');
}

/** A folder with a small file system, mounted in the process's own namespace. */
const SMALL_DISK = ['unshare', '-rm', 'sh', '-c', 'mount -t tmpfs -o size=6m tmpfs "$SVC_DATA_DIR" && exec "$@"', 'sh'];
const canMount =
  process.platform === 'linux' &&
  Bun.spawnSync(['unshare', '-rm', 'sh', '-c', 'd=$(mktemp -d); mount -t tmpfs tmpfs $d; s=$?; exit $s'], {
    stdout: 'ignore',
    stderr: 'ignore',
  }).exitCode === 0;
if (!canMount) process.stdout.write('skipped: a full disk needs unshare and the right to mount in a name space\n');
/** File modes do not restrict root. */
const isRoot = process.getuid?.() === 0;
const AS_NOBODY = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];

test('a second process cannot use the folder, and the first keeps running', async () => {
  await using first = await startService();
  await first.command('cmd=put&key=a&val=1');
  const failure = await failureOf(startService({ dataDir: first.dataDir }));
  expect(failure.exitCode).not.toBe(0);
  expect(failure.output).toContain(first.dataDir);
  expect(failure.output).toMatch(/in use|locked|another/i);
  expect(await first.command('cmd=get&key=a')).toBe('1');
});

test('a second process cannot use the folder without its lock.db, either', async () => {
  await using first = await startService();
  await first.command('cmd=put&key=a&val=1');
  rmSync(join(first.dataDir, 'lock.db'));
  const failure = await failureOf(startService({ dataDir: first.dataDir }));
  expect(failure.exitCode).not.toBe(0);
  expect(failure.output).toMatch(/in use/i);
  expect(await first.command('cmd=get&key=a')).toBe('1');
}, 30_000);

test('a folder can be used immediately after kill -9', async () => {
  const dataDir = newFolder();
  try {
    const first = await startService({ dataDir });
    await first.command('cmd=put&key=a&val=1');
    await first.kill();
    await using second = await startService({ dataDir });
    expect(await second.command('cmd=get&key=a')).toBe('1');
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});

async function readyCode({ origin }: ServiceProcess): Promise<number> {
  return (await fetch(`${origin}/health/ready`)).status;
}

test('a service whose files were removed rejects changes and is not ready, until they are back', async () => {
  await using service = await startService();
  await service.command('cmd=put&key=a&val=1');
  for (const name of ['svc.db', 'svc.db-wal', 'svc.db-shm', 'lock.db', 'processes.db']) {
    const [path, away] = [join(service.dataDir, name), join(service.dataDir, `${name}-away`)];
    await rename(path, away);
    await until(`${name} is missed`, async () => (await readyCode(service)) === 503);
    expect([name, (await service.send('cmd=put&key=a&val=2')).error]).toEqual([
      name,
      expect.stringContaining('removed, moved or replaced'),
    ]);
    expect([name, await service.command('cmd=get&key=a')]).toEqual([name, '1']);
    await rename(away, path);
    await until(`${name} is back`, async () => (await readyCode(service)) === 200);
  }
  expect(await service.command('cmd=put&key=a&val=3')).toBe(true);
}, 60_000);

describe.skipIf(!canMount)('a full disk', () => {
  test('rejects writes with the reason, serves reads, and recovers once there is space', async () => {
    await using service = await startService({ under: SMALL_DISK });
    const inside = join(`/proc/${service.pid}/root`, service.dataDir);
    await service.command('cmd=put&key=first&val=kept');
    await service.command('cmd=incr&key=count&delta=1');
    const ballast = join(inside, 'ballast');
    fill(ballast);

    const value = 'x'.repeat(20_000);
    const acknowledged: string[] = ['first'];
    const texts = new Set<string>();
    for (let i = 0; i < 400; i++) {
      const body = new URLSearchParams({ cmd: 'put', key: `k${i}`, val: value });
      const answer = await service.send('', { method: 'POST', body });
      if (answer.successStatus === 0) acknowledged.push(`k${i}`);
      else texts.add(answer.error ?? '');
    }
    // On a slow machine, the regular check may find the reserve used up before a write fails.
    expect([...texts].join()).toMatch(/The disk is (?:almost )?full/);
    expect(await readyCode(service)).toBe(503);
    expect(await service.command('cmd=get&key=first')).toBe('kept');
    const fitting = new URLSearchParams({ cmd: 'put', key: 'status', val: value, httpStatus: 'true' });
    expect((await service.send('', { method: 'POST', body: fitting })).http).toBe(503);

    rmSync(ballast);
    await Bun.sleep(1_100);
    expect(await readyCode(service)).toBe(200);
    expect(await service.command('cmd=put&key=after&val=1')).toBe(true);
    expect(await service.command('cmd=incr&key=count&delta=1')).toBe(2);
    for (const key of acknowledged) expect(await service.command(`cmd=conkey&key=${key}`)).toBe(true);
    expect(await service.command('cmd=conkey&key=k399')).toBe(acknowledged.includes('k399'));
  }, 60_000);

  test('responds to concurrent writes and stores none of the rejected ones', async () => {
    await using service = await startService({ under: SMALL_DISK });
    await service.command('cmd=put&key=first&val=kept');
    fill(join(`/proc/${service.pid}/root`, service.dataDir, 'ballast'));
    const value = 'x'.repeat(5_000);
    const answers = await Promise.all(
      Array.from({ length: 600 }, (_, i) =>
        service.send('', { method: 'POST', body: new URLSearchParams({ cmd: 'put', key: `k${i}`, val: value }) }),
      ),
    );
    expect(answers.some(({ successStatus }) => successStatus !== 0)).toBe(true);
    rmSync(join(`/proc/${service.pid}/root`, service.dataDir, 'ballast'));
    for (const [i, { successStatus }] of answers.entries()) {
      expect(await service.command(`cmd=conkey&key=k${i}`)).toBe(successStatus === 0);
    }
  }, 60_000);
});

/** Fills the file system with a file. */
function fill(path: string): void {
  const file = openSync(path, 'w');
  for (const size of [65_536, 4_096]) {
    try {
      for (;;) writeSync(file, Buffer.alloc(size));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }
  closeSync(file);
}

test('a read-only folder fails the start with the reason', async () => {
  const dataDir = newFolder();
  try {
    chmodSync(dataDir, 0o555);
    const under = isRoot ? AS_NOBODY : [];
    const failure = await failureOf(startService({ dataDir, under }));
    expect(failure.exitCode).not.toBe(0);
    expect(failure.output).toContain(dataDir);
    expect(failure.output).toMatch(/cannot be written|not writable|permission/i);
  } finally {
    chmodSync(dataDir, 0o755);
    rmSync(dataDir, { recursive: true, force: true });
  }
});

function modesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => `${path.slice(folder.length + 1)} ${(statSync(path).mode & 0o777).toString(8)}`);
}

test('all files in the data folder are private regardless of umask and earlier modes', async () => {
  const dataDir = newFolder();
  const under = ['sh', '-c', 'umask 0; exec "$@"', 'sh'];
  try {
    for (const run of ['new', 'tightened']) {
      await using service = await startService({ dataDir, under });
      await service.command('cmd=put&key=a&val=1');
      expect([run, (statSync(dataDir).mode & 0o777).toString(8)]).toEqual([run, '700']);
      const modes = modesIn(dataDir);
      expect(modes.length).toBeGreaterThan(4);
      expect(modes.filter((each) => !/ 600$/.test(each) && each !== 'log 700')).toEqual([]);
      await service.kill();
      chmodSync(dataDir, 0o777);
      for (const each of modes) chmodSync(join(dataDir, each.replace(/ \d+$/, '')), 0o666);
      chmodSync(join(dataDir, 'log'), 0o700);
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}, 30_000);

test.skipIf(!isRoot)('a world-writable folder of another user fails the start and says what to do', async () => {
  const dataDir = newFolder();
  try {
    chmodSync(dataDir, 0o777);
    const failure = await failureOf(startService({ dataDir, under: AS_NOBODY }));
    expect(failure.exitCode).toBe(1);
    expect(failure.output).toContain(`All users can change ${dataDir}: run "chmod 0700 ${dataDir}" as its owner`);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});

test('a file in place of the folder fails the start with the reason', async () => {
  const parent = newFolder();
  try {
    const dataDir = join(parent, 'data');
    writeFileSync(dataDir, 'a file');
    const failure = await failureOf(startService({ dataDir }));
    expect(failure.exitCode).not.toBe(0);
    expect(failure.output).toContain(dataDir);
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
});

/** Returns the largest database file of a data folder. */
function dataFileOf(dataDir: string): string {
  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.db'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort((a, b) => statSync(b).size - statSync(a).size);
  const [first] = files;
  if (first === undefined) throw new Error(`There is no database file in ${dataDir}.`);
  return first;
}

test('an invalid data file fails the start and is not changed', async () => {
  const dataDir = newFolder();
  try {
    const before = await startService({ dataDir });
    await before.command('cmd=put&key=a&val=1');
    await before.stop();
    const path = dataFileOf(dataDir);
    const file = openSync(path, 'r+');
    writeSync(file, Buffer.alloc(4_096, 'x'), 0, 4_096, 0);
    closeSync(file);
    const size = statSync(path).size;
    const failure = await failureOf(startService({ dataDir }));
    expect(failure.exitCode).not.toBe(0);
    expect(failure.output).toMatch(/damaged|corrupt|not a database/i);
    expect(statSync(path).size).toBe(size);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});

test('a service whose writes hit corruption is not ready', async () => {
  const dataDir = newFolder();
  try {
    const before = await startService({ dataDir });
    const value = 'v'.repeat(1_000);
    for (let i = 0; i < 300; i++) await before.command(`cmd=put&key=k${i}&val=${value}`);
    await before.stop();
    const path = dataFileOf(dataDir);
    await using service = await startService({ dataDir });
    expect(await readyCode(service)).toBe(200);
    const { size } = statSync(path);
    damage(path, 65_536, size);
    const answers = await Promise.all(Array.from({ length: 300 }, (_, i) => service.send(`cmd=put&key=k${i}&val=x`)));
    expect(answers.some(({ error }) => error?.includes('The data file is damaged') === true)).toBe(true);
    expect(await readyCode(service)).toBe(503);
    await Bun.sleep(1_500);
    expect(await readyCode(service)).toBe(503);
    expect((await fetch(`${service.origin}/health/live`)).status).toBe(200);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}, 30_000);

/** Overwrites every page header from another process, so that this process's SQLite locks are unaffected. */
function damage(path: string, from: number, to: number): void {
  const file = openSync(path, 'r+');
  for (let at = from; at < to; at += 4_096) writeSync(file, Buffer.alloc(64, 0xee), 0, 64, at);
  closeSync(file);
}

test('corruption inside the data file is reported at the start or by requests, never returned as data', async () => {
  const dataDir = newFolder();
  try {
    const before = await startService({ dataDir });
    const value = 'v'.repeat(1_000);
    for (let i = 0; i < 300; i++) await before.command(`cmd=put&key=k${i}&val=${value}`);
    await before.stop();
    const path = dataFileOf(dataDir);
    const { size } = statSync(path);
    const file = openSync(path, 'r+');
    // Every page after the first ones gets an invalid header.
    for (let at = 16_384; at < size; at += 4_096) writeSync(file, Buffer.alloc(64, 0xee), 0, 64, at);
    closeSync(file);
    try {
      await using service = await startService({ dataDir });
      const answers = await Promise.all(Array.from({ length: 300 }, (_, i) => service.send(`cmd=get&key=k${i}`)));
      const wrong = answers.filter(({ successStatus, response }) => successStatus === 0 && response !== value);
      expect(wrong).toEqual([]);
      expect(answers.some(({ error }) => error?.includes('damaged') === true)).toBe(true);
      expect((await service.send('cmd=probe')).successStatus).toBe(0);
    } catch (error) {
      if (!(error instanceof StartFailure)) throw error;
      expect(error.output).toMatch(/damaged|corrupt|malformed/i);
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}, 30_000);
