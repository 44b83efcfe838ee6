/** The write lock: one holder, and changes of clients before all others. */
import { expect, test } from 'bun:test';
import { systemClock } from '../../../base/clock.ts';
import { LOCK_INTEGERS, WriteLock } from './write-lock.ts';

const newLock = () => new WriteLock(new Int32Array(new SharedArrayBuffer(4 * (LOCK_INTEGERS + 1))), 1, 0, systemClock);

test('has one holder', async () => {
  const lock = newLock();
  expect(lock.tryAcquire('changes')).toBe(true);
  let isHeld = false;
  const held = lock.acquire('rows').then(() => {
    isHeld = true;
  });
  await Bun.sleep(5);
  expect(isHeld).toBe(false);
  lock.release();
  await held;
  expect(lock.tryAcquire('changes')).toBe(false);
  lock.release();
  expect(lock.tryAcquire('changes')).toBe(true);
});

for (const holder of ['rows', 'statement'] as const) {
  test(`changes of clients go before a further ${holder} when both wait`, async () => {
    const lock = newLock();
    await lock.acquire('rows');
    const order: string[] = [];
    const writing = lock.acquire('changes').then(() => order.push('changes'));
    await Bun.sleep(1);
    const other = lock.acquire(holder).then(() => order.push(holder));
    lock.release();
    await writing;
    await Bun.sleep(5);
    expect(order).toEqual(['changes']);
    lock.release();
    await other;
    expect(order).toEqual(['changes', holder]);
  });
}

test('whoever waits stops when its poll throws, and keeps nobody else waiting', async () => {
  const lock = newLock();
  await lock.acquire('statement');
  let isCancelled = false;
  const waiting = lock.acquire('changes', () => {
    if (isCancelled) throw new Error('cancelled');
  });
  await Bun.sleep(1);
  isCancelled = true;
  await expect(waiting).rejects.toThrow('cancelled');
  lock.release();
  expect(lock.tryAcquire('rows')).toBe(true);
});

test('says whether it may be held for long, and how often a statement has held it', async () => {
  const lock = newLock();
  const seen: unknown[] = [];
  for (const holder of ['changes', 'rows', 'statement', 'pause'] as const) {
    await lock.hold(holder, () => seen.push(lock.isHeldLong()));
  }
  expect(seen).toEqual([false, false, true, true]);
  expect([lock.isHeldLong(), lock.statements()]).toEqual([false, 1]);
});

test('is free after the thread that holds it has ended, and after an action has failed', async () => {
  const integers = new Int32Array(new SharedArrayBuffer(4 * LOCK_INTEGERS));
  const [owner, other] = [new WriteLock(integers, 0, 0, systemClock), new WriteLock(integers, 0, 7, systemClock)];
  await other.acquire('statement');
  expect(owner.releaseOf(6)).toBe(false);
  expect(owner.tryAcquire('changes')).toBe(false);
  expect(owner.releaseOf(7)).toBe(true);
  expect(owner.tryAcquire('changes')).toBe(true);
  expect(owner.releaseOf(7)).toBe(false);
  owner.release();
  const failing = () => {
    throw new Error('failed');
  };
  await expect(other.hold('rows', failing)).rejects.toThrow('failed');
  expect(owner.tryAcquire('changes')).toBe(true);
});

test('two threads never hold it at the same time', async () => {
  const memory = new SharedArrayBuffer(4 * (LOCK_INTEGERS + 2));
  const worker = new Worker(
    `data:text/javascript,${encodeURIComponent(`
      const { WriteLock } = await import(${JSON.stringify(new URL('./write-lock.ts', import.meta.url).href)});
      const { systemClock } = await import(${JSON.stringify(new URL('../../../base/clock.ts', import.meta.url).href)});
      self.onmessage = async ({ data }) => {
        const numbers = new Int32Array(data);
        const lock = new WriteLock(numbers, 2, 0, systemClock);
        for (let round = 0; round < 2000; round++) {
          await lock.acquire('rows');
          const before = numbers[0];
          for (let spin = 0; spin < 200; spin++) numbers[1] = spin;
          numbers[0] = before + 1;
          lock.release();
        }
        self.postMessage('done');
      };
      self.postMessage('ready');`)}`,
  );
  const messages: string[] = [];
  let wake = () => {};
  worker.onmessage = ({ data }: MessageEvent<string>) => {
    messages.push(data);
    wake();
  };
  const until = async (message: string) => {
    while (!messages.includes(message)) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  await until('ready');
  worker.postMessage(memory);
  const numbers = new Int32Array(memory);
  const lock = new WriteLock(numbers, 2, 0, systemClock);
  for (let round = 0; round < 2_000; round++) {
    await lock.acquire('changes');
    numbers[0] = (numbers[0] ?? 0) + 1;
    lock.release();
    if (round % 10 === 0) await Bun.sleep(0);
  }
  await until('done');
  worker.terminate();
  expect(numbers[0]).toBe(4_000);
}, 30_000);
