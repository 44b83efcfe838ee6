/** Messages between processes over a socket. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { gridError } from '../../base/errors.ts';
import { RpcChannel } from '../../base/rpc-channel.ts';
import { connectSocket, encodeFrame, FrameReader, listenOnSocket, type SocketPort } from './socket-port.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-sockets-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const page = (text: string) => ({ text, columns: [{ name: 'A' }], last: true, id: 5n });
const LATIN1 = 'Zürich '.repeat(1_000);
const WIDE = `${'Łódź '.repeat(1_000)}\ud800`;

test('frames keep values and long texts, however their bytes arrive', () => {
  const messages = [
    ['!', 1, true, page(LATIN1), 2, true, page(WIDE), 3, true, page('short'), 4, true, null],
    ['?', 7, 'execute', -1, { sql: 'SELECT 1', args: [1n, -0, undefined, new Date(5), new Uint8Array([1, 2])] }],
    { other: 'form' },
  ];
  const bytes = Buffer.concat(messages.map(encodeFrame));
  for (const size of [1, 3, 1_000, bytes.length]) {
    const reader = new FrameReader();
    const received: unknown[] = [];
    for (let at = 0; at < bytes.length; at += size) received.push(...reader.read(bytes.subarray(at, at + size)));
    expect(received).toEqual(messages);
  }
});

test('a frame does not change the message that it is made of', () => {
  const response = page(LATIN1);
  encodeFrame(['!', 1, true, response]);
  expect(response.text).toBe(LATIN1);
});

test('calls and errors pass between two channels, also with more than the socket takes at once', async () => {
  type Methods = { readonly echo: { readonly request: string; readonly response: { readonly text: string } } };
  const path = join(folder, 'one');
  listenOnSocket(path, (port) => {
    const server = new RpcChannel<Record<string, never>, Methods>(port, systemClock);
    server.serve('echo', (request) => {
      if (request === '') throw gridError('QUERY_NOT_FOUND', 5);
      return { text: request };
    });
  });
  const channel = new RpcChannel<Methods, Record<string, never>>(await connectSocket(path), systemClock);
  const texts = ['a', LATIN1, WIDE, 'x'.repeat(20_000_000), 'é'.repeat(3_000_000)];
  const answers = await Promise.all(texts.map((text) => channel.call('echo', text)));
  expect(answers.map(({ text }, index) => text === texts[index])).toEqual(texts.map(() => true));
  expect(channel.call('echo', '')).rejects.toMatchObject({ code: 'QUERY_NOT_FOUND' });
});

test('the end of a connection is reported, but not by the end that closes it', async () => {
  const path = join(folder, 'two');
  const accepted = Promise.withResolvers<SocketPort>();
  listenOnSocket(path, accepted.resolve);
  const ended = Promise.withResolvers<void>();
  await connectSocket(path, ended.resolve);
  (await accepted.promise).close();
  await ended.promise;
  let isReported = false;
  const own = await connectSocket(path, () => {
    isReported = true;
  });
  own.close();
  await Bun.sleep(50);
  expect(isReported).toBe(false);
  expect(connectSocket(join(folder, 'none'))).rejects.toThrow();
});
