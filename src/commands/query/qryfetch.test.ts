import { queryCalls } from '../../../test/fixtures/commands/query-calls.ts';
import { commandCases, failsWith } from '../../../test/test-service.ts';

const page = (fieldsMetadata: [] | null) => ({ items: [[1], [2]], fieldsMetadata, last: false, queryId: 7 });

commandCases(
  'qryfetch',
  [
    ['returns the next page', ['qryfetch pageSize=2 qryId=7', page([])]],
    ['rejects an unknown cursor', ['qryfetch pageSize=2 qryId=8', failsWith('8')]],
    [
      'rejects an id beyond 53 bits as unknown',
      ['qryfetch pageSize=2 qryId=9007199254740993', failsWith('9007199254740993')],
    ],
    ['rejects a non-numeric id', ['qryfetch pageSize=2 qryId=x', failsWith('For input string: "x"')]],
    [
      'rejects an id of more than 10,000 digits',
      [`qryfetch pageSize=2 qryId=${'0'.repeat(10_000)}7`, failsWith('(qryId must be a whole number)')],
    ],
    ['requires an id', ['qryfetch pageSize=2', failsWith('mandatory parameter in request: qryId')]],
  ],
  { queries: queryCalls() },
);

commandCases(
  'qryfetch in compatibility mode reference',
  [['returns null as fieldsMetadata', ['qryfetch pageSize=2 qryId=7', page(null)]]],
  {
    queries: queryCalls(),
    compatibility: 'reference',
  },
);
