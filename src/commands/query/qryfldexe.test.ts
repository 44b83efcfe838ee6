import { describe, expect, test } from 'bun:test';
import { COLUMNS, queryCalls } from '../../../test/fixtures/commands/query-calls.ts';
import { commandCases, failsWith, openTestService } from '../../../test/test-service.ts';

const PAGE = { items: [[1], [2]], fieldsMetadata: COLUMNS, last: false, queryId: 7 };

commandCases(
  'qryfldexe',
  [
    ['returns the page with its columns', ['qryfldexe pageSize=2 qry=SELECT', PAGE]],
    ['requires a statement', ['qryfldexe pageSize=2', failsWith('Ouch! Argument cannot be null: sql')]],
    ['requires a page size', ['qryfldexe qry=SELECT', failsWith('mandatory parameter in request: pageSize')]],
    ['rejects a non-numeric page size', ['qryfldexe pageSize=x qry=SELECT', failsWith('For input string: "x"')]],
    ['rejects a negative page size', ['qryfldexe pageSize=-1 qry=SELECT', failsWith('Page size must not be negative')]],
    ['rejects a non-numeric timeout', ['qryfldexe pageSize=1 qry=S timeout=x', failsWith('[timeout=x]')]],
    [
      'rejects an argument that is invalid for its type',
      ['qryfldexe pageSize=1 qry=S arg1=x arg1Type=int', failsWith('[type=int, val=x')],
    ],
  ],
  { queries: queryCalls() },
);

commandCases(
  'qryfldexe with a limit on statement length',
  [
    [
      'rejects a longer statement',
      [
        'qryfldexe pageSize=1 qry=SELECT',
        failsWith('[what=statement characters, limit=5, actual=6, option=limits.statementCharacters]'),
      ],
    ],
  ],
  {
    queries: queryCalls(),
    limits: { statementCharacters: 5 },
  },
);

describe('qryfldexe passes to the engine', () => {
  async function requestOf(params: string) {
    const queries = queryCalls();
    await openTestService({ queries }).send(`qryfldexe qry=SELECT ${params}`);
    return queries.last();
  }

  test('the statement, the cache, the page size, and the defaults', async () => {
    expect(await requestOf('pageSize=5 cacheName=c')).toEqual({
      kind: 'fields',
      cache: 'c',
      owner: '',
      tenant: { key: 'network 127.0.0.1', isAdministrator: false, isConnection: false },
      pageSize: 5,
      format: 'json',
      sql: 'SELECT',
      args: [],
      distributedJoins: false,
      asIgnite: false,
      definesAsIgnite: false,
    });
  });

  test('that the answer must be that of Ignite, in compatibility mode reference', async () => {
    const queries = queryCalls();
    await openTestService({ queries, compatibility: 'reference' }).send('qryfldexe qry=SELECT pageSize=5 cacheName=c');
    expect(queries.last()).toMatchObject({ asIgnite: true });
  });

  test('arguments as strings unless a type is given', async () => {
    expect(await requestOf('pageSize=5 arg1=x arg2=5 arg2Type=long arg3Type=null')).toMatchObject({
      args: [{ type: 'string', data: 'x' }, { type: 'long', data: 5n }, { type: 'null' }],
    });
  });

  test('the timeout and the maximum number of rows', async () => {
    expect(await requestOf('pageSize=5 timeout=250 maxRows=3 distributedJoins=true')).toMatchObject({
      timeoutMs: 250,
      maxRows: 3,
      distributedJoins: true,
    });
  });
});

test('qryfldexe returns row count and time with statistics=true', async () => {
  const { response } = await openTestService({ queries: queryCalls() }).send(
    'qryfldexe pageSize=1 qry=S statistics=true',
  );
  expect(response).toEqual({ ...PAGE, rowCount: 2, timeMs: expect.any(Number) });
});

describe('qryfldexe selects the row format', () => {
  test.each([
    ['application/x-ndjson', 'application/x-ndjson;charset=utf-8', '[1]\n[2]\n'],
    ['text/csv, application/json', 'text/csv;charset=utf-8', '1\n2\n'],
  ])('Accept: %s', async (accept, contentType, body) => {
    const answer = await openTestService({ queries: queryCalls() }).send('qryfldexe pageSize=1 qry=S', { accept });
    expect(answer.contentType).toBe(contentType);
    expect(answer.text).toBe(body);
  });

  test('any other type returns the envelope', async () => {
    const answer = await openTestService({ queries: queryCalls() }).send('qryfldexe pageSize=1 qry=S', {
      accept: '*/*',
    });
    expect(answer.contentType).toBeUndefined();
    expect(answer.response).toEqual(PAGE);
  });

  test('a page in chunks is the same page', async () => {
    const answer = await openTestService({ queries: queryCalls(true) }).send('qryfldexe pageSize=1 qry=S');
    expect(answer.response).toEqual(PAGE);
  });
});
