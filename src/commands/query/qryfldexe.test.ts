import { describe, expect, test } from 'bun:test';
import { commandCases, openTestService, refused } from '../../../test/test-service.ts';
import { COLUMNS, queryCalls } from './query-calls.fixture.ts';

const PAGE = { items: [[1], [2]], fieldsMetadata: COLUMNS, last: false, queryId: 7 };

commandCases(
  'qryfldexe',
  [
    ['gives the page with its columns', ['qryfldexe pageSize=2 qry=SELECT', PAGE]],
    ['needs a statement', ['qryfldexe pageSize=2', refused('Ouch! Argument cannot be null: sql')]],
    ['needs a page size', ['qryfldexe qry=SELECT', refused('mandatory parameter in request: pageSize')]],
    ['refuses a page size that is no number', ['qryfldexe pageSize=x qry=SELECT', refused('For input string: "x"')]],
    ['refuses a negative one', ['qryfldexe pageSize=-1 qry=SELECT', refused('Page size must not be negative')]],
    ['refuses a time limit that is no long', ['qryfldexe pageSize=1 qry=S timeout=x', refused('[timeout=x]')]],
    [
      'refuses an argument that is none of its type',
      ['qryfldexe pageSize=1 qry=S arg1=x arg1Type=int', refused('[type=int, val=x')],
    ],
  ],
  { queries: queryCalls() },
);

commandCases(
  'qryfldexe with a limit of the statement',
  [
    [
      'refuses a longer one',
      ['qryfldexe pageSize=1 qry=SELECT', refused('[what=statement characters, limit=5, actual=6]')],
    ],
  ],
  {
    queries: queryCalls(),
    limits: { statementCharacters: 5 },
  },
);

describe('what reaches the engine', () => {
  async function requestOf(params: string) {
    const queries = queryCalls();
    await openTestService({ queries }).ask(`qryfldexe qry=SELECT ${params}`);
    return queries.last();
  }

  test('the statement, the cache, the page size, and the defaults', async () => {
    expect(await requestOf('pageSize=5 cacheName=c')).toEqual({
      kind: 'fields',
      cache: 'c',
      owner: '',
      claimant: { key: 'network 127.0.0.1', isAdministrator: false },
      pageSize: 5,
      format: 'json',
      timeoutMs: 0,
      sql: 'SELECT',
      args: [],
      distributedJoins: false,
    });
  });

  test('arguments are texts unless a type is named', async () => {
    expect(await requestOf('pageSize=5 arg1=x arg2=5 arg2Type=long arg3Type=null arg5=gap')).toMatchObject({
      args: [{ type: 'string', data: 'x' }, { type: 'long', data: 5n }, { type: 'null' }],
    });
  });

  test('limits of time and rows', async () => {
    expect(await requestOf('pageSize=5 timeout=250 maxRows=3 distributedJoins=true')).toMatchObject({
      timeoutMs: 250,
      maxRows: 3,
      distributedJoins: true,
    });
  });
});

test('rows and time are told when asked for', async () => {
  const { response } = await openTestService({ queries: queryCalls() }).ask(
    'qryfldexe pageSize=1 qry=S statistics=true',
  );
  expect(response).toEqual({ ...PAGE, rowCount: 2, timeMs: expect.any(Number) });
});

describe('the format of the rows', () => {
  test.each([
    ['application/x-ndjson', 'application/x-ndjson;charset=utf-8', '[1]\n[2]\n'],
    ['text/csv, application/json', 'text/csv;charset=utf-8', '1\n2\n'],
  ])('Accept: %s', async (accept, contentType, body) => {
    const answer = await openTestService({ queries: queryCalls() }).ask('qryfldexe pageSize=1 qry=S', { accept });
    expect(answer.contentType).toBe(contentType);
    expect(answer.text).toBe(body);
  });

  test('anything else is the envelope', async () => {
    const answer = await openTestService({ queries: queryCalls() }).ask('qryfldexe pageSize=1 qry=S', {
      accept: '*/*',
    });
    expect(answer.contentType).toBeUndefined();
    expect(answer.response).toEqual(PAGE);
  });

  test('a page in pieces is the same page', async () => {
    const answer = await openTestService({ queries: queryCalls(true) }).ask('qryfldexe pageSize=1 qry=S');
    expect(answer.response).toEqual(PAGE);
  });
});
