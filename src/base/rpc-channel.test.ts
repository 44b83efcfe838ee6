import { describe, expect, test } from 'bun:test';
import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { systemClock } from './clock.ts';
import { fail, GridError } from './errors.ts';
import { type ChannelPort, RpcChannel } from './rpc-channel.ts';

type Sums = {
  readonly add: { readonly question: readonly [number, number]; readonly answer: number };
  readonly later: { readonly question: number; readonly answer: string };
  readonly refuse: { readonly question: null; readonly answer: null };
  readonly crash: { readonly question: null; readonly answer: null };
};
type Nothing = Record<never, never>;

interface Ends {
  readonly asks: RpcChannel<Sums, Nothing>;
  readonly answers: RpcChannel<Nothing, Sums>;
  /** Messages that went from the asking end. */
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
  const asks = new RpcChannel<Sums, Nothing>(counting, systemClock);
  const answers = new RpcChannel<Nothing, Sums>(port2 satisfies MessagePort, systemClock);
  answers.serve('add', ([left, right]) => left + right);
  answers.serve('later', async (delayMs) => {
    await Bun.sleep(delayMs);
    return `after ${delayMs}`;
  });
  answers.serve('refuse', () => {
    throw fail('CACHE_NOT_FOUND', 'x');
  });
  answers.serve('crash', () => Promise.reject(new TypeError('a defect')));
  return { asks, answers, sent: () => messages };
}

describe('a link between threads', () => {
  test('answers questions, in whatever order they become ready', async () => {
    const { asks, answers } = connect();
    const order: string[] = [];
    const slow = asks.call('later', 30).then((answer) => order.push(answer));
    const quick = asks.call('later', 1).then((answer) => order.push(answer));
    expect(await asks.call('add', [2, 3])).toBe(5);
    await Promise.all([slow, quick]);
    expect(order).toEqual(['after 1', 'after 30']);
    asks.close();
    answers.close();
  });

  test('works on what has come without waiting for the event loop', async () => {
    const { port1, port2 } = new MessageChannel();
    const asks = new RpcChannel<Sums, Nothing>(port1, systemClock);
    const taking: ChannelPort = {
      postMessage: (message) => port2.postMessage(message),
      on: (event, listener) => port2.on(event, listener),
      take: () => receiveMessageOnPort(port2)?.message,
    };
    const answers = new RpcChannel<Nothing, Sums>(taking, systemClock);
    const sums: number[] = [];
    answers.serve('add', ([left, right]) => {
      sums.push(left + right);
      return left + right;
    });
    const answer = asks.call('add', [2, 3]);
    systemClock.endOfTick(() => {
      answers.receiveNow();
      expect(sums).toEqual([5]);
    });
    expect(await answer).toBe(5);
    expect(sums).toEqual([5]);
    asks.close();
    answers.close();
    port2.close();
  });

  test('sends the questions of one turn in one message', async () => {
    const { asks, answers, sent } = connect();
    const sums = await Promise.all(Array.from({ length: 50 }, (_, n) => asks.call('add', [n, 1])));
    expect(sums).toEqual(Array.from({ length: 50 }, (_, n) => n + 1));
    expect(sent()).toBe(1);
    asks.close();
    answers.close();
  });

  test('carries refusals with their code and text, and defects as errors', async () => {
    const { asks, answers } = connect();
    const refusal = await asks.call('refuse', null).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(GridError);
    expect(refusal).toMatchObject({ code: 'CACHE_NOT_FOUND', message: fail('CACHE_NOT_FOUND', 'x').message });
    expect(String(await asks.call('crash', null).catch((error: unknown) => error))).toContain('a defect');
    asks.close();
    answers.close();
  });

  test('that is closed fails what waits and what comes', async () => {
    const { asks, answers } = connect();
    const waiting = asks.call('later', 1000).catch((error: unknown) => error);
    await Bun.sleep(5);
    asks.close(fail('OUTCOME_UNKNOWN', 'the thread ended'));
    expect(await waiting).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    expect(await asks.call('add', [1, 2]).catch((error: unknown) => error)).toMatchObject({ code: 'STOPPING' });
    answers.close();
  });
});
