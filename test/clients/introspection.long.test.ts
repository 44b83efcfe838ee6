/**
 * Sends the queries of database tools about schemas, tables and columns to svc, with both engines, and to a node of
 * Apache Ignite next to it, and compares names, types and rows: test/clients/README.md.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { missingForNodes, startCluster, type TestCluster } from '../cluster/ignite-node.ts';
import { type Outcome, openIgniteTarget, type Target } from '../differential/targets.ts';
import { type ServiceProcess, startService } from '../system/service-process.ts';
import { CLEANUP, SETUP, STATEMENTS } from './introspection.ts';

setDefaultTimeout(60_000);
const START_LIMIT_MS = 180_000;

type Rows = Outcome & { readonly kind: 'rows' };

async function connect(url: string): Promise<Target> {
  const target = await openIgniteTarget(url);
  if (target === undefined) throw new Error(`nothing answers at ${url}`);
  return target;
}

async function prepare(target: Target): Promise<void> {
  for (const statement of SETUP) await rowsOf(target, statement);
}

async function rowsOf(target: Target, sql: string): Promise<Rows> {
  const outcome = await target.run(sql);
  if (outcome.kind === 'rejected') throw new Error(`${target.name} rejects ${sql}\n${outcome.text}`);
  return outcome;
}

/** Returns the rows as JSON, with `*` for the values that depend on the node. */
function linesOf({ rows, names }: Rows, nodeColumns: readonly string[] = []): string[] {
  return rows.map((row) => `[${row.map((value, at) => (nodeColumns.includes(names[at] ?? '') ? '*' : value)).join()}]`);
}

const CASES = Object.entries(STATEMENTS).flatMap(([tool, statements]) =>
  statements.map((statement) => [tool, statement.sql.replaceAll(/\s+/g, ' '), statement] as const),
);

const missing = missingForNodes();
if (missing !== undefined) {
  describe('introspection', () => {
    test.skip(missing, () => {});
  });
} else {
  describe('introspection', () => {
    let cluster: TestCluster;
    let services: ServiceProcess[] = [];
    let node: Target;
    let embedded: Target;
    let clustered: Target;

    beforeAll(async () => {
      cluster = await startCluster(1, { empty: true });
      const endpoints = { SVC_ENGINE: 'cluster', SVC_ENDPOINTS: cluster.endpoints.join(',') };
      services = await Promise.all(
        [{}, endpoints].map((env) => startService({ env: { SVC_COMPATIBILITY: 'reference', ...env } })),
      );
      [node, embedded, clustered] = (await Promise.all(
        [cluster.nodes[0]?.restUrl, ...services.map((service) => service.url)].map((url) => connect(url ?? '')),
      )) as [Target, Target, Target];
      await prepare(node);
      await prepare(embedded);
    }, START_LIMIT_MS);

    afterAll(async () => {
      for (const statement of CLEANUP) await node.run(statement);
      await Promise.all([node.close(), embedded.close()]);
      await Promise.all(services.map((service) => service.stop()));
      await cluster[Symbol.asyncDispose]();
    });

    test.each(CASES)('%s: %s', async (_, __, { sql, nodeColumns }) => {
      const expected = await rowsOf(node, sql);
      for (const target of [embedded, clustered]) {
        const { names, types, ...rest } = await rowsOf(target, sql);
        expect({ names, types }).toEqual({ names: expected.names, types: expected.types });
        expect(linesOf({ names, types, ...rest }, nodeColumns)).toEqual(linesOf(expected, nodeColumns));
      }
    });
  });
}
