import { expect, test } from 'bun:test';
import { queryCalls } from '../../../test/fixtures/commands/query-calls.ts';
import { commandCases, failsWith, openTestService } from '../../../test/test-service.ts';

commandCases(
  'qryexe',
  [
    [
      'returns the page without columns',
      ['qryexe pageSize=2 type=City qry=id=1', { items: [[1], [2]], fieldsMetadata: [], last: false, queryId: 7 }],
    ],
    ['requires a statement', ['qryexe pageSize=2 type=City', failsWith('Ouch! Argument cannot be null: sql')]],
    ['requires a type', ['qryexe pageSize=2 qry=x', failsWith('Ouch! Argument cannot be null: type')]],
    ['requires a page size', ['qryexe type=City qry=x', failsWith('mandatory parameter in request: pageSize')]],
  ],
  { queries: queryCalls() },
);

test('qryexe passes the type and the condition to the engine', async () => {
  const queries = queryCalls();
  await openTestService({ queries }).send(
    'qryexe pageSize=2 cacheName=city type=City qry=name=? arg1=Oslo distributedJoins=true',
  );
  expect(queries.last()).toEqual({
    kind: 'type',
    cache: 'city',
    owner: '',
    tenant: { key: 'network 127.0.0.1', isAdministrator: false, isConnection: false },
    pageSize: 2,
    format: 'json',
    typeName: 'City',
    sql: 'name=?',
    args: [{ type: 'string', data: 'Oslo' }],
    distributedJoins: true,
  });
});
