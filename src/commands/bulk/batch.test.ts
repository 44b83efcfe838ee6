import { describe, expect, test } from 'bun:test';
import { commandCases, exactly, failsWith, openTestService } from '../../../test/test-service.ts';
import { fail } from '../../base/errors.ts';
import { queryCalls } from '../query/query-calls.fixture.ts';

/** Returns the request of a batch whose commands are a JSON text or a value. */
function batch(commands: unknown, parameters = ''): string {
  const text = typeof commands === 'string' ? commands : JSON.stringify(commands);
  return `batch commands=${encodeURIComponent(text)}${parameters}`;
}

/** Returns the result of a command in a batch that has no key. */
function result(response: unknown) {
  return { successStatus: 0, sessionToken: null, securitySubjectId: null, error: null, response };
}

/** Returns the result of a command on a key. */
function entryResult(response: unknown) {
  return { ...result(response), affinityNodeId: expect.any(String) };
}

/** Returns the result of a command that failed. */
function failure(text: string, successStatus = 1) {
  return { ...result(null), successStatus, error: expect.stringContaining(text) };
}

const PUT = { cmd: 'put', key: 'a', val: 'b' };
const GET = { cmd: 'get', key: 'a' };

commandCases('batch', [
  [
    'executes commands in order and returns an envelope for each',
    [batch([PUT, GET, { cmd: 'incr', key: 'n', delta: 2 }]), [entryResult(true), entryResult('b'), result(2)]],
  ],
  ['of no commands returns no results', [batch([]), []]],
  [
    'goes on after a command that fails',
    [
      batch([{ cmd: 'get', key: 'a', cacheName: 'none' }, PUT, { cmd: 'put', key: 'a' }]),
      [failure('Failed to find cache'), entryResult(true), failure('mandatory parameter in request: val')],
    ],
  ],
  [
    'ends with the first failure if stopOnError is true',
    [
      batch([{ cmd: 'incr', key: 'n', delta: 1 }, { cmd: 'get' }, PUT], ' stopOnError=true'),
      [result(1), failure('mandatory parameter in request: key')],
    ],
    ['get key=a', null],
  ],
  [
    'reads members of a command like those of a JSON body',
    [
      batch(
        '[{"cmd":"put","key":12345678901234567890.10,"keyType":"decimal","val":9007199254740993,"valueType":"long"}]',
      ),
      [failure('decimal')],
    ],
    [batch('[{"cmd":"put","key":1,"keyType":"int","val":9007199254740993,"valueType":"long"}]'), [entryResult(true)]],
    ['get key=1 keyType=int', exactly('9007199254740993')],
    [
      batch([
        { cmd: 'putall', keys: ['x', 'y'], values: [true, 'two'], cacheName: null },
        { cmd: 'getall', keys: ['x', 'y'] },
      ]),
      [
        { ...result(true), affinityNodeId: null },
        { ...result({ x: 'true', y: 'two' }), affinityNodeId: null },
      ],
    ],
    [
      batch('[{"cmd":"put","key":"o","val":{"n": 1.50},"valueType":"Any"},{"cmd":"get","key":"o"}]'),
      [entryResult(true), entryResult({ n: 1.5 })],
    ],
  ],
  [
    'rejects members that cannot be parameters as the result of their command',
    [
      batch([
        { ...PUT, val: { n: 1 } },
        { cmd: 'getall', keys: 'a' },
        { cmd: 'getall', keys: [null] },
        { cmd: 'getall', keys: 1 },
      ]),
      [
        failure('its type must be named by valueType'),
        failure('mandatory parameter in request: keys (send k1)'),
        failure('keys must not hold null'),
        failure('keys must be an array'),
      ],
    ],
  ],
  [
    'reports commands that it cannot execute as their results',
    [
      batch([{ key: 'a' }, { cmd: 5 }, { cmd: 'getputt', key: 'a' }]),
      [failure('in request: cmd'), failure('in request: cmd'), failure('Did you mean getput')],
    ],
  ],
  [
    'rejects a batch and a login inside it',
    [
      batch([
        { cmd: 'batch', commands: [] },
        { cmd: 'authenticate', 'svc.login': 'ann', 'svc.password': 'secret' },
        { ...PUT, sessionToken: 'T' },
      ]),
      [
        failure('a batch cannot contain another one'),
        failure('log in before'),
        failure('send sessionToken with the batch'),
      ],
    ],
    ['get key=a', null],
  ],
  ['finds misspelt names', [batch([{ ...GET, cachename: 'c' }]), [failure('Did you mean "cacheName"?')]]],
  ['requires commands', ['batch', failsWith('mandatory parameter in request: commands')]],
  ['requires an array of objects', [batch('{}'), failsWith("was expecting '['")]],
  ['names an item that is no object', [batch('[{"cmd":"version"},7]'), failsWith('command 2 must be an object')]],
  [
    'rejects invalid JSON before it executes anything',
    [batch(`[${JSON.stringify(PUT)},]`), failsWith('invalid JSON')],
    ['get key=a', null],
  ],
]);

commandCases(
  'batch with limits',
  [
    [
      'rejects too many commands',
      [batch([GET, GET, GET]), failsWith('what=batch commands, limit=2, actual=3')],
      [batch([GET, GET]), [entryResult(null), entryResult(null)]],
    ],
    [
      'rejects too long a text',
      [batch([{ ...GET, key: 'x'.repeat(500) }]), failsWith('what=batch characters, limit=400')],
    ],
    [
      'ends with the command whose result is too long',
      [`put key=a val=${'x'.repeat(300)}`, true],
      [batch([GET, PUT]), [failure('what=batch response characters, limit=300')]],
      ['get key=a', 'x'.repeat(300)],
    ],
  ],
  { limits: { batchCommands: 2, batchCharacters: 400, batchResponseCharacters: 300 } },
);

describe('batch', () => {
  test('reads the pages of queries as a whole, as JSON whatever Accept says', async () => {
    const service = openTestService({ queries: queryCalls(true) });
    const query = { cmd: 'qryfldexe', pageSize: 2, qry: 'SELECT 1' };
    const { response } = await service.send(batch([query]), { accept: 'text/csv' });
    expect(response).toEqual([result(expect.objectContaining({ items: [[1], [2]], last: false, queryId: 7 }))]);
  });

  test('checks the permission of each command and hides the token of the session', async () => {
    const service = openTestService({
      service: {
        authentication: {
          isOpen: () => false,
          judgeHead: () => 'unknown',
          userWithoutWaiting: () => undefined,
          authenticate: () => ({ user: 'ann', token: 'TOKEN', subjectId: 'id-of-ann' }),
        },
        permissions: {
          check(caller, { name }) {
            if (name === 'put') throw fail('PERMISSION_DENIED', caller.user, 'put on cache default');
          },
        },
      },
    });
    const answer = await service.send(batch([PUT, { cmd: 'size' }]));
    expect(answer.sessionToken).toBe('TOKEN');
    const ann = { securitySubjectId: 'id-of-ann' };
    expect(answer.response).toEqual([
      { ...failure('missing=put on cache default', 3), ...ann },
      { ...result(0), affinityNodeId: null, ...ann },
    ]);
  });
});
