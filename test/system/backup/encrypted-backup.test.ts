/** Encrypted backups of a running service: continuous ones, stored ones and those that the command line writes. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { age } from '../../age.ts';
import { runSvcProcess } from '../cli/cli-process.ts';
import { newFolder, type ServiceProcess, startService } from '../service-process.ts';
import { until } from '../until.ts';

const AGE = 'age-encryption.org/v1';

let root = '';
let url = '';
let keyFile = '';

beforeEach(async () => {
  root = newFolder();
  url = `file://${join(root, 'destination')}`;
  keyFile = join(root, 'backup.key');
  const { output, exitCode } = await svc('backup', 'key', '--to', 'backup.key');
  expect(output).toContain(`wrote ${keyFile}; keep a copy`);
  expect(exitCode).toBe(0);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const svc = (...args: readonly string[]) => runSvcProcess(args, { cwd: root });

function start(env: Readonly<Record<string, string>>, folder = 'data'): Promise<ServiceProcess> {
  return startService({ dataDir: join(root, folder), env: { SVC_WORKERS: '1', ...env } });
}

const shipping = (further: Readonly<Record<string, string>> = {}) =>
  start({
    SVC_BACKUP_CONTINUOUS_URL: url,
    SVC_BACKUP_CONTINUOUS_INTERVAL_MS: '200',
    SVC_BACKUP_ENCRYPTION_KEY_FILE: keyFile,
    ...further,
  });

interface Continuous {
  readonly state: string;
  readonly reason: string | null;
  readonly position: string | null;
  readonly behindBytes: number;
  readonly restoreCheck: { readonly last: { readonly outcome: string; readonly reason: string | null } | null } | null;
}

async function statusOf(service: ServiceProcess): Promise<Continuous> {
  return ((await service.command('cmd=backups')) as { readonly continuous: Continuous }).continuous;
}

async function untilShipped(service: ServiceProcess): Promise<void> {
  await Bun.sleep(400);
  await until('everything is shipped', async () => {
    const { state, behindBytes } = await statusOf(service);
    return state === 'shipping' && behindBytes === 0;
  });
}

test('a continuous backup is encrypted, checked and restored with the key, and with no other', async () => {
  {
    await using service = await shipping({ SVC_BACKUP_VERIFY_INTERVAL: '1s' });
    await service.command('cmd=put&key=key&val=readable');
    await untilShipped(service);
    await until('a check has ended', async () => (await statusOf(service)).restoreCheck?.last != null, 30_000);
    expect((await statusOf(service)).restoreCheck?.last).toMatchObject({ outcome: 'verified', reason: null });
    const doctor = await svc('doctor', `--backup-continuous-url=${url}`, `--backup-encryption-key-file=${keyFile}`);
    expect(doctor.output).toContain(`ok       keys of backups: ${keyFile}`);
    expect(service.output()).not.toContain('AGE-SECRET-KEY');
  }
  const objects = [0, 9].flatMap((level) => {
    const folder = join(root, 'destination/ltx', String(level));
    return readdirSync(folder).map((name) => readFileSync(join(folder, name)));
  });
  for (const object of objects) expect(object.toString('latin1', 0, AGE.length)).toBe(AGE);
  expect(JSON.parse((await svc('restore', '--from', url, '--list')).output)).toMatchObject({ encrypted: true });
  const restored = await svc('restore', '--from', url, '--to', 'restored', '--key-file', 'backup.key');
  expect(JSON.parse(restored.output)).toMatchObject({ sound: true, checksums: true });
  {
    await using service = await start({}, 'restored');
    expect(await service.command('cmd=get&key=key')).toBe('readable');
  }
  await svc('backup', 'key', '--to', 'other.key');
  const without = await svc('restore', '--from', url, '--to', 'none');
  expect(without.errors).toMatch(/No key was named, but the object .* is encrypted: name the key file \(--key-file,/);
  const wrong = await svc('restore', '--from', url, '--to', 'none', '--key-file', 'other.key');
  expect(wrong.errors).toMatch(/No key in .*other.key decrypts the object 9\/.*: add its encryption key/);
  expect([without.exitCode, wrong.exitCode]).toEqual([1, 1]);
  const args = [`--backup-continuous-url=${url}`, `--backup-encryption-key-file=${join(root, 'other.key')}`];
  const doctor = await svc('doctor', ...args, '--http-port=0');
  expect(doctor.output).toMatch(/PROBLEM {2}keys of backups: No key in .*other.key decrypts the object/);
  expect(doctor.exitCode).toBe(1);
}, 120_000);

test('a service with another key, or with none, ships nothing there', async () => {
  {
    await using service = await shipping();
    await untilShipped(service);
  }
  await svc('backup', 'key', '--to', 'other.key');
  const plain = { SVC_BACKUP_CONTINUOUS_URL: url };
  for (const [env, reason] of [
    [plain, /No key was named, but the object .*, or name another destination/],
    [
      { ...plain, SVC_BACKUP_ENCRYPTION_KEY_FILE: join(root, 'other.key') },
      /No key in .*other.key decrypts the object/,
    ],
  ] as const) {
    await using service = await start(env);
    await until('it has stopped', async () => (await statusOf(service)).state === 'stopped');
    expect((await statusOf(service)).reason).toMatch(reason);
  }
  // With a new key before the one that was used, it continues.
  writeFileSync(keyFile, readFileSync(join(root, 'other.key'), 'utf8') + readFileSync(keyFile, 'utf8'));
  await using service = await shipping();
  await service.command('cmd=put&key=key&val=later');
  await untilShipped(service);
  const restored = await svc('restore', '--from', url, '--to', 'restored', '--key-file', 'backup.key');
  expect(restored.errors).toBe('');
}, 120_000);

test('stored backups are encrypted, and so are files of the command line; both are verified and restored', async () => {
  {
    await using service = await start({
      SVC_BACKUP_FOLDER: join(root, 'backups'),
      SVC_BACKUP_ENCRYPTION_KEY_FILE: keyFile,
    });
    await service.command('cmd=put&key=key&val=readable');
    await service.command('cmd=backup&name=stored');
    expect(await service.command('cmd=backupverify&name=stored')).toMatchObject({ outcome: 'verified', reason: null });
    const from = ['--url', service.origin];
    const made = await svc('backup', ...from, '--to', 'made.svcbackup', '--key-file', 'backup.key');
    expect(made.errors).toBe('');
    expect(JSON.parse(made.output)).toMatchObject({ regions: ['default'] });
    // A client that names no key receives a backup that it can read.
    expect((await svc('backup', ...from, '--to', 'plain.svcbackup')).errors).toBe('');
  }
  const offline = await svc('backup', '--data-dir', 'data', '--to', 'offline.svcbackup', '--key-file', 'backup.key');
  expect(offline.errors).toBe('');
  const stored = join(root, 'backups/stored.svcbackup');
  for (const file of [stored, join(root, 'made.svcbackup'), join(root, 'offline.svcbackup')]) {
    const bytes = readFileSync(file);
    expect(bytes.toString('latin1', 0, AGE.length)).toBe(AGE);
    expect((await svc('verify', file)).errors).toContain(
      'No key was named, but the backup is encrypted: name the key file',
    );
    const { output, errors } = await svc('verify', file, '--key-file', 'backup.key');
    expect(errors).toBe('');
    expect(JSON.parse(output)).toMatchObject({ sound: true, checksums: true });
    const opened = age('decrypt', keyFile, bytes);
    if (opened !== undefined) expect(Buffer.from(opened).toString('latin1', 0, 10)).toBe('svc-backup');
  }
  const { errors } = await svc('restore', stored, '--to', 'restored', '--key-file', 'backup.key');
  expect(errors).toBe('');
  {
    await using service = await start({}, 'restored');
    expect(await service.command('cmd=get&key=key')).toBe('readable');
  }
  const plain = await svc('verify', 'plain.svcbackup', '--key-file', 'backup.key');
  expect(plain.errors).toContain('A key was named, but the backup is not encrypted');
  const folder = await svc('verify', 'restored', '--key-file', 'backup.key');
  expect(folder.errors).toContain('--key-file: a data folder is not encrypted');
}, 120_000);

test('a key file that cannot be used is named at the start, and a key is never replaced', async () => {
  const check = (file: string, folder = '--backup-folder=backups') =>
    svc('config', 'check', folder, `--backup-encryption-key-file=${file}`);
  const missing = await check('missing.key');
  expect(missing.errors).toMatch(/backup.encryptionKeyFile: .*missing.key cannot be read \(ENOENT\)/);
  expect(missing.exitCode).toBe(2);
  expect((await check(keyFile)).errors).toBe('');
  chmodSync(keyFile, 0o644);
  expect((await check(keyFile)).errors).toMatch(/other users can read or change it: run chmod 600/);
  chmodSync(keyFile, 0o600);
  expect((await check(keyFile, '--http-port=0')).errors).toContain('needs backups to encrypt (backup.folder,');
  const again = await svc('backup', 'key', '--to', 'backup.key');
  expect(again.errors).toContain(`--to: ${keyFile} exists, and a key is not replaced`);
  const unused = await svc('backup', '--key-file', 'backup.key');
  expect(unused.errors).toContain('--key-file: needs a file (--to)');
});
