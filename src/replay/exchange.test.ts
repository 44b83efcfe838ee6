import { describe, expect, test } from 'bun:test';
import {
  bodyWith,
  lacksStatement,
  parametersOf,
  readExchange,
  recordedBody,
  withoutSecrets,
  withoutToken,
  withParameter,
} from './exchange.ts';

const FORM = 'application/x-www-form-urlencoded';

describe('secrets are not recorded', () => {
  const queries: ReadonlyArray<readonly [query: string, recorded: string, removed: readonly string[]]> = [
    ['cmd=get&key=1', 'cmd=get&key=1', []],
    ['cmd=get&ignite.login=ann&ignite.password=x&key=a%20b', 'cmd=get&key=a%20b', ['ignite.login', 'ignite.password']],
    ['sessionToken=ABC&cmd=noop', 'cmd=noop', ['sessionToken']],
    ['cmd=adduser&user=ann&p%61ssword=x', 'cmd=adduser&user=ann', ['password']],
    ['cmd=put&key=%&val=+', 'cmd=put&key=%&val=+', []],
    ['cmd=qryfldexe&qry=SELECT+password+FROM+t', 'cmd=qryfldexe&qry=SELECT+password+FROM+t', []],
    ['cmd=qryfldexe&qry=create/**/user+"u"+with+password+%27x%27', 'cmd=qryfldexe', ['qry']],
    ['cmd=qryfldexe&qry=alter+user+u+with+passwrd+%27x%27', 'cmd=qryfldexe', ['qry']],
    ['cmd=qryfldexe&q%72y=select+1%3B+create+user+u+with+password+%27x%27', 'cmd=qryfldexe', ['qry']],
    [
      `cmd=batch&commands=${encodeURIComponent('[{"cmd":"adduser","user":"u","password":"p"},{"cmd":"noop"}]')}`,
      `cmd=batch&commands=${encodeURIComponent('[{"cmd":"adduser","user":"u"},{"cmd":"noop"}]')}`,
      ['password', 'commands'],
    ],
    [
      `cmd=batch&commands=${encodeURIComponent(`[{"cmd":"qryfldexe","qry":"CREATE USER u WITH PASSWORD 'x'"}]`)}`,
      `cmd=batch&commands=${encodeURIComponent('[{"cmd":"qryfldexe"}]')}`,
      ['qry', 'commands'],
    ],
    ['cmd=batch&commands=[{"password":"p"', 'cmd=batch', ['commands']],
    ['cmd=batch&commands=[{"cmd":"noop"}]', 'cmd=batch&commands=[{"cmd":"noop"}]', []],
  ];
  for (const [query, recorded, names] of queries) {
    test(query, () => {
      const removed: string[] = [];
      expect(withoutSecrets(query, removed)).toBe(recorded);
      expect(removed).toEqual([...names]);
    });
  }

  test('of JSON bodies, those of the commands of a batch included', () => {
    const removed: string[] = [];
    const text = '[{"cmd":"put","key":1.10,"sessionToken":"t"},{"cmd":"adduser","user":"u","password":"p"}]';
    const body = recordedBody('application/json; charset=utf-8', text, removed);
    expect(body?.text).toBe('[{"cmd":"put","key":1.10},{"cmd":"adduser","user":"u"}]');
    expect(removed).toEqual(['sessionToken', 'password', 'commands']);
  });

  test('of statements and of batches within JSON bodies', () => {
    const removed: string[] = [];
    const user = `CREATE USER \\"u\\" WITH PASSWORD 'p'`;
    const text = `{"cmd":"batch","commands":[{"cmd":"qryfldexe","qry":"${user}"},{"cmd":"noop"}]}`;
    expect(recordedBody('application/json', text, removed)?.text).toBe(
      '{"cmd":"batch","commands":[{"cmd":"qryfldexe"},{"cmd":"noop"}]}',
    );
    const quoted = `{"cmd":"batch","commands":${JSON.stringify('[{"cmd":"adduser","password":"p"}]')}}`;
    expect(recordedBody('application/json', quoted, removed)?.text).toBe(
      `{"cmd":"batch","commands":${JSON.stringify('[{"cmd":"adduser"}]')}}`,
    );
    expect(removed).toEqual(['qry', 'commands', 'password', 'commands']);
    expect([lacksStatement(removed), lacksStatement(['password'])]).toEqual([true, false]);
  });

  test('bodies of other types are not recorded', () => {
    expect([recordedBody('text/csv', 'a,b', []), recordedBody('application/json', '{', [])]).toEqual([
      undefined,
      undefined,
    ]);
  });

  test('the token of an envelope is hidden', () => {
    expect(withoutToken('{"sessionToken":"0A1B","response":"x"}')).toBe('{"sessionToken":"***","response":"x"}');
  });
});

describe('parametersOf', () => {
  const requests = [
    ['the query string', { target: '?cmd=GET&key=a+b&key=c' }, 'get', { cmd: 'GET', key: 'a b' }],
    ['the path', { target: '/get?key=1' }, 'get', { cmd: 'get', key: '1' }],
    ['a form', { target: '', body: { type: FORM, text: 'cmd=put&val=%2B' } }, 'put', { cmd: 'put', val: '+' }],
    [
      'a JSON object',
      { target: '', body: { type: 'application/json', text: '{"cmd":"put","val":{"a":1.0},"key":null}' } },
      'put',
      { cmd: 'put', val: '{"a":1.0}', key: '' },
    ],
    [
      'a JSON array',
      { target: '', body: { type: 'application/json', text: '[]' } },
      'batch',
      { cmd: 'batch', commands: '[]' },
    ],
  ] as const;
  for (const [title, request, cmd, params] of requests) {
    test(title, () => {
      const found = parametersOf(request);
      expect([found.cmd, Object.fromEntries(found.params)]).toEqual([cmd, params]);
    });
  }
});

test('a parameter gets another value where it is', () => {
  expect(withParameter('?cmd=qryfetch&qryId=1&pageSize=2', 'qryId', '7')).toBe('?cmd=qryfetch&pageSize=2&qryId=7');
  expect(bodyWith({ type: FORM, text: 'qryId=1&pageSize=2' }, 'qryId', '7').text).toBe('pageSize=2&qryId=7');
  expect(bodyWith({ type: 'application/json', text: '{"qryId":1,"pageSize":2}' }, 'qryId', '7').text).toBe(
    '{"qryId":"7","pageSize":2}',
  );
});

test('a line that is no recorded request is rejected', () => {
  for (const line of ['1', '{}', '{"atMs":1,"method":"GET","target":"","client":null,"answer":{}}']) {
    expect(() => readExchange(line)).toThrow('not a request that svc record has written');
  }
});
