import { expect, test } from 'bun:test';
import { queryCalls } from '../../../test/fixtures/commands/query-calls.ts';
import { commandCases, failsWith, openTestService } from '../../../test/test-service.ts';

const NODE = '6fa749ee-7cf8-4635-be10-36a1c75267a7';

commandCases(
  'qrykill',
  [
    ['kills a query by the id of its first page', ['qrykill qryId=7', true]],
    ['kills a query by the id of SYS.SQL_QUERIES', [`qrykill qryId=${NODE}_7`, true]],
    ['reports an unknown query', ['qrykill qryId=8', failsWith('Failed to find query with ID: 8')]],
    ['reports what is no id as an unknown query', ['qrykill qryId=x', failsWith('Failed to find query with ID: x')]],
    ['requires an id', ['qrykill', failsWith('mandatory parameter in request: qryId')]],
  ],
  { queries: queryCalls() },
);

test('qrykill passes the node, the number and who asks to the engine; without authentication, everybody may', async () => {
  const queries = queryCalls();
  await openTestService({ queries }).send(`qrykill qryId=${NODE}_7`);
  expect(queries.killed()).toEqual([
    [
      { nodeId: NODE, number: 7 },
      { owner: '', isAdministrator: true },
    ],
  ]);
});
