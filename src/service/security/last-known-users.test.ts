import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '../../../test/fixtures/base/manual-clock.ts';
import { openModelGrid } from '../../../test/model/model-grid.ts';
import { gridError } from '../../base/errors.ts';
import { COMMANDS } from '../../commands/registry.ts';
import type { Records } from '../../grid/grid.ts';
import { type Account, addAccount, findAccount, removeAccount, replaceAccount } from './accounts.ts';
import { LastKnownUsers, worksWithLastKnownUsers } from './last-known-users.ts';
import { SEEDED } from './users.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-users-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const accountOf = (name: string, stamp: string): Account => ({ name, id: name, passwordHash: 'hash', stamp });
const initial = accountOf('svc', 'first');

/** A cluster whose records cannot be read while it is inactive, and are lost by `lose`. */
function openCluster() {
  const clock = new ManualClock();
  let records = openModelGrid({ clock }).records;
  let isInactive = false;
  const current = (): Records => {
    if (isInactive) throw gridError('INACTIVE');
    return records;
  };
  const own: Records = {
    get: async (...args) => current().get(...args),
    put: async (...args) => current().put(...args),
    add: async (...args) => current().add(...args),
    replace: async (...args) => current().replace(...args),
    remove: async (...args) => current().remove(...args),
    list: async (...args) => current().list(...args),
  };
  const setInactive = (value: boolean): void => {
    isInactive = value;
  };
  const lose = (): void => {
    records = openModelGrid({ clock }).records;
  };
  async function startService(name: string) {
    const users = new LastKnownUsers({ records: own, clock, file: join(folder, name) });
    await users.start({
      initial,
      async prepare() {
        if ((await own.get('setting', SEEDED)) !== undefined) return;
        await addAccount(users, initial);
        await own.put('setting', SEEDED, 'true');
      },
      complete: async () => true,
      onReadable: () => {},
      onFailure: () => {},
    });
    return users;
  }
  async function refresh(): Promise<void> {
    clock.advance(1_000);
    await Bun.sleep(5);
  }
  return { startService, setInactive, lose, refresh };
}

const stampOf = async (records: Records, name: string) => (await findAccount(records, name))?.stamp;

test('users of an inactive cluster are the last known ones, after changes by this and other services', async () => {
  const { startService, setInactive, refresh } = openCluster();
  const one = await startService('one.json');
  const two = await startService('two.json');
  await addAccount(one, accountOf('ann', 'a'));
  await addAccount(one, accountOf('bob', 'b'));
  expect(await stampOf(two, 'ann')).toBe('a');
  await replaceAccount(two, accountOf('ann', 'changed'));
  await removeAccount(two, 'bob');
  await refresh();
  setInactive(true);
  for (const users of [one, two]) {
    expect(await stampOf(users, 'ann')).toBe('changed');
    expect(await stampOf(users, 'bob')).toBeUndefined();
    expect(users.isInUse).toBe(true);
  }
  setInactive(false);
  await refresh();
  expect(one.isInUse).toBe(false);
});

test('a cluster that has lost its users gets the last known ones, not the first ones', async () => {
  const { startService, setInactive, lose, refresh } = openCluster();
  const users = await startService('one.json');
  await replaceAccount(users, accountOf('svc', 'changed'));
  setInactive(true);
  await refresh();
  lose();
  setInactive(false);
  // Whether the service has noticed or not.
  expect(await stampOf(users, 'svc')).toBe('changed');
  await refresh();
  expect(await stampOf(await startService('two.json'), 'svc')).toBe('changed');
});

test('a start before an inactive cluster uses the file of an earlier run, else the administrator', async () => {
  const { startService, setInactive, lose } = openCluster();
  setInactive(true);
  expect(await stampOf(await startService('one.json'), 'svc')).toBe('first');
  setInactive(false);
  const users = await startService('one.json');
  await replaceAccount(users, accountOf('svc', 'changed'));
  expect(statSync(join(folder, 'one.json')).mode & 0o777).toBe(0o600);
  setInactive(true);
  lose();
  const again = await startService('one.json');
  expect(await stampOf(again, 'svc')).toBe('changed');
  setInactive(false);
  expect(await stampOf(again, 'svc')).toBe('changed');
  writeFileSync(join(folder, 'broken.json'), '{');
  setInactive(true);
  expect(await stampOf(await startService('broken.json'), 'svc')).toBe('first');
});

test('the copy of an earlier run does not bring back a user whom a running service knows to be removed', async () => {
  const { startService, setInactive, lose, refresh } = openCluster();
  const stopped = await startService('one.json');
  await addAccount(stopped, accountOf('bob', 'b'));
  stopped.close();
  const running = await startService('two.json');
  await removeAccount(running, 'bob');
  await replaceAccount(running, accountOf('svc', 'changed'));
  setInactive(true);
  lose();
  const again = await startService('one.json');
  setInactive(false);
  // It looks first.
  await stampOf(again, 'bob');
  await refresh();
  await refresh();
  for (const users of [again, running]) {
    expect(await stampOf(users, 'bob')).toBeUndefined();
    expect(await stampOf(users, 'svc')).toBe('changed');
  }
});

test('the copy of an earlier run is restored if no service has a later one', async () => {
  const { startService, lose, refresh } = openCluster();
  const stopped = await startService('one.json');
  await addAccount(stopped, accountOf('bob', 'b'));
  stopped.close();
  lose();
  const again = await startService('one.json');
  expect(again.isInUse).toBe(true);
  expect(await stampOf(again, 'bob')).toBe('b');
  for (let second = 0; second < 4; second++) await refresh();
  expect(again.isInUse).toBe(false);
  expect(await stampOf(again, 'bob')).toBe('b');
});

test('only logins, and commands that need no data, work with last known users', () => {
  expect(COMMANDS.filter(worksWithLastKnownUsers).map(({ name }) => name)).toEqual([
    'activate',
    'active',
    'authenticate',
    'currentstate',
    'deactivate',
    'inactive',
    'log',
    'name',
    'node',
    'noop',
    'probe',
    'setstate',
    'state',
    'top',
    'version',
  ]);
});
