/** Requests whose command reads the body while it arrives. */
import { expect, test } from 'bun:test';
import { GET, Trial } from '../../../test/fixtures/http/connection.ts';
import { GridError } from '../../base/errors.ts';
import type { IncomingRequest } from '../incoming-request.ts';
import { plainAnswer, type Reply, rejection } from '../reply.ts';

const HEAD = (headers: string) => `POST /stream HTTP/1.1\r\nHost: a\r\n${headers}\r\n`;
const COUNTED = (body: string) => HEAD(`Content-Length: ${body.length}\r\n`) + body;
const CHUNKED = (...parts: readonly string[]) =>
  `${HEAD('Transfer-Encoding: chunked\r\n')}${parts
    .map((part) => `${part.length.toString(16)}\r\n${part}\r\n`)
    .join('')}0\r\n\r\n`;

/** Answers with the whole body, or with the error that ended it. */
async function echoStream({ line, stream }: IncomingRequest): Promise<Reply> {
  if (stream === undefined) return plainAnswer(200, 'text/plain', `[${line.target}]`);
  try {
    let text = '';
    for (let bytes = await stream.read(); bytes !== undefined; bytes = await stream.read()) {
      text += Buffer.from(bytes).toString('latin1');
    }
    return plainAnswer(200, 'text/plain', `[${text}]`);
  } catch (error) {
    if (error instanceof GridError) return rejection(error, false);
    throw error;
  }
}

async function until(test: () => boolean): Promise<void> {
  for (let tries = 0; !test() && tries < 1_000; tries++) await Bun.sleep(1);
}

const bodiesOf = (sent: string) => [...sent.matchAll(/\[[^\]]*\]/g)].map(([body]) => body);

for (const [title, request, body] of [
  ['of a length', COUNTED('abcdef'), 'abcdef'],
  ['in chunks', CHUNKED('abc', 'd', 'ef'), 'abcdef'],
  ['that is empty', COUNTED(''), ''],
  ['of no chunk', CHUNKED(), ''],
] as const) {
  test(`reads a body ${title}, however its bytes are split, and then the next request`, async () => {
    const bytes = request + GET('/next');
    for (let cut = 1; cut < bytes.length; cut++) {
      const trial = new Trial(echoStream).feed(bytes.slice(0, cut));
      await Bun.sleep(0);
      trial.feed(bytes.slice(cut));
      await until(() => bodiesOf(trial.sent).length === 2);
      expect(bodiesOf(trial.sent)).toEqual([`[${body}]`, '[/next]']);
    }
  });
}

test('the command runs before its body arrives, and asks for it', async () => {
  const trial = new Trial(echoStream).feed(HEAD('Content-Length: 3\r\nExpect: 100-continue\r\n'));
  expect(trial.seen).toHaveLength(1);
  expect(trial.sent).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  trial.feed('abc');
  await until(() => bodiesOf(trial.sent).length === 1);
  expect(bodiesOf(trial.sent)).toEqual(['[abc]']);
});

test('a body that nobody reads is not asked for, and the connection closes after the answer', async () => {
  const trial = new Trial(() => plainAnswer(403, 'text/plain', 'no'));
  trial.feed(HEAD('Content-Length: 300\r\nExpect: 100-continue\r\n'));
  expect(trial.statuses).toEqual([403]);
  expect(trial.sent).toContain('Connection: close');
  expect(trial.state).toBe('shut');
  trial.feed('x'.repeat(100)).feed(GET('/'));
  expect(trial.statuses).toEqual([403]);
  expect(trial.requests.usedBytes).toBe(0);
});

test('an answer before the end of the body closes the connection', async () => {
  const trial = new Trial(async ({ stream }) => {
    await stream?.read();
    return plainAnswer(200, 'text/plain', '[early]');
  });
  trial.feed(HEAD('Content-Length: 300\r\n')).feed('abc');
  await until(() => trial.statuses.length > 0);
  expect(trial.sent).toContain('Connection: close');
  expect(trial.requests.usedBytes).toBe(0);
});

test('pauses the socket while many bytes wait, and resumes when the command has read them', async () => {
  const part = 'x'.repeat(60 * 1024);
  const read = Promise.withResolvers<void>();
  let received = 0;
  const trial = new Trial(async ({ stream }) => {
    await read.promise;
    for (let bytes = await stream?.read(); bytes !== undefined; bytes = await stream?.read()) received += bytes.length;
    return plainAnswer(200, 'text/plain', '[done]');
  });
  trial.feed(HEAD(`Content-Length: ${part.length * 10}\r\n`));
  let fed = 0;
  while (trial.paused === 0) {
    trial.feed(part);
    fed++;
  }
  expect(fed).toBe(5);
  expect(trial.requests.usedBytes).toBe(5 * 60 * 1024);
  trial.pass(100);
  expect(trial.statuses).toEqual([]);
  read.resolve();
  await until(() => trial.paused === 0);
  while (fed < 10) {
    trial.feed(part);
    fed++;
    await Bun.sleep(1);
  }
  await until(() => trial.statuses.length > 0);
  expect([trial.statuses, received, trial.paused, trial.state]).toEqual([[200], part.length * 10, 0, 'open']);
  expect(trial.requests.usedBytes).toBe(0);
});

const FAILURES: ReadonlyArray<readonly [title: string, act: (trial: Trial) => unknown, status: number]> = [
  ['a chunk without a proper size', (trial) => trial.feed('xyz\r\n'), 400],
  ['a client that closes its sending side', (trial) => trial.connection.halfClosed(), 400],
  ['a client that sends nothing', (trial) => trial.pass(40), 408],
  [
    'a client that sends too slowly',
    async (trial) => {
      for (let second = 0; second < 60 && trial.statuses.length === 0; second++) {
        trial.feed('1\r\na\r\n').pass(1);
        await Bun.sleep(0);
      }
    },
    408,
  ],
];

for (const [title, act, status] of FAILURES) {
  test(`fails the command: ${title}`, async () => {
    const trial = new Trial(echoStream).feed(`${HEAD('Transfer-Encoding: chunked\r\n')}3\r\nabc\r\n`);
    await Bun.sleep(1);
    await act(trial);
    await until(() => trial.statuses.length > 0);
    expect(trial.statuses).toEqual([status]);
    expect(trial.state).not.toBe('open');
    expect(trial.requests.usedBytes).toBe(0);
  });
}

test('fails the command when the client leaves', async () => {
  const failed = Promise.withResolvers<unknown>();
  const trial = new Trial(async ({ stream }) => {
    try {
      await stream?.read();
      await stream?.read();
    } catch (error) {
      failed.resolve(error);
    }
    return plainAnswer(200, 'text/plain', '');
  });
  trial.feed(HEAD('Content-Length: 300\r\n')).feed('abc');
  await Bun.sleep(1);
  trial.connection.gone();
  expect(String(await failed.promise)).toContain('before the whole body had arrived');
  await Bun.sleep(1);
  expect(trial.requests.usedBytes).toBe(0);
});

test('fails the command when the budget of buffered bytes is used up', async () => {
  const trial = new Trial(echoStream);
  const other = trial.requests.open({ isAuthenticated: true });
  other.hold(990_000);
  trial.feed(HEAD('Content-Length: 100000\r\n')).feed('x'.repeat(50_000));
  await until(() => trial.statuses.length > 0);
  expect(trial.statuses).toEqual([503]);
});

test('the bytes of many tiny chunks take little memory', async () => {
  const reading = Promise.withResolvers<void>();
  const trial = new Trial(async (incoming) => {
    await reading.promise;
    return echoStream(incoming);
  });
  const request = CHUNKED(...Array.from({ length: 20_000 }, () => 'a'));
  trial.feed(request);
  for (let passes = 0; passes < 20; passes++) trial.passTick();
  expect(trial.requests.usedBytes).toBeLessThan(64 * 1024);
  reading.resolve();
  await until(() => trial.statuses.length > 0);
  expect(bodiesOf(trial.sent)).toEqual([`[${'a'.repeat(20_000)}]`]);
});
