/** Idempotency keys of users with few rights in a cluster, and while one of its nodes is killed. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, queryOf, type ServiceProcess, startService } from '../system/service-process.ts';
import { missingForNodes, startCluster, type TestCluster } from './ignite-node.ts';

const missing = missingForNodes();
// Starting nodes takes time.
setDefaultTimeout(240_000);

const PASSWORDS: Readonly<Record<string, string>> = { svc: 'pw-svc', ann: 'pw-ann', bob: 'pw-bob' };
const CONFIGURATION = {
  authentication: true,
  adminPassword: PASSWORDS.svc,
  permissions: {
    roles: { writer: { caches: { 'tx*': ['put'], plain: ['put'] }, counters: ['visits'] } },
    users: { ann: ['writer'], bob: ['writer'] },
  },
};
/** Requests of each writer before the node is killed, and after. */
const REQUESTS = 40;
const WRITERS = 8;
/** Time within which a request must succeed, including all of its retries. */
const RETRY_MS = 120_000;

interface Answer {
  readonly http: number;
  readonly replayed: boolean;
  readonly error: string | null;
  readonly response: unknown;
}

interface Sent {
  readonly user: string;
  readonly key: string;
  readonly query: string;
  readonly body?: object;
}

async function send({ url }: ServiceProcess, { user, key, query, body }: Sent): Promise<Answer> {
  const answer = await fetch(`${url}?${query}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      'idempotency-key': key,
      authorization: `Basic ${btoa(`${user}:${PASSWORDS[user]}`)}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const { error, response } = (await answer.json()) as Pick<Answer, 'error' | 'response'>;
  return { http: answer.status, replayed: answer.headers.get('idempotent-replayed') === 'true', error, response };
}

/** Sends a request again until it succeeds. */
async function retried(service: ServiceProcess, sent: Sent): Promise<void> {
  const endMs = performance.now() + RETRY_MS;
  for (;;) {
    const { error } = await send(service, sent);
    if (error === null) return;
    if (performance.now() > endMs) throw new Error(`no success within ${RETRY_MS} ms: ${error}`);
    await Bun.sleep(100);
  }
}

if (missing !== undefined) {
  describe('idempotency keys and faults of a cluster', () => {
    test.skip(missing, () => {});
  });
} else {
  describe('idempotency keys and faults of a cluster', () => {
    let cluster: TestCluster;
    let service: ServiceProcess;
    const command = (params: Readonly<Record<string, string>>) =>
      service.command(queryOf({ ...params, 'svc.login': 'svc', 'svc.password': PASSWORDS.svc ?? '' }));
    beforeAll(async () => {
      cluster = await startCluster(3, { backups: 1 });
      const config = join(newFolder(), 'svc.config.ts');
      writeFileSync(config, `export default ${JSON.stringify(CONFIGURATION)};`);
      service = await startService({
        env: { SVC_CONFIG: config, SVC_ENGINE: 'cluster', SVC_ENDPOINTS: cluster.endpoints.join(',') },
      });
      // On a busy machine, it listens before the nodes have accepted it.
      while (!(await fetch(`${service.origin}/health/ready`)).ok) await Bun.sleep(100);
      for (const user of ['ann', 'bob'])
        await command({ cmd: 'adduser', user, password: PASSWORDS[user] ?? '', roles: 'user' });
      for (const name of ['tx', 'txlog']) {
        const options = `atomicity=transactional,backups=1,cache_name=${name}`;
        const qry = `CREATE TABLE ${name} (id INT PRIMARY KEY, n INT) WITH "${options}"`;
        await command({ cmd: 'qryfldexe', pageSize: '1', qry });
      }
      await command({ cmd: 'getorcreate', cacheName: 'plain' });
    }, 240_000);
    afterAll(async () => {
      await service.stop();
      await cluster[Symbol.asyncDispose]();
    });

    const CHANGES: ReadonlyArray<readonly [title: string, query: string, body?: object]> = [
      ['an entry of a transactional cache', 'cmd=putifabs&cacheName=tx&key=1&val=one'],
      ['an entry of another cache', 'cmd=putifabs&cacheName=plain&key=1&val=one'],
      ['a counter', 'cmd=incr&key=visits&delta=1'],
      ['an atomic batch', 'cmd=batch&atomic=true', [{ cmd: 'putifabs', cacheName: 'tx', key: '2', val: 'two' }]],
    ];
    for (const [title, query, body] of CHANGES) {
      test(`a user who may only put keeps an answer: ${title}`, async () => {
        const sent = { user: 'ann', key: title.replaceAll(' ', '-'), query, ...(body && { body }) };
        const first = await send(service, sent);
        expect(first).toMatchObject({ http: 200, error: null, replayed: false });
        expect(await send(service, sent)).toEqual({ ...first, replayed: true });
      });
    }

    test('the keys of another user are others', async () => {
      const sent = { user: 'bob', key: 'a-counter', query: 'cmd=incr&key=visits&delta=1' };
      expect(await send(service, sent)).toMatchObject({ response: 2, replayed: false });
    });

    test('a rejected request keeps nothing, and the stored responses are no cache of clients', async () => {
      const rejected = { user: 'ann', key: 'none', query: 'cmd=incr&key=others&delta=1' };
      expect((await send(service, rejected)).error).toContain('others');
      const allowed = { user: 'ann', key: 'none', query: 'cmd=incr&key=visits&delta=1' };
      expect(await send(service, allowed)).toMatchObject({ response: 3, replayed: false });
      const answers = { user: 'svc', key: 'x', query: 'cmd=put&cacheName=svc-sys-idempotency&key=1&val=1' };
      expect((await send(service, answers)).error).not.toBeNull();
      expect(await command({ cmd: 'cachelist' })).not.toContainEqual(
        expect.objectContaining({ name: 'svc-sys-idempotency' }),
      );
    });

    test('a node that is killed repeats and loses no change', async () => {
      const victim = cluster.nodes[1];
      if (victim === undefined) throw new Error('no node');
      const acknowledged: string[][] = Array.from({ length: WRITERS }, () => []);
      let isKilled = false;
      const write = async (writer: number): Promise<void> => {
        let after = 0;
        for (let number = 0; after < REQUESTS; number++) {
          if (isKilled) after++;
          const append = { cmd: 'append', cacheName: 'txlog', key: `log-${writer}`, val: `,${number}` };
          // Half of the changes are transactions of several entries.
          const batch = [append, { cmd: 'put', cacheName: 'tx', key: `last-${writer}`, val: String(number) }];
          const sent = {
            user: 'svc',
            key: `${writer}-${number}`,
            ...(number % 2 === 0 ? { query: queryOf(append) } : { query: 'cmd=batch&atomic=true', body: batch }),
          };
          await retried(service, sent);
          acknowledged[writer]?.push(String(number));
        }
      };
      for (let writer = 0; writer < WRITERS; writer++) {
        await command({ cmd: 'put', cacheName: 'txlog', key: `log-${writer}`, val: '' });
      }
      const writers = Promise.all(acknowledged.map((_, writer) => write(writer)));
      while (acknowledged.some(({ length }) => length < REQUESTS)) await Bun.sleep(20);
      await victim.kill();
      isKilled = true;
      await writers;
      for (const [writer, numbers] of acknowledged.entries()) {
        const log = String(await command({ cmd: 'get', cacheName: 'txlog', key: `log-${writer}` }));
        expect(log.split(',').slice(1)).toEqual(numbers);
      }
    });
  });
}
