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
  expect(() => second.open({ isAuthenticated: true }).hold(3 * KIB)).toThrow(full);
  const again = new BufferBudget(LIMITS, memory, 0);
  expect(again.usedBytes).toBe(40 * KIB);
});

describe('shares', () => {
  const share = expect.objectContaining({ code: 'USER_SHARE' });

  /** Opens accounts of a tenant, each with this many bytes. */
  function fill(budget: BufferBudget, key: string, bytes: readonly number[], isAuthenticated = true) {
    return bytes.map((each) => {
      const account = budget.open({ isAuthenticated, tenant: () => ({ key, isAdministrator: false }) });
      account.hold(each);
      return account;
    });
  }

  test('one tenant may use half of it, and others still find some', () => {
    const budget = new BufferBudget(LIMITS);
    fill(budget, 'user greedy', Array(5).fill(10 * KIB));
    expect(() => fill(budget, 'user greedy', [10 * KIB])).toThrow(share);
    fill(budget, 'user modest', [15 * KIB, 10 * KIB]);
    expect(() => fill(budget, 'user modest', [4 * KIB])).toThrow(share);
    expect(() => fill(budget, 'user third', [26 * KIB])).toThrow(full);
    fill(budget, 'user third', [25 * KIB]);
    expect(budget.usedBytes).toBe(100 * KIB);
  });

  test('a single request of a tenant may use all of it', () => {
    const budget = new BufferBudget(LIMITS);
    const [account] = fill(budget, 'user greedy', [100 * KIB]);
    expect(() => account?.hold(101 * KIB)).toThrow(full);
  });

  test('a tenant with little uses a reserve of an eighth', () => {
    const budget = new BufferBudget(LIMITS);
    fill(budget, 'user greedy', [100 * KIB]);
    for (let n = 0; n < 12; n++) fill(budget, `user ${n}`, [KIB]);
    expect(budget.usedBytes).toBe(112 * KIB);
    expect(() => fill(budget, 'user late', [KIB])).toThrow(full);
  });

  test('connections of addresses that many clients share are no tenant', () => {
    const budget = new BufferBudget(LIMITS);
    const tenant = () => ({ key: 'network 127.0.0.1 port 9', isAdministrator: false, isConnection: true });
    const local = () => budget.open({ isAuthenticated: true, tenant });
    local().hold(60 * KIB);
    local().hold(40 * KIB);
    expect(() => local().hold(10 * KIB)).toThrow(full);
  });

  test('unknown senders compete for their part only', () => {
    const budget = new BufferBudget(LIMITS);
    fill(budget, 'network 192.0.2.1', [40 * KIB]);
    fill(budget, 'network 192.0.2.2', [20 * KIB], false);
    expect(() => fill(budget, 'network 192.0.2.2', [KIB], false)).toThrow(share);
    fill(budget, 'network 192.0.2.3', [20 * KIB], false);
  });

  test('a sender that becomes known uses the share of its user', () => {
    const budget = new BufferBudget(LIMITS);
    let key = 'network 192.0.2.1';
    const account = budget.open({ isAuthenticated: false, tenant: () => ({ key, isAdministrator: false }) });
    account.hold(30 * KIB);
    key = 'user ann';
    account.markAuthenticated();
    fill(budget, 'network 192.0.2.1', [15 * KIB, 15 * KIB]);
    expect(() => fill(budget, 'user ann', [6 * KIB])).toThrow(share);
    account.release();
    expect(budget.usedBytes).toBe(30 * KIB);
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
