import { commandCases, refused } from '../../../test/test-service.ts';
import { queryCalls } from './query-calls.fixture.ts';

const page = (fieldsMetadata: [] | null) => ({ items: [[1], [2]], fieldsMetadata, last: false, queryId: 7 });

commandCases(
  'qryfetch',
  [
    ['gives the next page', ['qryfetch pageSize=2 qryId=7', page([])]],
    ['refuses a cursor that there is not', ['qryfetch pageSize=2 qryId=8', refused('8')]],
    [
      'refuses an id beyond 53 bits as unknown',
      ['qryfetch pageSize=2 qryId=9007199254740993', refused('9007199254740993')],
    ],
    ['refuses an id that is no number', ['qryfetch pageSize=2 qryId=x', refused('For input string: "x"')]],
    ['needs an id', ['qryfetch pageSize=2', refused('mandatory parameter in request: qryId')]],
  ],
  { queries: queryCalls() },
);

commandCases(
  'qryfetch in compatibility mode reference',
  [['has no descriptors at all', ['qryfetch pageSize=2 qryId=7', page(null)]]],
  {
    queries: queryCalls(),
    compatibility: 'reference',
  },
);
