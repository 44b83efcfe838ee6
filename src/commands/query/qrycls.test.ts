import { expect, test } from 'bun:test';
import { queryCalls } from '../../../test/fixtures/commands/query-calls.ts';
import { commandCases, failsWith, openTestService } from '../../../test/test-service.ts';

commandCases(
  'qrycls',
  [
    ['returns true even for an unknown cursor', ['qrycls qryId=99', true]],
    ['returns true for an id beyond 53 bits', ['qrycls qryId=9007199254740993', true]],
    ['rejects a non-numeric id', ['qrycls qryId=x', failsWith('For input string: "x"')]],
    ['requires an id', ['qrycls', failsWith('mandatory parameter in request: qryId')]],
  ],
  { queries: queryCalls() },
);

test('qrycls passes the id of the cursor to the engine', async () => {
  const queries = queryCalls();
  await openTestService({ queries }).send('qrycls qryId=7');
  expect(queries.closed()).toEqual([7]);
});
