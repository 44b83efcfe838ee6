/** Takeovers between services: kills, handovers, suspensions, and the responses of standbys. */
import { describe, expect, test } from 'bun:test';
import { copyFileSync, cpSync, readFileSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { SvcClient } from '../../../src/client/client.ts';
import { outputOf } from '../../ended-program.ts';
import { type Name, Pair } from '../../proof/failover/failover-pair.ts';
import { failing, ScriptedObjectStore } from '../../scripted-object-store.ts';
import { runSvcProcess } from '../cli/cli-process.ts';
import { BUN, MAIN } from '../program.ts';
import { type ServiceProcess, StartFailure, startService } from '../service-process.ts';
import { until } from '../until.ts';

const LIMIT_MS = 120_000;
const PUT_MS = 80;
const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'svc-test', AWS_SECRET_ACCESS_KEY: 'svc-test-key' };

const put = (service: ServiceProcess, key: string, value: string) => service.command(`cmd=put&key=${key}&val=${value}`);
const get = (service: ServiceProcess, key: string) => service.command(`cmd=get&key=${key}`);

/** A store so slow that clients are back before it has answered another request. */
class DistantObjectStore extends ScriptedObjectStore {
  protected override around = async (
    request: Request,
    execute: (request: Request) => Promise<Response>,
  ): Promise<Response> => {
    if (request.method === 'PUT') await Bun.sleep(PUT_MS);
    return execute(request);
  };
}

/** A store in which a late request of an earlier owner creates the first object first. */
class OvertakenObjectStore extends ScriptedObjectStore {
  protected override around = async (
    request: Request,
    execute: (request: Request) => Promise<Response>,
  ): Promise<Response> => {
    const { method, url, headers } = request;
    if (method === 'PUT' && url.includes('/0000/')) await execute(new Request(url, { method, headers, body: 'other' }));
    return execute(request);
  };
}

/** Returns a response up to its end, or until it is cut off. */
async function textOf({ body }: Response): Promise<string> {
  let text = '';
  try {
    for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) text += chunk;
  } catch {
    // It was cut.
  }
  return text;
}

/** Returns the failure of a start. */
async function failedStart(starting: Promise<ServiceProcess>): Promise<StartFailure> {
  const failure: unknown = await starting.catch((error: unknown) => error);
  if (!(failure instanceof StartFailure)) throw new Error('the service has started');
  return failure;
}

describe('over a folder', () => {
  test(
    'a standby answers no command, and takes over with everything acknowledged when the primary is killed',
    async () => {
      await using pair = new Pair();
      const a = await pair.startPrimary('a');
      await put(a, 'first', '1');
      const b = await pair.start('b');
      const answer = await b.send('cmd=get&key=first');
      expect(answer).toMatchObject({
        http: 503,
        error: 'This service is a standby, which answers no commands; the primary is http://a.example:8080',
      });
      const ready = await fetch(`${b.origin}/health/ready`);
      expect(ready.status).toBe(503);
      expect((await fetch(`${b.origin}/health/live`)).status).toBe(200);
      expect(await (await fetch(`${b.origin}/`)).text()).toBe('standby of http://a.example:8080\n');
      await pair.untilFollowing('b');
      for (let at = 0; at < 50; at++) await put(a, `k${at}`, `${at}`);
      await a.kill();
      await pair.untilPrimary('b');
      expect(await get(b, 'first')).toBe('1');
      for (let at = 0; at < 50; at++) expect(await get(b, `k${at}`)).toBe(`${at}`);
      expect(await pair.metric('b', 'svc_failover_epoch')).toBe(2);
      await put(b, 'second', '2');

      // The former primary follows, and takes over when that one hands over.
      const again = await pair.start('a');
      await until('it says so', () => again.output().includes('standby of http://b.example:8080'));
      await pair.untilFollowing('a');
      await put(b, 'third', '3');
      expect(await b.stop()).toBe(0);
      await pair.untilPrimary('a');
      expect(await Promise.all(['first', 'second', 'third'].map((key) => get(again, key)))).toEqual(['1', '2', '3']);
    },
    LIMIT_MS,
  );
});

test(
  'the first change of a term does not wait for the interval of shipping',
  async () => {
    await using pair = new Pair({ env: { SVC_BACKUP_CONTINUOUS_INTERVAL_MS: String(5 * LIMIT_MS) } });
    const a = await pair.startPrimary('a');
    await put(a, 'after the start', '1');
    const b = await pair.startStandby('b');
    expect(await a.stop()).toBe(0);
    await pair.untilPrimary('b');
    await put(b, 'after the hand-over', '2');
    expect(await get(b, 'after the start')).toBe('1');
  },
  LIMIT_MS,
);

test(
  'a read has a position after what it has seen, which a failover may undo',
  async () => {
    await using pair = new Pair();
    const a = await pair.startPrimary('a');
    await a.command('cmd=getorcreate&cacheName=fed&changeFeed=true');
    const positionOf = async (query: string) =>
      (await fetch(`${a.url}?${query}`)).headers.get('change-position')?.split('.');
    const [file = '', written = ''] = (await positionOf('cmd=put&cacheName=fed&key=k&val=1')) ?? [];
    expect(await positionOf('cmd=get&cacheName=fed&key=k')).toEqual([file, written]);
    for (const query of ['cmd=size', 'cmd=qryscanexe&pageSize=1', 'cmd=getall&k1=k']) {
      expect(await positionOf(`${query}&cacheName=fed`)).toEqual([file, written]);
    }
    expect(await positionOf(`cmd=qryfldexe&pageSize=1&qry=${encodeURIComponent('SELECT 1')}`)).toEqual([file, written]);
    expect(await positionOf('cmd=get&key=k')).toBeUndefined();
    expect(await positionOf('cmd=version')).toBeUndefined();
  },
  LIMIT_MS,
);

test(
  'all clients share one object, and not two in turns',
  async () => {
    using store = new DistantObjectStore();
    await using pair = new Pair({ url: store.bucketUrl('svc'), env: CREDENTIALS });
    const a = await pair.startPrimary('a');
    const objects = () => [...store.objects.keys()].filter((key) => key.includes('/0000/')).length;
    const before = objects();
    const [clients, rounds] = [8, 10];
    const load = Array.from({ length: clients }, async (_, client) => {
      // While the object with the others is in flight.
      await Bun.sleep(client % 2 === 0 ? 0 : PUT_MS / 2);
      for (let round = 0; round < rounds; round++) await put(a, `k${client}`, `${round}`);
    });
    await Promise.all(load);
    // One after another, each client would wait for two objects.
    expect(objects() - before).toBeWithin(rounds, Math.ceil(1.6 * rounds));
  },
  LIMIT_MS,
);

test(
  'a primary whose disk has less than the destination after a power cut lacks nothing',
  async () => {
    await using pair = new Pair();
    const a = await pair.startPrimary('a');
    for (let at = 0; at < 20; at++) await put(a, `k${at}`, `${at}`);
    await a.kill();
    // Commits do not wait for the disk: a response waits until its changes are in the destination.
    const log = join(a.dataDir, 'svc.db-wal');
    truncateSync(log, Math.floor(statSync(log).size / 2));
    rmSync(join(a.dataDir, 'svc.db-shm'));
    const again = await pair.startPrimary('a');
    for (let at = 0; at < 20; at++) expect(await get(again, `k${at}`)).toBe(`${at}`);
    await put(again, 'k0', 'new');
    expect(await get(again, 'k0')).toBe('new');
  },
  LIMIT_MS,
);

describe('over an object store', () => {
  test(
    'a deposed primary keeps aside what it has not shipped, and has the data of the new one',
    async () => {
      using store = new ScriptedObjectStore();
      const url = store.bucketUrl('svc');
      const env = {
        ...CREDENTIALS,
        SVC_BACKUP_CONTINUOUS_ACKNOWLEDGE: 'local',
        SVC_BACKUP_CONTINUOUS_INTERVAL_MS: '30000',
        SVC_BACKUP_CONTINUOUS_MAX_LOSS_MS: '60000',
      };
      await using pair = new Pair({ url, env });
      const a = await pair.startPrimary('a');
      const b = await pair.startStandby('b');
      const metrics = async (name: Name, ...names: readonly string[]) => {
        const all = await pair.metrics(name);
        return names.map((each) => all.get(`svc_failover_${each}`));
      };
      await put(a, 'k', 'unshipped');
      process.kill(a.pid, 'SIGSTOP');
      await pair.untilPrimary('b');
      expect(await metrics('b', 'may_have_lost_seconds', 'lost_commits')).toEqual([60, undefined]);
      const audit = (name: Name) => readFileSync(join(pair.logFolder(name), 'audit.log'), 'utf8');
      expect(audit('b')).toMatch(/"event":"primary","epoch":2,.*"mayHaveLostMs":60000/);
      expect(await get(b, 'k')).toBeNull();
      await put(b, 'other', 'new');
      process.kill(a.pid, 'SIGCONT');
      await until('it follows', async () => (await pair.metric('a', 'svc_failover_primary').catch(() => 1)) === 0);
      await pair.untilFollowing('a');
      // Readiness checks also write a record.
      const [commits = 0, seconds = 0] = await metrics('a', 'lost_commits', 'lost_seconds');
      expect(commits).toBeWithin(1, 20);
      expect(seconds).toBeWithin(0.001, 60);
      expect(audit('a')).toContain(`"event":"deposed","lostCommits":${commits},"withinMs":${seconds * 1000}`);
      const { output } = await runSvcProcess(['status', '--data-dir', a.dataDir, '--json'], { cwd: a.dataDir });
      expect(JSON.parse(output)).toMatchObject({
        mayHaveLostMs: 60_000,
        lost: `${commits} commits within ${seconds * 1000} ms had not been shipped, and are lost: see the folder deposed`,
      });
      expect(await b.stop()).toBe(0);
      await pair.untilPrimary('a');
      expect([await get(a, 'k'), await get(a, 'other')]).toEqual([null, 'new']);
      expect(await metrics('a', 'may_have_lost_seconds', 'lost_commits')).toEqual([0, commits]);

      const kept = join(pair.root, 'kept');
      cpSync(join(pair.root, 'a', 'deposed'), kept, { recursive: true });
      expect((await outputOf([BUN, MAIN, 'tail', kept])).replace(/^#.*\n/gm, '')).toBe(
        '{"cmd":"put","cacheName":"default","key":"k","keyType":"string","val":"unshipped","valueType":"string"}\n',
      );
      await using inspected = await startService({ dataDir: kept, env: { SVC_WORKERS: '1' } });
      expect(await get(inspected, 'k')).toBe('unshipped');
    },
    LIMIT_MS,
  );

  test(
    'a primary whose machine has started again goes on with what it had not shipped, when its lease has ended',
    async () => {
      using store = new ScriptedObjectStore();
      const env = {
        ...CREDENTIALS,
        SVC_BACKUP_CONTINUOUS_ACKNOWLEDGE: 'local',
        SVC_BACKUP_CONTINUOUS_INTERVAL_MS: '30000',
      };
      await using pair = new Pair({ url: store.bucketUrl('svc'), env });
      const a = await pair.startPrimary('a');
      await put(a, 'first', 'shipped');
      await put(a, 'k', 'unshipped');
      await a.kill();
      // The position of this file on its disk is part of what distinguishes one boot of the machine from another.
      const instance = join(a.dataDir, 'instance-id');
      copyFileSync(instance, `${instance}.copy`);
      renameSync(`${instance}.copy`, instance);
      const again = await pair.start('a');
      expect(await pair.metric('a', 'svc_failover_primary')).toBe(0);
      await pair.untilPrimary('a');
      expect([await get(again, 'first'), await get(again, 'k')]).toEqual(['shipped', 'unshipped']);
      expect(await pair.metric('a', 'svc_failover_may_have_lost_seconds')).toBe(0);
    },
    LIMIT_MS,
  );

  test(
    'the primary answers nothing while the store is away, and goes on when it is back',
    async () => {
      using store = new ScriptedObjectStore();
      const url = store.bucketUrl('svc');
      await using pair = new Pair({ url, env: CREDENTIALS });
      const a = await pair.startPrimary('a');
      await put(a, 'k', '1');
      store.outage = failing(503, 'SlowDown');
      await until('it answers nothing', async () => (await a.send('cmd=get&key=k')).http === 503);
      expect(await a.send('cmd=get&key=k')).toMatchObject({ response: null });
      store.outage = undefined;
      await until('it answers', async () => (await a.send('cmd=get&key=k')).response === '1');
      await put(a, 'k', '2');
    },
    LIMIT_MS,
  );

  test(
    'a start waits for a store that does not answer at the moment',
    async () => {
      using store = new ScriptedObjectStore();
      const url = store.bucketUrl('svc');
      await using pair = new Pair({ url, env: CREDENTIALS });
      store.outage = failing(503, 'SlowDown');
      const starting = pair.start('a');
      await until('it has asked', () => store.requests.length > 0);
      store.outage = undefined;
      await starting;
      await pair.untilPrimary('a');
    },
    LIMIT_MS,
  );

  test(
    'a start says that the store refuses it',
    async () => {
      using store = new ScriptedObjectStore();
      await using pair = new Pair({ url: store.bucketUrl('svc'), env: CREDENTIALS });
      store.outage = failing(403, 'AccessDenied');
      const { output, exitCode } = await failedStart(pair.start('a'));
      expect(output).toMatch(/svc: The object store cannot be used: .* 403 AccessDenied/);
      expect([exitCode, output.includes('    at ')]).toEqual([1, false]);
    },
    LIMIT_MS,
  );

  test(
    'a standby whose takeover met a store that failed tries again',
    async () => {
      using store = new ScriptedObjectStore();
      const url = store.bucketUrl('svc');
      await using pair = new Pair({ url, env: CREDENTIALS });
      const a = await pair.startPrimary('a');
      await put(a, 'k', '1');
      const b = await pair.startStandby('b');
      await a.kill();
      const before = store.requests.length;
      const isTaken = () => store.requests.slice(before).some((request) => /^PUT .*owner.json$/.test(request));
      await until('the lease is taken', isTaken);
      store.outage = failing(503, 'SlowDown');
      await Bun.sleep(1_000);
      store.outage = undefined;
      await pair.untilPrimary('b', 20_000);
      expect(await get(b, 'k')).toBe('1');
    },
    LIMIT_MS,
  );

  test(
    'a start ends when what it has to ship first can never be shipped',
    async () => {
      using store = new OvertakenObjectStore();
      await using pair = new Pair({ url: store.bucketUrl('svc'), env: CREDENTIALS });
      const { output, exitCode } = await failedStart(pair.start('a'));
      expect(output).toContain('somebody else has created the object of position 0000000000000001');
      expect([exitCode, output.includes('    at ')]).toEqual([2, false]);
    },
    LIMIT_MS,
  );

  test(
    'a standby that cannot serve leaves the lease to others',
    async () => {
      using store = new ScriptedObjectStore();
      await using pair = new Pair({ url: store.bucketUrl('svc'), env: CREDENTIALS });
      const keyed = async (name: Name) => {
        const keyFile = join(pair.root, `${name}.key`);
        await runSvcProcess(['backup', 'key', '--to', keyFile], { cwd: pair.root });
        return { SVC_BACKUP_ENCRYPTION_KEY_FILE: keyFile };
      };
      const key = await keyed('a');
      const a = await pair.start('a', key);
      await put(a, 'k', '1');
      const keyB = { ...(await keyed('b')), SVC_LOG_STDOUT: 'text' };
      const b = await pair.start('b', keyB);
      await a.kill();
      await until('it cannot take over', () => b.output().includes('The service could not take over'));
      // Its next process does not take it at once, either, which would end its start.
      await b.kill();
      await pair.start('b', keyB);
      const again = await pair.start('a', key);
      await pair.untilPrimary('a');
      expect(await get(again, 'k')).toBe('1');
    },
    LIMIT_MS,
  );

  test(
    'a service whose objects the store refuses leaves the lease to others, and keeps what it has not shipped',
    async () => {
      using store = new ScriptedObjectStore();
      const env = {
        ...CREDENTIALS,
        SVC_BACKUP_CONTINUOUS_ACKNOWLEDGE: 'local',
        SVC_BACKUP_CONTINUOUS_INTERVAL_MS: '30000',
      };
      await using pair = new Pair({ url: store.bucketUrl('svc'), env });
      const a = await pair.startPrimary('a');
      await put(a, 'k', 'unshipped');
      await a.kill();
      store.refuses = (request) => /^PUT .*\/0000\//.test(request);
      const { output } = await failedStart(pair.start('a'));
      expect(output).toContain('403');
      store.refuses = () => false;
      const again = await pair.start('a');
      expect(await pair.metric('a', 'svc_failover_primary')).toBe(0);
      await pair.untilPrimary('a');
      expect(await get(again, 'k')).toBe('unshipped');
    },
    LIMIT_MS,
  );

  test(
    'a primary no longer accepts requests when it releases its lease',
    async () => {
      using store = new ScriptedObjectStore();
      await using pair = new Pair({ url: store.bucketUrl('svc'), env: CREDENTIALS });
      const a = await pair.startPrimary('a');
      await put(a, 'k', '1');
      let answer: Promise<unknown> | undefined;
      store.onRelease = async () => {
        answer ??= a.send('cmd=get&key=k').then(
          ({ response }) => response,
          () => 'the connection is refused',
        );
        await answer;
      };
      expect(await a.stop()).toBe(0);
      expect(answer).toBeDefined();
      expect(await answer).not.toBe('1');
    },
    LIMIT_MS,
  );

  test(
    'a primary that is stopped hands over everything, although an answer of the store is lost meanwhile',
    async () => {
      using store = new ScriptedObjectStore();
      const env = {
        ...CREDENTIALS,
        SVC_BACKUP_CONTINUOUS_ACKNOWLEDGE: 'local',
        SVC_BACKUP_CONTINUOUS_INTERVAL_MS: '30000',
        SVC_BACKUP_CONTINUOUS_MAX_LOSS_MS: '60000',
      };
      await using pair = new Pair({ url: store.bucketUrl('svc'), env });
      const a = await pair.startPrimary('a');
      const b = await pair.startStandby('b');
      await put(a, 'k', 'unshipped');
      let losses = 0;
      store.loses = (request) => /^PUT .*\/0000\//.test(request) && ++losses === 1;
      expect(await a.stop()).toBe(0);
      await pair.untilPrimary('b');
      expect([losses > 0, await get(b, 'k')]).toEqual([true, 'unshipped']);
      expect(await pair.metric('b', 'svc_failover_may_have_lost_seconds')).toBe(0);
    },
    LIMIT_MS,
  );

  test(
    'a hand-over lists no objects, of which there may be many',
    async () => {
      using store = new ScriptedObjectStore();
      await using pair = new Pair({ url: store.bucketUrl('svc'), env: CREDENTIALS });
      const a = await pair.startPrimary('a');
      for (let at = 0; at < 5; at++) await put(a, `k${at}`, `${at}`);
      const b = await pair.startStandby('b');
      await put(a, 'k', 'last');
      const before = store.requests.length;
      expect(await a.stop()).toBe(0);
      await pair.untilPrimary('b');
      const requests = store.requests.slice(before);
      const sealed = requests.findLastIndex((request) => /^PUT .*\/0000\//.test(request));
      expect(sealed).toBeGreaterThan(0);
      expect(requests.slice(0, sealed).filter((request) => /^GET \/bucket\/?$/.test(request))).toEqual([]);
      expect([await get(b, 'k'), await get(b, 'k4')]).toEqual(['last', '4']);
    },
    LIMIT_MS,
  );

  test(
    'a service with other caches, and one with other data, are refused',
    async () => {
      using store = new ScriptedObjectStore();
      const url = store.bucketUrl('svc');
      await using pair = new Pair({ url, env: CREDENTIALS });
      await pair.startPrimary('a');
      await expect(pair.start('b', { SVC_DEFAULT_CACHE: 'another' })).rejects.toThrow('the same configuration');
      {
        await using other = await startService({ dataDir: join(pair.root, 'b'), env: { SVC_WORKERS: '1' } });
        await put(other, 'k', 'other');
      }
      const refused = await failedStart(pair.start('b'));
      expect(refused.output).toContain('has the data of another service');
      // A wrong option, not a defect of the program.
      expect([refused.exitCode, refused.output.includes('    at ')]).toEqual([2, false]);
    },
    LIMIT_MS,
  );

  test(
    'a suspended primary answers nothing after another one has taken over, and follows it',
    async () => {
      using store = new ScriptedObjectStore();
      const url = store.bucketUrl('svc');
      await using pair = new Pair({ url, env: CREDENTIALS });
      const a = await pair.startPrimary('a');
      await put(a, 'k', 'old');
      await a.command('cmd=getorcreate&cacheName=fed&changeFeed=true');
      await a.command('cmd=put&cacheName=fed&key=k&val=1');
      const feeds = ['ndjson', 'sse'].map(async (format) =>
        textOf(await fetch(`${a.url}?cmd=watch&cacheName=fed&from=start&format=${format}`)),
      );
      const b = await pair.startStandby('b');
      const seen: unknown[] = [];
      const isSeen = Promise.withResolvers<void>();
      const following = (async () => {
        const client = new SvcClient({ url: `${a.url},${b.url}` });
        for await (const { value } of client.watch({ caches: ['fed'], from: 'start', onReconnect: () => {} })) {
          // The creation of the cache has no value.
          if (value !== undefined) seen.push(value);
          if (value === '1') isSeen.resolve();
          if (value === '2') return;
        }
      })();
      await isSeen.promise;
      process.kill(a.pid, 'SIGSTOP');
      // Sent before the takeover, and read after it.
      const late = a.send('cmd=get&key=k').catch((error: unknown) => error);
      await pair.untilPrimary('b');
      await put(b, 'k', 'new');
      await b.command('cmd=put&cacheName=fed&key=k&val=2');
      process.kill(a.pid, 'SIGCONT');
      expect(await late).not.toMatchObject({ response: 'old' });
      for (const fed of await Promise.all(feeds)) {
        const events = [...fed.matchAll(/^(?:data: )?(\{.*\})$/gm)].map(([, json = '']) => JSON.parse(json));
        const [change, end] = [events.findLast(({ event }) => event === 'change'), events.at(-1)];
        expect(end).toMatchObject({
          event: 'end',
          reason: 'stopping',
          errorCode: 'DEPOSED',
          position: change.position,
        });
      }
      await following;
      expect(seen).toEqual(['1', '2']);
      await until('it follows', async () => (await pair.metric('a', 'svc_failover_primary').catch(() => 1)) === 0);
      expect(await a.send('cmd=get&key=k')).toMatchObject({ http: 503 });
      await pair.untilFollowing('a');
      await b.kill();
      await pair.untilPrimary('a');
      expect(await get(a, 'k')).toBe('new');
    },
    LIMIT_MS,
  );
});
