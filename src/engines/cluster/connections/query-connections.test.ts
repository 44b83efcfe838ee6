/** Tests that statements use no connection to a node that the pool no longer uses. */
import { afterEach, expect, test } from 'bun:test';
import {
  closeNodes,
  frame,
  listen,
  responseTo,
  settings,
  welcome,
} from '../../../../test/fixtures/cluster/fake-node.ts';
import { systemClock } from '../../../base/clock.ts';
import { UTC_ZONE } from '../binary/node-time-zone.ts';
import { BinaryTypes } from '../binary/type-metadata.ts';
import type { JdbcConnection } from './jdbc.ts';
import { JdbcConnections } from './jdbc-connections.ts';
import { Pool } from './pool.ts';
import { CursorConnections } from './query-connections.ts';

afterEach(closeNodes);

const NODES = ['00000000000000000000000000000001', '00000000000000000000000000000002'];
const EXCLUDED_ID = '00000000-0000-0000-0000-000000000002';
/** Neither heartbeats nor discovery. */
const FEATURES = '040000';
const CLIENT_TYPE_AT = 7;
const JDBC_CLIENT = 1;
const HEARTBEAT_MS = 300;

/** Starts two nodes and a pool over them. */
async function openPool() {
  /** Whether the second node accepts data connections. */
  const node = { accepts: true };
  const endpoints = [];
  for (const [index, id] of NODES.entries()) {
    const endpoint = await listen((message, number, socket) => {
      if (number > 0) socket.write(responseTo(message, 0, Buffer.of(1)));
      else if (message[CLIENT_TYPE_AT] === JDBC_CLIENT) socket.write(frame(Buffer.from([1])));
      else if (index === 0 || node.accepts) socket.write(welcome(FEATURES, id));
      else socket.destroy();
    });
    endpoints.push(endpoint);
  }
  const unused = () => Promise.reject(new Error('no type is expected'));
  const context = { types: new BinaryTypes({ fetchType: unused, storeType: unused }), zone: UTC_ZONE };
  const own = { endpoints, partitionAwareness: true, requestTimeoutMs: 1_000, reconnectTimeoutMs: 1_000 };
  const pool = new Pool({ ...settings({ heartbeatIntervalMs: HEARTBEAT_MS }), ...own }, context);
  await pool.start();
  const [first = 0, second = 0] = endpoints.map(({ port }) => port);
  const exclude = () => {
    node.accepts = false;
    pool.connectionTo(EXCLUDED_ID)?.close('the other nodes have excluded this node');
  };
  return { pool, first, second, exclude };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await Bun.sleep(5);
}

/** Occupies a JDBC connection to each node until `release` is called or the connection is closed. */
async function occupyBoth(jdbc: JdbcConnections) {
  const connections: JdbcConnection[] = [];
  let isReleased = false;
  const uses = NODES.map(() =>
    jdbc.use(false, async (connection) => {
      connections.push(connection);
      await until(() => isReleased || !connection.isOpen);
    }),
  );
  await until(() => connections.length === NODES.length);
  const release = async () => {
    isReleased = true;
    await Promise.all(uses);
  };
  return { connections, release };
}

test('statements that read use no connection to a node that was excluded', async () => {
  const { pool, first, second, exclude } = await openPool();
  const jdbc = new JdbcConnections(pool, systemClock, 2);
  const { connections, release } = await occupyBoth(jdbc);
  await release();
  expect(connections.map(({ nodeEndpoint }) => nodeEndpoint.port).toSorted()).toEqual([first, second].toSorted());

  exclude();
  const ports = await Promise.all(NODES.map(() => jdbc.use(false, async ({ nodeEndpoint }) => nodeEndpoint.port)));
  expect(ports).toEqual([first, first]);
  expect(connections.find(({ nodeEndpoint }) => nodeEndpoint.port === second)?.isOpen).toBe(false);
  jdbc.close();
  pool.close();
});

test('a statement whose node has been excluded for two heartbeat intervals loses its connection', async () => {
  const { pool, second, exclude } = await openPool();
  const jdbc = new JdbcConnections(pool, systemClock, 2);
  const { connections, release } = await occupyBoth(jdbc);
  exclude();
  await until(() => connections.some(({ isOpen }) => !isOpen));
  expect(connections.filter(({ isOpen }) => !isOpen).map(({ nodeEndpoint }) => nodeEndpoint.port)).toEqual([second]);
  await release();
  jdbc.close();
  pool.close();
});

test('scans and changes use no connection to a node that was excluded', async () => {
  const { pool, first, second, exclude } = await openPool();
  const connections = new CursorConnections(pool, systemClock);
  const opened = await connections.acquire();
  // Round robin begins with the second node.
  expect(opened.connection.endpoint.port).toBe(second);

  exclude();
  expect((await connections.acquire()).connection.endpoint.port).toBe(first);
  expect(opened.connection.isOpen).toBe(false);
  connections.close();
  pool.close();
});

test('a cursor on an excluded node ends after two heartbeat intervals, while further ones open elsewhere', async () => {
  const { pool, first, exclude } = await openPool();
  const connections = new CursorConnections(pool, systemClock);
  const opened = await connections.acquire();
  opened.cursors = 1;
  exclude();
  expect((await connections.acquire()).connection.endpoint.port).toBe(first);
  expect(opened.connection.isOpen).toBe(true);
  await until(() => !opened.connection.isOpen);
  connections.close();
  pool.close();
});
