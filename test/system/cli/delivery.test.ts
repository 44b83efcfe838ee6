/** `svc watch --post` over real sockets: receivers that fail, restart, are slow and reject; killed consumers. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../free-port.ts';
import { BUN, MAIN } from '../program.ts';
import { newFolder, type ServiceProcess, startService } from '../service-process.ts';
import { runSvcProcess } from './cli-process.ts';

setDefaultTimeout(180_000);
const WITHIN_MS = 90_000;
const KEY = Buffer.from('a secret of twenty-four bytes and more');
const SECRET = `whsec_${KEY.toString('base64')}`;
const folder = newFolder();
let service: ServiceProcess;

beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

interface CloudEvent {
  readonly specversion: string;
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly time: string;
  readonly subject?: string;
  readonly data: Readonly<Record<string, unknown>>;
}

interface Message {
  readonly id: string;
  readonly text: string;
  readonly events: readonly CloudEvent[];
}

/** A receiver that checks signatures. `answer` is asked before a message is accepted. */
class TestReceiver implements Disposable {
  readonly port = freePort();
  readonly accepted: Message[] = [];
  readonly wrong: string[] = [];
  answer: (message: Message, attempt: number) => Response | undefined | Promise<Response | undefined> = () => undefined;
  attempts = 0;
  #server: ReturnType<typeof Bun.serve> | undefined;

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`;
  }

  start(): this {
    this.#server = Bun.serve({
      port: this.port,
      hostname: '127.0.0.1',
      idleTimeout: 0,
      fetch: (r) => this.#receive(r),
    });
    return this;
  }

  async stop(): Promise<void> {
    await this.#server?.stop(true);
  }

  [Symbol.dispose](): void {
    void this.#server?.stop(true);
  }

  async #receive(request: Request): Promise<Response> {
    const text = await request.text();
    const header = (name: string) => request.headers.get(name) ?? '';
    const id = header('webhook-id');
    const signed = `${id}.${header('webhook-timestamp')}.${text}`;
    const expected = `v1,${createHmac('sha256', KEY).update(signed).digest('base64')}`;
    if (!header('webhook-signature').split(' ').includes(expected)) this.wrong.push(id);
    if (header('content-type') !== 'application/cloudevents-batch+json; charset=utf-8') this.wrong.push('content-type');
    const message: Message = { id, text, events: JSON.parse(text) };
    const answer = await this.answer(message, ++this.attempts);
    if (answer === undefined || answer.ok) this.accepted.push(message);
    return answer ?? new Response(null, { status: 204 });
  }

  /** The keys of changes as they have arrived, without repetitions. */
  keys(): string[] {
    const seen = new Map(this.accepted.flatMap(({ events }) => events.map((each) => [each.id, each.subject ?? ''])));
    return [...seen.values()];
  }
}

async function until(isReached: () => boolean): Promise<void> {
  const endMs = performance.now() + WITHIN_MS;
  while (!isReached() && performance.now() < endMs) await Bun.sleep(25);
  expect(isReached()).toBe(true);
}

let caches = 0;
async function newCache(of = service): Promise<string> {
  const name = `delivered${++caches}`;
  await of.command(`cmd=getorcreate&cacheName=${name}&changeFeed=true`);
  return name;
}

const put = (cache: string, key: string, val = '1', of = service) =>
  of.command(`cmd=put&cacheName=${cache}&key=${key}&val=${val}`);

function argumentsOf(cache: string, receiver: TestReceiver, ...more: readonly string[]): string[] {
  const state = join(folder, `${cache}.json`);
  const common = ['watch', cache, '--operation', 'created,updated,removed', '--post', receiver.url];
  return [...common, '--state', state, '--url', service.url, ...more];
}

/** Starts a consumer that follows. */
function startConsumer(args: readonly string[]) {
  const child = Bun.spawn([BUN, MAIN, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', HOME: folder, SVC_WEBHOOK_SECRET: SECRET },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  });
  const errors = new Response(child.stderr).text();
  return {
    async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<{ exitCode: number | null; errors: string }> {
      child.kill(signal);
      await child.exited;
      return { exitCode: child.exitCode, errors: await errors };
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await child.exited;
    },
  };
}

const run = (args: readonly string[]) => runSvcProcess(args, { cwd: folder, env: { SVC_WEBHOOK_SECRET: SECRET } });

test('changes arrive as signed CloudEvents with all digits, and the next run continues behind them', async () => {
  using receiver = new TestReceiver().start();
  const cache = await newCache();
  await service.command(`cmd=put&cacheName=${cache}&key=9007199254740993&keyType=long&val=1.50&valueType=decimal`);
  await put(cache, 'b');
  await service.command(`cmd=rmv&cacheName=${cache}&key=b`);
  const args = argumentsOf(cache, receiver, '--from', 'start', '--no-follow', '--old-value');
  expect(await run(args)).toEqual({ exitCode: 0, output: '', errors: '' });
  const events = receiver.accepted.flatMap((message) => message.events);
  expect(receiver.accepted.map(({ text }) => text).join()).toContain(
    '"data":{"key":9007199254740993,"keyType":"long","value":1.50,"valueType":',
  );
  expect(events[1]).toMatchObject({
    specversion: '1.0',
    source: `/svc/caches/${cache}`,
    type: 'svc.change.created',
    subject: 'b',
    data: { key: 'b', value: '1' },
  });
  expect(events[2]).toMatchObject({ type: 'svc.change.removed', data: { key: 'b', oldValue: '1' } });
  expect(new Set(events.map(({ id }) => id)).size).toBe(3);
  expect(new Date(events[0]?.time ?? '').getTime()).toBeGreaterThan(0);
  await put(cache, 'c');
  expect((await run(args)).exitCode).toBe(0);
  expect(receiver.keys()).toEqual(['9007199254740993', 'b', 'b', 'c']);
  expect(receiver.accepted.at(-1)?.events.length).toBe(1);
  expect(receiver.wrong).toEqual([]);
});

test('a receiver that fails, is slow and restarts gets every change in order, also from a consumer that is killed', async () => {
  using receiver = new TestReceiver().start();
  const cache = await newCache();
  const args = argumentsOf(cache, receiver, '--batch', '10');
  receiver.answer = async (_, attempt) => {
    if (attempt % 5 === 1) return new Response('busy', { status: 503, headers: { 'retry-after': '0' } });
    // Accepted, but the answer is slow: the consumer that is killed meanwhile sends it again.
    await Bun.sleep(attempt % 7 === 0 ? 400 : 20);
    return undefined;
  };
  const wanted: string[] = [];
  const write = async (count: number) => {
    for (let each = 0; each < count; each++) {
      wanted.push(`k${wanted.length}`);
      await put(cache, wanted.at(-1) ?? '');
    }
  };
  const state = join(folder, `${cache}.json`);
  {
    await using _first = startConsumer(args);
    await until(() => existsSync(state));
    for (let kill = 0; kill < 4; kill++) {
      await write(20);
      await until(() => receiver.keys().length > kill * 10);
    }
  }
  for (let kill = 0; kill < 3; kill++) {
    await using _next = startConsumer(args);
    const before = receiver.accepted.length;
    await write(15);
    await until(() => receiver.accepted.length > before);
  }
  await using last = startConsumer(args);
  await receiver.stop();
  await write(20);
  receiver.start();
  await until(() => receiver.keys().length === wanted.length);
  expect(receiver.keys()).toEqual(wanted);
  expect(receiver.wrong).toEqual([]);
  const { exitCode } = await last.end('SIGTERM');
  expect(exitCode).toBe(130);
  expect(existsSync(`${state}.rejected`)).toBe(false);
});

test('what the receiver rejects is in a file, and the others arrive', async () => {
  using receiver = new TestReceiver().start();
  const cache = await newCache();
  for (const key of ['a', 'poison', 'c']) await put(cache, key);
  receiver.answer = ({ text }) =>
    text.includes('poison') ? new Response('no such thing', { status: 422 }) : undefined;
  const rejected = join(folder, 'rejected.ndjson');
  const args = argumentsOf(cache, receiver, '--from', 'start', '--no-follow', '--rejected', rejected);
  expect((await run(args)).exitCode).toBe(0);
  expect(receiver.keys()).toEqual(['a', 'c']);
  const lines = readFileSync(rejected, 'utf8').trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    {
      time: expect.any(String),
      status: 422,
      answer: 'no such thing',
      event: expect.objectContaining({ subject: 'poison', type: 'svc.change.created' }),
    },
  ]);
  expect((await run(args)).exitCode).toBe(0);
  expect([receiver.keys(), receiver.attempts]).toEqual([['a', 'c'], 4]);
});

test('changes survive a restart of the service', async () => {
  using receiver = new TestReceiver().start();
  const port = freePort();
  const dataDir = newFolder();
  const env = { SVC_HTTP_PORT: String(port), SVC_STRICT_PORT: 'true' };
  try {
    const first = await startService({ dataDir, env });
    const cache = await newCache(first);
    const consumer = startConsumer(argumentsOf(cache, receiver, '--url', first.url));
    try {
      await until(() => existsSync(join(folder, `${cache}.json`)));
      await put(cache, 'before', '1', first);
      await first.stop();
      await using second = await startService({ dataDir, env });
      await put(cache, 'after', '1', second);
      await until(() => receiver.keys().length === 2);
      expect(receiver.keys()).toEqual(['before', 'after']);
    } finally {
      await consumer.end('SIGKILL');
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});

describe('ends with an error', () => {
  test('where the receiver is gone for good', async () => {
    using receiver = new TestReceiver().start();
    receiver.answer = () => new Response(null, { status: 410 });
    const cache = await newCache();
    await put(cache, 'a');
    const { exitCode, errors } = await run(argumentsOf(cache, receiver, '--from', 'start'));
    expect([exitCode, errors]).toEqual([1, expect.stringContaining('no longer accepts changes (HTTP 410)')]);
  });

  const url = 'http://127.0.0.1:1/hook';
  const state = ['--state', 'state.json'];
  const cases: ReadonlyArray<readonly [args: readonly string[], text: string, secret?: string]> = [
    [['--post', 'example.com', ...state], '--post: example.com is no address of HTTP'],
    [['--post', url], '--post needs --state FILE'],
    [['--post', url, ...state], '--post needs a secret', ''],
    [['--post', url, ...state], 'the secret must be whsec_ and base64 of at least 24 bytes', 'whsec_c2hvcnQ='],
    [['--post', url, ...state, '--batch', '0'], '--batch: 0 is not 1 to 99999'],
    [['--post', url, '--state', 'other.txt'], 'other.txt is not the file of a consumer'],
    [state, '--state needs --post'],
    [['--secret-file', 'a'], '--secret-file needs --post'],
  ];
  test.each(cases)('%p', async (args, text, secret = SECRET) => {
    writeFileSync(join(folder, 'other.txt'), 'something else');
    const env = { SVC_WEBHOOK_SECRET: secret };
    const { exitCode, errors } = await runSvcProcess(['watch', 'a', '--url', service.url, ...args], {
      cwd: folder,
      env,
    });
    expect([exitCode, errors]).toEqual([2, expect.stringContaining(text)]);
  });
});
