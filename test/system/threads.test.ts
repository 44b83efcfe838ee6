/** Several HTTP threads share a port: acknowledged changes of one are visible to all. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type HttpConnection, openConnection } from './http-connection.ts';
import { FIXTURE, type ServiceProcess, startService } from './service-process.ts';

const WORKERS = 3;
const CONNECTIONS = 24;

/** The default cache is persistent by default, but not in the fixture. */
const STARTS = [
  { title: 'persistent', args: [] },
  { title: 'not persistent', args: ['--config', FIXTURE] },
];

describe.each(STARTS)(`with ${WORKERS} HTTP threads, default cache $title`, ({ args }) => {
  let service: ServiceProcess;
  let connections: HttpConnection[];

  beforeAll(async () => {
    service = await startService({ args, env: { SVC_WORKERS: String(WORKERS) } });
    connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => openConnection(service.port)));
  });
  afterAll(async () => {
    for (const connection of connections) connection.close();
    await service[Symbol.asyncDispose]();
  });

  /** Returns a random connection other than `other`. */
  function another(other: HttpConnection): HttpConnection {
    const rest = connections.filter((each) => each !== other);
    return rest[Math.floor(Math.random() * rest.length)] ?? other;
  }

  /** Runs `action` concurrently on half of the connections; the other half stays free to read. */
  function onWriters(action: (writer: HttpConnection, reader: HttpConnection, number: number) => Promise<void>) {
    const pairs = connections.slice(0, CONNECTIONS / 2);
    return Promise.all(
      pairs.map((writer, index) => action(writer, connections[index + CONNECTIONS / 2] ?? writer, index)),
    );
  }

  test('an acknowledged write is visible to all connections', async () => {
    await onWriters(async (writer, reader, number) => {
      for (let i = 0; i < 300; i++) {
        await writer.sendCommand(`cmd=put&key=own${number}&val=${i}`);
        const { response } = await reader.sendCommand(`cmd=get&key=own${number}`);
        expect(response).toBe(String(i));
      }
    });
  });

  test('a removed entry is absent for all connections', async () => {
    const writer = connections[0];
    if (writer === undefined) throw new Error('no connection');
    for (let i = 0; i < 200; i++) {
      await writer.sendCommand(`cmd=rmv&key=gone`);
      expect((await another(writer).sendCommand('cmd=conkey&key=gone')).response).toBe(false);
      await writer.sendCommand(`cmd=put&key=gone&val=1`);
      expect((await another(writer).sendCommand('cmd=conkey&key=gone')).response).toBe(true);
    }
  });

  test('concurrent increments of a counter are all kept', async () => {
    await onWriters(async (writer) => {
      for (let i = 0; i < 100; i++) await writer.sendCommand('cmd=incr&key=shared&delta=1');
    });
    expect(await service.command('cmd=incr&key=shared&delta=0')).toBe((CONNECTIONS / 2) * 100);
  });

  test('of concurrent adds of a key, one succeeds', async () => {
    for (let i = 0; i < 50; i++) {
      const answers = await Promise.all(connections.map((each) => each.sendCommand(`cmd=add&key=once${i}&val=x`)));
      expect(answers.filter(({ response }) => response === true)).toHaveLength(1);
    }
  });

  test('of concurrent swaps of a value, one succeeds', async () => {
    await service.command('cmd=put&key=swap&val=0');
    for (let i = 0; i < 50; i++) {
      const query = `cmd=cas&key=swap&val=${i + 1}&val2=${i}`;
      const answers = await Promise.all(connections.map((each) => each.sendCommand(query)));
      expect(answers.filter(({ response }) => response === true)).toHaveLength(1);
    }
  });

  test('created and destroyed caches are visible to all connections', async () => {
    for (let i = 0; i < 20; i++) {
      const [first, second] = [connections[i % CONNECTIONS], connections[(i + 7) % CONNECTIONS]];
      if (first === undefined || second === undefined) throw new Error('no connection');
      await first.sendCommand(`cmd=getorcreate&cacheName=made${i}`);
      expect((await second.sendCommand(`cmd=put&cacheName=made${i}&key=a&val=1`)).response).toBe(true);
      await first.sendCommand(`cmd=destcache&cacheName=made${i}`);
      expect((await second.sendCommand(`cmd=get&cacheName=made${i}&key=a`)).error).toContain('Failed to find cache');
    }
  });

  test('created, filled, altered and dropped tables are visible to all connections', async () => {
    const sql = (text: string) => `cmd=qryfldexe&cacheName=default&pageSize=10&qry=${encodeURIComponent(text)}`;
    const rowsOf = (answer: { response: unknown }) => (answer.response as { items: unknown[] } | null)?.items;
    for (let i = 0; i < 12; i++) {
      const [first, second, third] = [0, 5, 11].map((step) => connections[(i + step) % CONNECTIONS]);
      if (first === undefined || second === undefined || third === undefined) throw new Error('no connection');
      const options = `"cache_name=table${i},value_type=Made${i}"`;
      const made = await first.sendCommand(sql(`CREATE TABLE Made${i} (id INT PRIMARY KEY, n INT) WITH ${options}`));
      expect(made.error).toBeNull();
      const described = await Promise.all(
        connections.map((each) => each.sendCommand(`cmd=metadata&cacheName=table${i}`)),
      );
      expect(described.map(({ error }) => error)).toEqual(connections.map(() => null));
      expect((await second.sendCommand(sql(`INSERT INTO Made${i} VALUES (1, 10), (2, 20)`))).error).toBeNull();
      expect(rowsOf(await third.sendCommand(sql(`SELECT n FROM Made${i} ORDER BY id`)))).toEqual([[10], [20]]);
      expect((await first.sendCommand(`cmd=size&cacheName=table${i}`)).response).toBe(2);
      expect((await second.sendCommand(`cmd=rmv&cacheName=table${i}&key=1&keyType=int`)).response).toBe(true);
      expect(rowsOf(await first.sendCommand(sql(`SELECT n FROM Made${i}`)))).toEqual([[20]]);
      expect((await third.sendCommand(sql(`ALTER TABLE Made${i} ADD COLUMN m INT`))).error).toBeNull();
      expect((await first.sendCommand(sql(`UPDATE Made${i} SET m = 7`))).error).toBeNull();
      expect(rowsOf(await second.sendCommand(sql(`SELECT n, m FROM Made${i}`)))).toEqual([[20, 7]]);
      expect((await second.sendCommand(sql(`DROP TABLE Made${i}`))).error).toBeNull();
      const gone = await Promise.all(connections.map((each) => each.sendCommand(sql(`SELECT n FROM Made${i}`))));
      expect(gone.filter(({ error }) => error === null)).toEqual([]);
    }
  });

  test('a cursor can be fetched and closed on another connection', async () => {
    const [first, second, third] = connections;
    if (first === undefined || second === undefined || third === undefined) throw new Error('no connection');
    await service.command('cmd=getorcreate&cacheName=scanned');
    for (let i = 0; i < 10; i++) await service.command(`cmd=put&cacheName=scanned&key=${i}&val=${i}`);
    for (let i = 0; i < 10; i++) {
      const opened = await first.sendCommand('cmd=qryscanexe&cacheName=scanned&pageSize=4');
      const { queryId } = opened.response as { queryId: number };
      const next = await another(first).sendCommand(`cmd=qryfetch&qryId=${queryId}&pageSize=4`);
      expect(next).toMatchObject({ error: null, response: { last: false, queryId } });
      expect((await another(first).sendCommand(`cmd=qrycls&qryId=${queryId}`)).response).toBe(true);
      expect((await first.sendCommand(`cmd=qryfetch&qryId=${queryId}&pageSize=4`)).error).toContain(String(queryId));
    }
  });

  test('a state change applies to all threads before it is acknowledged', async () => {
    for (let i = 0; i < 10; i++) {
      const first = connections[i % CONNECTIONS];
      if (first === undefined) throw new Error('no connection');
      await first.sendCommand('cmd=setstate&state=ACTIVE_READ_ONLY');
      const rejected = await Promise.all(connections.map((each) => each.sendCommand('cmd=put&key=state&val=1')));
      expect(rejected.every(({ error }) => error?.includes('read-only') === true)).toBe(true);
      await first.sendCommand('cmd=setstate&state=ACTIVE');
      const accepted = await Promise.all(connections.map((each) => each.sendCommand('cmd=put&key=state&val=1')));
      expect(accepted.every(({ response }) => response === true)).toBe(true);
    }
  });

  test('the metrics of a cache are counted over all threads', async () => {
    await service.command('cmd=getorcreate&cacheName=counted');
    await Promise.all(
      connections.map(async (each, index) => {
        await each.sendCommand(`cmd=put&cacheName=counted&key=${index}&val=1`);
        await each.sendCommand(`cmd=get&cacheName=counted&key=${index}`);
        await each.sendCommand(`cmd=get&cacheName=counted&key=none`);
      }),
    );
    const metrics = await service.command('cmd=cache&cacheName=counted');
    expect(metrics).toMatchObject({
      reads: 2 * CONNECTIONS,
      hits: CONNECTIONS,
      misses: CONNECTIONS,
      writes: CONNECTIONS,
    });
  });
});
