/** Times to live over real sockets, with one and with two HTTP threads (docs/spec/extensions.md 1). */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { openConnection } from './http-connection.ts';
import { WORKERS } from './modes.ts';
import { newFolder, type ServiceProcess, startService } from './service-process.ts';
import { until } from './until.ts';

// Tests wait for entries to expire.
setDefaultTimeout(60_000);

const sql = (statement: string): string => `cmd=qryfldexe&pageSize=10&qry=${encodeURIComponent(statement)}`;

describe.each(WORKERS)('with %i HTTP threads', (workers) => {
  let service: ServiceProcess;
  beforeAll(async () => {
    service = await startService({ env: { SVC_WORKERS: String(workers) } });
  });
  afterAll(() => service[Symbol.asyncDispose]());

  async function left(key: string, cache = 'default'): Promise<number> {
    return Number(await service.command(`cmd=ttl&cacheName=${cache}&key=${key}`));
  }

  test('every command that stores a value sets ttlMs', async () => {
    const stored = 'cmd=put&key=a&val=1';
    const writes = [
      'put&key=a&val=1',
      'getput&key=a&val=1',
      'rep&key=a&val=1',
      'getrep&key=a&val=1',
      'repval&key=a&val=1&val2=1',
      'cas&key=a&val=1&val2=1',
      'append&key=a&val=',
      'prepend&key=a&val=',
      'putall&k1=a&v1=1',
      'updatettl&key=a',
    ];
    for (const write of writes) {
      await service.command(`${stored}&ttlMs=0`);
      await service.command(`cmd=${write}&ttlMs=60000`);
      const remaining = await left('a');
      expect([write, remaining > 30_000 && remaining <= 60_000]).toEqual([write, true]);
      await service.command(`cmd=${write}&ttlMs=0`);
      expect([write, await service.command('cmd=ttl&key=a')]).toEqual([write, null]);
    }
    for (const create of ['add', 'putifabs', 'getputifabs']) {
      await service.command(`cmd=${create}&key=${create}&val=1&ttlMs=60000`);
      expect((await left(create)) > 30_000).toBe(true);
    }
  });

  test('an entry expires, and persist keeps it', async () => {
    await service.command('cmd=put&key=kept&val=1&ttlMs=2000');
    expect(await service.command('cmd=persist&key=kept')).toBe(true);
    await service.command('cmd=put&key=short&val=1&ttlMs=2000');
    expect(await service.command('cmd=get&key=short')).toBe('1');
    await until('the entry expires', async () => (await service.command('cmd=get&key=short')) === null);
    expect(await service.command('cmd=get&key=kept')).toBe('1');
    const absent = await service.send('cmd=ttl&key=short&httpStatus=true');
    expect([absent.http, absent.error]).toEqual([
      404,
      'Failed to handle request: [req=CACHE_TTL, err=Failed to find entry for given key: short]',
    ]);
    const both = await service.send('cmd=put&key=short&val=1&ttlMs=1&exp=1');
    expect(both.error).toBe('The parameters exp and ttlMs cannot be combined');
  });

  test('a counter begins a window of time, also in an atomic batch', async () => {
    const leftOf = async (key: string) => Number(await service.command(`cmd=counterttl&key=${key}`));
    expect(await service.command('cmd=incr&key=window&delta=1&ttlMs=60000')).toBe(1);
    expect(await service.command('cmd=incr&key=window&delta=1&ttlMs=600000')).toBe(2);
    expect((await leftOf('window')) <= 60_000).toBe(true);
    const batch = JSON.stringify([{ cmd: 'decr', key: 'quota', init: 10, delta: 1, ttlMs: 60_000 }]);
    const [step] = (await service.command(`cmd=batch&atomic=true&commands=${encodeURIComponent(batch)}`)) as object[];
    expect(step).toMatchObject({ response: 9 });
    expect((await leftOf('quota')) > 30_000).toBe(true);
    expect(await service.command('cmd=counterpersist&key=quota')).toBe(true);
    expect(await service.command('cmd=counterttl&key=quota')).toBeNull();
    await service.command('cmd=incr&key=brief&delta=5&ttlMs=1');
    await until('the counter expires', async () => (await service.send('cmd=counterttl&key=brief')).error !== null);
    const view = await service.command(sql("SELECT NAME FROM SYS.DS_ATOMICLONGS WHERE NAME IN ('brief', 'quota')"));
    expect(view).toMatchObject({ items: [['quota']] });
    expect(await service.command('cmd=counterpersist&key=brief')).toBe(false);
    expect(await service.command('cmd=incr&key=brief&delta=1')).toBe(1);
  });

  test('reads on any connection extend entries of a cache with sliding expiry', async () => {
    await service.command('cmd=getorcreate&cacheName=sessions&ttlMs=2000&sliding=true');
    await service.command('cmd=put&cacheName=sessions&key=unread&val=1');
    await service.command('cmd=put&cacheName=sessions&key=read&val=1');
    const connections = await Promise.all(Array.from({ length: 4 }, () => openConnection(service.port)));
    let reads = 0;
    await until('the entry that nobody reads expires', async () => {
      const { response } = (await connections[reads++ % 4]?.sendCommand('cmd=get&cacheName=sessions&key=read')) ?? {};
      expect(response).toBe('1');
      return (await service.command('cmd=conkey&cacheName=sessions&key=unread')) === false;
    });
    for (const connection of connections) connection.close();
    // Looking for a key does not extend its entry.
    await until('the other one expires', async () => {
      return (await service.command('cmd=conkey&cacheName=sessions&key=read')) === false;
    });
    expect(await service.command('cmd=get&cacheName=sessions&key=read')).toBeNull();
  });

  test('rows of a table with ttlMs expire', async () => {
    const rows = async (): Promise<unknown> => {
      const page = await service.command(sql('SELECT id FROM visits ORDER BY id'));
      return (page as { readonly items: unknown }).items;
    };
    await service.command(sql('CREATE TABLE visits (id INT PRIMARY KEY, n INT) WITH "ttlMs=2000"'));
    await service.command(sql('INSERT INTO visits VALUES (1, 1), (2, 2)'));
    expect(await rows()).toEqual([[1], [2]]);
    await until('the row that nobody changes expires', async () => {
      await service.command(sql('UPDATE visits SET n = 3 WHERE id = 2'));
      return !Bun.deepEquals(await rows(), [[1], [2]]);
    });
    expect(await rows()).toEqual([[2]]);
    await until('the other one expires', async () => Bun.deepEquals(await rows(), []));
  });
});

test('a counter expires, also after a restart [11.11]', async () => {
  const dataDir = newFolder();
  try {
    await using first = await startService({ dataDir });
    await first.command('cmd=incr&key=long&delta=1&ttlMs=3600000');
    await first.command('cmd=incr&key=brief&delta=1&ttlMs=1');
    await first.stop();
    await using second = await startService({ dataDir });
    expect(Number(await second.command('cmd=counterttl&key=long'))).toBeGreaterThan(1_800_000);
    expect(await second.command('cmd=incr&key=long&delta=1')).toBe(2);
    expect(await second.command('cmd=incr&key=brief&delta=1')).toBe(1);
    expect(await second.command('cmd=counterttl&key=brief')).toBeNull();
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});
