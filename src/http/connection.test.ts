/** Connections tested with bytes alone: the responses must not depend on how the bytes are cut. */
import { expect, test } from 'bun:test';
import { CHUNKS, COMMON_LINES, echo, GET, POST, Trial } from '../../test/fixtures/http/connection.ts';
import { CHUNKS_PER_FEED } from './body-reader.ts';
import { plainAnswer, type Reply } from './reply.ts';

const bodiesOf = (sent: string) => [...sent.matchAll(/\[[^\]]*\]/g)].map(([body]) => body);

const STREAM = GET('/1') + POST('a=1') + GET('/2', 'X-Y: z\r\n') + CHUNKS('{"a"', ':1}') + POST('') + GET('/3');
/** The head of a request with a body of this many bytes. */
const POST_OF = (bytes: number) =>
  `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n`;
const EXPECTED = ['[GET /1 ]', '[POST /p a=1]', '[GET /2 ]', '[POST /c {"a":1}]', '[POST /p ]', '[GET /3 ]'];

test('answers pipelined requests in order, however their bytes are split', () => {
  for (let cut = 1; cut < STREAM.length; cut++) {
    const trial = new Trial().feed(STREAM.slice(0, cut)).feed(STREAM.slice(cut));
    expect(bodiesOf(trial.sent)).toEqual(EXPECTED);
  }
  const bytewise = new Trial();
  for (const byte of STREAM) bytewise.feed(byte);
  expect(bodiesOf(bytewise.sent)).toEqual(EXPECTED);
});

test('answers pipelined requests in order when handlers are asynchronous', async () => {
  for (const size of [1, 3, 20, STREAM.length]) {
    const trial = new Trial(async (incoming) => {
      await Bun.sleep(0);
      return echo(incoming);
    });
    for (let at = 0; at < STREAM.length; at += size) trial.feed(STREAM.slice(at, at + size));
    while (bodiesOf(trial.sent).length < EXPECTED.length) await Bun.sleep(1);
    expect(bodiesOf(trial.sent)).toEqual(EXPECTED);
    expect(trial.seen).toHaveLength(EXPECTED.length);
  }
});

test('answers pipelined requests in order when the client reads slowly', () => {
  const trial = new Trial();
  trial.acceptedBytes = 10;
  trial.feed(STREAM);
  expect(trial.seen).toHaveLength(1);
  for (let step = 0; step < 500; step++) trial.drain(7);
  expect(bodiesOf(trial.sent)).toEqual(EXPECTED);
});

test('writes a response with non-ASCII characters to a client that reads slowly', () => {
  const trial = new Trial(() => plainAnswer(200, 'text/plain', 'ü€😀'.repeat(20)));
  trial.acceptedBytes = 3;
  trial.feed(GET('/'));
  for (let step = 0; step < 500; step++) trial.drain(1);
  expect(Buffer.from(trial.sent, 'latin1').toString()).toEndWith(
    `Content-Length: 180\r\n${COMMON_LINES}\r\n${'ü€😀'.repeat(20)}`,
  );
});

const ENDS: ReadonlyArray<
  readonly [title: string, request: string, statuses: readonly number[], state: Trial['state']]
> = [
  ['HTTP/1.1 keeps the connection', GET('/'), [200], 'open'],
  ['Connection: close', GET('/', 'Connection: close\r\n'), [200], 'ended'],
  ['what comes behind Connection: close is not read', GET('/', 'Connection: close\r\n') + GET('/'), [200], 'shut'],
  ['HTTP/1.0', 'GET / HTTP/1.0\r\n\r\n', [200], 'ended'],
  ['HTTP/1.0 with keep-alive', 'GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n', [200], 'open'],
  ['empty lines before a request', `\r\n\r\n${GET('/')}`, [200], 'open'],
  ['an empty line behind a body', `${POST('a=1')}\r\n${GET('/')}`, [200, 200], 'open'],
  ['what is no HTTP', 'hello\r\n\r\n', [400], 'shut'],
  ['line feeds alone', 'GET / HTTP/1.1\nHost: a\n\n\r\n\r\n', [400], 'shut'],
  [
    'a length and chunks',
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    [400],
    'shut',
  ],
  ['a good request before a bad one', `${GET('/')}bad\r\n\r\n${GET('/')}`, [200, 400], 'shut'],
  ['a broken chunk behind a good request', `${GET('/')}${CHUNKS('a').replace('1\r\na', 'x\r\na')}`, [200, 400], 'shut'],
  ['a head above the limit', GET('/', `X: ${'x'.repeat(600)}\r\n`), [431], 'shut'],
  ['a head above the limit that has no end', 'x'.repeat(600), [431], 'shut'],
  ['a body above the limit', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2001\r\n\r\n', [413], 'shut'],
  [
    'a body that nobody reads',
    `PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc${GET('/')}`,
    [200, 200],
    'open',
  ],
  ['a body with GET', `GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc${GET('/')}`, [200, 200], 'open'],
];

for (const [title, request, statuses, state] of ENDS) {
  test(title, () => {
    const trial = new Trial().feed(request);
    expect([trial.statuses, trial.state]).toEqual([[...statuses], state]);
    const bytewise = new Trial();
    for (const byte of request) bytewise.feed(byte);
    expect(bytewise.statuses).toEqual([...statuses]);
  });
}

test('answers HEAD with the head only, including the length', () => {
  const trial = new Trial().feed('HEAD / HTTP/1.1\r\nHost: a\r\n\r\n');
  expect(trial.sent).toEndWith(`Content-Length: 9\r\n${COMMON_LINES}\r\n`);
});

test('sends 100 Continue to a client that waits before its body', () => {
  const head =
    'POST /p HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n';
  const trial = new Trial().feed(head);
  expect(trial.sent).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  trial.feed('{}');
  expect(trial.statuses).toEqual([100, 200]);
  expect(new Trial().feed(`${head}{}`).statuses).toEqual([200]);
  expect(new Trial().feed(head.replace('Length: 2', 'Length: 2001')).statuses).toEqual([413]);
});

const TIMES: ReadonlyArray<
  readonly [title: string, given: string, ticks: number, statuses: readonly number[], state: Trial['state']]
> = [
  ['a silent connection is closed', '', 30, [], 'ended'],
  ['but not before', '', 29, [], 'open'],
  ['also behind a request', GET('/'), 30, [200], 'ended'],
  ['part of a head has its time', 'GET / HTTP', 12, [], 'open'],
  ['and is told when it is over', 'GET / HTTP', 13, [408], 'shut'],
  ['part of a body has the idle time', POST('a=1').slice(0, -1), 29, [], 'open'],
  ['and is told when it is over, too', POST('a=1').slice(0, -1), 30, [408], 'shut'],
  ['a client that keeps sending after a rejection is cut off', 'bad\r\n\r\n', 2, [400], 'terminated'],
];

for (const [title, given, ticks, statuses, state] of TIMES) {
  test(`time: ${title}`, () => {
    const trial = new Trial();
    if (given !== '') trial.feed(given);
    trial.pass(ticks);
    expect([trial.statuses, trial.state]).toEqual([[...statuses], state]);
  });
}

test('time: bytes of a slow head do not extend its deadline', () => {
  const trial = new Trial();
  for (const byte of 'GET / HTTP/1.1') {
    trial.feed(byte);
    trial.pass(1);
  }
  expect(trial.statuses).toEqual([408]);
});

test('time: a slow body does not extend its deadline, a fast one does', () => {
  const slow = new Trial().feed(POST('x'.repeat(2_000)).slice(0, -2_000));
  const fast = new Trial().feed(POST('x'.repeat(2_000)).slice(0, -2_000));
  slow.pass(20);
  fast.pass(20);
  slow.feed('x').pass(25);
  fast.feed('x'.repeat(1_600)).pass(25);
  expect([slow.statuses, fast.statuses]).toEqual([[408], []]);
});

test('time: a running request has no deadline, a client that does not read its response has', async () => {
  const { promise, resolve } = Promise.withResolvers<Reply>();
  const trial = new Trial(() => promise).feed(GET('/'));
  trial.pass(1_000);
  expect(trial.state).toBe('open');
  trial.acceptedBytes = 5;
  resolve(plainAnswer(200, 'text/plain', 'done'));
  await promise;
  await Bun.sleep(0);
  trial.pass(29);
  expect(trial.state).toBe('open');
  trial.pass(1);
  expect(trial.state).toBe('terminated');
});

test('a half-closed client receives all its responses', async () => {
  const trial = new Trial(async (incoming) => {
    await Bun.sleep(1);
    return echo(incoming);
  }).feed(GET('/1') + GET('/2'));
  trial.connection.halfClosed();
  while (trial.state === 'open') await Bun.sleep(1);
  expect([bodiesOf(trial.sent), trial.state]).toEqual([['[GET /1 ]', '[GET /2 ]'], 'ended']);
});

test('closes a connection that is half-closed in the middle of a request', () => {
  const trial = new Trial().feed(`${GET('/1')}GET /`);
  trial.connection.halfClosed();
  expect([trial.statuses, trial.state]).toEqual([[200], 'ended']);
});

test('cancels the request of a half-closed client after some ticks', async () => {
  const { promise, resolve } = Promise.withResolvers<Reply>();
  let signal: AbortSignal | undefined;
  const trial = new Trial(({ peer }) => {
    signal = peer.signal();
    return promise;
  }).feed(GET('/'));
  trial.connection.halfClosed();
  trial.pass(1);
  expect(signal?.aborted).toBe(false);
  trial.pass(1);
  expect(signal?.aborted).toBe(true);
  resolve(plainAnswer(200, 'text/plain', 'cancelled'));
  await Bun.sleep(0);
  expect([trial.statuses, trial.state]).toEqual([[200], 'ended']);
});

test('cancels the request of a disconnected client at once and discards its chunks', async () => {
  const { promise, resolve } = Promise.withResolvers<Reply>();
  let signal: AbortSignal | undefined;
  let released = false;
  async function* rows(): AsyncGenerator<string> {
    try {
      yield 'a';
      yield 'b';
    } finally {
      released = true;
    }
  }
  const trial = new Trial(({ peer }) => {
    signal = peer.signal();
    return promise;
  }).feed(GET('/'));
  trial.connection.gone();
  expect(signal?.aborted).toBe(true);
  resolve({ ...plainAnswer(200, 'text/plain', ''), body: rows() });
  await Bun.sleep(1);
  expect([released, trial.sent]).toEqual([true, '']);
});

test('streams in chunks, and to HTTP/1.0 until the connection closes', async () => {
  async function* chunks(): AsyncGenerator<string> {
    yield 'ab';
    yield 'ü';
  }
  const reply = () => ({ ...plainAnswer(200, 'text/plain', ''), body: chunks() });
  const trial = new Trial(reply).feed(GET('/'));
  await Bun.sleep(1);
  expect(trial.sent).toEndWith(
    `Transfer-Encoding: chunked\r\n${COMMON_LINES}\r\n2\r\nab\r\n2\r\n\u00c3\u00bc\r\n0\r\n\r\n`,
  );
  const old = new Trial(reply).feed('GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n');
  await Bun.sleep(1);
  expect([old.sent.split('\r\n\r\n')[1], old.state]).toEqual(['ab\u00c3\u00bc', 'ended']);
});

test('stops reading from a client that sends more while a request runs', async () => {
  const { promise, resolve } = Promise.withResolvers<Reply>();
  const trial = new Trial(() => promise).feed(GET('/'));
  trial.feed('x'.repeat(300_000));
  expect(trial.paused).toBe(1);
  resolve(plainAnswer(200, 'text/plain', ''));
  await Bun.sleep(1);
  expect([trial.paused, trial.statuses]).toEqual([0, [200, 431]]);
});

test('stopping closes idle connections at once and others after their response', async () => {
  const idle = new Trial().feed(GET('/'));
  idle.connection.stop();
  expect(idle.state).toBe('ended');
  const { promise, resolve } = Promise.withResolvers<Reply>();
  const busy = new Trial(() => promise).feed(GET('/'));
  busy.stopping = true;
  busy.connection.stop();
  expect(busy.state).toBe('open');
  resolve(plainAnswer(200, 'text/plain', 'x'));
  await Bun.sleep(0);
  expect([busy.sent.includes('Connection: close'), busy.state]).toEqual([true, 'ended']);
});

/** A small random number generator with a seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test('random bytes never make it throw, hang or answer a request twice', () => {
  const words = [
    'GET',
    'POST',
    ' ',
    '/',
    'HTTP/1.1',
    '\r\n',
    '\n',
    '\r',
    ':',
    'Host: a',
    'Content-Length: ',
    '5',
    'Transfer-Encoding: chunked',
    '0',
    '\0',
    'x',
    '\u00ff',
    GET('/'),
    POST('a=1'),
    CHUNKS('ab'),
  ];
  for (let seed = 1; seed <= 3_000; seed++) {
    const next = numbers(seed);
    let text = '';
    for (let count = next(12) + 1; count > 0; count--) text += words[next(words.length)] ?? '';
    const whole = new Trial().feed(text);
    const cut = new Trial();
    for (let at = 0; at < text.length; ) {
      const size = next(9) + 1;
      cut.feed(text.slice(at, at + size));
      at += size;
    }
    const problems = [whole.unexpectedErrors, cut.unexpectedErrors]
      .flat()
      .filter((each) => each.startsWith('TypeError'));
    expect([seed, cut.statuses, problems]).toEqual([seed, whole.statuses, []]);
  }
});

/** The head, and the body in chunks of one byte. */
const TINY_CHUNKS = (count: number) => CHUNKS(...Array.from({ length: count }, () => 'a'));

test('reads part of a body in tiny chunks per tick, with the socket paused', () => {
  const trial = new Trial();
  trial.bodyLimitBytes = 100_000;
  const count = 4 * CHUNKS_PER_FEED;
  trial.feed(TINY_CHUNKS(count));
  for (let tick = 1; tick <= 4; tick++) {
    expect([trial.seen.length, trial.paused, trial.deferredReads.isEmpty]).toEqual([0, 1, false]);
    trial.passTick();
  }
  expect([trial.statuses, trial.paused, trial.seen[0]?.body?.length]).toEqual([[200], 0, count]);
  expect(trial.requests.usedBytes).toBe(0);
});

test('a large read pauses the socket until the next tick', () => {
  const trial = new Trial();
  trial.bodyLimitBytes = 1_000_000;
  trial.feed(`POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 200000\r\n\r\n`);
  expect(trial.paused).toBe(0);
  trial.feed('x'.repeat(70_000));
  expect(trial.paused).toBe(1);
  trial.passTick();
  expect(trial.paused).toBe(0);
  trial.feed('x'.repeat(130_000));
  trial.passTick();
  expect([trial.paused, trial.statuses]).toEqual([0, [200]]);
});

test('bytes of a body wait for connections that were deferred earlier', () => {
  const trial = new Trial();
  trial.bodyLimitBytes = 1_000_000;
  trial.feed(`POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 70000\r\n\r\n`);
  trial.deferredReads.add(new Trial().connection);
  trial.feed('x'.repeat(70_000));
  expect([trial.seen.length, trial.paused]).toEqual([0, 1]);
  trial.passTick();
  expect([trial.seen.length, trial.paused]).toEqual([0, 1]);
  trial.passTick();
  expect([trial.statuses, trial.paused]).toEqual([[200], 0]);
});

test('answers a client that half-closes while its body waits', () => {
  const trial = new Trial();
  trial.bodyLimitBytes = 100_000;
  trial.feed(TINY_CHUNKS(CHUNKS_PER_FEED + 1));
  trial.connection.halfClosed();
  trial.passTick();
  expect([trial.statuses, trial.state]).toEqual([[200], 'ended']);
});

test('does not read on after the connection is gone', () => {
  const trial = new Trial();
  trial.bodyLimitBytes = 100_000;
  trial.feed(TINY_CHUNKS(CHUNKS_PER_FEED + 1));
  trial.terminate();
  trial.passTick();
  expect([trial.seen.length, trial.requests.usedBytes]).toEqual([0, 0]);
});

test('rejects a waiting body that exceeds the budget', () => {
  const trial = new Trial();
  trial.bodyLimitBytes = 100_000;
  const others = trial.requests.open({ isAuthenticated: false });
  others.hold(490_000);
  trial.feed(TINY_CHUNKS(2 * CHUNKS_PER_FEED));
  expect(trial.statuses).toEqual([503]);
  others.release();
  expect(trial.requests.usedBytes).toBe(0);
});

test('closes after the response when further bytes exceed the budget', async () => {
  const reply = Promise.withResolvers<Reply>();
  const trial = new Trial(() => reply.promise);
  const others = trial.requests.open({ isAuthenticated: false });
  others.hold(495_000);
  trial.feed(GET('/'));
  trial.feed('x'.repeat(10_000));
  trial.feed(GET('/never'));
  reply.resolve(plainAnswer(200, 'text/plain', 'done'));
  await reply.promise;
  await Bun.sleep(0);
  expect([trial.statuses, trial.seen.length, trial.state]).toEqual([[200], 1, 'shut']);
  expect(trial.sent).toContain('Connection: close');
});

test('holds a single response of any length for a client that does not read it', () => {
  const trial = new Trial(() => plainAnswer(200, 'text/plain', 'x'.repeat(70_000)));
  trial.acceptedBytes = 1_000;
  trial.feed(GET('/'));
  expect([trial.state, trial.responses.usedBytes > 65_536]).toEqual(['open', true]);
  trial.connection.gone();
  expect(trial.responses.usedBytes).toBe(0);
});

test('rejects a request beyond the share of its sender', () => {
  const trial = new Trial();
  trial.bodyLimitBytes = 900_000;
  trial.tenant = { key: 'user greedy', isAdministrator: false };
  const tenant = () => ({ key: 'user greedy', isAdministrator: false });
  const other = trial.requests.open({ isAuthenticated: true, tenant });
  other.hold(600_000);
  trial.feed(POST_OF(300_000));
  expect(trial.statuses).toEqual([429]);
  expect(trial.sent).toContain('Connection: close');
  expect(trial.sent).toContain('No more buffered bytes available: this user already holds its share');
  other.release();
  expect(trial.requests.usedBytes).toBe(0);
});
