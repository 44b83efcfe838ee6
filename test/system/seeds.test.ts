/** The initial entries of caches in memory, which are lost with the file of their region. */
import { afterAll, describe, expect, test } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WORKERS } from './modes.ts';
import { newFolder, startService } from './service-process.ts';

const CONFIGURATION = `export default {
  regions: [{ name: 'memory', persistent: false }],
  caches: [{ name: 'rates', region: 'memory', entries: [{ key: 'EUR', value: '1.1' }] }],
};
`;

describe.each(WORKERS)('with %i HTTP threads', (workers) => {
  const folder = newFolder();
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('are stored by a start, and by an activation', async () => {
    const config = join(folder, 'svc.config.ts');
    writeFileSync(config, CONFIGURATION);
    const env = { SVC_CONFIG: config, SVC_WORKERS: String(workers) };
    const get = 'cmd=get&cacheName=rates&key=EUR';
    const dataDir = join(folder, 'data');
    {
      await using service = await startService({ dataDir, env });
      expect(await service.command(get)).toBe('1.1');
      await service.command('cmd=setstate&state=INACTIVE&force=true');
    }
    await using service = await startService({ dataDir, env });
    await service.command('cmd=setstate&state=ACTIVE');
    expect(await service.command(get)).toBe('1.1');
    await service.command('cmd=put&cacheName=rates&key=EUR&val=1.2');
    await service.command('cmd=setstate&state=ACTIVE');
    expect(await service.command(get)).toBe('1.2');
  });
});
