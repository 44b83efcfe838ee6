/** To which node the pool sends calls, against nodes that count requests. */
import { afterEach, expect, test } from 'bun:test';
import { GridError } from '../../../base/errors.ts';
import { text } from '../../../values/value.ts';
import { UTC_ZONE } from '../binary/node-time-zone.ts';
import { BinaryTypes } from '../binary/type-metadata.ts';
import { ENTRY } from '../operations/entry-operations.ts';
import { CLUSTER } from '../operations/grid-operations.ts';
import { closeNodes, listen, responseTo, settings, welcome } from './fake-node.suite.ts';
import { Pool } from './pool.ts';

const NODES = ['00000000000000000000000000000001', '00000000000000000000000000000002'];
const NODE_IDS = ['00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000002'];
/** The state of the cluster as one byte, without heartbeats or discovery. */
const FEATURES = '040000';

afterEach(closeNodes);

/** Starts two nodes and a pool over them. `counts` has the number of calls that each node answered. */
async function openPool(partitionAwareness: boolean) {
  const counts = [0, 0];
  const sockets: Array<{ destroy(): void }> = [];
  const endpoints = [];
  for (const [index, node] of NODES.entries()) {
    const endpoint = await listen((message, number, socket) => {
      sockets[index] = socket;
      if (number === 0) socket.write(welcome(FEATURES, node));
      else {
        counts[index] = (counts[index] ?? 0) + 1;
        socket.write(responseTo(message, 0, Buffer.of(1)));
      }
    });
    endpoints.push(endpoint);
  }
  const types = new BinaryTypes({ fetchType: async () => undefined, storeType: async () => {} });
  const pool = new Pool(
    { ...settings(), endpoints, partitionAwareness, requestTimeoutMs: 1_000, reconnectTimeoutMs: 1_000 },
    { types, zone: UTC_ZONE },
  );
  await pool.start();
  return { pool, counts, sockets };
}

async function callTimes(pool: Pool, times: number, nodeId: string | undefined): Promise<void> {
  for (let left = times; left > 0; left--) await pool.call(CLUSTER.state, undefined, nodeId);
}

test('calls go to the preferred node, others to all nodes in turn', async () => {
  const { pool, counts } = await openPool(true);
  await callTimes(pool, 4, NODE_IDS[1]);
  expect(counts).toEqual([0, 4]);
  await callTimes(pool, 4, undefined);
  expect(counts).toEqual([2, 6]);
  pool.close();
});

test('without partition awareness all calls go to the first endpoint, and to the next when it is lost', async () => {
  const { pool, counts, sockets } = await openPool(false);
  await callTimes(pool, 4, NODE_IDS[1]);
  await callTimes(pool, 4, undefined);
  expect(counts).toEqual([8, 0]);
  // The pool connects again at once, on a busy machine before the next call is sent.
  while (counts[1] === 0) {
    sockets[0]?.destroy();
    await callTimes(pool, 4, NODE_IDS[0]);
  }
  expect(counts[1]).toBeGreaterThan(0);
  pool.close();
});

const [CACHE_ID, KEY, VALUE] = [1, text('a'), text('b')];
const TARGET = { cacheId: CACHE_ID };
const CALLS: ReadonlyArray<readonly [string, 'sent again' | 'OUTCOME_UNKNOWN', (pool: Pool) => Promise<unknown>]> = [
  ['get', 'sent again', (pool) => pool.call(ENTRY.get, { ...TARGET, key: KEY }, NODE_IDS[0])],
  ['getAll', 'sent again', (pool) => pool.call(ENTRY.getAll, { ...TARGET, keys: [KEY] }, NODE_IDS[0])],
  ['put', 'OUTCOME_UNKNOWN', (pool) => pool.call(ENTRY.put, { ...TARGET, key: KEY, value: VALUE }, NODE_IDS[0])],
  [
    'putAll',
    'OUTCOME_UNKNOWN',
    (pool) => pool.call(ENTRY.putAll, { ...TARGET, entries: [{ key: KEY, value: VALUE }] }, NODE_IDS[0]),
  ],
  ['remove', 'OUTCOME_UNKNOWN', (pool) => pool.call(ENTRY.remove, { ...TARGET, key: KEY }, NODE_IDS[0])],
  ['removeAll', 'OUTCOME_UNKNOWN', (pool) => pool.call(ENTRY.removeAll, { ...TARGET, keys: [KEY] }, NODE_IDS[0])],
  ['clear', 'OUTCOME_UNKNOWN', (pool) => pool.call(ENTRY.clear, TARGET, NODE_IDS[0])],
  ['touch', 'OUTCOME_UNKNOWN', (pool) => pool.call(ENTRY.touch, { ...TARGET, key: KEY }, NODE_IDS[0])],
];

// Sent again, a change could undo one of another client that was acknowledged in between.
for (const [name, expected, call] of CALLS) {
  test(`a ${name} whose node ends without a response: ${expected}`, async () => {
    let received = 0;
    const endpoints = [];
    for (const [index, node] of NODES.entries()) {
      const endpoint = await listen((message, number, socket) => {
        if (number === 0) {
          socket.write(welcome(FEATURES, node));
          return;
        }
        received += 1;
        if (index === 0) socket.destroy();
        // No entry, or a list of none.
        else socket.write(responseTo(message, 0, name === 'get' ? Buffer.of(101) : Buffer.alloc(4)));
      });
      endpoints.push(endpoint);
    }
    const types = new BinaryTypes({ fetchType: async () => undefined, storeType: async () => {} });
    const pool = new Pool(
      { ...settings(), endpoints, partitionAwareness: true, requestTimeoutMs: 1_000, reconnectTimeoutMs: 1_000 },
      { types, zone: UTC_ZONE },
    );
    await pool.start();
    const outcome = await call(pool).then(
      () => 'sent again',
      (error: unknown) => (error instanceof GridError ? error.code : String(error)),
    );
    expect({ outcome, received }).toEqual({ outcome: expected, received: expected === 'sent again' ? 2 : 1 });
    pool.close();
  });
}
