/** Resources, imports into new tables and codes of errors in front of a cluster. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { FAILING_TABLE, STATEMENT_FAILURES } from '../system/http/statement-failures.ts';
import { runEntriesSuite } from '../system/resources/entries.suite.ts';
import { runRowsSuite } from '../system/resources/rows.suite.ts';
import { queryOf, type ServiceProcess, startService } from '../system/service-process.ts';
import { runNewTableSuite } from '../system/transfer/new-table.suite.ts';
import { missingForNodes, startCluster, type TestCluster } from './ignite-node.ts';

const LIMIT_MS = 300_000;
setDefaultTimeout(LIMIT_MS);

describe.skipIf(missingForNodes() !== undefined)('in front of a cluster', () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await startCluster(1, { empty: true });
  }, LIMIT_MS);
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  const environment = () => ({ SVC_ENGINE: 'cluster', SVC_ENDPOINTS: cluster.endpoints.join(',') });

  runEntriesSuite({ environment, isCluster: true, limitMs: LIMIT_MS });
  runRowsSuite({ environment, isCluster: true, limitMs: LIMIT_MS });
  describe('imports into new tables', () => runNewTableSuite(environment, LIMIT_MS));

  test('an import that a cluster rejects creates no table for a moment', async () => {
    await using service = await startService({ env: environment() });
    for (const [parameters, message] of [
      [{ atomic: 'true' }, 'Not supported by this engine: atomic imports'],
      [{ importId: 'i' }, 'needs onDuplicate=replace or skip'],
    ] as const) {
      for (const more of [{ create: 'true' }, { dryRun: 'true' }]) {
        const query = queryOf({ cmd: 'import', table: 'none', format: 'csv', ...parameters, ...more });
        const { error } = await service.send(query, { method: 'POST', body: 'id,x\n1,1\n' });
        expect(error).toContain(message);
        expect(error).not.toContain('was removed');
      }
    }
  });

  describe('failures of statements', () => {
    let service: ServiceProcess;
    beforeAll(async () => {
      service = await startService({ env: environment() });
      await service.command(queryOf({ cmd: 'qryfldexe', pageSize: 1, qry: FAILING_TABLE }));
    }, LIMIT_MS);
    afterAll(() => service?.[Symbol.asyncDispose]());

    for (const { title, qry, more, code, http } of STATEMENT_FAILURES) {
      test(`${title} have the codes of the embedded engine, and a place if the node marks one`, async () => {
        const parameters = { cmd: 'qryfldexe', pageSize: 10, errors: 'object', httpStatus: 'true', qry, ...more };
        const answer = await fetch(`${service.url}?${queryOf(parameters)}`);
        const { error } = (await answer.json()) as { readonly error: unknown };
        expect([answer.status, answer.headers.get('Error-Code'), error]).toEqual([
          http,
          code,
          {
            code,
            message: expect.any(String),
            remedy: expect.any(String),
            ...(title === 'of syntax' && { position: expect.any(Number) }),
            documentation: `/docs/errors/${code}`,
          },
        ]);
      });
    }
  });
});
