/** The continuous backup of a running service: kills under load, long logs, outages of the destination, two owners. */
import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { logBytesTo, stateAtRest } from '../../../src/engines/embedded/backup/write-ahead-log.ts';
import { litestream } from '../../litestream.ts';
import { runSvcProcess } from '../cli/cli-process.ts';
import { newFolder, type ServiceProcess, startService } from '../service-process.ts';
import { until } from '../until.ts';

const MEBIBYTE = 1024 * 1024;

let root = '';
let destination = '';
let url = '';
let dataDir = '';

beforeEach(() => {
  root = newFolder();
  destination = join(root, 'destination');
  url = `file://${destination}`;
  dataDir = join(root, 'data');
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

function start(env: Readonly<Record<string, string>> = {}, folder = dataDir): Promise<ServiceProcess> {
  return startService({
    dataDir: folder,
    env: { SVC_BACKUP_CONTINUOUS_URL: url, SVC_BACKUP_CONTINUOUS_INTERVAL_MS: '200', SVC_WORKERS: '1', ...env },
  });
}

/** Returns how much of the log of a running service has yet to be written back. */
function usedLogBytes(folder: string): number {
  const index = openSync(join(folder, 'svc.db-shm'), 'r');
  try {
    const state = stateAtRest(index);
    return state.frames === state.framesInFile ? 0 : logBytesTo(state.frames, state.pageBytes);
  } finally {
    closeSync(index);
  }
}

interface Continuous {
  readonly state: string;
  readonly reason: string | null;
  readonly position: string | null;
  readonly behindBytes: number;
  readonly behindMs: number;
  readonly reportAgeMs: number;
}

async function statusOf(service: ServiceProcess): Promise<Continuous> {
  const { continuous } = (await service.command('cmd=backups')) as { readonly continuous: Continuous };
  return continuous;
}

interface RestoreChecks {
  readonly verifiedAt: string | null;
  readonly last: { readonly outcome: string; readonly reason: string | null; readonly position: string | null } | null;
}

async function checkOf(service: ServiceProcess): Promise<RestoreChecks> {
  const { continuous } = (await service.command('cmd=backups')) as {
    readonly continuous: { readonly restoreCheck: RestoreChecks };
  };
  return continuous.restoreCheck;
}

async function metric(service: ServiceProcess, name: string): Promise<number> {
  const text = await (await fetch(`${service.origin}/metrics`)).text();
  return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1]);
}

async function untilShipped(service: ServiceProcess): Promise<void> {
  // The first reading may predate the last commit.
  await Bun.sleep(300);
  await until('everything is shipped', async () => {
    const { state, behindBytes } = await statusOf(service);
    return state === 'shipping' && behindBytes === 0;
  });
}

function put(service: ServiceProcess, key: string, value: string): Promise<unknown> {
  return service.command(new URLSearchParams({ cmd: 'put', key, val: value }).toString());
}

/** Stores values of a mebibyte until this many have passed through the log. */
async function putMebibytes(service: ServiceProcess, count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    const body = new URLSearchParams({ cmd: 'put', key: `big${at % 8}`, val: `${at}`.padEnd(MEBIBYTE, `${at}-`) });
    const answer = await service.send('', { method: 'POST', body });
    expect(answer.error).toBeNull();
  }
}

function restore(...args: readonly string[]) {
  return runSvcProcess(['restore', '--from', url, ...args], { cwd: root });
}

/** Restores, and returns the entries with these keys. */
async function restored(keys: readonly string[], ...args: readonly string[]): Promise<unknown> {
  const folder = join(root, 'restored');
  const { output, errors } = await restore('--to', folder, '--replace', ...args);
  expect(errors).toBe('');
  expect(JSON.parse(output)).toMatchObject({ sound: true, checksums: true });
  await using service = await startService({ dataDir: folder, env: { SVC_WORKERS: '1' } });
  const query = keys.map((key, at) => `k${at + 1}=${key}`).join('&');
  return await service.command(`cmd=getall&${query}`);
}

/** Returns the beginning of the change feed's positions. */
function feedIdOf(folder: string): string | undefined {
  const database = new Database(join(folder, 'svc.db'), { readonly: true });
  const row = database.query<{ id: string }, []>('SELECT id FROM feed_file').get();
  database.close();
  return row?.id;
}

function shippingProcessOf(service: ServiceProcess): number {
  const children = Bun.spawnSync(['pgrep', '-P', String(service.pid), '-f', 'shipping-process']);
  return Number(children.stdout.toString().trim());
}

/** Returns a hash of each object and each other file in the folders of objects. */
function contentsOf(folder: string): Readonly<Record<string, string>> {
  const files = readdirSync(join(folder, 'ltx'), { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    files.flatMap((file) => {
      const path = join(file.parentPath, file.name);
      return file.isFile() ? [[path, String(Bun.hash(readFileSync(path)))]] : [];
    }),
  );
}

function logOf(folder: string): string {
  return readdirSync(join(folder, 'log'))
    .map((name) => readFileSync(join(folder, 'log', name), 'utf8'))
    .join('');
}

test('a log that was shipped gives its space back while the disk is almost full', async () => {
  const logBytes = () => statSync(join(dataDir, 'svc.db-wal')).size;
  const first = await start();
  await putMebibytes(first, 6);
  await untilShipped(first);
  expect(logBytes()).toBeGreaterThan(4 * MEBIBYTE);
  await first.kill();
  await using second = await start({ SVC_STORAGE_MIN_FREE_BYTES: `${2 ** 50}` });
  await until('the log is short', () => logBytes() < MEBIBYTE);
  expect((await second.send('cmd=put&key=a&val=1')).error).toContain('The disk is almost full');
}, 30_000);

test('a young store keeps its users when its log is damaged after a kill', async () => {
  const env = { SVC_AUTHENTICATION: 'true', SVC_ADMIN_PASSWORD: 'a password' };
  const first = await start(env);
  await until('the log is written back', () => usedLogBytes(dataDir) === 0);
  await first.command('cmd=put&key=later&val=1&svc.login=svc&svc.password=a%20password');
  await first.kill();
  const path = join(dataDir, 'svc.db-wal');
  const bytes = readFileSync(path);
  bytes[60] = (bytes[60] ?? 0) ^ 1;
  writeFileSync(path, bytes);
  // A new store would use the password of this start.
  await using second = await start({ ...env, SVC_ADMIN_PASSWORD: 'another password' });
  const login = (password: string) =>
    second.send(new URLSearchParams({ cmd: 'authenticate', user: 'svc', password }).toString());
  expect((await login('another password')).successStatus).not.toBe(0);
  expect((await login('a password')).successStatus).toBe(0);
}, 30_000);

test('a killed service is restored from the destination alone, and goes on after a restart', async () => {
  let acknowledged = 0;
  let acknowledgedEarlier = 0;
  let earlier = '';
  for (let round = 0; round < 3; round++) {
    const service = await start();
    const last = acknowledged;
    const endMs = performance.now() + 2_500;
    const shippedMs = performance.now() + 1_000;
    while (performance.now() < endMs) {
      // Both in one commit: a restored state must not have only one of them.
      await service.command(`cmd=putall&k1=a&v1=${acknowledged + 1}&k2=b&v2=${acknowledged + 1}`);
      acknowledged++;
      if (performance.now() < shippedMs) acknowledgedEarlier = acknowledged;
    }
    await service.kill();
    expect(acknowledged).toBeGreaterThan(last);
    const { a, b } = (await restored(['a', 'b'])) as { readonly a: string; readonly b: string };
    expect(a).toBe(b);
    expect(Number(a)).toBeGreaterThanOrEqual(acknowledgedEarlier);
    expect(Number(a)).toBeLessThanOrEqual(acknowledged + 1);
    if (round === 0) earlier = a;
  }
  // Only the first start created a snapshot: the later ones continued.
  expect(readdirSync(join(destination, 'ltx/9'))).toEqual(['0000000000000001-0000000000000001.ltx']);
  expect(logOf(dataDir)).toContain('Continuous backup continues at position');
  const program = litestream();
  if (program === undefined) return;
  const file = join(root, 'litestream.db');
  const run = Bun.spawnSync([program, 'restore', '-integrity-check', 'full', '-o', file, url]);
  expect(run.exitCode).toBe(0);
  expect(earlier).not.toBe('');
}, 120_000);

test('a clean stop ships everything, and a point in time or a position can be restored', async () => {
  const service = await start();
  await put(service, 'key', 'first');
  await untilShipped(service);
  const { position } = await statusOf(service);
  const at = new Date().toISOString();
  await Bun.sleep(5);
  await put(service, 'key', 'second');
  expect(await service.stop()).toBe(0);
  expect(existsSync(join(dataDir, 'svc.db-wal'))).toBe(false);
  expect(await restored(['key'])).toEqual({ key: 'second' });
  expect(await restored(['key'], '--at', at)).toEqual({ key: 'first' });
  expect(await restored(['key'], '--at-position', position ?? '')).toEqual({ key: 'first' });
  const list = await restore('--list');
  expect(JSON.parse(list.output)).toMatchObject({ ranges: [{ firstPosition: '0000000000000001' }] });
  await using again = await start();
  await untilShipped(again);
  await put(again, 'key', 'third');
  await untilShipped(again);
  expect(await restored(['key'])).toEqual({ key: 'third' });
  expect(readdirSync(join(destination, 'ltx/9'))).toHaveLength(1);
  const missing = await restore('--to', join(root, 'none'), '--at', '2001-01-01T00:00:00Z');
  expect(missing.errors).toContain('2001-01-01T00:00:00.000Z is not among the points from');
  expect(existsSync(join(root, 'none'))).toBe(false);
  const future = await restore('--to', join(root, 'future'), '--at', '2999-01-01T00:00:00Z');
  const { shippedAt } = JSON.parse(future.output);
  expect(future.errors).toBe(
    `svc: 2999-01-01T00:00:00.000Z (--at) is in the future: restored the newest state, of ${shippedAt}\n`,
  );
}, 60_000);

test('a place without a continuous backup is named', async () => {
  const { errors } = await runSvcProcess(['restore', '--from', `${url}/none`, '--to', join(root, 'none')], {
    cwd: root,
  });
  expect(errors).toBe(`svc: Nothing can be restored: ${url}/none has no continuous backup\n`);
});

test('a restored store begins a new epoch of the change feed, and starts anew in the same destination', async () => {
  const service = await start();
  await untilShipped(service);
  await put(service, 'key', 'first');
  await service.stop();
  const before = readdirSync(join(destination, 'ltx/0'));
  const folder = join(root, 'restored');
  await restore('--to', folder);
  await using second = await start({}, folder);
  await until('it begins with a snapshot', () => logOf(folder).includes('Continuous backup began with a snapshot'));
  expect(logOf(folder)).toContain('the data is not what the objects lead to');
  expect(readdirSync(join(destination, 'ltx/0'))).toEqual(expect.arrayContaining(before));
  expect(await second.command('cmd=get&key=key')).toBe('first');
  await second.stop();
  expect(feedIdOf(folder)).not.toBe(feedIdOf(dataDir));
}, 60_000);

test('a log that has grown long starts over once it is shipped, and keeps its length', async () => {
  await using service = await start();
  const beginMs = performance.now();
  await putMebibytes(service, 80);
  // Each object ships what was committed before it, however much follows.
  expect((await statusOf(service)).behindMs).toBeLessThan((performance.now() - beginMs) / 2);
  const lengthBytes = statSync(join(dataDir, 'svc.db-wal')).size;
  await until('the log starts over', () => usedLogBytes(dataDir) < 32 * MEBIBYTE);
  await put(service, 'key', 'after');
  expect(usedLogBytes(dataDir)).toBeLessThan(32 * MEBIBYTE);
  // Truncating it would take long, and changes would wait for it.
  expect(statSync(join(dataDir, 'svc.db-wal')).size).toBeGreaterThanOrEqual(lengthBytes);
  await untilShipped(service);
  expect(readdirSync(join(destination, 'ltx/9'))).toHaveLength(1);
  expect(await restored(['key'])).toEqual({ key: 'after' });
}, 120_000);

test('while the destination is away nothing fails, and what was missed follows', async () => {
  await using service = await start();
  await put(service, 'key', 'before');
  await untilShipped(service);
  renameSync(destination, `${destination}.away`);
  await put(service, 'key', 'during');
  await until('it waits', async () => (await statusOf(service)).state === 'waiting');
  expect((await statusOf(service)).reason).toContain('lock.db is missing');
  const ready = async (query: string): Promise<number> =>
    (await fetch(`${service.origin}/health/ready${query}`)).status;
  await until('it is not ready', async () => (await ready('?backup=true')) === 503);
  expect(await ready('')).toBe(200);
  await putMebibytes(service, 70);
  expect(statSync(join(dataDir, 'svc.db-wal')).size).toBeGreaterThan(64 * MEBIBYTE);
  renameSync(`${destination}.away`, destination);
  await until('it ships', async () => (await statusOf(service)).state === 'shipping', 60_000);
  await until('it is ready', async () => (await ready('?backup=true')) === 200);
  await untilShipped(service);
  expect(readdirSync(join(destination, 'ltx/9'))).toHaveLength(1);
  expect(await restored(['key'])).toEqual({ key: 'during' });
}, 120_000);

test('a log that passes its bound is emptied, and the backup starts anew with a snapshot', async () => {
  await using service = await start({ SVC_BACKUP_MAX_LOG_BYTES: String(64 * MEBIBYTE) });
  await put(service, 'key', 'before');
  await untilShipped(service);
  renameSync(destination, `${destination}.away`);
  // Otherwise, a process that is restarted meanwhile would create the folder, and find it replaced.
  writeFileSync(destination, '');
  await put(service, 'key', 'during');
  await putMebibytes(service, 80);
  await until('the log is emptied', () => statSync(join(dataDir, 'svc.db-wal')).size < 32 * MEBIBYTE);
  expect(logOf(dataDir)).toContain('The log is about to pass backup.maxLogBytes');
  rmSync(destination);
  renameSync(`${destination}.away`, destination);
  await until('it starts anew', () => readdirSync(join(destination, 'ltx/9')).length === 2, 60_000);
  await untilShipped(service);
  expect(await restored(['key'])).toEqual({ key: 'during' });
}, 120_000);

test('a second owner, another database and foreign objects are rejected, and nothing is overwritten', async () => {
  await using first = await start();
  await put(first, 'key', 'first');
  await untilShipped(first);
  const other = join(root, 'other');
  {
    await using second = await start({}, other);
    await until('it waits', async () => (await statusOf(second)).state === 'waiting');
    const { reason } = await statusOf(second);
    expect(reason).toContain(`belongs to process ${first.pid} on `);
    expect(reason).toContain(`data folder ${dataDir}`);
  }
  await first.stop();
  {
    await using second = await start({}, other);
    await until('it has stopped', async () => (await statusOf(second)).state === 'stopped');
    expect((await statusOf(second)).reason).toContain('has objects of another database');
    await putMebibytes(second, 70);
    await until('its log starts over', () => usedLogBytes(other) < 32 * MEBIBYTE);
  }
  expect(await restored(['key'])).toEqual({ key: 'first' });
  rmSync(destination, { recursive: true, force: true });
  mkdirSync(join(destination, 'ltx/0'), { recursive: true });
  writeFileSync(join(destination, 'ltx/0/0000000000000001-0000000000000001.ltx'), 'foreign');
  await using third = await start();
  await until('it has stopped', async () => (await statusOf(third)).state === 'stopped');
  expect((await statusOf(third)).reason).toContain('has objects that svc has not written');
}, 120_000);

test('an owner whose destination was replaced stops', async () => {
  await using service = await start();
  await untilShipped(service);
  renameSync(destination, `${destination}.away`);
  mkdirSync(destination);
  writeFileSync(join(destination, 'lock.db'), '');
  await put(service, 'key', 'value');
  await until('it has stopped', async () => (await statusOf(service)).state === 'stopped');
  expect((await statusOf(service)).reason).toContain('was replaced, so another service may ship there');
  expect(existsSync(join(destination, 'ltx'))).toBe(false);
}, 60_000);

test('a stale owner that comes back after another one took over stops, and overwrites nothing', async () => {
  await using first = await start();
  await put(first, 'key', 'first');
  await untilShipped(first);
  const other = join(root, 'other');
  expect((await restore('--to', other)).exitCode).toBe(0);
  const shipping = shippingProcessOf(first);
  process.kill(shipping, 'SIGSTOP');
  try {
    // It appears to be dead, but while it is suspended it still has the lock.
    rmSync(join(destination, 'lock.db'));
    await using second = await start({}, other);
    await untilShipped(second);
    await put(second, 'key', 'second');
    await untilShipped(second);
    expect(logOf(other)).toContain(`taken the destination over from process ${first.pid} on`);
    const before = contentsOf(destination);
    await put(first, 'key', 'stale');
    process.kill(shipping, 'SIGCONT');
    await until('it has stopped', async () => (await statusOf(first)).state === 'stopped');
    expect((await statusOf(first)).reason).toContain('was replaced, so another service may ship there');
    expect(contentsOf(destination)).toMatchObject(before);
  } finally {
    process.kill(shipping, 'SIGCONT');
  }
  expect(await restored(['key'])).toEqual({ key: 'second' });
}, 60_000);

test('a damaged object is reported by a restore, nothing is written, and foreign files stay', async () => {
  const service = await start();
  await put(service, 'key', 'first');
  await untilShipped(service);
  const { position } = await statusOf(service);
  await put(service, 'key', 'second');
  await service.stop();
  const objects = join(destination, 'ltx/0');
  writeFileSync(join(objects, 'notes.txt'), 'foreign');
  // A folder lists its files in no order.
  const names = readdirSync(objects).sort();
  const name = names.findLast((each) => each.endsWith('.ltx')) ?? '';
  const bytes = readFileSync(join(objects, name));
  const { mtime } = statSync(join(objects, name));
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
  writeFileSync(join(objects, name), bytes);
  utimesSync(join(objects, name), mtime, mtime);
  const before = contentsOf(destination);
  const { exitCode, errors } = await restore('--to', join(root, 'none'));
  expect(exitCode).not.toBe(0);
  expect(errors).toContain('The backup is damaged or incomplete');
  expect(errors).toContain(`${name.slice(0, 16)}-`);
  expect(existsSync(join(root, 'none'))).toBe(false);
  expect(await restored(['key'], '--at-position', position ?? '')).toEqual({ key: 'first' });
  expect(contentsOf(destination)).toEqual(before);
  // The service starts over after it, and leaves unknown files alone.
  await using again = await start();
  await untilShipped(again);
  expect(logOf(dataDir)).toContain('the last object is damaged');
  expect(readFileSync(join(objects, 'notes.txt'), 'utf8')).toBe('foreign');
  expect(readFileSync(join(objects, name)).equals(bytes)).toBe(true);
  expect(await restored(['key'])).toEqual({ key: 'second' });
}, 60_000);

test('its process is started again, and goes on', async () => {
  await using service = await start();
  await untilShipped(service);
  process.kill(shippingProcessOf(service), 'SIGKILL');
  await put(service, 'key', 'value');
  await until('it ships again', () => logOf(dataDir).includes('Continuous backup continues at position'));
  await untilShipped(service);
  expect(readdirSync(join(destination, 'ltx/9'))).toHaveLength(1);
  expect(await restored(['key'])).toEqual({ key: 'value' });
}, 60_000);

test('a process that hangs is a failure, until it goes on', async () => {
  await using service = await start();
  await put(service, 'key', 'value');
  await untilShipped(service);
  const ready = async () => (await fetch(`${service.origin}/health/ready?backup=true`)).status;
  await until('it is ready', async () => (await ready()) === 200);
  const hung = shippingProcessOf(service);
  process.kill(hung, 'SIGSTOP');
  try {
    // Changes continue.
    await put(service, 'key', 'second');
    await until('it is not ready', async () => (await ready()) === 503, 30_000);
    const status = await statusOf(service);
    expect(status).toMatchObject({ state: 'waiting', reason: expect.stringContaining('has not reported since') });
    expect(status.behindMs).toBeGreaterThan(14_000);
    expect(status.reportAgeMs).toBeGreaterThan(14_000);
    expect(await metric(service, 'svc_backup_continuous_running')).toBe(0);
    expect(await metric(service, 'svc_backup_continuous_lag_seconds')).toBeGreaterThan(14);
    expect(await metric(service, 'svc_backup_continuous_report_age_seconds')).toBeGreaterThan(14);
    await until('the log says so', () =>
      logOf(dataDir).includes('Continuous backup waits: its process has not reported'),
    );
    expect(readFileSync(join(dataDir, 'log/audit-failures.log'), 'utf8')).toContain('"event":"shipping"');
  } finally {
    process.kill(hung, 'SIGCONT');
  }
  await untilShipped(service);
  expect((await statusOf(service)).reportAgeMs).toBeLessThan(5_000);
  await until('it is ready again', async () => (await ready()) === 200);
  expect(logOf(dataDir)).toContain('The process of the continuous backup reports again');
  expect(await restored(['key'])).toEqual({ key: 'second' });
}, 90_000);

test('nothing that was never shipped counts as shipped', async () => {
  // A file at the path of the destination.
  mkdirSync(root, { recursive: true });
  writeFileSync(destination, 'x');
  await using service = await start();
  await until('it waits', async () => (await statusOf(service)).state === 'waiting');
  await Bun.sleep(1_500);
  expect((await statusOf(service)).behindMs).toBeGreaterThan(1_000);
  rmSync(destination);
  await untilShipped(service);
  expect((await statusOf(service)).behindMs).toBe(0);
}, 60_000);

test('a destination that is taken away while nothing is written is noticed', async () => {
  await using service = await start();
  await untilShipped(service);
  renameSync(destination, `${destination}.away`);
  await until('it waits', async () => (await statusOf(service)).state === 'waiting');
  renameSync(`${destination}.away`, destination);
  await untilShipped(service);
}, 60_000);

test('equal changes of several pages are not missing after a start', async () => {
  const table = 'CREATE TABLE twins (id INT PRIMARY KEY, n INT, text VARCHAR)';
  const sql = (service: ServiceProcess, text: string) =>
    service.command(new URLSearchParams({ cmd: 'qryfldexe', pageSize: '100', qry: text }).toString());
  {
    await using service = await start();
    await sql(service, table);
    for (let id = 1; id <= 8; id++) await sql(service, `INSERT INTO twins VALUES (${id}, 100, '${'x'.repeat(3_000)}')`);
    await untilShipped(service);
  }
  {
    // Not shipped, and written back at the end.
    await using service = await start({ SVC_BACKUP_CONTINUOUS_URL: '' });
    await sql(service, 'UPDATE twins SET n = n + 1');
  }
  {
    await using service = await start();
    await untilShipped(service);
  }
  const folder = join(root, 'restored');
  expect((await restore('--to', folder)).errors).toBe('');
  await using service = await startService({ dataDir: folder, env: { SVC_WORKERS: '1' } });
  expect(await sql(service, 'SELECT DISTINCT n FROM twins')).toMatchObject({ items: [[101]] });
}, 60_000);

test('it is checked that a random instant restores, and damage is reported', async () => {
  const env = { SVC_BACKUP_VERIFY_INTERVAL: '1s' };
  const audit = (file: string): string => readFileSync(join(dataDir, 'log', file), 'utf8');
  let verifiedAt: string | null = null;
  {
    await using service = await start(env);
    await put(service, 'key', 'value');
    await until('it is verified', async () => (await checkOf(service)).last?.outcome === 'verified', 60_000);
    const { last, ...check } = await checkOf(service);
    verifiedAt = check.verifiedAt;
    expect(last?.position).toMatch(/^[0-9a-f]{16}$/);
    expect(audit('audit.log')).toContain('"event":"restoreCheck"');
    expect(audit('audit.log')).toContain('"event":"shipping","state":"shipping"');
    expect(await metric(service, 'svc_backup_restore_verified_timestamp_seconds')).toBeGreaterThan(1e9);
    expect((await fetch(`${service.origin}/health/ready?backup=true`)).status).toBe(200);
  }
  expect(audit('audit.log')).toContain('"event":"shipping","state":"ended"');
  const path = join(destination, 'ltx/9/0000000000000001-0000000000000001.ltx');
  const { mtime } = statSync(path);
  const bytes = readFileSync(path);
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
  writeFileSync(path, bytes);
  utimesSync(path, mtime, mtime);
  await using service = await start(env);
  // The results from before the restart are known.
  expect(Date.parse((await checkOf(service)).verifiedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(verifiedAt ?? ''));
  await until('damage is found', async () => (await checkOf(service)).last?.outcome === 'damaged', 60_000);
  expect((await checkOf(service)).last?.reason).toContain('The backup is damaged or incomplete');
  await until(
    'it is not ready',
    async () => (await fetch(`${service.origin}/health/ready?backup=true`)).status === 503,
  );
  expect((await fetch(`${service.origin}/health/ready`)).status).toBe(200);
  expect(await metric(service, 'svc_backup_restore_damaged')).toBe(1);
  expect(audit('audit-failures.log')).toContain('"event":"restoreCheck"');
  expect(logOf(dataDir)).toContain('The continuous backup does not restore');
  await service.stop();
  expect(existsSync(join(dataDir, 'restore-check'))).toBe(false);
}, 180_000);

test.each([
  ['ftp://bucket/prefix', 'must be the URL of a folder'],
  ['s3://key:secret@bucket/prefix', 'must not contain credentials'],
  ['s3://bucket/prefix?path=x', 'has the unknown parameter path'],
  ['file://folder/name', 'must have three slashes after file:'],
  ['file:///', 'must name a folder'],
])('the URL %s is rejected', async (wrong, reason) => {
  const checked = await runSvcProcess(['config', 'check', `--backup-continuous-url=${wrong}`], { cwd: root });
  expect(checked.exitCode).not.toBe(0);
  expect(checked.errors + checked.output).toContain(reason);
  const { errors } = await runSvcProcess(['restore', '--from', wrong, '--list'], { cwd: root });
  expect(errors).toContain(reason);
});

test('checks without a continuous backup are rejected', async () => {
  const checked = await runSvcProcess(['config', 'check', '--backup-verify-interval=1h'], { cwd: root });
  expect(checked.exitCode).not.toBe(0);
  expect(checked.errors + checked.output).toContain('backup.verifyInterval: needs a continuous backup');
});
