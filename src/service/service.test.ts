/** Tests of the request pipeline: order of checks, and members of the envelope (docs/spec/ignite-data.md 2). */
import { describe, expect, test } from 'bun:test';
import { openTestService, type TestServiceOptions } from '../../test/test-service.ts';
import { GridError, gridError } from '../base/errors.ts';
import { chain } from '../base/maybe-promise.ts';
import { STEP_CHARACTERS } from '../base/slices.ts';
import type { RegisteredCommand } from '../commands/command.ts';
import type { Caller } from '../commands/context.ts';
import { analysisAtHand, type StatementAnalysis } from '../sql/analysis/analysis.ts';
import { text, type Value } from '../values/value.ts';
import type { Outcome } from './request.ts';
import type { ServiceOptions } from './service-options.ts';

const ANN: Caller = { user: 'ann', token: 'TOKEN', subjectId: 'id-of-ann' };
const NO_NODE = '3f0c1c9e-6c55-4a0e-8a8e-0d3f7a4b2c11';

/** All checks on: the signature `good`, the token `TOKEN`, and permission for everything but `size`. */
const KNOWS_ALL = () => ({ knows: { users: true, service: true, counters: true }, cache: () => true });
const CHECKED: Partial<ServiceOptions> = {
  signature: {
    check(request) {
      if (request.header('x-signature') !== 'good') throw gridError('SIGNATURE_WRONG', 'wrong');
    },
  },
  authentication: {
    confirmPassword: (caller) => caller,
    preAuthenticate: (request) => (request.params.get('sessionToken') === 'TOKEN' ? 'known' : 'unknown'),
    callerWithoutWaiting: (request) => (request.params.get('sessionToken') === 'TOKEN' ? ANN : undefined),
    async authenticate(request) {
      const token = request.params.get('sessionToken');
      if (token === undefined) throw gridError('TOKEN_MISSING');
      if (token !== 'TOKEN') throw gridError('TOKEN_UNKNOWN', token);
      return ANN;
    },
  },
  permissions: {
    knowledgeOf: KNOWS_ALL,
    check(caller, command) {
      if (command.name === 'size') throw gridError('PERMISSION_DENIED', caller.user, 'command size');
    },
  },
};

function send(request: string, options: TestServiceOptions = {}, headers: Record<string, string> = {}) {
  return openTestService(options).send(request, headers);
}

describe('the first failed check determines the error', () => {
  // Each request also has every fault of the lines below it.
  const ORDER: ReadonlyArray<readonly [title: string, request: string, signature: string, rejection: string]> = [
    ['the signature of no command', ' exp=x destId=', 'bad', 'security check failed: wrong'],
    ['an unknown token of no command', ' exp=x destId= sessionToken=OLD', 'good', 'unknown session token'],
    ['no token of no command', ' exp=x destId=', 'good', 'token not found or invalid. Failed to find mandatory'],
    ['no token of an unknown command', 'sizes exp=x', 'good', 'token not found or invalid. Unknown command: sizes'],
    ['no command', ' exp=x sessionToken=TOKEN', 'good', 'Failed to find mandatory parameter in request: cmd'],
    ['an unknown command', 'sizes exp=x sessionToken=TOKEN', 'good', 'Unknown command: sizes. Did you mean size?'],
    ['the signature', 'size exp=x sessionToken=OLD cacheName=none', 'bad', 'security check failed: wrong'],
    ['an unknown token', 'size exp=x sessionToken=OLD cacheName=none', 'good', 'unknown session token'],
    ['no token', 'size exp=x cacheName=none', 'good', 'session token not found or invalid'],
    ['an invalid parameter', 'size exp=x sessionToken=TOKEN cacheName=none', 'good', 'Long type [exp=x]'],
    ['a missing permission', 'size sessionToken=TOKEN cacheName=none', 'good', 'Authorization failed [user=ann'],
    ['a missing parameter', 'get sessionToken=TOKEN cacheName=none', 'good', 'mandatory parameter in request: key'],
    [
      'an unknown node',
      `get sessionToken=TOKEN cacheName=none key=a destId=${NO_NODE}`,
      'good',
      'Cluster group is empty.',
    ],
    ['the handler', 'get sessionToken=TOKEN cacheName=none key=a', 'good', 'Failed to find cache'],
  ];
  for (const [title, request, signature, rejection] of ORDER) {
    test(title, async () => {
      const answer = await send(request, { service: CHECKED }, { 'x-signature': signature });
      expect(answer.error).toContain(rejection);
    });
  }

  test('parameters are decoded in the order of Ignite', async () => {
    const faults = [
      'key=x',
      'val=y',
      'val2=z',
      'cacheFlags=f',
      'exp=e',
      'k1=k',
      'v1=v',
      'keyType=int',
      'valueType=int',
    ];
    const expected = ['val=x', 'val=y', 'val=z', '[cacheFlags=f]', '[exp=e]', 'val=k', 'val=v'];
    for (const [index, part] of expected.entries()) {
      const answer = await send(`putall ${faults.slice(index).join(' ')}`);
      expect(answer.error).toContain(part);
    }
  });
});

describe('a request that lacks parameters is helped', () => {
  const EXAMPLE =
    'For example: /svc?cmd=version, or the JSON body {"cmd":"version"} with Content-Type: application/json.';
  const UNREAD = 'not application/json or application/x-www-form-urlencoded.';
  test.each<[string, string, Record<string, string>, string]>([
    ['with an example of a command', '', {}, EXAMPLE],
    [
      'with an example if its body was read',
      '',
      { 'content-length': '9', 'content-type': 'application/json' },
      EXAMPLE,
    ],
    ['with the type of its body', '', { 'content-length': '9' }, `its Content-Type is missing, ${UNREAD}`],
    [
      'with the type of its body in chunks',
      '',
      { 'transfer-encoding': 'chunked', 'content-type': 'text/plain; charset=utf-8' },
      `its Content-Type is text/plain, ${UNREAD}`,
    ],
    [
      'with the type of its body beside a command',
      'put',
      { 'content-length': '9' },
      `in request: key. The body was not read: its Content-Type is missing, ${UNREAD}]`,
    ],
    ['with the name alone if there is no body', 'put', { 'content-length': '0' }, 'in request: key]'],
  ])('%s', async (_title, request, headers, text) => {
    expect((await send(request, {}, headers)).error).toContain(text);
  });
});

test('in compatibility mode reference, parameters are decoded before credentials are pre-authenticated', async () => {
  const options: TestServiceOptions = { service: CHECKED, compatibility: 'reference' };
  const signed = { 'x-signature': 'good' };
  expect((await send('size exp=x cacheName=none', options, signed)).error).toContain('Long type [exp=x]');
  expect((await send('size exp=1 cacheName=none', options, signed)).error).toContain('session token not found');
});

test('a request with an invalid parameter keeps its session', async () => {
  const answer = await send('size exp=x sessionToken=TOKEN', { service: CHECKED }, { 'x-signature': 'good' });
  expect([answer.error, answer.sessionToken]).toEqual(['Failed to parse parameter of Long type [exp=x]', ANN.token]);
});

test('in compatibility mode reference, an error omits the token of the session', async () => {
  const signed = { 'x-signature': 'good' };
  for (const [compatibility, token] of [
    ['contract', ANN.token],
    ['reference', null],
  ] as const) {
    const options: TestServiceOptions = { service: CHECKED, compatibility };
    const failed = await send('get key=1 cacheName=none sessionToken=TOKEN', options, signed);
    expect([failed.error === null, failed.sessionToken]).toEqual([false, token]);
    expect((await send('state sessionToken=TOKEN', options, signed)).sessionToken).toBe(ANN.token);
    // Ignite does so only where the query itself fails.
    const query = 'qryfldexe cacheName=default qry= sessionToken=TOKEN';
    const failedQuery = await send(`${query} pageSize=1`, options, signed);
    expect([failedQuery.error === null, failedQuery.sessionToken]).toEqual([false, ANN.token]);
    const incomplete = await send(query, options, signed);
    expect([incomplete.error === null, incomplete.sessionToken]).toEqual([false, token]);
  }
});

test('in compatibility mode reference, an unknown command comes before credentials', async () => {
  const service = openTestService({ service: CHECKED, compatibility: 'reference' });
  const { http, successStatus, error } = await service.send('nosuch');
  expect([http, successStatus, error]).toEqual([400, 1, expect.stringContaining('Unknown command: nosuch')]);
});

test('in compatibility mode reference, a wrong signature is answered without a body', async () => {
  const service = openTestService({ service: CHECKED, compatibility: 'reference' });
  const { http, text } = await service.send('state');
  expect([http, text]).toEqual([401, '']);
});

describe('statuses', () => {
  const cases: ReadonlyArray<readonly [string, string, Record<string, string>, number, number]> = [
    ['a success', 'state sessionToken=TOKEN', { 'x-signature': 'good' }, 0, 200],
    ['a failure', 'get sessionToken=TOKEN', { 'x-signature': 'good' }, 1, 200],
    ['no token', 'state', { 'x-signature': 'good' }, 2, 200],
    ['an unknown token', 'state sessionToken=OLD', { 'x-signature': 'good' }, 1, 200],
    ['no permission', 'size sessionToken=TOKEN', { 'x-signature': 'good' }, 3, 200],
    ['no signature', 'state sessionToken=TOKEN', {}, 3, 401],
    ['no command', ' sessionToken=TOKEN', { 'x-signature': 'good' }, 1, 400],
    ['no command and no token', '', { 'x-signature': 'good' }, 2, 400],
    ['no command and no signature', '', {}, 3, 400],
    ['an unknown command', 'nosuch sessionToken=TOKEN', { 'x-signature': 'good' }, 1, 400],
    ['an unknown command and no token', 'nosuch', { 'x-signature': 'good' }, 2, 400],
    ['an unknown command and an unknown token', 'nosuch sessionToken=OLD', { 'x-signature': 'good' }, 1, 400],
  ];
  for (const [title, request, headers, status, http] of cases) {
    test(`${title}: successStatus ${status}, HTTP ${http}`, async () => {
      const answer = await send(request, { service: CHECKED }, headers);
      expect([answer.successStatus, answer.http]).toEqual([status as Outcome['successStatus'], http]);
    });
  }

  test.each([
    ['get httpStatus=true', 400],
    ['get key=a cacheName=none httpStatus=true', 404],
    ['get key=a cacheName=none httpStatus=false', 200],
    ['rmv key=a httpStatus=true', 200],
    ['nosuch httpStatus=true', 400],
  ])('%s returns HTTP status %i', async (request, http) => {
    expect((await send(request)).http).toBe(http);
  });

  test('the option is the default of the parameter', async () => {
    const options = { service: { httpStatus: true } };
    expect((await send('get key=a cacheName=none', options)).http).toBe(404);
    expect((await send('get key=a cacheName=none httpStatus=false', options)).http).toBe(200);
  });
});

describe('the envelope', () => {
  test('explains that JSON was sent as a form', async () => {
    expect((await openTestService().send('put {"key":"a","val":1}=')).error).toEndWith(
      'parameter in request: key. The body is JSON, but it was sent as a form: add Content-Type: application/json ' +
        '(curl: --json).]',
    );
  });

  test('contains null as error, token and user for a success without authentication', async () => {
    expect(await send('state')).toMatchObject({ error: null, sessionToken: null, securitySubjectId: null });
  });

  test('contains affinityNodeId for a key, and null for entry commands without a key', async () => {
    expect((await send('get key=a')).affinityNodeId).toStartWith('00000000');
    expect((await send('size')).affinityNodeId).toBeNull();
    expect((await send('state')).affinityNodeId).toBeUndefined();
    expect((await send('get')).affinityNodeId).toBeUndefined();
  });

  test('contains the session for a failed command but not for a failed login', async () => {
    const options = { service: CHECKED };
    const headers = { 'x-signature': 'good' };
    expect(await send('get sessionToken=TOKEN', options, headers)).toMatchObject({
      sessionToken: 'TOKEN',
      securitySubjectId: 'id-of-ann',
    });
    expect(await send('state sessionToken=OLD', options, headers)).toMatchObject({
      sessionToken: null,
      securitySubjectId: null,
    });
  });

  test('contains the request name in errors of the handler but not of the decoder', async () => {
    expect((await send('get')).error).toBe(
      'Failed to handle request: [req=CACHE_GET, err=Failed to find mandatory parameter in request: key]',
    );
    expect((await send('get key=a exp=x')).error).toBe('Failed to parse parameter of Long type [exp=x]');
    expect((await send('setstate')).error).toBe("State can't be null. (send state)");
  });
});

describe('an error text is bounded', () => {
  const long = 'x'.repeat(500_000);
  const reject = () => Promise.reject(new GridError('OPERATION_FAILED', `from a cluster: ${long}`));
  const tasks = { run: reject, start: reject, result: reject, list: reject, cancel: reject };
  for (const [title, request] of [
    ['with a name from the request', `get key=a cacheName=${long}`],
    ['with an unknown command', long],
    ['with the parameters of a task', `exe name=${long} p1=${long} p2=${long}`],
    [
      'that is not from the table of errors',
      `exe name=x ${Array.from({ length: 200 }, (_, at) => `p${at + 1}=${'y'.repeat(100)}`).join(' ')}`,
    ],
  ] as const) {
    test(title, async () => {
      const { error } = await send(request, { tasks });
      expect(error?.length).toBeGreaterThan(100);
      expect(error?.length).toBeLessThan(7_000);
    });
  }
});

describe('the message interceptor', () => {
  const upper = (value: Value) => (value.type === 'string' ? text(value.data.toUpperCase()) : value);
  const doubled = (value: Value) => (value.type === 'string' ? text(value.data.repeat(2)) : value);
  const lower = (value: Value) => (value.type === 'string' ? text(value.data.toLowerCase()) : value);

  test('an interceptor converts incoming values [8.10]', async () => {
    const service = openTestService({ service: { onReceive: upper } });
    await service.send('put key=a val=x');
    expect((await service.send('getall k1=a')).response).toEqual({ A: 'X' });
  });

  test('an interceptor converts the arguments and the results of tasks [8.11]', async () => {
    const service = openTestService({ service: { onReceive: doubled, onSend: lower } });
    expect((await service.send('exe name=length p1=AB p2=C')).response).toMatchObject({ result: '6' });
  });

  test('an interceptor converts outgoing values [8.12]', async () => {
    const service = openTestService({ service: { onSend: lower } });
    await service.send('put key=A val=X');
    expect((await service.send('get key=A')).response).toBe('x');
    expect((await service.send('getall k1=A')).response).toEqual({ a: 'x' });
    expect((await service.send('getall k1=A asArray=true')).response).toEqual([{ key: 'a', value: 'x' }]);
  });
});

describe('the observer', () => {
  test('receives every command with its outcome and caller', async () => {
    const events: string[] = [];
    const observer: ServiceOptions['observer'] = {
      begin: (command: RegisteredCommand) => events.push(`begin ${command.name}`),
      waits: () => events.push('waits'),
      end: (command, outcome, _ms, caller) =>
        events.push(`end ${command.name} ${outcome.successStatus} ${caller.user}`),
      ignored: () => {},
      rejected() {},
      unexpected: () => 'id',
    };
    const service = openTestService({ service: { ...CHECKED, observer } });
    await service.send('state sessionToken=TOKEN', { 'x-signature': 'good' });
    await service.send('state', { 'x-signature': 'good' });
    await service.send('nosuch');
    expect(events).toEqual(['begin state', 'waits', 'end state 0 ann', 'begin state', 'waits', 'end state 2 ']);
  });

  test('returns the id of an unexpected error, whose text is not in the response', async () => {
    const seen: unknown[] = [];
    const observer: ServiceOptions['observer'] = {
      begin() {},
      waits() {},
      end() {},
      ignored() {},
      rejected() {},
      unexpected(_command, error) {
        seen.push(error);
        return 'id-17';
      },
    };
    const tasks = {
      list: () => [],
      cancel: () => undefined,
      run: () => Promise.reject(new Error('secret detail')),
      start: () => chain(Promise.resolve(), () => Promise.reject(new Error('secret detail'))),
      result: () => {
        throw new Error('secret detail');
      },
    };
    for (const request of ['exe name=x', 'exe name=x async=true', 'res id=x']) {
      const answer = await send(request, { tasks, service: { observer } });
      expect(answer.error).toContain('Internal error, the log has the details [id=id-17]');
      expect(answer.error).not.toContain('secret detail');
    }
    expect(seen).toHaveLength(3);
  });
});

test('the service name is part of the grid UUID type name', async () => {
  const id = '1-3f0c1c9e-6c55-4a0e-8a8e-0d3f7a4b2c11';
  const service = openTestService({ service: { serviceName: 'abc' } });
  for (const type of ['AbcUuid', 'abcuuid', 'SvcUuid']) {
    expect((await service.send(`put key=${type} val=${id} valueType=${type}`)).error).toBeNull();
    expect((await service.send(`get key=${type}`)).response).toBe(id);
  }
  expect((await service.send('put key=a val=x valueType=AbcUuid')).error).toContain('[type=AbcUuid, val=x');
});

describe('a statement', () => {
  const LONG = STEP_CHARACTERS + 1;
  const statements: ReadonlyArray<readonly [title: string, sql: string, verb: string]> = [
    ['short', 'drop table t', 'DROP TABLE'],
    ['with a long comment', `drop /*${' '.repeat(LONG)}*/ table t`, 'DROP TABLE'],
    ['of many tokens', `x${'('.repeat(LONG)}`, 'X'],
  ];
  for (const [title, sql, verb] of statements) {
    test(`is analysed once for permissions, handler and audit: ${title}`, async () => {
      const seen: Array<StatementAnalysis | undefined> = [];
      const look = () => void seen.push(analysisAtHand(sql));
      const { error } = await send(`qryfldexe pageSize=1 sessionToken=TOKEN qry=${encodeURIComponent(sql)}`, {
        service: {
          ...CHECKED,
          signature: undefined,
          permissions: { knowledgeOf: KNOWS_ALL, check: look },
          observer: { begin() {}, waits() {}, end: look, ignored() {}, rejected() {}, unexpected: String },
        },
      });
      expect(error).not.toBeNull();
      expect(seen.map((analysis) => analysis?.verb)).toEqual([verb, verb]);
      if (verb !== 'X') expect(seen[0]).toBe(seen[1]);
    });
  }

  test('beyond the limit is rejected before it is scanned', async () => {
    const { error } = await send(`qryfldexe pageSize=1 qry=${'x'.repeat(LONG)}`, {
      limits: { statementCharacters: LONG - 1 },
    });
    expect(error).toBe(
      `Limit exceeded [what=statement characters, limit=${LONG - 1}, actual=${LONG}, option=limits.statementCharacters]`,
    );
  });
});
