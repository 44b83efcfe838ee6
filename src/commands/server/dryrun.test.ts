import { describe, expect, test } from 'bun:test';
import { accessService } from '../../../test/fixtures/commands/access-service.ts';
import { userSet } from '../../../test/fixtures/commands/user-set.ts';
import { type CommandCase, commandCases, failsWith, openTestService } from '../../../test/test-service.ts';
import { COMMANDS } from '../registry.ts';

/** The response of a dry run without effects. */
function would(of: string, response: unknown, types: Readonly<Record<string, unknown>> = {}) {
  return { of, response, effects: null, types };
}

const TEXTS = { key: 'string', val: 'string' };
const NONE = 'There is no dry run of';
const UNKNOWN = 'its effect is known only when it is executed';

/** For each command that changes something: a request, the response of its dry run, and what stays unchanged. */
const CHANGES: Readonly<Record<string, readonly [request: string, expected: unknown]>> = {
  put: ['key=a&val=9', would('put', true, TEXTS)],
  add: ['key=a&val=9', would('add', false, TEXTS)],
  putifabs: ['key=b&val=9', would('putifabs', true, TEXTS)],
  rep: ['key=b&val=9', would('rep', false, TEXTS)],
  getput: ['key=a&val=9&keyType=string&valueType=int', would('getput', '1', { key: 'string', val: 'integer' })],
  getputifabs: ['key=a&val=9', would('getputifabs', '1', TEXTS)],
  getrep: ['key=a&val=9', would('getrep', '1', TEXTS)],
  repval: ['key=a&val=9&val2=1', would('repval', true, { ...TEXTS, val2: 'string' })],
  cas: ['key=a&val=9&val2=8', would('cas', false, { ...TEXTS, val2: 'string' })],
  append: ['key=a&val=9', would('append', true, TEXTS)],
  prepend: ['key=a&val=9', would('prepend', true, TEXTS)],
  rmv: ['key=a', would('rmv', true, { key: 'string' })],
  rmvval: ['key=a&val=2', would('rmvval', false, TEXTS)],
  getrmv: ['key=a', would('getrmv', '1', { key: 'string' })],
  updatettl: ['key=a&ttlMs=5', would('updatettl', true, { key: 'string' })],
  persist: ['key=a', would('persist', true, { key: 'string' })],
  putall: ['k1=a&v1=2&k2=c&v2=3', would('putall', true, { keys: ['string', 'string'], values: ['string', 'string'] })],
  rmvall: ['k1=a&k2=b', would('rmvall', true, { keys: ['string', 'string'] })],
  incr: ['key=n&delta=5', would('incr', 6)],
  decr: ['key=n&delta=5', would('decr', -4)],
  clear: [
    'cacheName=default',
    { of: 'clear', response: null, effects: [{ cacheName: 'default', change: 'cleared', entries: 1 }], types: {} },
  ],
  batch: ['commands=[{"cmd":"rmv","key":"a"}]', { ...would('batch', [expect.objectContaining({ response: true })]) }],
  getorcreate: [
    'cacheName=new&backups=1',
    { of: 'getorcreate', response: null, effects: [{ cacheName: 'new', change: 'created', entries: 0 }], types: {} },
  ],
  setstate: [
    'state=INACTIVE&force=true',
    { of: 'setstate', response: null, effects: [{ state: 'INACTIVE', change: 'entered' }], types: {} },
  ],
  activate: ['', { of: 'activate', response: null, effects: [], types: {} }],
  active: ['', { of: 'active', response: null, effects: [], types: {} }],
  deactivate: [
    '',
    { of: 'deactivate', response: null, effects: [{ state: 'INACTIVE', change: 'entered' }], types: {} },
  ],
  inactive: ['', { of: 'inactive', response: null, effects: [{ state: 'INACTIVE', change: 'entered' }], types: {} }],
  adduser: [
    'user=ann&password=secret',
    { of: 'adduser', response: null, effects: [{ user: 'ann', change: 'added' }], types: {} },
  ],
  updateuser: [
    'user=taken&password=secret',
    { of: 'updateuser', response: null, effects: [{ user: 'taken', change: 'changed' }], types: {} },
  ],
  removeuser: [
    'user=taken',
    { of: 'removeuser', response: null, effects: [{ user: 'taken', change: 'removed' }], types: {} },
  ],
  roleadd: [
    'name=r&rights={}',
    { of: 'roleadd', response: null, effects: [{ role: 'r', change: 'added' }], types: {} },
  ],
  roleupdate: [
    'name=r&rights={}',
    { of: 'roleupdate', response: null, effects: [{ role: 'r', change: 'changed' }], types: {} },
  ],
  rolermv: ['name=r', { of: 'rolermv', response: null, effects: [{ role: 'r', change: 'removed' }], types: {} }],
  roleassign: [
    'user=ann&roles=r',
    { of: 'roleassign', response: null, effects: [{ user: 'ann', change: 'changed' }], types: {} },
  ],
  destcache: [
    'cacheName=extra',
    { of: 'destcache', response: null, effects: [{ cacheName: 'extra', change: 'destroyed', entries: 0 }], types: {} },
  ],
};

const changing = COMMANDS.filter(({ access }) => access === 'write');

describe('the dry run of each command that changes something', () => {
  test.each(changing.map(({ name }) => name))('%s', async (name) => {
    const service = openTestService({ caches: [{ name: 'extra' }], users: userSet(), access: accessService });
    for (const request of ['put key=a val=1', 'incr key=n delta=1']) await service.send(request);
    const [params, expected] = CHANGES[name] ?? ['', undefined];
    const { response, error } = await service.send(`dryrun of=${name} ${params.replaceAll('&', ' ')}`);
    if (expected === undefined) expect(error).toBe(`${NONE} ${name}: ${UNKNOWN}`);
    else expect({ error, response }).toEqual({ error: null, response: expected });
    const left = [];
    for (const request of [
      'getall k1=a k2=b k3=c',
      'ttl key=a',
      'incr key=n delta=0',
      'size',
      'size cacheName=extra',
    ]) {
      left.push((await service.send(request)).response);
    }
    expect(left).toEqual([{ a: '1' }, null, 1, 1, 0]);
  });

  test('covers those that the engine can undo', () => {
    const undone = changing.filter(
      ({ batch, preview }) => batch === 'atomic' || batch === 'isBatch' || preview !== undefined,
    );
    expect(Object.keys(CHANGES).sort()).toEqual(undone.map(({ name }) => name).sort());
  });
});

const CASES: readonly CommandCase[] = [
  [
    'runs the commands of a batch one after another, and undoes them',
    [
      'dryrun of=batch commands=[{"cmd":"put","key":"a","val":"1"},{"cmd":"getput","key":"a","val":"2"}]',
      {
        of: 'batch',
        response: [expect.objectContaining({ response: true }), expect.objectContaining({ response: '1' })],
        effects: null,
        types: {},
      },
    ],
    ['get key=a', null],
  ],
  [
    'tells which command of a batch would fail',
    [
      'dryrun of=batch commands=[{"cmd":"put","key":"a"}]',
      failsWith('Command 1 of the batch (put) failed', 1, { command: 1, cmd: 'put' }),
    ],
  ],
  ['fails as getorcreate would', ['dryrun of=getorcreate cacheName=new dataRegion=none', failsWith('none')]],
  [
    'has no effect on a cache that exists',
    ['dryrun of=getorcreate cacheName=default', { of: 'getorcreate', response: null, effects: [], types: {} }],
  ],
  [
    'dryrun fails as the command would [15.1]',
    ['dryrun of=put key=1', failsWith('mandatory parameter in request: val')],
  ],
  ['converts as the command would', ['dryrun of=put key=x keyType=int val=1', failsWith('x')]],
  ['has a misspelt parameter rejected as the command would', ['dryrun of=destcache cacheNam=a', failsWith('cacheNam')]],
  ['tells that a cache is unknown', ['dryrun of=clear cacheName=none', failsWith('none')]],
  [
    'has no effect on a cache that does not exist',
    ['dryrun of=destcache cacheName=none', { of: 'destcache', response: null, effects: [], types: {} }],
  ],
  [
    'tells that the default cache is only cleared [15.3]',
    ['put key=1 val=2', true],
    [
      'dryrun of=destcache cacheName=default',
      {
        of: 'destcache',
        response: null,
        effects: [{ cacheName: 'default', change: 'cleared', entries: 1 }],
        types: {},
      },
    ],
  ],
  [
    'fails in a cluster that is not active',
    ['deactivate', 'deactivate started'],
    ['dryrun of=clear cacheName=default', failsWith('the cluster is inactive')],
  ],
  ['knows its commands', ['dryrun of=putt key=1', failsWith('put')]],
  ['needs a command', ['dryrun', failsWith('mandatory parameter in request: of')]],
  [
    'dryrun is for commands that change something [15.4]',
    ['dryrun of=get key=1', failsWith(`${NONE} get: it changes nothing`)],
  ],
  ['is not for itself', ['dryrun of=dryrun', failsWith(`${NONE} dryrun: it changes nothing`)]],
];
commandCases('dryrun', CASES);
