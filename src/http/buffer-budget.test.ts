import { expect, test } from 'bun:test';
import { BodyBuffer } from './body-buffer.ts';
import { BufferBudget, bufferMemory } from './buffer-budget.ts';

const KIB = 1_024;
const LIMITS = { totalBytes: 100 * KIB, unprovenBytes: 40 * KIB };
const full = expect.objectContaining({ code: 'BUFFERS_FULL' });

test('accounts share the total, and those of unknown senders a smaller part of it', () => {
  const budget = new BufferBudget(LIMITS);
  const known = budget.open(true);
  const unknown = budget.open(false);
  unknown.hold(40 * KIB);
  expect(() => budget.open(false).hold(1)).toThrow(full);
  known.hold(60 * KIB);
  expect(() => known.hold(61 * KIB)).toThrow(full);
  expect(budget.usedBytes).toBe(100 * KIB);
  known.release();
  unknown.release();
  expect(budget.usedBytes).toBe(0);
});

test('an authenticated sender frees its share of the smaller budget', () => {
  const budget = new BufferBudget(LIMITS);
  const first = budget.open(false);
  first.hold(40 * KIB);
  first.prove();
  first.prove();
  budget.open(false).hold(40 * KIB);
  expect(() => first.hold(61 * KIB)).toThrow(full);
  first.release();
  expect(() => budget.open(false).hold(1)).toThrow(full);
});

test('checking for space reserves none', () => {
  const budget = new BufferBudget(LIMITS);
  const account = budget.open(true);
  for (let times = 0; times < 10; times++) account.check(100 * KIB);
  expect(() => account.check(101 * KIB)).toThrow(full);
  expect(budget.usedBytes).toBe(0);
});

test('threads share one budget, and a restarted thread holds none of it', () => {
  const memory = bufferMemory(2);
  const first = new BufferBudget(LIMITS, memory, 0);
  const second = new BufferBudget(LIMITS, memory, 1);
  first.open(true).hold(60 * KIB);
  second.open(true).hold(40 * KIB);
  expect(() => second.open(true).hold(1)).toThrow(full);
  const again = new BufferBudget(LIMITS, memory, 0);
  expect(again.usedBytes).toBe(40 * KIB);
});

const SIZES: ReadonlyArray<readonly [title: string, parts: number, bytes: number]> = [
  ['one byte', 1, 1],
  ['many single bytes', 100_000, 1],
  ['parts of a socket', 40, 60_000],
  ['one large part', 1, 5_000_000],
];

for (const [title, parts, bytes] of SIZES) {
  test(`a body of ${title} takes memory in proportion, whole and assembled`, () => {
    const budget = new BufferBudget({ totalBytes: 1e9, unprovenBytes: 0 });
    const body = new BodyBuffer(budget.open(true));
    const part = Buffer.alloc(bytes, 'ab');
    for (let index = 0; index < parts; index++) body.add(part, 1e9);
    expect(body.length).toBe(parts * bytes);
    expect(budget.usedBytes).toBeLessThanOrEqual(Math.max(4 * KIB, 2 * body.length, body.length + 1_024 * KIB));
    const whole = Buffer.from(body.whole());
    const steps = body.assembly();
    let step = steps.next();
    while (step.done !== true) step = steps.next();
    expect(whole.equals(step.value)).toBe(true);
    expect(whole.equals(body.whole())).toBe(true);
    body.close();
    expect([budget.usedBytes, body.whole().length]).toEqual([0, 0]);
  });
}

test('a body of known length uses no more than its length', () => {
  const budget = new BufferBudget({ totalBytes: 1e9, unprovenBytes: 0 });
  const body = new BodyBuffer(budget.open(true));
  for (let at = 0; at < 3_000_000; at += 1_000) body.add(Buffer.alloc(1_000), 3_000_000 - at);
  expect(budget.usedBytes).toBeLessThan(3_000_000 + 2 * KIB);
});
