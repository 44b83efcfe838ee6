/** Tests to which node the pool sends calls, with nodes that count requests. */
import { afterEach, expect, test } from 'bun:test';
import { closeNodes, listen, responseTo, settings, welcome } from '../../../../test/fixtures/cluster/fake-node.ts';
import { GridError } from '../../../base/errors.ts';
import { text } from '../../../values/value.ts';
import { UTC_ZONE } from '../binary/node-time-zone.ts';
import { BinaryTypes } from '../binary/type-metadata.ts';
import { ENTRY } from '../operations/entry-operations.ts';
import { CLUSTER } from '../operations/grid-operations.ts';
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

// If sent again, a change could undo another client's, acknowledged in between.
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

/** The features of {@link FEATURES} and discovery. */
const DISCOVERING = '0c0000';

/** Returns the response that lists nodes, without addresses. */
function endpointsOf(message: Buffer, nodes: readonly string[]): Buffer {
  const body = Buffer.alloc(12 + 24 * nodes.length);
  body.writeInt32LE(nodes.length, 8);
  nodes.forEach((node, index) => {
    const id = Buffer.from(node, 'hex');
    const halves = Buffer.concat([id.subarray(0, 8).reverse(), id.subarray(8).reverse()]);
    halves.copy(body, 12 + 24 * index);
  });
  return responseTo(message, 0, body);
}

/** Returns a response of one byte which reports that partitions have moved. */
function movedResponse(message: Buffer): Buffer {
  const body = Buffer.alloc(13, 0);
  body.writeBigInt64LE(2n, 0);
  body.writeInt8(1, 12);
  return responseTo(message, 2, body);
}

// A node that was suspended for too long answers for a while as a separate cluster, with its old view of the nodes.
for (const own of [NODES, NODES.slice(1)]) {
  test(`a node that the other one has excluded gets no calls, also when it reports ${own.length} nodes`, async () => {
    let views: ReadonlyArray<readonly string[]> = [NODES, NODES];
    const [counts, handshakes] = [
      [0, 0],
      [0, 0],
    ];
    let pool: Pool | undefined;
    const endpoints = [];
    for (const [index, node] of NODES.entries()) {
      const endpoint = await listen(async (message, number, socket) => {
        if (number === 0) {
          handshakes[index] = (handshakes[index] ?? 0) + 1;
          // The first node is connected first.
          while (index === 1 && pool?.connections().length === 0) await Bun.sleep(1);
          socket.write(welcome(DISCOVERING, node));
        } else if (message.readInt16LE(0) === CLUSTER.endpoints.code) {
          socket.write(endpointsOf(message, views[index] ?? []));
        } else {
          counts[index] = (counts[index] ?? 0) + 1;
          socket.write(movedResponse(message));
        }
      });
      endpoints.push(endpoint);
    }
    const types = new BinaryTypes({ fetchType: async () => undefined, storeType: async () => {} });
    pool = new Pool(
      { ...settings(), endpoints, partitionAwareness: true, requestTimeoutMs: 4_000, reconnectTimeoutMs: 4_000 },
      { types, zone: UTC_ZONE },
    );
    await pool.start();
    await callTimes(pool, 1, NODE_IDS[1]);
    expect(counts).toEqual([0, 1]);

    views = [NODES.slice(0, 1), own];
    while (pool.connectionTo(NODE_IDS[1] ?? '') !== undefined) {
      await callTimes(pool, 1, NODE_IDS[0]);
      await Bun.sleep(10);
    }
    const before = [...counts];
    // The pool tries to connect to the node again and again.
    const goal = (handshakes[1] ?? 0) + 2;
    while ((handshakes[1] ?? 0) < goal) {
      await callTimes(pool, 1, NODE_IDS[1]);
      await Bun.sleep(10);
    }
    expect(counts[0]).toBeGreaterThan(before[0] ?? 0);
    expect(counts[1]).toBe(before[1]);
    expect(handshakes[0]).toBe(1);
    pool.close();
  }, 30_000);
}
