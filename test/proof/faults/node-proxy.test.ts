/** The proxy and the clients of `npm run proof -- cluster-faults` work, and notice violations. */
import { afterAll, describe, expect, test } from 'bun:test';
import { connect, createServer, type Socket } from 'node:net';
import { freePort } from '../../free-port.ts';
import { Random } from '../../simulation/random.ts';
import { ClusterLoad } from './cluster-load.ts';
import { type Disturbance, NodeProxy } from './node-proxy.ts';

const SEED = 20_267;
const TEXT = 'a message';
const WAIT_MS = 300;

describe('a proxy in front of an echo', async () => {
  const host = '127.0.0.1';
  const echo = createServer((socket) => socket.on('error', () => {}).pipe(socket));
  const target = { host, port: freePort() };
  const ready = Promise.withResolvers<void>();
  echo.listen(target.port, host, ready.resolve);
  await ready.promise;
  const port = freePort();
  const proxy = await NodeProxy.listen({ host, port }, target, new Random(SEED));
  afterAll(async () => {
    await proxy[Symbol.asyncDispose]();
    echo.close();
  });

  /** Sends the message on a new connection. */
  function exchange(): { readonly socket: Socket; received(): string; readonly ended: Promise<void> } {
    const socket = connect({ host, port });
    const ended = Promise.withResolvers<void>();
    let received = '';
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
    });
    socket.on('close', () => ended.resolve());
    socket.write(TEXT);
    return { socket, received: () => received, ended: ended.promise };
  }

  async function answered(received: () => string): Promise<string> {
    while (received() === '') await Bun.sleep(5);
    return received();
  }

  const disturbances: ReadonlyArray<readonly [title: string, Disturbance, (received: string) => boolean]> = [
    ['passes everything on', {}, (received) => received === TEXT],
    ['delays', { delayMs: 20 }, (received) => received === TEXT],
    ['replaces answers', { garbage: 1 }, (received) => received !== TEXT],
  ];
  for (const [title, disturbance, isRight] of disturbances) {
    test(title, async () => {
      proxy.disturb(disturbance);
      const { socket, received } = exchange();
      expect(isRight(await answered(received))).toBe(true);
      socket.destroy();
    });
  }

  test('cuts connections', async () => {
    proxy.disturb({ cuts: 1 });
    const { received, ended } = exchange();
    await ended;
    expect(received()).not.toBe(TEXT);
    expect(proxy.counts.cut).toBeGreaterThan(0);
  });

  test('loses messages', async () => {
    proxy.disturb({ losses: 1 });
    const { socket, received } = exchange();
    while (proxy.counts.lost === 0) await Bun.sleep(5);
    await Bun.sleep(WAIT_MS);
    expect(received()).toBe('');
    socket.destroy();
  });

  test('holds messages, and passes them on later', async () => {
    proxy.disturb({ hangs: true });
    const { socket, received } = exchange();
    while (proxy.counts.held === 0) await Bun.sleep(5);
    await Bun.sleep(WAIT_MS);
    expect(received()).toBe('');
    proxy.disturb();
    expect(await answered(received)).toBe(TEXT);
    socket.destroy();
  });
});

describe('the clients notice', () => {
  const NOTHING_DONE = 'No node of the cluster can be reached: gone';

  /**
   * Runs clients against a service that keeps the changes that `keeps` selects, and answers with the error that `fails`
   * returns.
   */
  async function violations(keeps: (key: string) => boolean, fails: () => string | null): Promise<readonly string[]> {
    const stored = new Map<string, string>();
    const answer = (query: string) => {
      const params = new URLSearchParams(query);
      const [cmd, qry] = [params.get('cmd'), params.get('qry') ?? ''];
      const id = /\((\d+), |= (\d+)/.exec(qry);
      const key = params.get('key') ?? `row${id?.[1] ?? id?.[2]}`;
      const note = /, '(.*)'\)/.exec(qry)?.[1];
      if (cmd === 'incr') {
        if (keeps(key)) stored.set(key, String(Number(stored.get(key) ?? 0) + Number(params.get('delta'))));
        return stored.get(key) ?? '0';
      }
      const value = params.get('val') ?? note;
      if (value !== undefined && value !== null && keeps(key)) stored.set(key, value);
      if (cmd === 'rmv') stored.delete(key);
      const found = stored.get(key);
      return cmd === 'qryfldexe' ? { items: found === undefined ? [] : [[found]] } : (found ?? null);
    };
    const service = {
      async send(query: string) {
        await Bun.sleep(1);
        const response = answer(query);
        const error = fails();
        const successStatus = error === null ? 0 : 1;
        return { http: 200, successStatus, response, error, sessionToken: null, text: '' };
      },
    };
    let number = 0;
    const load = new ClusterLoad(service, () => ++number, 4, SEED);
    while (load.acknowledged < 30) await Bun.sleep(5);
    await load.end();
    await load.check();
    return load.wrong;
  }

  test('nothing where everything is kept', async () => {
    expect(
      await violations(
        () => true,
        () => null,
      ),
    ).toEqual([]);
  });

  const random = new Random(SEED);
  const now = (part: number, error: string) => () => (random.fraction() < part ? error : null);
  const all = () => true;
  const none = () => null;
  const isCounter = (key: string) => key.startsWith('c');
  const planted: ReadonlyArray<readonly [title: string, () => Promise<readonly string[]>, RegExp]> = [
    ['lost entries and rows', () => violations(isCounter, none), /was acknowledged/],
    ['lost increments', () => violations((key) => !isCounter(key), none), /key=c.* was acknowledged/],
    ['changes that happened although they failed', () => violations(all, now(0.3, NOTHING_DONE)), /was acknowledged/],
    ['internal errors', () => violations(all, now(0.1, 'Internal error')), /unclear error/],
  ];
  for (const [title, find, expected] of planted) {
    test(title, async () => {
      expect((await find()).some((violation) => expected.test(violation))).toBe(true);
    });
  }
});
