import { expect, test } from 'bun:test';
import { commandCases, openTestService, refused } from '../../../test/test-service.ts';
import { queryCalls } from './query-calls.fixture.ts';

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
    ['gives the page with two descriptors', ['qryscanexe pageSize=2', page('')]],
    ['needs a page size', ['qryscanexe', refused('mandatory parameter in request: pageSize')]],
  ],
  { queries: queryCalls() },
);

commandCases(
  'qryscanexe in compatibility mode reference',
  [['has descriptors of nulls', ['qryscanexe pageSize=2 cacheName=c', page(null)]]],
  {
    queries: queryCalls(),
    compatibility: 'reference',
  },
);

test('the predicate reaches the engine', async () => {
  const queries = queryCalls();
  await openTestService({ queries }).ask('qryscanexe pageSize=2 className=Even');
  expect(queries.last()).toMatchObject({ kind: 'scan', cache: 'default', className: 'Even', pageSize: 2 });
});
