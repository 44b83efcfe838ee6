import { expect, test } from 'bun:test';
import { commandCases, openTestService, refused } from '../../../test/test-service.ts';
import { queryCalls } from './query-calls.fixture.ts';

commandCases(
  'qrycls',
  [
    ['is true, also when there is no such cursor', ['qrycls qryId=99', true]],
    ['is true for an id beyond 53 bits', ['qrycls qryId=9007199254740993', true]],
    ['refuses an id that is no number', ['qrycls qryId=x', refused('For input string: "x"')]],
    ['needs an id', ['qrycls', refused('mandatory parameter in request: qryId')]],
  ],
  { queries: queryCalls() },
);

test('the engine closes the cursor', async () => {
  const queries = queryCalls();
  await openTestService({ queries }).ask('qrycls qryId=7');
  expect(queries.closed()).toEqual([7]);
});
