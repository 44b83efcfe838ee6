import { expect, test } from 'bun:test';
import { FairQueue } from './fair-queue.ts';

const of = (key: string, isAdministrator = false) => ({ key, isAdministrator });

function drain(queue: FairQueue<string>): string {
  return queue.clear().join(' ');
}

test('the first item of a tenant overtakes a thousand of another, whose items keep their order', () => {
  const queue = new FairQueue<string>(2_000);
  for (let n = 0; n < 1_000; n++) queue.push(of('greedy'), `g${n}`);
  for (let n = 0; n < 2; n++) queue.push(of('modest'), `m${n}`);
  expect([1, 2, 3, 4, 5].map(() => queue.shift())).toEqual(['g0', 'm0', 'g1', 'm1', 'g2']);
  expect([queue.size, queue.of('greedy'), queue.of('modest')]).toEqual([997, 997, 0]);
});

test('tenants are served in turn, and a new one after those that wait', () => {
  const queue = new FairQueue<string>(100);
  for (const item of ['a1', 'a2', 'b1', 'c1', 'b2', 'a3']) queue.push(of(item.slice(0, 1)), item);
  expect(drain(queue)).toBe('a1 b1 c1 a2 b2 a3');
});

test('one tenant may fill the queue', () => {
  const queue = new FairQueue<string>(3);
  expect(['1', '2', '3', '4'].map((item) => queue.push(of('a'), item))).toEqual([undefined, undefined, undefined, '4']);
  expect(drain(queue)).toBe('1 2 3');
});

test('a full queue drops the newest item of whoever has the most, down to equal shares', () => {
  const queue = new FairQueue<string>(4);
  for (const item of ['a1', 'a2', 'a3', 'a4']) queue.push(of('a'), item);
  expect(queue.push(of('b'), 'b1')).toBe('a4');
  expect(queue.push(of('b'), 'b2')).toBe('a3');
  expect(queue.push(of('b'), 'b3')).toBe('b3');
  expect(queue.push(of('c'), 'c1')).toBe('a2');
  expect(drain(queue)).toBe('a1 b1 c1 b2');
});

test('an administrator is never kept out', () => {
  const queue = new FairQueue<string>(2);
  queue.push(of('a'), 'a1');
  queue.push(of('b'), 'b1');
  expect(queue.push(of('svc', true), 's1')).toBe('a1');
});

test('items can be removed, and tenants skipped', () => {
  const queue = new FairQueue<string>(10);
  for (const item of ['a1', 'a2', 'b1']) queue.push(of(item.slice(0, 1)), item);
  expect([queue.remove('a', 'a1'), queue.remove('a', 'a1'), queue.remove('c', 'c1')]).toEqual([true, false, false]);
  expect(queue.shift((key) => key !== 'a')).toBe('b1');
  expect(queue.shift(() => false)).toBe(undefined);
  expect(drain(queue)).toBe('a2');
  expect([queue.size, queue.shift()]).toEqual([0, undefined]);
});

test('a long queue is served in a time that grows with its length alone', () => {
  const queue = new FairQueue<number>(200_000);
  const begun = performance.now();
  for (let n = 0; n < 200_000; n++) queue.push(of(`tenant ${n % 1_000}`), n);
  while (queue.size > 0) queue.shift();
  expect(performance.now() - begun).toBeLessThan(5_000);
});
