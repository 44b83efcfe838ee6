import { describe, expect, test } from 'bun:test';
import { queryCalls } from '../../../test/fixtures/commands/query-calls.ts';
import {
  type CommandCase,
  commandCases,
  exactly,
  failsWith,
  openTestService,
  type Step,
} from '../../../test/test-service.ts';
import { gridError } from '../../base/errors.ts';

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
  return { ...result(null), successStatus, error: expect.stringContaining(text), errorCode: expect.any(String) };
}

const PUT = { cmd: 'put', key: 'a', val: 'b' };
const GET = { cmd: 'get', key: 'a' };

/** Commands with nearly as many parameters as a batch may have. */
const MANY = Array.from({ length: 20 }, (_, n) => ({
  cmd: 'putall',
  keys: Array.from({ length: 240 }, (_, at) => `k${at}`),
  values: Array(240).fill(`${n}`),
}));
const BULK_RESULT = { ...result(true), affinityNodeId: null };

commandCases('batch', [
  [
    'executes commands of many parameters in order',
    [batch([...MANY, GET]), [...MANY.map(() => BULK_RESULT), entryResult(null)]],
    ['get key=k239', '19'],
    [
      batch([...MANY, { cmd: 'put', key: 'k0', val: 'last' }], ' atomic=true'),
      [...MANY.map(() => BULK_RESULT), entryResult(true)],
    ],
    ['get key=k0', 'last'],
  ],
  [
    'ends with a failure after commands of many parameters',
    [
      batch([...MANY, { cmd: 'get' }, PUT], ' stopOnError=true'),
      [...MANY.map(() => BULK_RESULT), failure('mandatory parameter in request: key')],
    ],
    ['get key=a', null],
    [
      batch([...MANY, { cmd: 'get' }, PUT], ' atomic=true'),
      failsWith('Command 21 of the batch (get)', 1, { command: 21, cmd: 'get' }),
    ],
  ],
  [
    'batch executes commands in order and returns an envelope for each [10.2]',
    [batch([PUT, GET, { cmd: 'incr', key: 'n', delta: 2 }]), [entryResult(true), entryResult('b'), result(2)]],
  ],
  [
    'executes a command of many parameters before those after it',
    [
      batch([
        PUT,
        { cmd: 'putall', keys: Array.from({ length: 2_000 }, (_, at) => `k${at}`), values: Array(2_000).fill('1') },
        { cmd: 'put', key: 'k1999', val: 'later' },
      ]),
      [entryResult(true), { ...result(true), affinityNodeId: null }, entryResult(true)],
    ],
    ['get key=k1999', 'later'],
    ['get key=k1998', '1'],
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
    'ends with the first failure if stopOnError is true [10.3]',
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
      [entryResult(true)],
    ],
    ['get key=12345678901234567890.10 keyType=decimal', exactly('9007199254740993')],
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
        failure('name its type in valueType'),
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
    'rejects a batch and a login inside it [10.5]',
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
  [
    'writes numbers as the batch asks, unless the command does',
    ['incr key=n delta=9007199254740993', exactly('9007199254740993')],
    [
      batch(
        [
          { cmd: 'incr', key: 'n', delta: 0 },
          { cmd: 'incr', key: 'n', delta: 0, numbers: 'json' },
        ],
        ' numbers=string',
      ),
      [result('9007199254740993'), expect.anything()],
    ],
  ],
  ['requires commands', ['batch', failsWith('mandatory parameter in request: commands')]],
  ['requires an array of objects', [batch('{}'), failsWith("was expecting '['")]],
  ['names an item that is no object', [batch('[{"cmd":"version"},7]'), failsWith('command 2 must be an object')]],
  [
    'rejects invalid JSON before it executes anything [10.6]',
    [batch(`[${JSON.stringify(PUT)},]`), failsWith('invalid JSON')],
    ['get key=a', null],
  ],
]);

commandCases(
  'batch with limits',
  [
    [
      'rejects too many commands',
      [batch([GET, GET, GET]), failsWith('what=batch commands, limit=2, actual=3, option=limits.batchCommands]')],
      [batch([GET, GET]), [entryResult(null), entryResult(null)]],
    ],
    [
      'rejects too long a text',
      [batch([{ ...GET, key: 'x'.repeat(500) }]), failsWith('what=batch characters, limit=400')],
    ],
    [
      'ends with the command whose result is too long [10.7]',
      [`put key=a val=${'x'.repeat(300)}`, true],
      [batch([GET, PUT]), [failure('what=batch response characters, limit=300')]],
      ['get key=a', 'x'.repeat(300)],
    ],
    [
      'ends with the command that took effect and whose result is too long: it has no failure to repeat',
      [`put key=a val=${'x'.repeat(300)}`, true],
      [batch([{ ...PUT, cmd: 'getput' }, PUT]), [{ ...entryResult(null), responseOmitted: true }]],
      ['get key=a', 'b'],
    ],
  ],
  { limits: { batchCommands: 2, batchCharacters: 400, batchResponseCharacters: 300 } },
);

commandCases(
  'a batch whose responses cannot be written',
  [
    [
      'reports no failure of an atomic batch that took effect',
      [batch([PUT, GET], ' atomic=true'), [entryResult(true), { ...result(null), responseOmitted: true }]],
      ['size', 1],
    ],
    ['fails as a dry run', [`dryrun of=${batch([PUT, GET])}`, aborts('Command 2 of the batch (get)')]],
  ],
  {
    service: {
      onSend() {
        throw new Error('no such value');
      },
    },
  },
);

/** Expects that an atomic batch is rolled back; the response names the command. */
function aborts(text: string) {
  return failsWith(text, 1, { command: expect.any(Number), cmd: expect.any(String) });
}

const ATOMIC = ' atomic=true';

commandCases(
  'batch with atomic=true',
  [
    [
      'changes nothing when a command finds out by its result that it fails',
      [batch([PUT, { cmd: 'ttl', key: 'none' }], ATOMIC), aborts('Command 2 of the batch (ttl)')],
      [`dryrun of=${batch([PUT, { cmd: 'ttl', key: 'none' }])}`, aborts('Command 2 of the batch (ttl)')],
      ['size', 0],
    ],
    [
      'executes all commands and returns an envelope for each',
      [
        batch([PUT, GET, { cmd: 'incr', key: 'n', delta: 2 }, { cmd: 'size' }], ATOMIC),
        [entryResult(true), entryResult('b'), result(2), { ...result(1), affinityNodeId: null }],
      ],
      ['get key=a', 'b'],
    ],
    ['of no commands returns no results', [batch([], ATOMIC), []]],
    [
      'changes nothing when a command fails, and names it',
      ['put key=a val=old', true],
      [
        batch(
          [
            PUT,
            { cmd: 'incr', key: 'n', delta: 1 },
            { cmd: 'append', key: 'a', val: '[1]', valueType: 'java.util.List' },
          ],
          ATOMIC,
        ),
        aborts(
          'Command 3 of the batch (append) failed, and nothing was changed: Incompatible types [val=[1], type=list, ' +
            'storedType=string]',
        ),
      ],
      ['get key=a', 'old'],
      ['incr key=n delta=0', 0],
    ],
    [
      'changes nothing when a command cannot be decoded',
      [
        batch([PUT, { cmd: 'put', key: 'x', keyType: 'int', val: 1 }], ATOMIC),
        aborts('Command 2 of the batch (put) failed, and nothing was changed: Failed to convert'),
      ],
      ['get key=a', null],
    ],
    ...(
      [
        ['cas', { cmd: 'cas', key: 'a', val: 'new', val2: 'other' }],
        ['repval', { cmd: 'repval', key: 'a', val: 'new', val2: 'other' }],
        ['rmvval', { cmd: 'rmvval', key: 'a', val: 'other' }],
        ['putifabs', { cmd: 'putifabs', key: 'a', val: 'new' }],
        ['add', { cmd: 'add', key: 'a', val: 'new' }],
        ['rep', { cmd: 'rep', key: 'none', val: 'new' }],
      ] as const
    ).map(
      ([name, command]): CommandCase => [
        `is rolled back by ${name} that is false, unless abortOnFalse says otherwise [10.9]`,
        ['put key=a val=old', true],
        [
          batch([{ cmd: 'put', key: 'b', val: 1 }, command], ATOMIC),
          aborts(
            `Command 2 of the batch (${name}) failed, and nothing was changed: The command's condition was not met`,
          ),
        ],
        ['get key=b', null],
        [
          batch(
            [
              { cmd: 'put', key: 'b', val: 1 },
              { ...command, abortOnFalse: false },
            ],
            ATOMIC,
          ),
          [entryResult(true), entryResult(false)],
        ],
        ['get key=b', '1'],
        ['get key=a', 'old'],
      ],
    ),
    [
      'is rolled back by another command that is false if it has abortOnFalse',
      [
        batch([PUT, { cmd: 'conkey', key: 'none', abortOnFalse: true }], ATOMIC),
        aborts('Command 2 of the batch (conkey) failed'),
      ],
      ['get key=a', null],
      [batch([PUT, { cmd: 'conkey', key: 'none' }], ATOMIC), [entryResult(true), entryResult(false)]],
    ],
    [
      'rejects commands that cannot be undone [10.11]',
      ...['getorcreate', 'destcache', 'setstate', 'version', 'cache', 'qryscanexe', 'exe', 'batch', 'authenticate'].map(
        (cmd): Step => [
          batch([PUT, { cmd, cacheName: 'c' }], ATOMIC),
          aborts(`Command 2 of the batch (${cmd}) failed`),
        ],
      ),
      ['get key=a', null],
    ],
    [
      'rejects options where they have no meaning',
      [
        batch([{ ...GET, abortOnFalse: true }], ATOMIC),
        aborts('abortOnFalse is for commands that return true or false'),
      ],
      [batch([{ ...PUT, expectedRows: 1 }], ATOMIC), aborts('expectedRows is for statements')],
      [batch([{ ...PUT, expectedRows: -1 }], ATOMIC), aborts('Long type [expectedRows=-1]')],
      [batch([{ ...PUT, abortOnFalse: 'yes' }], ATOMIC), aborts('Boolean type [abortOnFalse=yes]')],
      [batch([{ ...PUT, abortonfalse: true }], ATOMIC), aborts('Did you mean "abortOnFalse"?')],
      [batch([{ ...PUT, abortOnFalse: true }]), [failure('abortOnFalse needs atomic=true')]],
      [batch([{ ...PUT, expectedRow: 1 }]), [failure('Did you mean "expectedRows"?')]],
      ['get key=a', null],
    ],
    [
      'rejects changes of two files [10.12]',
      ['getorcreate cacheName=fast dataRegion=fast', null],
      [
        batch([PUT, { ...PUT, cacheName: 'fast' }], ATOMIC),
        aborts(
          'Command 2 of the batch (put) failed, and nothing was changed: An atomic batch cannot change caches in two files',
        ),
      ],
      [batch([{ ...GET, cacheName: 'fast' }, PUT], ATOMIC), [entryResult(null), entryResult(true)]],
      [batch([GET, { ...PUT, cacheName: 'fast' }], ATOMIC), [entryResult('b'), entryResult(true)]],
    ],
  ],
  { regions: [{ name: 'fast', persistent: false }] },
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
          confirmPassword: (caller) => caller,
          preAuthenticate: () => 'unknown',
          callerWithoutWaiting: () => undefined,
          authenticate: () => ({ user: 'ann', token: 'TOKEN', subjectId: 'id-of-ann' }),
        },
        permissions: {
          knowledgeOf: () => ({ knows: { users: false, service: false, counters: false }, cache: () => true }),
          check(caller, { name }) {
            if (name === 'put') throw gridError('PERMISSION_DENIED', caller.user, 'put on cache default');
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

  test('an atomic batch has the status of the command that failed', async () => {
    const service = openTestService({ service: { httpStatus: true } });
    const send = async (...commands: unknown[]) => {
      const { http, successStatus, response } = await service.send(batch(commands, ATOMIC));
      return [http, successStatus, response];
    };
    expect(await send({ ...GET, cacheName: 'none' })).toEqual([404, 1, { command: 1, cmd: 'get' }]);
    expect(await send(GET, { cmd: 'rep', key: 'none', val: 1 })).toEqual([409, 1, { command: 2, cmd: 'rep' }]);
    expect(await send({ cmd: 'put' })).toEqual([400, 1, { command: 1, cmd: 'put' }]);
    expect(await send(PUT)).toEqual([200, 0, [entryResult(true)]]);
  });

  test('an atomic batch records no change of a user', async () => {
    const users = { check: rejectUser, add: rejectUser, update: rejectUser, remove: rejectUser };
    const service = openTestService({ users });
    const create = { cmd: 'qryfldexe', pageSize: 1, qry: "CREATE USER ann WITH PASSWORD 'secret'" };
    const { error } = await service.send(batch([create], ATOMIC));
    expect(error).toContain('changes of users cannot be undone');
  });
});

function rejectUser(): Promise<void> {
  throw new Error('a user was changed');
}
