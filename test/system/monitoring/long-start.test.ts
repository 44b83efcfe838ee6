/** A startup that converts many objects: health checks are answered meanwhile, and the service takes over the port. */
import { expect, test } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../free-port.ts';
import { newFolder, queryOf, startService } from '../service-process.ts';

const OBJECTS = 60_000;
const BATCH = 2_000;

test('a long start answers health checks', async () => {
  const dataDir = newFolder();
  const port = freePort();
  try {
    {
      await using service = await startService({ dataDir });
      await service.command('cmd=getorcreate&cacheName=c');
      for (let from = 0; from < OBJECTS; from += BATCH) {
        const body = new URLSearchParams({ cmd: 'putall', cacheName: 'c', valueType: 'O', keyType: 'int' });
        for (let index = 1; index <= BATCH; index++) {
          body.set(`k${index}`, String(from + index));
          body.set(`v${index}`, `{"n":${from + index}}`);
        }
        expect((await service.send('', { method: 'POST', body })).response).toBe(true);
      }
    }
    const file = join(dataDir, 'svc.config.json');
    const fields = { n: 'long' };
    const entities = [{ keyType: 'int', valueType: 'O', tableName: 'O', fields, indexes: ['n'] }];
    writeFileSync(file, JSON.stringify({ caches: [{ name: 'c', schema: 'PUBLIC', entities }] }));
    const seen = new Set<string>();
    let isStarted = false;
    const starting = startService({
      ...{ dataDir, port },
      args: ['--config', file],
      env: { SVC_WORKERS: '2', SVC_HTTP_STATUS: 'true' },
    }).finally(() => {
      isStarted = true;
    });
    const origin = `http://127.0.0.1:${port}`;
    const see = async (path: string): Promise<void> => {
      const answer = await fetch(`${origin}${path}`, { signal: AbortSignal.timeout(1_000) }).catch(() => undefined);
      if (answer !== undefined) seen.add(`${path} ${answer.status}`);
      await answer?.text();
    };
    while (!isStarted) {
      await see('/health/live');
      await see('/health/ready');
      await see('/svc?cmd=size&cacheName=c');
      await Bun.sleep(5);
    }
    await using service = await starting;
    expect([...seen]).toEqual(
      expect.arrayContaining(['/health/live 200', '/health/ready 503', '/svc?cmd=size&cacheName=c 503']),
    );
    expect(service.url).toContain(`:${port}/`);
    await see('/health/ready');
    expect(seen).toContain('/health/ready 200');
    const found = await service.command(
      queryOf({ cmd: 'qryfldexe', pageSize: 1, qry: 'SELECT count(*), sum(n) FROM O' }),
    );
    expect(found).toMatchObject({ items: [[OBJECTS, (OBJECTS * (OBJECTS + 1)) / 2]] });
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}, 60_000);
