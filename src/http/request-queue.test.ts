import { expect, test } from 'bun:test';
import type { Clock } from '../base/clock.ts';
import { HeadParser } from './head/head.ts';
import type { IncomingRequest } from './incoming-request.ts';
import { plainAnswer, type Reply } from './reply.ts';
import { type ReplyReceiver, RequestQueue } from './request-queue.ts';

const TARGET_MS = 100;

const PARSED = new HeadParser(1_000).parse(Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n\r\n'));

function requestTo(target: string): IncomingRequest {
  if (PARSED === undefined) throw new Error('no head');
  return {
    line: { ...PARSED.line, target },
    block: PARSED.block,
    headBytes: PARSED.headBytes,
    body: undefined,
    stream: undefined,
    preAuthentication: undefined,
    bodyDropped: false,
    peer: {
      certificateSubject: undefined,
      addressOf: () => '192.0.2.1',
      networkOf: () => ({ name: '192.0.2.1', isConnection: false }),
      signal: () => new AbortController().signal,
      end() {},
    },
  };
}

/** A queue whose requests take time to handle; `answers` records their order. */
function openQueue() {
  let nowMs = 0;
  // A ManualClock would run the next slice while a request is being handled.
  let slices: Array<() => void> = [];
  const clock: Clock = {
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    threadCpuMs: () => nowMs,
    after(_delayMs, action) {
      slices.push(action);
      return { cancel() {} };
    },
    every: () => ({ cancel() {} }),
    endOfTick: (action) => void setImmediate(action),
    nextTick: (action) => void setImmediate(action),
    pollDelay: () => Promise.resolve(),
  };
  const durations = new Map<string, number>();
  const answerOf = (text: string): Reply => plainAnswer(200, 'text/plain', text);
  const queue = new RequestQueue(
    clock,
    TARGET_MS,
    {
      handle({ line: { target } }) {
        nowMs += durations.get(target) ?? 0;
        return answerOf(`${target.split('/').at(-1)} at ${nowMs}`);
      },
      decline: ({ line: { target } }) => answerOf(`${target.slice(1)} declined`),
    },
    'commands',
  );
  const answers: string[] = [];
  const requestOf = (target: string, durationMs: number): IncomingRequest => {
    durations.set(target, durationMs);
    return requestTo(target);
  };
  const receiver = (next?: () => void): ReplyReceiver => ({
    answer(_request, reply) {
      if (!(reply instanceof Promise)) answers.push(String(reply.body));
      next?.();
    },
  });
  const add = (name: string, durationMs: number, asksForPage = false): void =>
    queue.add(requestOf(asksForPage ? `/health/${name}` : `/${name}`, durationMs), receiver());
  /** Adds pipelined requests of one connection: each follows the response to the previous one. */
  const addPipelined = (count: number, durationMs: number): void => {
    const next = (number: number): void => {
      if (number < count)
        queue.addPipelined(
          requestOf(`/p${number}`, durationMs),
          receiver(() => next(number + 1)),
        );
    };
    next(0);
  };
  /** Ends a tick, and then runs the next slice of waiting requests. */
  const tick = async () => {
    await new Promise(setImmediate);
    const due = slices;
    slices = [];
    for (const slice of due) slice();
  };
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { clock, queue, answers, add, addPipelined, tick, pass };
}

test('the requests of one tick are handled together', async () => {
  const { queue, answers, add, tick } = openQueue();
  for (let n = 0; n < 1_000; n++) add(String(n), 0.01);
  await tick();
  expect([answers.length, queue.waiting]).toEqual([1_000, 0]);
});

test('large requests are handled in slices in their order, and pages before them', async () => {
  const { queue, answers, add, tick } = openQueue();
  for (let n = 1; n <= 12; n++) add(`r${n}`, 10);
  await new Promise(setImmediate);
  expect([answers, queue.waiting]).toEqual([['r1 at 10', 'r2 at 20', 'r3 at 30', 'r4 at 40'], 8]);
  add('page', 0, true);
  add('r13', 10);
  await tick();
  expect(answers[4]).toBe('page at 40');
  while (queue.waiting > 0) await tick();
  expect(answers.slice(5).map((answer) => answer.split(' ')[0])).toEqual(
    Array.from({ length: 9 }, (_, n) => `r${n + 5}`),
  );
});

test('under overload requests are declined at once, and accepted ones wait for a bounded time', async () => {
  const { clock, queue, answers, add, tick, pass } = openQueue();
  const sentMs = new Map<string, number>();
  let sent = 0;
  for (let ticks = 0; ticks < 200; ticks++) {
    for (let n = 0; n < 30; n++) {
      const name = `r${sent++}`;
      sentMs.set(name, clock.nowMs());
      add(name, 2);
    }
    await tick();
  }
  const accepted = answers.flatMap((answer) => /^(\S+) at (\d+)$/.exec(answer) ?? []);
  const waits: number[] = [];
  for (let at = 0; at < accepted.length; at += 3) {
    waits.push(Number(accepted[at + 2]) - (sentMs.get(accepted[at + 1] ?? '') ?? 0));
  }
  waits.sort((a, b) => a - b);
  expect(waits.length).toBeGreaterThan(1_000);
  expect(waits[Math.floor(waits.length * 0.99)]).toBeLessThan(5 * TARGET_MS);
  const { rejected } = queue.statistics();
  expect(rejected).toBeGreaterThan(1_000);
  expect(answers.filter((answer) => answer.endsWith('declined'))).toHaveLength(rejected);
  while (queue.waiting > 0) await tick();
  pass(50);
  add('after', 2);
  await tick();
  expect(answers.at(-1)).toStartWith('after at');
});

test('pipelined requests of a connection let others go first after two milliseconds', async () => {
  const { answers, add, addPipelined, tick } = openQueue();
  addPipelined(100, 0.5);
  for (let n = 0; n < 10; n++) {
    await tick();
    add(`other${n}`, 0);
  }
  while (answers.length < 110) await tick();
  const others = answers.map((answer, at) => (answer.startsWith('other') ? at : -1)).filter((at) => at >= 0);
  expect(others).toHaveLength(10);
  // Each waits for five pipelined requests at most: those of one tick.
  for (const [index, at] of others.entries()) expect(at - (others[index - 1] ?? 0)).toBeLessThanOrEqual(6);
  expect(others[9]).toBeLessThan(60);
});
