/** Tests JDBC connections to a node that vanishes without closing them. */
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
import { cancellable } from '../queries/cancellation.ts';
import type { JdbcStatement } from './jdbc.ts';
import { JdbcConnections } from './jdbc-connections.ts';
import { Pool } from './pool.ts';

afterEach(closeNodes);

const CLIENT_TYPE_AT = 7;
const JDBC_CLIENT = 1;
const STATEMENT: JdbcStatement = { schema: 'PUBLIC', sql: 'select 1', args: [], pageSize: 1, maxRows: 0 };

/** Starts a node that never responds to statements. Once it has vanished, it sends nothing at all. */
async function silentNode() {
  const node = { hasVanished: false, statements: 0 };
  const jdbcConnections = new Set<number>();
  const endpoint = await listen((message, number, socket, connection) => {
    if (node.hasVanished) return;
    if (number === 0 && message[CLIENT_TYPE_AT] === JDBC_CLIENT) {
      jdbcConnections.add(connection);
      socket.write(frame(Buffer.from([1])));
    } else if (number === 0) {
      socket.write(welcome());
    } else if (jdbcConnections.has(connection)) {
      node.statements++;
    } else {
      socket.write(responseTo(message, 0, Buffer.alloc(0)));
    }
  });
  const unused = () => Promise.reject(new Error('no type is expected'));
  const context = { types: new BinaryTypes({ fetchType: unused, storeType: unused }), zone: UTC_ZONE };
  const own = { endpoints: [endpoint], partitionAwareness: true, requestTimeoutMs: 1_000, reconnectTimeoutMs: 1_000 };
  const pool = new Pool({ ...settings({ heartbeatIntervalMs: 50 }), ...own }, context);
  await pool.start();
  const jdbc = new JdbcConnections(pool, systemClock, 2);
  const close = () => {
    jdbc.close();
    pool.close();
  };
  return { node, jdbc, close };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await Bun.sleep(5);
}

test('a statement fails when the node no longer responds to heartbeats', async () => {
  const { node, jdbc, close } = await silentNode();
  const outcome = jdbc.use(false, (connection) => connection.execute(STATEMENT)).catch((error: unknown) => error);
  await until(() => node.statements === 1);
  node.hasVanished = true;
  expect(await outcome).toMatchObject({ code: 'CLUSTER_UNREACHABLE' });
  close();
});

test('a statement continues while the node responds to heartbeats', async () => {
  const { node, jdbc, close } = await silentNode();
  const outcome = jdbc.use(false, (connection) => connection.execute(STATEMENT)).catch((error: unknown) => error);
  await until(() => node.statements === 1);
  expect(await Promise.race([outcome, Bun.sleep(1_500).then(() => 'still running')])).toBe('still running');
  close();
  expect(await outcome).toMatchObject({ code: 'CLUSTER_UNREACHABLE' });
});

test('a statement that its node does not cancel fails 5 s after its time limit', async () => {
  const { jdbc, close } = await silentNode();
  const clock = { ...systemClock, after: (ms: number, action: () => void) => systemClock.after(ms / 50, action) };
  const outcome = jdbc.use(false, (connection) =>
    cancellable(connection, undefined, 1_000, clock, { cache: '' }, () => connection.execute(STATEMENT)),
  );
  expect(outcome).rejects.toMatchObject({ code: 'QUERY_TIMEOUT' });
  await outcome.catch(() => {});
  close();
});

test('a statement waits for a connection in turn with other tenants, until its limit and while its client waits', async () => {
  const { jdbc, close } = await silentNode();
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const both = [0, 1].map(() => jdbc.use(false, () => held));
  const order: string[] = [];
  const waiting = ['ann', 'ann', 'ann', 'bob'].map((key) =>
    jdbc.use(false, async () => void order.push(key), { tenant: { key, isAdministrator: false } }),
  );
  const expired = jdbc.use(false, async () => {}, { deadlineMs: systemClock.monotonicMs() + 20 });
  await expect(expired).rejects.toMatchObject({ code: 'QUERY_TIMEOUT' });
  const leaving = new AbortController();
  const left = jdbc.use(false, async () => {}, { signal: leaving.signal });
  leaving.abort();
  await expect(left).rejects.toMatchObject({ code: 'QUERY_CANCELLED' });
  release();
  await Promise.all([...both, ...waiting]);
  expect(order.indexOf('bob')).toBeLessThan(order.lastIndexOf('ann'));
  close();
});
