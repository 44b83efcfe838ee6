/** Changes of stored roles and of users' roles: who may make which, and what they permit from then on. */

import { describe, expect, test } from 'bun:test';
import { ManualClock } from '../../../test/fixtures/base/manual-clock.ts';
import { openModelGrid } from '../../../test/model/model-grid.ts';
import { createMutex } from '../../base/maybe-promise.ts';
import type { Caller, RoleChange } from '../../commands/context.ts';
import { COMMANDS, findCommand } from '../../commands/registry.ts';
import type { ClusterState, Records } from '../../grid/grid.ts';
import { addAccount, findAccount } from './accounts.ts';
import { createPermissions } from './permissions.ts';
import { createRoleChanges } from './role-changes.ts';
import { SecurityEpoch } from './security-epoch.ts';
import { StoredRoles } from './stored-roles.ts';

const READS = '{"caches":{"shop.*":"read"}}';

/** Opens permissions and their changes; `pauses` makes every read of a record wait, as on a cluster. */
async function open({ knowsTables = true, pauses = false } = {}) {
  const clock = new ManualClock();
  const model = openModelGrid({ clock }).records;
  const records: Records = pauses ? { ...model, get: async (kind, id) => model.get(kind, id) } : model;
  const epoch = new SecurityEpoch();
  const storedRoles = new StoredRoles({ records, clock, epoch, commands: COMMANDS, trustMs: Number.POSITIVE_INFINITY });
  const permissions = createPermissions({
    declaration: {
      roles: {
        reader: { caches: { 'shop.*': 'read' } },
        people: { caches: { 'shop.*': 'write' }, counters: ['c.*'], tasks: ['t'], administration: ['users'] },
      },
      users: { rita: ['reader'], paul: ['people'] },
    },
    defaultUser: 'svc',
    defaultCache: 'default',
    compatibility: 'contract',
    cacheOfTable: () => undefined,
    commands: COMMANDS,
    storedRoles,
  });
  const state: { current: ClusterState } = { current: 'ACTIVE' };
  const changes = createRoleChanges({
    records,
    findAccount: (user) => findAccount(records, user),
    state: () => state.current,
    epoch,
    permissions,
    commands: COMMANDS,
    knowsTables,
    changes: createMutex(),
  });
  for (const name of ['svc', 'ann', 'rita', 'paul', 'mona']) {
    await addAccount(records, { name, id: name, passwordHash: '', stamp: '' });
  }
  const callerOf = async (user: string, key?: Caller['key']): Promise<Caller> => ({
    user,
    token: null,
    subjectId: user,
    assigned: (await findAccount(records, user))?.roles,
    key,
  });
  const change = async (user: string, wanted: RoleChange, key?: Caller['key']) => {
    await changes.change(await callerOf(user, key), wanted);
  };
  const may = async (user: string, cmd: string, cacheName: string): Promise<boolean> => {
    const command = findCommand(cmd);
    if (command === undefined) throw new Error(`no command ${cmd}`);
    try {
      await permissions.check(await callerOf(user), command, { cacheName });
      return true;
    } catch (error) {
      expect(error).toMatchObject({ code: 'PERMISSION_DENIED' });
      return false;
    }
  };
  return { records, permissions, storedRoles, changes, state, callerOf, change, may };
}

const added = (name: string, rights: string): RoleChange => ({ kind: 'add', name, rights });
const updated = (name: string, rights: string): RoleChange => ({ kind: 'update', name, rights });
const removed = (name: string): RoleChange => ({ kind: 'remove', name });
const assigned = (user: string, ...roles: string[]): RoleChange => ({ kind: 'assign', user, roles });

for (const pauses of [false, true]) {
  describe(`a stored role, with records read ${pauses ? 'from a cluster' : 'at once'}`, () => {
    test('permits what it says, from its assignment until it is changed', async () => {
      const { change, may, permissions, callerOf } = await open({ pauses });
      expect(await may('ann', 'put', 'other')).toBe(true);
      await change('svc', added('shop', READS));
      await change('svc', assigned('ann', 'shop'));
      expect([await may('ann', 'get', 'shop.a'), await may('ann', 'put', 'shop.a')]).toEqual([true, false]);
      expect(await may('ann', 'get', 'other')).toBe(false);
      await change('svc', updated('shop', '{"caches":{"shop.*":"write"}}'));
      expect(await may('ann', 'put', 'shop.a')).toBe(true);
      await change('svc', assigned('ann', 'shop', 'admin'));
      expect(await permissions.manages(await callerOf('ann'))).toBe(true);
      await change('svc', assigned('ann', 'user'));
      expect(await may('ann', 'put', 'other')).toBe(true);
      await change('svc', assigned('ann'));
      expect(await may('ann', 'put', 'other')).toBe(false);
      expect(await permissions.manages(await callerOf('ann'))).toBe(false);
    });

    test('makes an administrator, whose share is reserved', async () => {
      const { change, permissions } = await open({ pauses });
      await change('svc', added('boss', '{"administration":["users"]}'));
      // On a cluster, it is known once the role has been read.
      expect(permissions.isAdministrator('ann', ['boss'])).toBe(!pauses);
      await Bun.sleep(0);
      expect(permissions.isAdministrator('ann', ['boss'])).toBe(true);
      expect(permissions.isAdministrator('ann', ['reader'])).toBe(false);
    });
  });
}

describe('a change is rejected', () => {
  /** The changes made before by the user svc, the user who makes the change, the change, and the error. */
  const cases: ReadonlyArray<
    readonly [title: string, before: readonly RoleChange[], user: string, change: RoleChange, error: string]
  > = [
    ['of a user without the right', [], 'ann', added('r', '{}'), 'User management operations are not allowed'],
    ['of one with a role of the configuration', [], 'rita', removed('r'), 'User management operations'],
    ['with the name of a built-in role', [], 'svc', added('admin', '{}'), 'A role with this name already exists'],
    ['with the name of a role of the file', [], 'svc', added('reader', '{}'), 'A role with this name already exists'],
    ['with a name that is taken', [added('r', '{}')], 'svc', added('r', '{}'), 'A role with this name already exists'],
    ['with an empty name', [], 'svc', added('', '{}'), 'its name must be of letters'],
    ['with a name with a comma', [], 'svc', added('a,b', '{}'), 'its name must be of letters'],
    ['with a name that is too long', [], 'svc', added('r'.repeat(101), '{}'), 'more than 100 characters'],
    ['without JSON', [], 'svc', added('r', '{'), 'rights: is not JSON'],
    ['with a list', [], 'svc', added('r', '[]'), 'rights: must be an object such as'],
    ['with a member that there is not', [], 'svc', added('r', '{"cache":{}}'), 'there is no member cache'],
    ['with a command that there is not', [], 'svc', added('r', '{"commands":["gett"]}'), 'there is no command gett'],
    ['with a right that there is not', [], 'svc', added('r', '{"caches":{"a":["rd"]}}'), 'there is no right rd'],
    ['with too much text', [], 'svc', added('r', ' '.repeat(8_193)), 'more than 8192 characters'],
    ['of a role of the file', [], 'svc', updated('reader', '{}'), 'is built in or defined in the configuration file'],
    ['of a built-in role', [], 'svc', removed('user'), 'is built in or defined in the configuration file'],
    ['of a role that there is not', [], 'svc', updated('r', '{}'), 'There is no role with this name [role=r]'],
    ['that removes a role that there is not', [], 'svc', removed('r'), 'There is no role with this name'],
    [
      'that removes the role of a user',
      [added('r', '{}'), assigned('ann', 'r')],
      'svc',
      removed('r'),
      'The role is assigned to a user [role=r, users=ann]',
    ],
    ['that assigns a role that there is not', [], 'svc', assigned('ann', 'r'), 'There is no role with this name'],
    ['for a user that there is not', [], 'svc', assigned('zoe', 'user'), "User doesn't exist [userName=zoe]"],
    ['for a user of the file', [], 'svc', assigned('rita', 'admin'), 'The configuration file assigns the roles'],
    ['for the default user', [], 'svc', assigned('svc', 'user'), 'The configuration file assigns the roles'],
    [
      'with too many roles',
      Array.from({ length: 33 }, (_, at) => added(`r${at}`, '{}')),
      'svc',
      assigned('ann', ...Array.from({ length: 33 }, (_, at) => `r${at}`)),
      'a user has at most 32 roles',
    ],
    [
      'that grants a right of nobody',
      [],
      'paul',
      added('r', '{"caches":{"*":"read"}}'),
      'No role of this user includes',
    ],
    [
      'that grants more on a cache',
      [],
      'paul',
      added('r', '{"caches":{"shop.*":"all"}}'),
      'No role of this user includes',
    ],
    [
      'that grants a wider pattern',
      [],
      'paul',
      added('r', '{"caches":{"shop*":"read"}}'),
      'No role of this user includes',
    ],
    [
      'that grants another right',
      [],
      'paul',
      added('r', '{"administration":["state"]}'),
      'No role of this user includes',
    ],
    ['that grants other counters', [], 'paul', added('r', '{"counters":["*"]}'), 'No role of this user includes'],
    ['that grants another task', [], 'paul', added('r', '{"tasks":["t2"]}'), 'No role of this user includes'],
    ['that grants tables', [], 'paul', added('r', '{"tables":{"T":"read"}}'), 'No role of this user includes'],
    [
      'of a role that permits more',
      [added('r', '{"caches":{"*":"read"}}')],
      'paul',
      updated('r', '{}'),
      'No role of this user includes',
    ],
    [
      'that removes such a role',
      [added('r', '{"caches":{"*":"read"}}')],
      'paul',
      removed('r'),
      'No role of this user includes',
    ],
    [
      'that assigns a role with more',
      [assigned('mona', 'reader')],
      'paul',
      assigned('mona', 'admin'),
      'No role of this user includes',
    ],
    ['that takes away more', [], 'paul', assigned('ann', 'reader'), 'No role of this user includes'],
    [
      'that widens a role by steps',
      [added('r', '{"administration":["users"]}'), assigned('mona', 'r', 'reader')],
      'mona',
      added('both', '{"administration":["users"],"caches":{"shop.*":"read"}}'),
      'No role of this user includes',
    ],
    [
      'that locks its maker out',
      [added('r', '{"administration":["users"],"caches":{"*":"read"}}'), assigned('mona', 'r')],
      'mona',
      updated('r', '{}'),
      'you could no longer manage users',
    ],
    [
      'that assigns its maker less',
      [added('r', '{"administration":["users"],"caches":{"*":"read"}}'), assigned('mona', 'r')],
      'mona',
      assigned('mona', 'reader'),
      'you could no longer manage users',
    ],
  ];
  test.each(cases)('%s', async (_, before, user, wanted, error) => {
    const { change, changes, callerOf, records } = await open();
    for (const each of before) await change('svc', each);
    const stored = JSON.stringify([await records.list('role'), await records.list('user')]);
    const caller = await callerOf(user);
    expect(changes.check(caller, wanted)).rejects.toThrow(error);
    expect(change(user, wanted)).rejects.toThrow(error);
    await Bun.sleep(0);
    expect(JSON.stringify([await records.list('role'), await records.list('user')])).toBe(stored);
  });

  test('while the cluster is inactive', async () => {
    const { change, state } = await open();
    state.current = 'INACTIVE';
    expect(change('svc', added('r', '{}'))).rejects.toMatchObject({ code: 'INACTIVE' });
  });

  test('with tables that the service does not know', async () => {
    const { change } = await open({ knowsTables: false });
    expect(change('svc', added('r', '{"tables":{"T":"read"}}'))).rejects.toMatchObject({ code: 'NOT_SUPPORTED' });
  });

  test('when there are as many roles as there can be', async () => {
    const { change, records } = await open();
    for (let at = 0; at < 1_000; at++) await records.add('role', `r${at}`, '{}');
    expect(change('svc', added('r', '{}'))).rejects.toThrow('Too many stored roles [limit=1000]');
  });

  test('of a key whose scope permits less', async () => {
    const { change } = await open();
    const key = { id: '1', scope: '{"administration":["users"],"caches":{"a":"read"}}' };
    expect(change('svc', added('r', '{"caches":{"b":"read"}}'), key)).rejects.toMatchObject({
      code: 'ROLE_ESCALATION',
    });
    await change('svc', added('r', '{"caches":{"a":"read"}}'), key);
  });
});

test('what one may do may be granted', async () => {
  const { change, may, records } = await open();
  await change('svc', assigned('mona', 'reader'));
  const rights = { caches: { 'shop.b*': ['read', 'put'], 'shop.*': 'read' }, counters: ['c.1'], tasks: ['t'] };
  await change('paul', added('r', JSON.stringify(rights)));
  await change('paul', assigned('mona', 'r', 'reader', 'r'));
  expect((await findAccount(records, 'mona'))?.roles).toEqual(['r', 'reader']);
  expect([await may('mona', 'put', 'shop.b1'), await may('mona', 'put', 'shop.a')]).toEqual([true, false]);
  await change('paul', assigned('mona', 'reader'));
  await change('paul', removed('r'));
  expect(await records.list('role')).toEqual([]);
});

test('a check of a possible change changes nothing', async () => {
  const { changes, callerOf, records } = await open();
  await changes.check(await callerOf('svc'), added('r', READS));
  expect(await records.list('role')).toEqual([]);
});

test('the configuration outranks what is stored', async () => {
  const { records, storedRoles, permissions, may } = await open();
  await records.add('role', 'reader', '{"caches":{"*":"all"}}');
  await records.put('user', 'rita', JSON.stringify({ id: 'rita', passwordHash: '', stamp: '', roles: ['admin'] }));
  expect(await storedRoles.find('reader')).toBeDefined();
  expect(await may('rita', 'put', 'shop.a')).toBe(false);
  expect(permissions.rolesOf({ user: 'rita', assigned: ['admin'] })).toEqual({
    roles: ['reader'],
    rolesFrom: 'configuration',
  });
});

test('a role with a command of another version grants nothing', async () => {
  const { records, may } = await open();
  await records.add('role', 'r', '{"commands":["get","later"],"caches":{"*":"all"}}');
  await records.put('user', 'ann', JSON.stringify({ id: 'ann', passwordHash: '', stamp: '', roles: ['r'] }));
  expect(await may('ann', 'get', 'a')).toBe(false);
});
