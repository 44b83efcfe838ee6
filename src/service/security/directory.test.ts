import { describe, expect, test } from 'bun:test';
import { ManualClock } from '../../../test/fixtures/base/manual-clock.ts';
import { openModelGrid } from '../../../test/model/model-grid.ts';
import { gridError } from '../../base/errors.ts';
import { createMutex } from '../../base/maybe-promise.ts';
import type { Caller } from '../../commands/context.ts';
import type { Grid, UserDirectory } from '../../grid/grid.ts';
import { Attempts } from './attempts.ts';
import { createDirectoryAuthenticator, createDirectoryUserService, DirectoryAccounts, userIdOf } from './directory.ts';
import { PasswordCipher } from './password-cipher.ts';
import { SecurityEpoch } from './security-epoch.ts';
import { Sessions } from './sessions.ts';
import { UserGrids } from './user-grids.ts';

const TRUST_MS = 1_000;
const IDLE_MS = 60_000;
const ADDRESS = '10.0.0.1';

/** A cluster's users in memory: the same rules, and a grid for anyone who knows the password. */
class Users implements UserDirectory {
  readonly passwords = new Map([['root', 'root']]);
  readonly opened: string[] = [];
  readonly closed: string[] = [];
  asked = 0;

  async verify(name: string, password: string): Promise<boolean> {
    this.asked++;
    return this.passwords.get(name) === password;
  }

  async add(name: string, password: string): Promise<void> {
    if (this.passwords.has(name)) throw gridError('USER_EXISTS', name);
    this.passwords.set(name, password);
  }

  async update(name: string, password: string): Promise<void> {
    if (!this.passwords.has(name)) throw gridError('USER_NOT_FOUND', name);
    this.passwords.set(name, password);
  }

  async remove(name: string): Promise<void> {
    if (!this.passwords.delete(name)) throw gridError('USER_NOT_FOUND', name);
  }

  async open(name: string, password: string): Promise<Grid> {
    if (this.passwords.get(name) !== password) throw gridError('CREDENTIALS_WRONG', name);
    this.opened.push(name);
    const grid = openModelGrid({ clock: new ManualClock() });
    return { ...grid, close: async () => void this.closed.push(name) };
  }
}

/** A service in front of the cluster; several share the cluster's records and users. */
function openService(users = new Users(), main = openModelGrid({ clock: new ManualClock() }), secret = 'secret') {
  const clock = new ManualClock();
  const epoch = new SecurityEpoch();
  const cipher = new PasswordCipher(secret);
  const accounts = new DirectoryAccounts(main.records);
  const sessions = new Sessions({
    records: main.records,
    findAccount: (user) => accounts.find(user),
    clock,
    epoch,
    timeoutMs: 30_000,
    consoleTimeoutMs: 3_600_000,
    maxSessions: 100,
    trustMs: TRUST_MS,
    onRenewalFailed: () => {},
    onEvicted: () => {},
  });
  const attempts = new Attempts({
    clock,
    clients: { isShared: () => false },
    maxFailures: 10,
    maxNetworkFailures: 10,
    maxBackoffMs: 60_000,
  });
  const logins = createDirectoryAuthenticator({ directory: users, accounts, clock, attempts, cipher });
  const manages = ({ user }: Caller): boolean => user === 'root';
  const service = createDirectoryUserService({
    directory: users,
    accounts,
    state: () => main.cluster.state(),
    sessions,
    epoch,
    cipher,
    manages,
    needsOldPassword: true,
    changes: createMutex(),
    minimumPasswordLength: 1,
    rolesOfNew: [],
    checkRoles: async (_caller, _user, roles) => {
      if (roles.includes('nobody')) throw gridError('ROLE_NOT_FOUND', 'nobody');
    },
  });
  const grids = new UserGrids({
    main,
    mainUser: 'root',
    directory: users,
    sessions,
    cipher,
    clock,
    idleMs: IDLE_MS,
    maxUsers: 2,
  });
  return {
    users,
    main,
    clock,
    service,
    grids,
    logins,
    async logIn(name: string, password: string) {
      const { token, userId } = await sessions.open(await logins.check(name, password, ADDRESS));
      return { user: name, token, subjectId: userId };
    },
    sessionOf: async (token: string | null) => sessions.find(token ?? ''),
  };
}

async function rejection(action: () => unknown): Promise<unknown> {
  try {
    return { answered: await action() };
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error;
  }
}

const ROOT = { user: 'root', token: null, subjectId: null };

describe('users of the cluster', () => {
  test('have the id that the cluster assigns', () => {
    // As a node answers for its first user.
    expect(userIdOf('ignite')).toBe('a7e071b3-de48-3ec1-9d24-de6cbe6c7bf1');
  });

  test('log in with the password that the cluster knows, which is asked for once a minute', async () => {
    const { logIn, users, clock } = openService();
    expect(await rejection(() => logIn('root', 'guess'))).toBe('CREDENTIALS_WRONG');
    expect(await rejection(() => logIn('nobody', 'x'))).toBe('CREDENTIALS_WRONG');
    users.asked = 0;
    await logIn('root', 'root');
    await logIn('root', 'root');
    expect(users.asked).toBe(1);
    clock.advance(61_000);
    await logIn('root', 'root');
    expect(users.asked).toBe(2);
  });

  test('are slowed down when they guess', async () => {
    const { logIn } = openService();
    for (let times = 0; times < 10; times++) await rejection(() => logIn('root', `guess ${times}`));
    expect(await rejection(() => logIn('root', 'root'))).toBe('TOO_MANY_ATTEMPTS');
  });

  test('are not changed while the cluster cannot store what ends their sessions', async () => {
    const { service, users, main } = openService();
    await service.add(ROOT, 'ann', 'first');
    for (const [state, code] of [
      ['ACTIVE_READ_ONLY', 'READ_ONLY'],
      ['INACTIVE', 'INACTIVE'],
    ] as const) {
      await main.cluster.setState(state, true);
      expect(await rejection(() => service.add(ROOT, 'bob', 'x'))).toBe(code);
      expect(await rejection(() => service.update(ROOT, 'ann', 'x'))).toBe(code);
      expect(await rejection(() => service.remove(ROOT, 'ann'))).toBe(code);
    }
    expect([...users.passwords]).toEqual([
      ['root', 'root'],
      ['ann', 'first'],
    ]);
  });

  test('are changed by the manager; others change their own password', async () => {
    const { service, logIn, users } = openService();
    await service.add(ROOT, 'ann', 'first');
    const ann = await logIn('ann', 'first');
    expect(await rejection(() => service.add(ann, 'bob', 'x'))).toBe('USER_OPERATION');
    expect(await rejection(() => service.update(ann, 'root', 'x'))).toBe('USER_OPERATION');
    expect(await rejection(() => service.remove(ann, 'root'))).toBe('USER_OPERATION');
    expect(await rejection(() => service.update(ann, 'ann', 'second'))).toBe('OLD_PASSWORD_WRONG');
    await service.update({ ...ann, byPassword: true }, 'ann', 'second');
    expect(await rejection(() => service.add(ROOT, 'ann#17', 'x'))).toBe('USER_OPERATION');
    expect(users.passwords.get('ann')).toBe('second');
    expect(await rejection(() => logIn('ann', 'first'))).toBe('CREDENTIALS_WRONG');
  });

  test('lose their sessions with a change, on every service, but for the one that made it', async () => {
    const one = openService();
    const two = openService(one.users, one.main);
    await one.service.add(ROOT, 'ann', 'first');
    const [own, other] = [await one.logIn('ann', 'first'), await two.logIn('ann', 'first')];
    expect(await two.sessionOf(other.token)).toBeDefined();
    await one.service.update({ ...own, byPassword: true }, 'ann', 'second');
    expect(await one.sessionOf(own.token)).toBeDefined();
    expect(await one.sessionOf(other.token)).toBeUndefined();
    two.clock.advance(TRUST_MS);
    expect(await two.sessionOf(other.token)).toBeUndefined();
    await one.service.remove(ROOT, 'ann');
    expect(await one.sessionOf(own.token)).toBeUndefined();
  });
});

describe('the grid of a user', () => {
  test('is opened once, with the password of the login; the first user has the main one', async () => {
    const { service, logIn, grids, main, users } = openService();
    expect(await grids.gridOf(await logIn('root', 'root'))).toBe(main);
    await service.add(ROOT, 'ann', 'first');
    const ann = await logIn('ann', 'first');
    const grid = await grids.gridOf(ann);
    expect(grid).not.toBe(main);
    expect(await grids.gridOf(ann)).toBe(grid);
    expect(await grids.gridOf(await logIn('ann', 'first'))).toBe(grid);
    expect(users.opened).toEqual(['ann']);
  });

  test('can be opened by another service with the same secret, and by no other', async () => {
    const one = openService();
    await one.service.add(ROOT, 'ann', 'first');
    const ann = await one.logIn('ann', 'first');
    expect(await rejection(() => openService(one.users, one.main, 'other').grids.gridOf(ann))).toBe('TOKEN_UNKNOWN');
    await openService(one.users, one.main).grids.gridOf(ann);
    expect(one.users.opened).toEqual(['ann']);
  });

  test('ends when the password was changed elsewhere: the session is unknown', async () => {
    const { service, logIn, grids, users } = openService();
    await service.add(ROOT, 'ann', 'first');
    const ann = await logIn('ann', 'first');
    users.passwords.set('ann', 'changed');
    expect(await rejection(() => grids.gridOf(ann))).toBe('TOKEN_UNKNOWN');
  });

  test('is not for whoever has no session', async () => {
    const { grids } = openService();
    const anonymous = { user: 'ann', token: null, subjectId: null };
    expect(await rejection(() => grids.gridOf(anonymous))).toBe('CREDENTIALS_WRONG');
  });

  test('is closed when nobody used it for long, and when others need its place', async () => {
    const { service, logIn, grids, users, clock } = openService();
    for (const name of ['ann', 'bob', 'cy']) {
      await service.add(ROOT, name, 'x');
      await grids.gridOf(await logIn(name, 'x'));
    }
    await Promise.resolve();
    expect(users.closed).toEqual(['ann']);
    clock.advance(IDLE_MS + 60_000);
    await Bun.sleep(0);
    expect(users.closed.toSorted()).toEqual(['ann', 'bob', 'cy']);
  });

  test('is closed with the service', async () => {
    const { service, logIn, grids, users } = openService();
    await service.add(ROOT, 'ann', 'x');
    await grids.gridOf(await logIn('ann', 'x'));
    await grids.close();
    expect(users.closed).toEqual(['ann']);
  });
});
