/** Atomic batches and idempotency keys in front of a cluster (docs/spec/extensions.md 3 and 10). */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type ServiceProcess, startService } from '../system/service-process.ts';
import { until } from '../system/until.ts';
import { missingForNodes, startCluster, type TestCluster } from './ignite-node.ts';

const missing = missingForNodes();
// Starting nodes takes time.
setDefaultTimeout(180_000);

interface Answer {
  readonly http: number;
  readonly replayed: boolean;
  readonly error: string | null;
  readonly response: unknown;
}

if (missing !== undefined) {
  describe('idempotency keys in a cluster', () => {
    test.skip(missing, () => {});
  });
} else {
  describe('idempotency keys in a cluster', () => {
    let cluster: TestCluster;
    let one: ServiceProcess;
    let two: ServiceProcess;
    beforeAll(async () => {
      cluster = await startCluster(1);
      const env = { SVC_ENGINE: 'cluster', SVC_ENDPOINTS: cluster.endpoints.join(',') };
      one = await startService({ env });
      two = await startService({ env });
      const create = 'CREATE TABLE Tx (id INT PRIMARY KEY, n INT) WITH "atomicity=transactional,cache_name=tx"';
      await one.command(`cmd=qryfldexe&pageSize=1&qry=${encodeURIComponent(create)}`);
      await one.command('cmd=getorcreate&cacheName=plain');
    }, 300_000);
    afterAll(async () => {
      await one.stop();
      await two.stop();
      await cluster[Symbol.asyncDispose]();
    });

    async function send({ url }: ServiceProcess, query: string, key?: string, body?: object): Promise<Answer> {
      const answer = await fetch(`${url}?${query}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          ...(key !== undefined && { 'idempotency-key': key }),
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      const { error, response } = (await answer.json()) as Pick<Answer, 'error' | 'response'>;
      return { http: answer.status, replayed: answer.headers.get('idempotent-replayed') === 'true', error, response };
    }

    const CHANGES: ReadonlyArray<readonly [title: string, query: string, body?: object]> = [
      ['an entry of a transactional cache', 'cmd=getput&cacheName=tx&key=1&val=one'],
      ['an entry of another cache', 'cmd=getput&cacheName=plain&key=1&val=one'],
      ['a counter', 'cmd=incr&key=once&delta=1'],
      ['a cache', 'cmd=getorcreate&cacheName=made'],
      [
        'an atomic batch',
        'cmd=batch&atomic=true',
        [
          { cmd: 'getput', cacheName: 'tx', key: '2', val: 'two' },
          { cmd: 'putifabs', cacheName: 'tx', key: '3', val: 'three' },
        ],
      ],
      ['a batch', 'cmd=batch', [{ cmd: 'incr', key: 'once', delta: 1 }]],
    ];
    for (const [index, [title, query, body]] of CHANGES.entries()) {
      test(`return the answer again, on every service: ${title} [13.10]`, async () => {
        const first = await send(one, query, `change-${index}`, body);
        expect(first).toMatchObject({ http: 200, replayed: false, error: null });
        for (const service of [one, two]) {
          expect(await send(service, query, `change-${index}`, body)).toEqual({ ...first, replayed: true });
        }
        expect(await send(two, 'cmd=put&cacheName=tx&key=9&val=other', `change-${index}`)).toMatchObject({
          http: 409,
          error: expect.stringContaining('used with a different request'),
        });
      });
    }

    test('change nothing again', async () => {
      expect(await one.command('cmd=incr&key=once&delta=0')).toBe(2);
      expect(await one.command('cmd=conkey&cacheName=tx&key=9')).toBe(false);
    });

    test('keep no errors', async () => {
      expect((await send(one, 'cmd=put&cacheName=none&key=1&val=1', 'late')).error).toContain('none');
      await one.command('cmd=getorcreate&cacheName=none');
      expect(await send(one, 'cmd=put&cacheName=none&key=1&val=1', 'late')).toMatchObject({ response: true });
    });

    test('reject a request whose service was killed before it ended', async () => {
      const jobs = async () =>
        (await one.command(`cmd=qryfldexe&pageSize=10&qry=${encodeURIComponent('SELECT ID FROM SYS.JOBS')}`)) as {
          readonly items: readonly unknown[];
        };
      const exe = 'cmd=exe&name=RefNode$SleepTask&p1=60000';
      const three = await startService({ env: { SVC_ENGINE: 'cluster', SVC_ENDPOINTS: cluster.endpoints.join(',') } });
      const lost = send(three, exe, 'lost').catch(() => undefined);
      try {
        await until('the node runs the task', async () => (await jobs()).items.length > 0);
      } finally {
        await three.kill();
      }
      await lost;
      for (const service of [one, two]) {
        expect(await send(service, exe, 'lost')).toMatchObject({
          http: 409,
          error: expect.stringContaining('its outcome is unknown: this request changed nothing'),
        });
        expect(await send(service, 'cmd=exe&name=RefNode$SleepTask&p1=1', 'lost')).toMatchObject({
          http: 409,
          error: expect.stringContaining('used with a different request'),
        });
      }
      expect((await jobs()).items).toHaveLength(1);
    });

    test('dry runs change nothing, and reject what nodes cannot roll back [15.5]', async () => {
      const dry = (query: string) => send(one, `cmd=dryrun&of=${query}`);
      expect(await dry('getput&cacheName=tx&key=dry&val=x')).toMatchObject({
        error: null,
        response: { response: null },
      });
      expect(await one.command('cmd=conkey&cacheName=tx&key=dry')).toBe(false);
      expect((await dry('put&cacheName=plain&key=dry&val=x')).error).toContain('the cache is ATOMIC');
      expect((await dry('incr&key=dry&delta=1')).error).toContain('a counter');
      expect(await one.command('cmd=conkey&cacheName=plain&key=dry')).toBe(false);
      await one.command('cmd=put&cacheName=plain&key=kept&val=x');
      for (const of of ['destcache', 'clear']) {
        const { response } = await dry(`${of}&cacheName=plain`);
        expect(response).toMatchObject({ effects: [{ cacheName: 'plain', entries: expect.any(Number) }] });
      }
      expect(await one.command('cmd=get&cacheName=plain&key=kept')).toBe('x');
    });

    test('atomic batches change all or nothing, and reject caches that take no part', async () => {
      const batch = (commands: readonly object[]) => send(one, 'cmd=batch&atomic=true', undefined, commands);
      const put = (key: string) => ({ cmd: 'put', cacheName: 'tx', key, val: 'x' });
      expect(await batch([put('7'), { cmd: 'cas', cacheName: 'tx', key: '8', val: 'a', val2: 'b' }])).toMatchObject({
        response: { command: 2, cmd: 'cas' },
      });
      expect(await one.command('cmd=conkey&cacheName=tx&key=7')).toBe(false);
      const rejected = await batch([put('7'), { cmd: 'put', cacheName: 'plain', key: '7', val: 'x' }]);
      expect(rejected.error).toContain('the cache is ATOMIC');
      expect(await one.command('cmd=conkey&cacheName=tx&key=7')).toBe(false);
      expect((await batch([put('7'), put('8')])).error).toBeNull();
      expect(await one.command('cmd=getall&cacheName=tx&k1=7&k2=8')).toEqual({ 7: 'x', 8: 'x' });
    });
  });
}
