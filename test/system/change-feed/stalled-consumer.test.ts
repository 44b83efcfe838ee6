/**
 * A consumer that does not read: it holds a bounded part of the changes, writers continue, and it misses none of them.
 */
import { expect, test } from 'bun:test';
import { connect } from 'node:net';
import { queryOf, startService } from '../service-process.ts';

const PUTS = 160;
const VALUE_CHARACTERS = 128 * 1_024;
/** A page, and the buffers of both sockets: far less than all changes. */
const HELD_CHARACTERS = 16 * 1_024 * 1_024;

test('a consumer that does not read holds a bounded part, and receives every change later', async () => {
  await using service = await startService();
  await service.command('cmd=getorcreate&cacheName=c&changeFeed=true');
  const socket = connect(service.port, '127.0.0.1');
  const path = `${new URL(service.url).pathname}?cmd=watch&cacheName=c`;
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  // It reads only the beginning.
  await new Promise((resolve) => socket.once('data', resolve));
  socket.pause();
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  for (let number = 1; number <= PUTS; number++) {
    const val = `${number}:${'x'.repeat(VALUE_CHARACTERS)}`;
    const body = queryOf({ cmd: 'put', cacheName: 'c', key: 'a', val });
    expect((await service.send('', { method: 'POST', headers, body })).error).toBeNull();
  }
  const qry = 'SELECT CHARACTERS, BEHIND FROM SYS.CHANGE_FEED_CONSUMERS';
  const page = await service.command(queryOf({ cmd: 'qryfldexe', pageSize: '10', qry }));
  const [[characters = 0, behind = 0] = []] = (page as { readonly items: ReadonlyArray<readonly number[]> }).items;
  expect(characters).toBeLessThan(HELD_CHARACTERS);
  expect(behind).toBeGreaterThan(0);
  const received: number[] = [];
  let rest = '';
  await new Promise<void>((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      rest += chunk.toString('latin1');
      for (const [, number] of rest.matchAll(/"value":"(\d+):/g)) received.push(Number(number));
      // A number may be cut at the end of a chunk.
      rest = /"(?:v(?:a(?:l(?:u(?:e(?:"(?::(?:"\d*)?)?)?)?)?)?)?)?$/.exec(rest)?.[0] ?? '';
      if (received.at(-1) === PUTS) resolve();
    });
    socket.resume();
  });
  expect(received).toEqual(Array.from({ length: PUTS }, (_, index) => index + 1));
  socket.destroy();
}, 60_000);
