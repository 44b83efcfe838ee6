/** Calls that share a batch get the same results as when sent one by one. SVC_SEED=n repeats a history. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { randomBytes } from '../../src/base/clock.ts';
import { type ClientOptions, SvcClient, SvcError } from '../../src/client/client.ts';
import { pick, type RandomSource, seededRandom } from '../fixtures/values/random-values.ts';
import { type ServiceProcess, startService } from '../system/service-process.ts';

setDefaultTimeout(60_000);
const SEED = Number(process.env.SVC_SEED ?? new DataView(randomBytes(4).buffer).getUint32(0));
const HISTORIES = 10;
const TICKS = 20;

type Call = (client: SvcClient, cacheName: string) => Promise<unknown>;

let service: ServiceProcess;
beforeAll(async () => {
  service = await startService({ env: { SVC_WORKERS: '1', SVC_LIMITS_VALUE_CHARACTERS: '5000' } });
});
afterAll(() => service.stop());

function randomCall(random: RandomSource): Call {
  const key = pick(random, ['a', 'b', 'c', 1, 2.5, true, 9_007_199_254_740_993n]);
  const val = pick(random, ['x', 'y', 7, 9_007_199_254_740_993n, { name: 'Ann' }, [1, 'two'], 'z'.repeat(6_000)]);
  const at = random.below(1_000);
  return pick<Call>(random, [
    (client, cacheName) => client.get({ cacheName, key }),
    (client, cacheName) => client.get({ cacheName: `${cacheName}-missing`, key }),
    (client, cacheName) => client.get({ cacheName, key: 'no number', keyType: 'int' }),
    (client, cacheName) => client.conkey({ cacheName, key }),
    (client, cacheName) => client.put({ cacheName, key, val }),
    (client, cacheName) => client.put({ cacheName, key, val, ttlMs: -at }),
    (client, cacheName) => client.putifabs({ cacheName, key, val }),
    (client, cacheName) => client.rep({ cacheName, key, val }),
    (client, cacheName) => client.rmv({ cacheName, key }),
    (client, cacheName) => client.put({ cacheName, key, val: 'text' }),
    (client, cacheName) => client.append({ cacheName, key, val: `-${at}` }),
    (client, cacheName) => client.incr({ key: `${cacheName}-${String(key)}`, delta: at, init: 5 }),
    (client, cacheName) => client.decr({ key: `${cacheName}-${String(key)}`, delta: 1n }),
    (client, cacheName) => client.put({ cacheName, key, val: Number.NaN }),
  ]);
}

/** Returns the result of a call, without the name of its cache. */
async function outcomeOf(answer: Promise<unknown>, cacheName: string): Promise<string> {
  const shown = (value: unknown) => Bun.inspect(value, { depth: 5 }).replaceAll(cacheName, 'CACHE');
  return answer.then(shown, (error: unknown) => {
    if (!(error instanceof SvcError)) return shown(String(error));
    const { message, code, http, successStatus, command, parameter, remedy, response } = error;
    return shown({ message, code, http, successStatus, command, parameter, remedy, response });
  });
}

test(`a history with batches is answered as without; SVC_SEED=${SEED}`, async () => {
  const random = seededRandom(SEED);
  const { client: batched, commands } = observed({ url: service.url, batching: true });
  const single = new SvcClient({ url: service.url });
  for (let history = 0; history < HISTORIES; history++) {
    const [together, alone] = [`together-${SEED}-${history}`, `alone-${SEED}-${history}`];
    for (const cacheName of [together, alone]) await single.getorcreate({ cacheName });
    for (let tick = 0; tick < TICKS; tick++) {
      const calls = Array.from({ length: 1 + random.below(30) }, () => randomCall(random));
      const found = await Promise.all(calls.map((call) => outcomeOf(call(batched, together), together)));
      const expected: string[] = [];
      for (const call of calls) expected.push(await outcomeOf(call(single, alone), alone));
      expect(found).toEqual(expected);
    }
    expect(await single.size({ cacheName: together })).toBe(await single.size({ cacheName: alone }));
  }
  expect(commands.filter((command) => command === 'batch').length).toBeGreaterThan(HISTORIES);
});

/** A client whose requests are listed by command. */
function observed(options: ClientOptions) {
  const commands: string[] = [];
  const client = new SvcClient({
    ...options,
    fetch: (url, init) => {
      commands.push(/([a-z]+)\?/.exec(url)?.[1] ?? '');
      return fetch(url, init);
    },
  });
  return { client, commands };
}

const { signal } = new AbortController();
const REQUESTS: ReadonlyArray<
  readonly [title: string, calls: ReadonlyArray<(client: SvcClient) => Promise<unknown>>, expected: readonly string[]]
> = [
  ['two reads share a batch', [(c) => c.conkey({ key: 'a' }), (c) => c.conkey({ key: 'b' })], ['batch']],
  ['one call goes alone', [(c) => c.conkey({ key: 'a' })], ['conkey']],
  [
    'a read and a change of one key share a batch',
    [(c) => c.put({ key: 'a', val: 1 }), (c) => c.get({ key: 'a' })],
    ['batch'],
  ],
  [
    'reads do not wait for changes of other keys',
    [
      (c) => c.put({ key: 'a', val: 1 }),
      (c) => c.conkey({ key: 'b' }),
      (c) => c.put({ key: 'c', val: 1 }),
      (c) => c.conkey({ key: 'd' }),
    ],
    ['batch', 'batch'],
  ],
  [
    'a call with a signal goes alone',
    [(c) => c.conkey({ key: 'a' }, { signal }), (c) => c.conkey({ key: 'b' })],
    ['conkey', 'conkey'],
  ],
  [
    'a call with an idempotency key goes alone',
    [(c) => c.rmv({ key: 'a' }, { idempotencyKey: `own-${SEED}` }), (c) => c.conkey({ key: 'b' })],
    ['conkey', 'rmv'],
  ],
  [
    'a change that returns the old value goes alone',
    [(c) => c.getput({ key: 'a', val: 1 }), (c) => c.conkey({ key: 'b' })],
    ['conkey', 'getput'],
  ],
  [
    'more characters than one batch has are two',
    Array.from({ length: 20 }, (_, at) => (c: SvcClient) => c.conkey({ key: `${at % 10}`.repeat(60_000) })),
    ['batch', 'batch'],
  ],
  [
    'more calls than one batch has are two',
    Array.from({ length: 251 + 1 }, (_, at) => (c: SvcClient) => c.conkey({ key: `${at}` })),
    ['batch', 'batch'],
  ],
];

test.each(REQUESTS)('%s', async (_, calls, expected) => {
  const { client, commands } = observed({ url: service.url, batching: true });
  await Promise.all(calls.map((call) => call(client)));
  expect(commands.toSorted()).toEqual([...expected]);
});

test('calls are sent one by one by default', async () => {
  const { client, commands } = observed({ url: service.url });
  await Promise.all(['a', 'b'].map((key) => client.conkey({ key })));
  expect(commands).toEqual(['conkey', 'conkey']);
});

test('a batch that exceeds the limits of the service is sent one by one', async () => {
  await using strict = await startService({ env: { SVC_WORKERS: '1', SVC_LIMITS_BATCH_COMMANDS: '2' } });
  const { client, commands } = observed({ url: strict.url, batching: true });
  const counts = await Promise.all([1, 2, 3].map(() => client.incr({ key: 'n', delta: 1 })));
  expect(counts).toEqual([1n, 2n, 3n]);
  expect(commands).toEqual(['batch', 'incr', 'incr', 'incr']);
});

test('reads whose results exceed those of a batch are sent again, and no change is', async () => {
  const env = { SVC_WORKERS: '1', SVC_LIMITS_BATCH_RESPONSE_CHARACTERS: '3000' };
  await using strict = await startService({ env });
  const { client } = observed({ url: strict.url, batching: true });
  const val = 'v'.repeat(2_000);
  await client.put({ key: 'a', val });
  const answers = await Promise.all([
    ...['a', 'a', 'a'].map((key) => client.get({ key })),
    client.put({ key: 'a', val: 'new' }),
    client.get({ key: 'a' }),
  ]);
  expect(answers).toEqual([val, val, val, true, 'new']);
});

test('changes whose answer is lost are made once, with the key of the batch', async () => {
  let isLost = true;
  const client = new SvcClient({
    url: service.url,
    batching: true,
    retryMs: 60_000,
    fetch: async (url, init) => {
      const answer = await fetch(url, init);
      if (!isLost) return answer;
      isLost = false;
      throw new TypeError('the answer is lost');
    },
  });
  const key = `once-${SEED}`;
  expect(await Promise.all([1, 2, 3].map(() => client.incr({ key, delta: 1 })))).toEqual([1n, 2n, 3n]);
});
