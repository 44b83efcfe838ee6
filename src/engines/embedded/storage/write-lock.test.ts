/** The write lock: one holder, and the writer before the import. */
import { expect, test } from 'bun:test';
import { systemClock } from '../../../base/clock.ts';
import { LOCK_INTEGERS, WriteLock } from './write-lock.ts';

const newLock = () => new WriteLock(new Int32Array(new SharedArrayBuffer(4 * (LOCK_INTEGERS + 1))), 1, systemClock);

test('has one holder', async () => {
  const lock = newLock();
  expect(lock.tryAcquire()).toBe(true);
  let isHeld = false;
  const held = lock.acquireForImport().then(() => {
    isHeld = true;
  });
  await Bun.sleep(5);
  expect(isHeld).toBe(false);
  lock.release();
  await held;
  expect(lock.tryAcquire()).toBe(false);
  lock.release();
  expect(lock.tryAcquire()).toBe(true);
});

test('the writer goes first when both wait', async () => {
  const lock = newLock();
  await lock.acquireForImport();
  const order: string[] = [];
  const writing = lock.acquire().then(() => order.push('writer'));
  await Bun.sleep(1);
  const importing = lock.acquireForImport().then(() => order.push('import'));
  lock.release();
  await writing;
  await Bun.sleep(5);
  expect(order).toEqual(['writer']);
  lock.release();
  await importing;
  expect(order).toEqual(['writer', 'import']);
});

test('is free after the thread that imports has ended', async () => {
  const lock = newLock();
  await lock.acquireForImport();
  lock.releaseOfImport();
  expect(lock.tryAcquire()).toBe(true);
  lock.releaseOfImport();
  expect(lock.tryAcquire()).toBe(false);
});

test('two threads never hold it at the same time', async () => {
  const memory = new SharedArrayBuffer(4 * (LOCK_INTEGERS + 2));
  const worker = new Worker(
    `data:text/javascript,${encodeURIComponent(`
      const { WriteLock } = await import(${JSON.stringify(new URL('./write-lock.ts', import.meta.url).href)});
      const { systemClock } = await import(${JSON.stringify(new URL('../../../base/clock.ts', import.meta.url).href)});
      self.onmessage = async ({ data }) => {
        const numbers = new Int32Array(data);
        const lock = new WriteLock(numbers, 2, systemClock);
        for (let round = 0; round < 2000; round++) {
          await lock.acquireForImport();
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
  const lock = new WriteLock(numbers, 2, systemClock);
  for (let round = 0; round < 2_000; round++) {
    await lock.acquire();
    numbers[0] = (numbers[0] ?? 0) + 1;
    lock.release();
    if (round % 10 === 0) await Bun.sleep(0);
  }
  await until('done');
  worker.terminate();
  expect(numbers[0]).toBe(4_000);
}, 30_000);
