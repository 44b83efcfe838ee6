/** The change feed in front of a cluster: continuous queries of real nodes, gaps, consumers that do not read. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { connect } from 'node:net';
import { changeEvents, changesIn, type StreamEvent } from '../system/change-feed/change-stream.fixture.ts';
import { queryOf, type ServiceProcess, startService } from '../system/service-process.ts';
import { until } from '../system/until.ts';
import { missingForNodes, startCluster, type TestCluster } from './ignite-node.ts';

const missing = missingForNodes();
// Starting nodes takes time.
setDefaultTimeout(180_000);

/** A consumer that keeps what it receives. */
class Follower {
  readonly events: StreamEvent[] = [];
  readonly #aborted = new AbortController();
  readonly #done: Promise<void>;

  constructor(url: string, query: Readonly<Record<string, string>>) {
    this.#done = this.#follow(url, query);
  }

  async #follow(url: string, query: Readonly<Record<string, string>>): Promise<void> {
    try {
      for await (const event of changeEvents(url, query, { signal: this.#aborted.signal })) this.events.push(event);
    } catch (error) {
      if (!this.#aborted.signal.aborted) throw error;
    }
  }

  count(event: StreamEvent['event']): number {
    return this.events.filter((each) => each.event === event).length;
  }

  /** Returns when this many events of a kind have arrived. */
  async has(event: StreamEvent['event'], count: number): Promise<void> {
    await until(`${count} of ${event}`, () => Promise.resolve(this.count(event) >= count));
  }

  async close(): Promise<void> {
    this.#aborted.abort();
    await this.#done;
  }
}

if (missing !== undefined) {
  describe('the change feed of a cluster', () => {
    test.skip(missing, () => {});
  });
} else {
  describe('the change feed of a cluster', () => {
    let cluster: TestCluster;
    let service: ServiceProcess;
    beforeAll(async () => {
      cluster = await startCluster(2, { backups: 1 });
      // The service is connected to the first node only.
      const env = { SVC_ENGINE: 'cluster', SVC_ENDPOINTS: cluster.endpoints[0] ?? '' };
      service = await startService({ env });
      await service.command('cmd=getorcreate&cacheName=c&backups=1');
      const qry = 'CREATE TABLE Item (id INT PRIMARY KEY, name VARCHAR) WITH "CACHE_NAME=items,BACKUPS=1"';
      await service.command(queryOf({ cmd: 'qryfldexe', pageSize: '1', qry }));
    }, 180_000);
    afterAll(async () => {
      await service.stop();
      await cluster[Symbol.asyncDispose]();
    });

    /** Opens a stream and returns it when it has begun. */
    async function follow(query: Readonly<Record<string, string>>): Promise<Follower> {
      const follower = new Follower(service.url, query);
      await follower.has('open', 1);
      return follower;
    }

    const sql = (qry: string) => service.command(queryOf({ cmd: 'qryfldexe', pageSize: '1', qry }));

    test('says that it cannot be resumed, and sends what commands and statements of any client change', async () => {
      const follower = await follow({ cacheName: 'c,items', oldValue: 'true' });
      expect<unknown>(follower.events[0]).toEqual({ event: 'open', position: null, resumable: false });
      await service.command('cmd=put&cacheName=c&key=a&val=1');
      await cluster.rest({ cmd: 'put', cacheName: 'c', key: 'a', val: '2' });
      await service.command('cmd=rmv&cacheName=c&key=a');
      await service.command('cmd=put&cacheName=c&key=e&val=3&ttlMs=100');
      await follower.has('change', 5);
      await sql("INSERT INTO Item VALUES (1, 'tea')");
      await sql("UPDATE Item SET name = 'mint'");
      await sql('DELETE FROM Item');
      await follower.has('change', 8);
      expect(changesIn(follower.events)).toEqual([
        'created "a" "1" -',
        'updated "a" "2" "1"',
        'removed "a" - "2"',
        'created "e" "3" -',
        'expired "e" - "3"',
        'created 1 {"NAME":"tea"} -',
        'updated 1 {"NAME":"mint"} {"NAME":"tea"}',
        'removed 1 - {"NAME":"mint"}',
      ]);
      await follower.close();
    });

    test('is filtered, and has heartbeats', async () => {
      const follower = await follow({ cacheName: 'c', operation: 'removed', key: 'f', heartbeatMs: '200' });
      for (const key of ['f', 'g']) {
        await service.command(queryOf({ cmd: 'put', cacheName: 'c', key, val: '1' }));
        await service.command(queryOf({ cmd: 'rmv', cacheName: 'c', key }));
      }
      await follower.has('heartbeat', 2);
      expect(changesIn(follower.events)).toEqual(['removed "f" - -']);
      await follower.close();
    });

    test.each([
      ['a position', { cacheName: 'c', from: '0123456789ab.1' }, 'that a stream could resume from'],
      ['the start', { cacheName: 'c', from: 'start' }, 'that a stream could resume from'],
      ['every cache', { cacheName: '*' }, 'a stream is of the caches that it names'],
      ['an unknown cache', { cacheName: 'nothing' }, 'Failed to find cache for given cache name: nothing'],
    ])('rejects %s', async (_, query, reason) => {
      expect((await service.send(queryOf({ cmd: 'watch', ...query }))).error).toContain(reason);
    });

    test('tells of a cache that was destroyed', async () => {
      await service.command('cmd=getorcreate&cacheName=brief');
      const destroyed = await follow({ cacheName: 'brief' });
      await service.command('cmd=destcache&cacheName=brief');
      await destroyed.has('end', 1);
      expect(changesIn(destroyed.events)).toEqual(['cacheDestroyed - - -']);
      expect(destroyed.events.at(-1)).toMatchObject({ reason: 'failed' });
    });

    test('tells of a cache that was destroyed and created again: that it is gone, or of a gap', async () => {
      for (let round = 0; round < 3; round++) {
        await service.command('cmd=getorcreate&cacheName=brief');
        const follower = await follow({ cacheName: 'brief' });
        await cluster.rest({ cmd: 'destcache', cacheName: 'brief' });
        await cluster.rest({ cmd: 'getorcreate', cacheName: 'brief' });
        await until('the consumer is told', () => Promise.resolve(follower.count('gap') + follower.count('end') > 0));
        // The gap may come from a cache created earlier, and another one follows: entries put until then are in
        // neither.
        await until('it goes on, or has ended', async () => {
          if (follower.count('change') + follower.count('end') > 0) return true;
          await service.command('cmd=put&cacheName=brief&key=a&val=1');
          return false;
        });
        await follower.close();
      }
    });

    test('ends the stream of a consumer that does not read, which holds a bounded number of bytes', async () => {
      const socket = connect(service.port, '127.0.0.1');
      socket.write(`GET ${new URL(service.url).pathname}?cmd=watch&cacheName=c HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      // It reads only the beginning.
      await new Promise((resolve) => socket.once('data', resolve));
      socket.pause();
      const lost = async (): Promise<number> => {
        const metrics = await (await fetch(`${service.origin}/metrics`)).text();
        return Number(/^svc_change_feed_lost_total (\d+)$/m.exec(metrics)?.[1]);
      };
      const before = await lost();
      const val = 'x'.repeat(256 * 1_024);
      for (let sent = 0; sent < 128 && (await lost()) === before; sent++) {
        const body = queryOf({ cmd: 'put', cacheName: 'c', key: 'big', val });
        const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
        expect((await service.send('', { method: 'POST', headers, body })).error).toBeNull();
      }
      await until('the stream is lost', async () => (await lost()) === before + 1);
      const end = new Promise<string>((resolve) => {
        let text = '';
        socket.on('data', (chunk: Buffer) => {
          text = (text + chunk.toString()).slice(-1_000);
          if (text.includes('"event":"end"')) resolve(text);
        });
      });
      socket.resume();
      expect(await end).toContain('"reason":"lost"');
      socket.destroy();
    });

    test('tells of a node that was lost, and goes on with the next one', async () => {
      const follower = await follow({ cacheName: 'c' });
      await cluster.nodes[0]?.kill();
      await follower.has('gap', 1);
      expect(follower.events.find(({ event }) => event === 'gap')).toMatchObject({ position: null, cache: 'c' });
      const changes = follower.count('change');
      // The nodes may reject changes until they have also noticed.
      while ((await service.send('cmd=put&cacheName=c&key=after&val=1')).successStatus !== 0) await Bun.sleep(100);
      await follower.has('change', changes + 1);
      expect(changesIn(follower.events).at(-1)).toContain('"after" "1"');
      await follower.close();
    });
  });
}
