/** Backups of a running service to a bucket: continuous ones with faults of the store, and as objects. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../free-port.ts';
import { NodeProxy } from '../../proof/faults/node-proxy.ts';
import { ACCESS, type ObjectStore, startObjectStore } from '../../seaweedfs.ts';
import { Random } from '../../simulation/random.ts';
import { runSvcProcess } from '../cli/cli-process.ts';
import { newFolder, type ServiceProcess, startService } from '../service-process.ts';
import { until } from '../until.ts';

const MEBIBYTE = 1024 * 1024;
/** How long the store is unavailable. With ten minutes, the pauses between attempts reach their maximum. */
const OUTAGE_MS = Number(process.env.SVC_TEST_OUTAGE_MS ?? 8_000);

let store: ObjectStore | undefined;
let root = '';
let url = '';
let tests = 0;

beforeAll(async () => {
  store = await startObjectStore();
}, 120_000);
afterAll(() => store?.[Symbol.asyncDispose]());

beforeEach(() => {
  root = newFolder();
  url = `s3://${store?.bucket}/test${++tests}?endpoint=${store?.endpoint}&forcePathStyle=true`;
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

interface Continuous {
  readonly state: string;
  readonly reason: string | null;
  readonly behindBytes: number;
  readonly behindMs: number;
  readonly failures: number;
}

function start(folder: string, env: Readonly<Record<string, string>> = ACCESS): Promise<ServiceProcess> {
  return startService({
    dataDir: join(root, folder),
    env: { SVC_BACKUP_CONTINUOUS_URL: url, SVC_BACKUP_CONTINUOUS_INTERVAL_MS: '200', SVC_WORKERS: '1', ...env },
  });
}

async function statusOf(service: ServiceProcess): Promise<Continuous> {
  const { continuous } = (await service.command('cmd=backups')) as { readonly continuous: Continuous };
  return continuous;
}

async function untilShipped(service: ServiceProcess): Promise<void> {
  await Bun.sleep(400);
  await until('everything is shipped', async () => {
    const { state, behindBytes } = await statusOf(service);
    return state === 'shipping' && behindBytes === 0;
  });
}

test('what was shipped is restored, and the service goes on after a restart', async () => {
  if (store === undefined) return;
  const first = await start('data');
  await first.command('cmd=put&key=key&val=first');
  await untilShipped(first);
  await first.kill();
  {
    await using second = await start('data');
    await second.command('cmd=put&key=key&val=second');
    await untilShipped(second);
    await using other = await start('other');
    await until('it waits', async () => (await statusOf(other)).state !== 'starting');
    expect((await statusOf(other)).reason).toMatch(/belongs to process|has objects of another database/);
  }
  expect(await restoredValue()).toBe('second');
}, 120_000);

/** Restores, and returns the value of the key. */
async function restoredValue(...args: readonly string[]): Promise<unknown> {
  const folder = join(root, 'restored');
  const { errors, output } = await runSvcProcess(['restore', '--from', url, '--to', folder, '--replace', ...args], {
    cwd: root,
    env: ACCESS,
  });
  expect(errors).toBe('');
  expect(JSON.parse(output)).toMatchObject({ sound: true, checksums: true });
  await using restored = await startService({ dataDir: folder });
  return await restored.command('cmd=get&key=key');
}

test('an earlier time is restored, the range is listed, and the doctor checks the bucket', async () => {
  if (store === undefined) return;
  {
    await using service = await start('data');
    await service.command('cmd=put&key=key&val=first');
    await untilShipped(service);
    await Bun.sleep(50);
    const at = new Date().toISOString();
    await Bun.sleep(50);
    await service.command('cmd=put&key=key&val=second');
    await untilShipped(service);
    expect(await restoredValue('--at', at)).toBe('first');
  }
  const { output } = await runSvcProcess(['restore', '--from', url, '--list'], { cwd: root, env: ACCESS });
  expect(JSON.parse(output)).toMatchObject({ ranges: [{ firstPosition: '0000000000000001' }] });
  const diagnose = (bucket: string) =>
    runSvcProcess(['doctor', `--backup-continuous-url=${bucket}`, '--http-port=0'], { cwd: root, env: ACCESS });
  expect((await diagnose(url)).output).toMatch(/ok +continuous backup: s3:.* can be listed/);
  const missing = await diagnose(url.replace('svc-backups', 'no-bucket'));
  expect(missing.output).toMatch(/PROBLEM +continuous backup: s3:.*404 NoSuchBucket.*\(backup.continuous.url\)/);
  expect(missing.exitCode).toBe(1);
  const place = await runSvcProcess(['doctor', `--backup-folder=${url}`, '--http-port=0'], { cwd: root, env: ACCESS });
  expect(place.output).toMatch(/ok +backups: s3:.* can be listed/);
}, 120_000);

/** Starts a service whose store is behind a proxy. */
async function startBehindProxy(connected: ObjectStore) {
  const port = freePort();
  const host = '127.0.0.1';
  const proxy = await NodeProxy.listen({ host, port }, { host, port: connected.port }, new Random(1));
  url = url.replace(connected.endpoint, `http://${host}:${port}`);
  return { proxy, service: await start('data') };
}

test('connections that are cut in the middle of objects and answers cost nothing but time', async () => {
  if (store === undefined) return;
  const { proxy, service } = await startBehindProxy(store);
  await using _proxy = proxy;
  {
    await using _service = service;
    await untilShipped(service);
    proxy.disturb({ cuts: 0.1 });
    for (let at = 0; at < 20; at++) {
      const body = new URLSearchParams({ cmd: 'put', key: `key${at}`, val: 'x'.repeat(20_000) });
      await service.send('', { method: 'POST', body });
      await Bun.sleep(100);
    }
    await service.command('cmd=put&key=key&val=last');
    await until('everything is shipped', async () => (await statusOf(service)).behindBytes === 0, 60_000);
    expect(proxy.counts.cut).toBeGreaterThan(0);
    proxy.disturb();
    await untilShipped(service);
  }
  expect(await restoredValue()).toBe('last');
}, 180_000);

test(
  'while the store does not answer nothing fails or waits, and afterwards everything is shipped',
  async () => {
    if (store === undefined) return;
    const { proxy, service } = await startBehindProxy(store);
    await using _proxy = proxy;
    {
      await using _service = service;
      await service.command('cmd=put&key=key&val=before');
      await untilShipped(service);
      proxy.disturb({ hangs: true });
      const endMs = performance.now() + OUTAGE_MS;
      let longestMs = 0;
      for (let at = 0; performance.now() < endMs; at++) {
        const beganMs = performance.now();
        // Soon more than the service keeps in the log without emptying it.
        const body = new URLSearchParams({ cmd: 'put', key: `big${at % 8}`, val: 'x'.repeat(MEBIBYTE) });
        expect((await service.send('', { method: 'POST', body })).error).toBeNull();
        longestMs = Math.max(longestMs, performance.now() - beganMs);
        await Bun.sleep(Math.max(50, OUTAGE_MS / 500));
      }
      // Changes do not wait for an object that cannot be created.
      expect(longestMs).toBeLessThan(1_500);
      const away = await statusOf(service);
      expect(away.behindMs).toBeGreaterThan(OUTAGE_MS - 3_000);
      expect(away.behindBytes).toBeGreaterThan(MEBIBYTE);
      await service.command('cmd=put&key=key&val=after');
      proxy.disturb();
      await until('everything is shipped', async () => (await statusOf(service)).behindBytes === 0, 120_000);
      expect((await statusOf(service)).state).toBe('shipping');
    }
    expect(await restoredValue()).toBe('after');
  },
  OUTAGE_MS + 240_000,
);

test('wrong credentials are named as such, and appear nowhere', async () => {
  if (store === undefined) return;
  await using service = await start('data', { ...ACCESS, AWS_SECRET_ACCESS_KEY: 'wrong-secret-key' });
  await until('it waits', async () => (await statusOf(service)).state === 'waiting');
  const { reason } = await statusOf(service);
  expect(reason).toContain('403 SignatureDoesNotMatch');
  expect(reason).not.toContain('wrong-secret-key');
}, 60_000);

test('a backup is stored in a bucket, verified and restored from there, and stays as it is', async () => {
  if (store === undefined) return;
  const object = url.replace(/(test\d+)/, '$1/today.svcbackup');
  const run = (...args: readonly string[]) => runSvcProcess(args, { cwd: root, env: ACCESS });
  {
    await using service = await startService({ dataDir: join(root, 'data') });
    await service.command('cmd=put&key=key&val=value');
    const written = await run('backup', '--to', object, '--url', service.origin);
    expect([written.errors, JSON.parse(written.output)]).toEqual(['', expect.objectContaining({ file: object })]);
    const again = await run('backup', '--to', object, '--url', service.origin);
    expect([again.exitCode, again.errors]).toEqual([1, expect.stringContaining('exists, and is not replaced')]);
    expect((await run('backup', '--to', object, '--replace', '--url', service.origin)).exitCode).toBe(0);
  }
  expect(JSON.parse((await run('verify', object)).output)).toMatchObject({ sound: true, checksums: true, entries: 1 });
  const restored = await run('restore', object, '--to', join(root, 'restored'));
  expect(restored.errors).toBe('');
  await using service = await startService({ dataDir: join(root, 'restored') });
  expect(await service.command('cmd=get&key=key')).toBe('value');
  const missing = await run('verify', object.replace('today', 'tomorrow'));
  expect([missing.exitCode, missing.errors]).toEqual([
    1,
    expect.stringMatching(/^svc: The object store cannot be used: the object .*tomorrow.svcbackup is missing\n$/),
  ]);
  const denied = await runSvcProcess(['verify', object], {
    cwd: root,
    env: { ...ACCESS, AWS_ACCESS_KEY_ID: 'nobody' },
  });
  expect(denied.errors).toMatch(/^svc: The object store cannot be used: .*403 InvalidAccessKeyId.*\n$/);
}, 120_000);

test('objects and backups in a bucket are encrypted, and read with the key alone', async () => {
  if (store === undefined) return;
  const run = (...args: readonly string[]) => runSvcProcess(args, { cwd: root, env: ACCESS });
  await run('backup', 'key', '--to', 'backup.key');
  const object = url.replace('?', '/made.svcbackup?');
  {
    await using service = await start('data', { ...ACCESS, SVC_BACKUP_ENCRYPTION_KEY_FILE: join(root, 'backup.key') });
    await service.command('cmd=put&key=key&val=value');
    await untilShipped(service);
    const made = await run('backup', '--to', object, '--key-file', 'backup.key', '--url', service.origin);
    expect(made.errors).toBe('');
  }
  expect((await run('verify', object, '--key-file', 'backup.key')).errors).toBe('');
  expect((await run('verify', object)).errors).toContain('No key was named, but the backup is encrypted');
  expect((await run('restore', '--from', url, '--to', 'none')).errors).toContain('No key was named');
  expect(await restoredValue('--key-file', 'backup.key')).toBe('value');
}, 120_000);

interface Backups {
  readonly folder: string;
  readonly nextAt: string | null;
  readonly lastFailure: { readonly error: string } | null;
  readonly backups: ReadonlyArray<{ readonly name: string; readonly bytes: number }>;
}

test('the service stores its backups in a bucket, on a schedule, and removes old ones', async () => {
  if (store === undefined) return;
  const folder = url;
  const env = { ...ACCESS, SVC_BACKUP_FOLDER: folder, SVC_WORKERS: '1' };
  const schedule = { SVC_BACKUP_INTERVAL_MS: '1000', SVC_BACKUP_KEEP: '2' };
  await using service = await startService({ dataDir: join(root, 'data'), env: { ...env, ...schedule } });
  const status = async () => (await service.command('cmd=backups')) as Backups;
  const scheduled = async () => (await status()).backups.filter(({ name }) => name.startsWith('scheduled-'));
  await until('a backup is there', async () => (await scheduled()).length > 0);
  const [first] = await scheduled();
  await until('it was removed', async () => !(await scheduled()).some(({ name }) => name === first?.name), 60_000);
  expect((await scheduled()).length).toBeLessThanOrEqual(3);
  await until('no scheduled one runs', () =>
    service.command('cmd=backup&name=mine').then(
      () => true,
      () => false,
    ),
  );
  const found = await status();
  expect(found.folder).toBe(folder);
  expect(found.nextAt).not.toBeNull();
  expect(found.backups.map(({ name }) => name)).toContain('mine.svcbackup');
  expect((await service.send('cmd=backup&name=mine')).error).toContain('mine');
}, 120_000);

test('a bucket that does not answer keeps the service from nothing, and its backups report it', async () => {
  const folder = `s3://bucket/prefix?endpoint=http://127.0.0.1:${freePort()}`;
  const env = { ...ACCESS, SVC_BACKUP_FOLDER: folder, SVC_BACKUP_TIME_OF_DAY: '02:30', SVC_WORKERS: '1' };
  await using service = await startService({ dataDir: join(root, 'data'), env });
  const found = (await service.command('cmd=backups')) as Backups;
  expect(found.lastFailure?.error).toContain('The backup failed: the object store did not answer GET');
  expect((await service.send('cmd=backup')).error).toContain('the object store did not answer HEAD');
  const wrong = await runSvcProcess(['config', 'check', '--backup-folder=s3://key:secret@bucket/prefix'], {
    cwd: root,
  });
  expect(wrong.errors + wrong.output).toContain('backup.folder: must not contain credentials');
  const endpoint = await runSvcProcess(['config', 'check', '--backup-folder=s3://bucket/prefix'], {
    cwd: root,
    env: { AWS_ENDPOINT_URL: 'store.example.com' },
  });
  expect(endpoint.errors).toContain('AWS_ENDPOINT_URL must be an http or https URL');
  expect(endpoint.exitCode).toBe(2);
}, 60_000);
