import { expect, test } from 'bun:test';
import { queryCalls } from '../../../test/fixtures/commands/query-calls.ts';
import { commandCases, failsWith, openTestService } from '../../../test/test-service.ts';

const describeColumn = (fieldName: string, empty: string | null) => ({
  fieldName,
  fieldTypeName: empty,
  schemaName: empty,
  typeName: empty,
});
const page = (empty: string | null) => ({
  items: [[1], [2]],
  fieldsMetadata: [describeColumn('key', empty), describeColumn('value', empty)],
  last: false,
  queryId: 7,
});

commandCases(
  'qryscanexe',
  [
    ['returns the page with two column descriptors', ['qryscanexe pageSize=2', page('')]],
    ['requires a page size', ['qryscanexe', failsWith('mandatory parameter in request: pageSize')]],
  ],
  { queries: queryCalls() },
);

commandCases(
  'qryscanexe in compatibility mode reference',
  [['returns column descriptors with nulls', ['qryscanexe pageSize=2 cacheName=c', page(null)]]],
  {
    queries: queryCalls(),
    compatibility: 'reference',
  },
);

test('qryscanexe passes the class of the predicate to the engine', async () => {
  const queries = queryCalls();
  await openTestService({ queries }).send('qryscanexe pageSize=2 className=Even');
  expect(queries.last()).toMatchObject({ kind: 'scan', cache: 'default', className: 'Even', pageSize: 2 });
});
