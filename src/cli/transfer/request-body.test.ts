import { expect, test } from 'bun:test';
import { bodyOf } from './request-body.ts';

async function* chunks(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

test('a body has the bytes of its iterator', async () => {
  const failures: unknown[] = [];
  const body = bodyOf(chunks('a', 'b', 'c'), (error) => failures.push(error));
  expect(await new Response(body).text()).toBe('abc');
  expect(failures).toEqual([]);
});

test('an iterator that fails ends the body', async () => {
  async function* failing(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('a');
    throw new Error('no such disk');
  }
  const failures: unknown[] = [];
  const body = bodyOf(failing(), (error) => failures.push(error));
  await expect(new Response(body).text()).rejects.toThrow('no such disk');
  expect(failures).toEqual([new Error('no such disk')]);
});

test.each(['a chunk', 'the end'])('%s that is read after the response came is no failure', async (what) => {
  const begun = Promise.withResolvers<void>();
  const read = Promise.withResolvers<void>();
  let ended = false;
  async function* slow(): AsyncGenerator<Uint8Array> {
    try {
      begun.resolve();
      await read.promise;
      if (what === 'a chunk') yield Buffer.from('a');
    } finally {
      ended = true;
    }
  }
  const failures: unknown[] = [];
  const reader = bodyOf(slow(), (error) => failures.push(error)).getReader();
  const reading = reader.read();
  await begun.promise;
  const cancelled = reader.cancel();
  read.resolve();
  expect(await reading).toEqual({ done: true, value: undefined });
  await cancelled;
  await Bun.sleep(1);
  expect(failures).toEqual([]);
  expect(ended).toBe(true);
});
