/**
 * A continuous backup to an object store that accepts requests and answers none, with and without ongoing changes.
 */
import { expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ScriptedObjectStore, silent } from '../../scripted-object-store.ts';
import { ACCESS } from '../../seaweedfs.ts';
import { newFolder, startService } from '../service-process.ts';
import { until } from '../until.ts';

test.each([
  ['while changes go on', true, 'the object store did not answer'],
  ['while nothing is written', false, 'could not be renewed'],
])(
  'a store that stalls is a failure, %s',
  async (_, isWritten, reason) => {
    using store = new ScriptedObjectStore();
    const root = newFolder();
    const url = `s3://bucket/p?endpoint=${store.origin}`;
    try {
      const env = { ...ACCESS, SVC_BACKUP_CONTINUOUS_URL: url, SVC_WORKERS: '1' };
      await using service = await startService({ dataDir: join(root, 'data'), env });
      const status = async () => {
        const { continuous } = (await service.command('cmd=backups')) as {
          readonly continuous: { readonly state: string; readonly reason: string | null; readonly behindMs: number };
        };
        return continuous;
      };
      const ready = async () => (await fetch(`${service.origin}/health/ready?backup=true`)).status;
      await until('it is ready', async () => (await ready()) === 200);
      // A readiness check also writes.
      await Bun.sleep(3_000);
      expect((await status()).behindMs).toBe(0);
      store.outage = silent;
      if (isWritten) {
        await service.command('cmd=put&key=key&val=value');
        await until('it is behind', async () => (await status()).behindMs > 0, 5_000);
      }
      await until('it waits', async () => (await status()).state === 'waiting', 45_000);
      const failed = await status();
      expect(failed).toMatchObject({ state: 'waiting', reason: expect.stringContaining(reason) });
      // Nothing is missing there if nothing was written.
      expect(failed.behindMs > 0).toBe(isWritten);
      await until('it is not ready', async () => (await ready()) === 503);
      store.outage = undefined;
      await until('it is ready again', async () => (await ready()) === 200, 45_000);
      await until('everything is shipped', async () => (await status()).behindMs === 0, 45_000);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  },
  150_000,
);
