/** The destination of a continuous backup does not answer: its file system is frozen, like that of a lost server. */
import { afterAll, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { mountLoopDisk } from '../loop-disk.ts';
import { newFolder, type ServiceProcess, startService } from '../service-process.ts';
import { until } from '../until.ts';

const parent = newFolder();
const disk = mountLoopDisk(parent, 64);
const reason = 'missing' in disk ? disk.missing : '';
if (reason !== '') process.stderr.write(`No disk can be frozen (skipped: ${reason})\n`);
const folder = 'folder' in disk ? disk.folder : '';
const freeze = (isFrozen: boolean) => Bun.spawnSync(['fsfreeze', isFrozen ? '--freeze' : '--unfreeze', folder]);

afterAll(() => {
  freeze(false);
  if ('folder' in disk) disk.unmount();
  rmSync(parent, { recursive: true, force: true });
}, 60_000);

async function stateOf(service: ServiceProcess): Promise<string> {
  const { continuous } = (await service.command('cmd=backups')) as { readonly continuous: { readonly state: string } };
  return continuous.state;
}

const isReady = async (service: ServiceProcess) => (await fetch(`${service.origin}/health/ready?backup=true`)).ok;

test.skipIf(reason !== '')(
  'a service whose destination hangs says so, stops in time, starts, and ships the rest once it answers',
  async () => {
    const dataDir = join(parent, 'data');
    const env = { SVC_ALLOW_UNAUTHENTICATED: 'true', SVC_BACKUP_CONTINUOUS_URL: `file://${folder}/objects` };
    {
      await using service = await startService({ dataDir, env });
      await until('it ships', () => isReady(service));
      expect(freeze(true).exitCode).toBe(0);
      await service.command('cmd=put&key=a&val=1');
      await until('it says so', async () => !(await isReady(service)));
      expect(await stateOf(service)).toBe('waiting');
      // Its process cannot be killed now.
      expect(await service.stop()).toBe(0);
    }
    await using service = await startService({ dataDir, env });
    expect(await service.command('cmd=get&key=a')).toBe('1');
    expect(await isReady(service)).toBe(false);
    freeze(false);
    await until('it ships', () => isReady(service), 60_000);
  },
  180_000,
);
