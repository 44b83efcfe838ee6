import { describe, expect, test } from 'bun:test';
import { BodyBuffer } from './body-buffer.ts';
import { BufferBudget, bufferMemory } from './buffer-budget.ts';

const KIB = 1_024;
const LIMITS = { totalBytes: 100 * KIB, unauthenticatedBytes: 40 * KIB };
const full = expect.objectContaining({ code: 'BUFFERS_FULL' });

test('accounts share the total, and those of unknown senders a smaller part of it', () => {
  const budget = new BufferBudget(LIMITS);
  const known = budget.open({ isAuthenticated: true });
  const unknown = budget.open({ isAuthenticated: false });
  unknown.hold(40 * KIB);
  expect(() => budget.open({ isAuthenticated: false }).hold(1)).toThrow(full);
  known.hold(60 * KIB);
  expect(() => known.hold(61 * KIB)).toThrow(full);
  expect(budget.usedBytes).toBe(100 * KIB);
  known.release();
  unknown.release();
  expect(budget.usedBytes).toBe(0);
});

test('an authenticated sender frees its share of the smaller budget', () => {
  const budget = new BufferBudget(LIMITS);
  const first = budget.open({ isAuthenticated: false });
  first.hold(40 * KIB);
  first.markAuthenticated();
  first.markAuthenticated();
  budget.open({ isAuthenticated: false }).hold(40 * KIB);
  expect(() => first.hold(61 * KIB)).toThrow(full);
  first.release();
  expect(() => budget.open({ isAuthenticated: false }).hold(1)).toThrow(full);
});

test('checking for space reserves none', () => {
  const budget = new BufferBudget(LIMITS);
  const account = budget.open({ isAuthenticated: true });
  for (let times = 0; times < 10; times++) account.check(100 * KIB);
  expect(() => account.check(101 * KIB)).toThrow(full);
  expect(budget.usedBytes).toBe(0);
});

test('threads share one budget, and a restarted thread holds none of it', () => {
  const memory = bufferMemory(2);
  const first = new BufferBudget(LIMITS, memory, 0);
  const second = new BufferBudget(LIMITS, memory, 1);
  first.open({ isAuthenticated: true }).hold(60 * KIB);
  second.open({ isAuthenticated: true }).hold(40 * KIB);
  expect(() => second.open({ isAuthenticated: true }).hold(1)).toThrow(full);
  const again = new BufferBudget(LIMITS, memory, 0);
  expect(again.usedBytes).toBe(40 * KIB);
});

describe('shares', () => {
  const tenantOf = (key: string) => () => ({ key, isAdministrator: key === 'user svc' });
  const share = expect.objectContaining({ code: 'USER_SHARE' });

  /** Opens accounts of a tenant, each with so many bytes; `evicted` counts those that were ended. */
  function fill(budget: BufferBudget, key: string, bytes: readonly number[], isAuthenticated = true) {
    const evicted: string[] = [];
    const accounts = bytes.map((each) => {
      const account = budget.open({
        isAuthenticated,
        tenant: tenantOf(key),
        onEvicted: ({ code }) => evicted.push(`${each / KIB} ${code}`),
      });
      account.hold(each);
      return account;
    });
    return { accounts, evicted };
  }

  test('one tenant may use everything, and another one then gets an equal part', () => {
    const budget = new BufferBudget(LIMITS);
    const greedy = fill(budget, 'user greedy', Array(10).fill(10 * KIB));
    expect(() => fill(budget, 'user greedy', [KIB])).toThrow(full);
    fill(budget, 'user modest', Array(5).fill(10 * KIB));
    expect(greedy.evicted).toEqual(Array(5).fill('10 USER_SHARE'));
    expect(() => fill(budget, 'user modest', [10 * KIB])).toThrow(share);
    expect(() => fill(budget, 'user greedy', [10 * KIB])).toThrow(share);
    expect(budget.usedBytes).toBe(100 * KIB);
    expect(budget.evicted).toBe(5);
  });

  test('a tenant with little uses a reserve of an eighth, and nobody is ended for it', () => {
    const budget = new BufferBudget(LIMITS);
    const { evicted } = fill(budget, 'user greedy', [100 * KIB]);
    for (let n = 0; n < 12; n++) fill(budget, `user ${n}`, [KIB]);
    expect([evicted, budget.usedBytes]).toEqual([[], 112 * KIB]);
    fill(budget, 'user late', [KIB]);
    expect(evicted).toEqual(['100 USER_SHARE']);
  });

  test('the smallest request with enough bytes is ended, else the largest', () => {
    const budget = new BufferBudget(LIMITS);
    const { evicted } = fill(budget, 'user greedy', [40 * KIB, 20 * KIB, 30 * KIB, 10 * KIB]);
    fill(budget, 'user modest', [15 * KIB]);
    expect(evicted).toEqual(['20 USER_SHARE']);
    fill(budget, 'user third', [30 * KIB]);
    expect(evicted).toEqual(['20 USER_SHARE', '30 USER_SHARE']);
    fill(budget, 'user svc', [60 * KIB]);
    expect(evicted).toEqual(['20 USER_SHARE', '30 USER_SHARE', '40 USER_SHARE']);
  });

  test('requests that have arrived are not ended', () => {
    const budget = new BufferBudget(LIMITS);
    const { accounts, evicted } = fill(budget, 'user greedy', [50 * KIB, 50 * KIB]);
    for (const account of accounts) account.complete();
    expect(() => fill(budget, 'user modest', [10 * KIB])).toThrow(full);
    expect(evicted).toEqual([]);
  });

  test('connections of addresses that many clients share are never ended, and get space from others', () => {
    const budget = new BufferBudget(LIMITS);
    const evicted: string[] = [];
    const connection = () => ({ key: 'network 127.0.0.1 port 9', isAdministrator: false, isConnection: true });
    const local = () =>
      budget.open({ isAuthenticated: true, tenant: connection, onEvicted: ({ code }) => evicted.push(code) });
    local().hold(60 * KIB);
    const greedy = fill(budget, 'network 192.0.2.1', [40 * KIB]);
    fill(budget, 'network 192.0.2.2', [20 * KIB]);
    expect([greedy.evicted, evicted]).toEqual([['40 USER_SHARE'], []]);
    const third = fill(budget, 'network 192.0.2.3', [20 * KIB]);
    local().hold(5 * KIB);
    expect([budget.usedBytes, evicted, third.evicted]).toEqual([85 * KIB, [], []]);
    expect(() => local().hold(60 * KIB)).toThrow(full);
  });

  test('unknown senders compete for their part only', () => {
    const budget = new BufferBudget(LIMITS);
    const known = fill(budget, 'network 192.0.2.1', [40 * KIB]);
    const unknown = fill(budget, 'network 192.0.2.1', [20 * KIB, 20 * KIB], false);
    fill(budget, 'network 192.0.2.2', [20 * KIB], false);
    expect([known.evicted, unknown.evicted]).toEqual([[], ['20 USER_SHARE']]);
    expect(() => fill(budget, 'network 192.0.2.2', [20 * KIB], false)).toThrow(share);
  });

  test('a sender that becomes known uses the share of its user', () => {
    const budget = new BufferBudget(LIMITS);
    let key = 'network 192.0.2.1';
    const account = budget.open({
      isAuthenticated: false,
      tenant: () => ({ key, isAdministrator: false }),
      onEvicted() {},
    });
    account.hold(30 * KIB);
    key = 'user ann';
    account.markAuthenticated();
    const others = fill(budget, 'network 192.0.2.1', [70 * KIB]);
    fill(budget, 'user bob', [30 * KIB]);
    expect(others.evicted).toEqual(['70 USER_SHARE']);
    expect(() => fill(budget, 'user ann', [45 * KIB])).toThrow(share);
    account.release();
    expect(budget.usedBytes).toBe(30 * KIB);
  });

  test('another thread frees bytes on request, and an eighth is lent meanwhile', () => {
    const memory = bufferMemory(2);
    const [first, second] = [new BufferBudget(LIMITS, memory, 0), new BufferBudget(LIMITS, memory, 1)];
    const { evicted } = fill(first, 'user greedy', Array(10).fill(10 * KIB));
    fill(second, 'user modest', [12 * KIB]);
    expect(() => fill(second, 'user modest', [12 * KIB])).toThrow(full);
    expect([first.usedBytes, evicted.length]).toEqual([112 * KIB, 0]);
    first.evictRequested();
    expect(evicted.length).toBeGreaterThanOrEqual(2);
    const before = evicted.length;
    first.evictRequested();
    expect(evicted.length).toBe(before);
    fill(second, 'user modest', [12 * KIB]);
    expect(first.usedBytes).toBeLessThanOrEqual(112 * KIB);
  });

  test('a request for bytes is dropped once there is space', () => {
    const memory = bufferMemory(2);
    const [first, second] = [new BufferBudget(LIMITS, memory, 0), new BufferBudget(LIMITS, memory, 1)];
    const { accounts, evicted } = fill(first, 'user greedy', [50 * KIB, 50 * KIB]);
    fill(second, 'user modest', [12 * KIB]);
    accounts[0]?.release();
    first.evictRequested();
    expect(evicted).toEqual([]);
  });
});

const SIZES: ReadonlyArray<readonly [title: string, parts: number, bytes: number]> = [
  ['one byte', 1, 1],
  ['many single bytes', 100_000, 1],
  ['parts of a socket', 40, 60_000],
  ['one large part', 1, 5_000_000],
];

for (const [title, parts, bytes] of SIZES) {
  test(`a body of ${title} takes memory in proportion, whole and assembled`, () => {
    const budget = new BufferBudget({ totalBytes: 1e9, unauthenticatedBytes: 0 });
    const body = new BodyBuffer(budget.open({ isAuthenticated: true }));
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
  const budget = new BufferBudget({ totalBytes: 1e9, unauthenticatedBytes: 0 });
  const body = new BodyBuffer(budget.open({ isAuthenticated: true }));
  for (let at = 0; at < 3_000_000; at += 1_000) body.add(Buffer.alloc(1_000), 3_000_000 - at);
  expect(budget.usedBytes).toBeLessThan(3_000_000 + 2 * KIB);
});
