import { describe, expect, test } from 'bun:test';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { systemClock } from './clock.ts';
import { GridError, gridError } from './errors.ts';
import { type ChannelPort, RpcChannel } from './rpc-channel.ts';

type Sums = {
  readonly add: { readonly request: readonly [number, number]; readonly response: number };
  readonly later: { readonly request: number; readonly response: string };
  readonly reject: { readonly request: null; readonly response: null };
  readonly crash: { readonly request: null; readonly response: null };
  readonly describe: { readonly request: readonly unknown[]; readonly response: string };
  readonly forget: { readonly request: number; readonly response: number | undefined };
  /** Tests serve these themselves. */
  readonly change: { readonly request: readonly unknown[]; readonly response: undefined };
  readonly wait: { readonly request: number; readonly response: undefined };
};
type Nothing = Record<never, never>;

interface Ends {
  readonly client: RpcChannel<Sums, Nothing>;
  readonly server: RpcChannel<Nothing, Sums>;
  /** Returns the number of messages that the client has sent. */
  sent(): number;
}

function connect(): Ends {
  const { port1, port2 } = new MessageChannel();
  let messages = 0;
  const counting: ChannelPort = {
    postMessage(message) {
      messages++;
      port1.postMessage(message);
    },
    on: (event, listener) => port1.on(event, listener),
    close: () => port1.close(),
  };
  const client = new RpcChannel<Sums, Nothing>(counting, systemClock);
  const server = new RpcChannel<Nothing, Sums>(port2 satisfies MessagePort, systemClock);
  server.serve('add', ([left, right]) => left + right);
  server.serve('later', async (delayMs) => {
    await Bun.sleep(delayMs);
    return `after ${delayMs}`;
  });
  server.serve('reject', () => {
    throw gridError('CACHE_NOT_FOUND', 'x');
  });
  server.serve('crash', () => Promise.reject(new TypeError('a defect')));
  server.serve('describe', (elements) => Bun.inspect(elements));
  server.serve('forget', (number) => {
    if (number < 0) throw gridError('CACHE_NOT_FOUND', String(number));
    return number % 10 === 0 ? number : undefined;
  });
  return { client, server, sent: () => messages };
}

describe('an RPC channel between threads', () => {
  test('resolves calls in the order in which responses become ready', async () => {
    const { client, server } = connect();
    const order: string[] = [];
    const slow = client.call('later', 30).then((response) => order.push(response));
    const quick = client.call('later', 1).then((response) => order.push(response));
    expect(await client.call('add', [2, 3])).toBe(5);
    await Promise.all([slow, quick]);
    expect(order).toEqual(['after 1', 'after 30']);
    client.close();
    server.close();
  });

  test('rejects a second handler of a method', () => {
    const { client, server } = connect();
    expect(() => server.serve('add', ([left, right]) => left + right)).toThrow('The method add has a handler');
    client.close();
    server.close();
  });

  test('sends the requests of one tick in one message', async () => {
    const { client, server, sent } = connect();
    const sums = await Promise.all(Array.from({ length: 50 }, (_, n) => client.call('add', [n, 1])));
    expect(sums).toEqual(Array.from({ length: 50 }, (_, n) => n + 1));
    expect(sent()).toBe(1);
    client.close();
    server.close();
  });

  test('transfers every element of requests that are alike', async () => {
    const { client, server, sent } = connect();
    const object = { a: 1 };
    const long = Array.from({ length: 40 }, (_, index) => index);
    const requests: ReadonlyArray<readonly unknown[]> = [
      ['c', 'string', 'k', 0, undefined],
      ['c', 'string', 'k', 0, undefined],
      ['c', 'string', 'l', -0, undefined],
      ['c', 'string', 'l', 0, null],
      ['c', 'string', 'l', Number.NaN, 5n],
      ['c', 'string', 'l', Number.NaN, 5n],
      ['c', 1, '', 'NaN', '5'],
      ['c', 1],
      [],
      [],
      [object, [1n], object],
      [object, [1n], { a: 1 }],
      Array.from({ length: 30 }, (_, index) => index),
      Array.from({ length: 30 }, (_, index) => (index === 29 ? 'last' : index)),
      long,
      [...long.slice(0, 39), 'other'],
    ];
    const described = await Promise.all(requests.map((request) => client.call('describe', request)));
    expect(described).toEqual(requests.map((request) => Bun.inspect(request)));
    expect(sent()).toBe(1);
    client.close();
    server.close();
  });

  test('transfers requests as they were at the call, and to each handler its own', async () => {
    const { client, server } = connect();
    const received: unknown[][] = [];
    server.serve('change', (elements) => {
      const own = [...elements];
      received.push(own);
      // A handler may change its request.
      Reflect.set(elements, 0, 'changed');
      return undefined;
    });
    const request = ['k', 1];
    const first = client.call('change', request);
    request[1] = 2;
    await Promise.all([first, client.call('change', request), client.call('change', ['k', 2])]);
    expect(received).toEqual([
      ['k', 1],
      ['k', 2],
      ['k', 2],
    ]);
    client.close();
    server.close();
  });

  test('tells requests of other methods, and those that are no lists, from those that are alike', async () => {
    const { client, server } = connect();
    const calls = [
      client.call('describe', [1, 2]),
      client.call('add', [1, 2]),
      client.call('add', [1, 3]),
      client.call('later', 0),
      client.call('add', [1, 3]),
      client.call('describe', [1, 3]),
    ];
    expect(await Promise.all<unknown>(calls)).toEqual(['[ 1, 2 ]', 3, 4, 'after 0', 4, '[ 1, 3 ]']);
    client.close();
    server.close();
  });

  test('returns values and errors between responses without a value', async () => {
    const { client, server } = connect();
    const numbers = [1, 2, 3, 10, 4, -1, 5, 6, 20, -2, 7];
    const results = await Promise.allSettled(numbers.map((number) => client.call('forget', number)));
    expect(
      results.map((result) => (result.status === 'fulfilled' ? result.value : (result.reason as GridError).message)),
    ).toEqual(
      numbers.map((number) => {
        if (number < 0) return gridError('CACHE_NOT_FOUND', String(number)).message;
        return number % 10 === 0 ? number : undefined;
      }),
    );
    client.close();
    server.close();
  });

  test('resolves responses without a value that become ready in another order', async () => {
    const { client, server } = connect();
    const ready: Array<() => void> = [];
    server.serve('wait', () => new Promise((resolve) => ready.push(() => resolve(undefined))));
    const order: number[] = [];
    const calls = [0, 1, 2, 3, 4].map((number) => client.call('wait', number).then(() => order.push(number)));
    while (ready.length < 5) await Bun.sleep(1);
    for (const number of [3, 4, 0, 1]) ready[number]?.();
    await Promise.all([calls[3], calls[4], calls[0], calls[1]]);
    expect(order).toEqual([3, 4, 0, 1]);
    ready[2]?.();
    await calls[2];
    expect(order).toEqual([3, 4, 0, 1, 2]);
    client.close();
    server.close();
  });

  test('transfers grid errors with code and text, and other errors as text', async () => {
    const { client, server } = connect();
    const error = await client.call('reject', null).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(GridError);
    expect(error).toMatchObject({ code: 'CACHE_NOT_FOUND', message: gridError('CACHE_NOT_FOUND', 'x').message });
    expect(String(await client.call('crash', null).catch((error: unknown) => error))).toContain('a defect');
    client.close();
    server.close();
  });

  test('rejects pending and later calls once closed', async () => {
    const { client, server } = connect();
    const pending = client.call('later', 1000).catch((error: unknown) => error);
    await Bun.sleep(5);
    client.close(gridError('OUTCOME_UNKNOWN', 'the thread ended'));
    expect(await pending).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    expect(await client.call('add', [1, 2]).catch((error: unknown) => error)).toMatchObject({ code: 'STOPPING' });
    server.close();
  });
});
