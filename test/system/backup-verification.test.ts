/** Verifying a backup by a command, and the restorable range of the continuous backup. */
import { afterAll, expect, test } from 'bun:test';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runSvcProcess } from './cli/cli-process.ts';
import { newFolder, startService } from './service-process.ts';
import { until } from './until.ts';

const folder = newFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Verified {
  readonly outcome: string;
  readonly reason: string | null;
  readonly entries: number;
}

interface Status {
  readonly continuous: {
    readonly url: string;
    readonly restorable: { readonly ranges: ReadonlyArray<{ readonly from: string; readonly to: string }> } | null;
  };
}

test('a backup is verified, also by a thread of its own, and a damaged one is reported', async () => {
  const backups = join(folder, 'backups');
  const url = `file://${join(folder, 'continuous')}`;
  await using service = await startService({
    env: { SVC_BACKUP_FOLDER: backups, SVC_BACKUP_CONTINUOUS_URL: url, SVC_WORKERS: '2' },
  });
  await service.command('cmd=getorcreate&cacheName=stock');
  for (const key of ['tea', 'rice']) await service.command(`cmd=put&cacheName=stock&key=${key}&val=12`);
  await service.command('cmd=backup&name=sound');
  for (let count = 0; count < 4; count++) {
    const { response } = await service.send('cmd=backupverify&name=sound');
    expect(response).toMatchObject({
      name: 'sound.svcbackup',
      outcome: 'verified',
      reason: null,
      encrypted: false,
      entries: 2,
    });
  }
  const bytes = readFileSync(join(backups, 'sound.svcbackup'));
  bytes[bytes.length - 100] = (bytes.at(-100) ?? 0) ^ 1;
  writeFileSync(join(backups, 'damaged.svcbackup'), bytes);
  const damaged = (await service.send('cmd=backupverify&name=damaged')).response as Verified;
  expect(damaged).toMatchObject({ outcome: 'damaged', entries: 0 });
  expect(damaged.reason).toContain('damaged');
  expect((await service.send('cmd=backupverify&name=none')).error).toContain('not that of a backup');

  const status = async (query: string) => (await service.send(query)).response as Status;
  expect((await status('cmd=backups')).continuous).toMatchObject({ url, restorable: null });
  const { restorable } = (await status('cmd=backups&restorable=true')).continuous;
  const [range] = restorable?.ranges ?? [];
  expect(Date.parse(range?.from ?? '')).toBeGreaterThan(Date.now() - 600_000);
  expect(Date.parse(range?.to ?? '')).toBeGreaterThanOrEqual(Date.parse(range?.from ?? ''));
});

test('a verification tells which backups are encrypted', async () => {
  const backups = join(folder, 'keyed');
  const keyFile = join(folder, 'backup.key');
  const dataDir = join(folder, 'keyed-data');
  await runSvcProcess(['backup', 'key', '--to', keyFile], { cwd: folder });
  {
    await using service = await startService({ dataDir, env: { SVC_BACKUP_FOLDER: backups } });
    await service.command('cmd=backup&name=before');
  }
  const env = { SVC_BACKUP_FOLDER: backups, SVC_BACKUP_ENCRYPTION_KEY_FILE: keyFile };
  await using service = await startService({ dataDir, env });
  await service.command('cmd=backup&name=since');
  const found = async (name: string) => (await service.send(`cmd=backupverify&name=${name}`)).response;
  expect(await found('before')).toMatchObject({ outcome: 'verified', encrypted: false });
  expect(await found('since')).toMatchObject({ outcome: 'verified', encrypted: true });
});

test('a verification whose client leaves ends, and its files are removed', async () => {
  const dataDir = join(folder, 'data');
  await using service = await startService({ dataDir, env: { SVC_BACKUP_FOLDER: join(folder, 'left') } });
  await service.command('cmd=getorcreate&cacheName=stock');
  for (let key = 0; key < 50; key++) {
    await service.command(`cmd=put&cacheName=stock&key=${key}&val=${'x'.repeat(4_000)}`);
  }
  await service.command('cmd=backup&name=sound');
  const client = new AbortController();
  const verified = fetch(`${service.url}?cmd=backupverify&name=sound`, { signal: client.signal });
  const restored = join(dataDir, 'backup-check');
  await until('the restore begins', () => existsSync(restored));
  client.abort();
  expect(verified).rejects.toThrow();
  await until('its files are removed', () => !existsSync(restored));
});
