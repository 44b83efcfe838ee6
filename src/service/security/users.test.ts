import { beforeAll, describe, expect, spyOn, test } from 'bun:test';
import { ManualClock } from '../../../test/fixtures/base/manual-clock.ts';
import { plainPasswords } from '../../../test/fixtures/security/plain-passwords.ts';
import { openModelGrid } from '../../../test/model/model-grid.ts';
import { gridError } from '../../base/errors.ts';
import { createMutex } from '../../base/maybe-promise.ts';
import type { Caller } from '../../commands/context.ts';
import { addAccount, findAccount } from './accounts.ts';
import { Attempts } from './attempts.ts';
import { createAuthenticator } from './authenticator.ts';
import { Passwords } from './passwords.ts';
import { SecurityEpoch } from './security-epoch.ts';
import { Sessions } from './sessions.ts';
import { createUserService, DISABLED_SERVICES, forbiddenNames, seedUsers } from './users.ts';

const caller = (user: string, token: string | null = null): Caller => ({ user, token, subjectId: null });
const SVC = caller('svc');
const withPassword = (user: string): Caller => ({ ...caller(user), byPassword: true });
const OLD_PASSWORD =
  'To change your own password, send the old one as oldPassword of updateuser, or log in with the request itself';

/** With `isHashed`, passwords are hashed as in the service, which takes as long. */
async function start({ needsOldPassword = true, isHashed = false } = {}) {
  const clock = new ManualClock();
  const { records, cluster } = openModelGrid({ clock });
  const epoch = new SecurityEpoch();
  const passwords = isHashed ? new Passwords({ clock, targetMs: 100 }) : plainPasswords;
  const sessions = new Sessions({
    records,
    findAccount: (user) => findAccount(records, user),
    clock,
    epoch,
    timeoutMs: 30_000,
    consoleTimeoutMs: 3_600_000,
    maxSessions: 100,
    trustMs: Number.MAX_SAFE_INTEGER,
    onRenewalFailed: () => {},
    onEvicted: () => {},
  });
  const made: string[] = [];
  const known = new Set(['user', 'shop', 'brief']);
  const seed = (adminPassword?: string, users: Array<{ name: string; password: string }> = []) =>
    seedUsers({
      records,
      passwords,
      defaultUser: 'svc',
      adminPassword,
      users,
      generated: { create: () => 'a random one', tell: (user, password) => made.push(user, password) },
    });
  const attempts = new Attempts({
    clock,
    clients: { isShared: () => false },
    maxFailures: 10,
    maxNetworkFailures: 10,
    maxBackoffMs: 60_000,
  });
  const logins = createAuthenticator({ records, clock, attempts, passwords });
  const service = createUserService({
    records,
    state: () => cluster.state(),
    passwords,
    sessions,
    epoch,
    defaultUser: 'svc',
    manages: ({ user }) => user === 'svc' || user === 'boss',
    needsOldPassword,
    changes: createMutex(),
    minimumPasswordLength: 1,
    rolesOfNew: [],
    checkRoles: async (_caller, _user, roles) => {
      for (const role of roles) if (!known.has(role)) throw gridError('ROLE_NOT_FOUND', role);
      // It is removed as soon as it has been found.
      known.delete('brief');
    },
  });
  return { clock, records, cluster, sessions, service, seed, made, logins };
}

type Running = Awaited<ReturnType<typeof start>>;

async function outcome(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
    return 'done';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

test('a user whose statement has the own name without quotes is told to write them', async () => {
  const { service } = await start();
  await service.add(SVC, 'ann', 'a');
  const remedyOf = (name: string) =>
    service.update(withPassword('ann'), name, 'p').then(
      () => undefined,
      (error: unknown) => Object(error).remedy,
    );
  expect(await remedyOf('ANN')).toEndWith('into upper case: write "ann".');
  expect(await remedyOf('BOB')).toBe('Correct what the text names.');
  expect(await remedyOf('ann')).toBeUndefined();
});

describe('user operations', () => {
  const long = 'x'.repeat(60);
  const cases: ReadonlyArray<readonly [string, (service: Running['service']) => Promise<void>, string]> = [
    ['a manager adds a user', (service) => service.add(SVC, 'bob', 'p'), 'done'],
    ['a manager by role adds a user', (service) => service.add(caller('boss'), 'bob', 'p'), 'done'],
    ['a user of that name exists', (service) => service.add(SVC, 'ann', 'p'), 'User already exists [login=ann]'],
    ['letter case makes another user', (service) => service.add(SVC, 'Ann', 'p'), 'done'],
    ['an empty name', (service) => service.add(SVC, '', 'p'), 'User name is empty'],
    ['an empty password', (service) => service.add(SVC, 'bob', ''), 'Password is empty'],
    ['a name of 59 bytes', (service) => service.add(SVC, long.slice(1), 'p'), 'done'],
    [
      'a name of 60 bytes',
      (service) => service.add(SVC, long, 'p'),
      'User name is too long. The user name length must be less then 60 bytes in UTF8',
    ],
    [
      'a name of 30 characters and 60 bytes',
      (service) => service.add(SVC, 'ä'.repeat(30), 'p'),
      'User name is too long. The user name length must be less then 60 bytes in UTF8',
    ],
    [
      'an ordinary user adds one',
      (service) => service.add(caller('ann'), 'bob', 'p'),
      'User management operations are not allowed for user. [curUser=ann]',
    ],
    [
      'an ordinary user removes one',
      (service) => service.remove(caller('ann'), 'svc'),
      'User management operations are not allowed for user. [curUser=ann]',
    ],
    [
      'an ordinary user changes the password of another',
      (service) => service.update(caller('ann'), 'svc', 'p'),
      'User management operations are not allowed for user. [curUser=ann]',
    ],
    ['an ordinary user changes the own password', (service) => service.update(withPassword('ann'), 'ann', 'p'), 'done'],
    [
      'an ordinary user changes the own password without the old one',
      (service) => service.update(caller('ann'), 'ann', 'p'),
      OLD_PASSWORD,
    ],
    [
      'a manager changes the own password without the old one',
      (service) => service.update(SVC, 'svc', 'p'),
      OLD_PASSWORD,
    ],
    [
      'a dry run of a change of the own password without the old one',
      (service) => service.check(SVC, { kind: 'update', name: 'svc', password: 'p' }),
      OLD_PASSWORD,
    ],
    ...[
      ...['jwt:bob', 'ann#17', '#', 'a\nb', 'a\u0000', 'a\u007f'],
      // Zero width, right to left, full width, a ligature, a combining accent, a soft hyphen, half of a pair.
      ...[
        'an\u200bn',
        'ann\u202e',
        '\uff41nn',
        'o\ufb03ce',
        'jose\u0301',
        'a\u00adnn',
        'a\ud800',
        'a\u3164',
        'a\u00a0b',
        ' ann',
        'ann ',
      ],
      ...['ann\ufe0f', '\u2066ann', 'a\u{e0061}', 'ann\u2028', '\u212bke'],
    ].map(
      (name) =>
        [
          `the name ${JSON.stringify(name)}`,
          (service: Running['service']) => service.add(SVC, name, 'p'),
          'User name must not begin with jwt: or contain #, control characters, invisible characters, or those that look ' +
            `like others, such as full-width forms and separate accents [login=${name}]`,
        ] as const,
    ),
    ...[
      'jos\u00e9',
      '\u5f20\u4f1f',
      '\u0410\u043d\u043d\u0430',
      'ann@example.com',
      '\u062f\u0627\u0646\u0629',
      'Bj\u00f6rn 2',
    ].map(
      (name) => [`the name ${name}`, (service: Running['service']) => service.add(SVC, name, 'p'), 'done'] as const,
    ),
    ['a name that contains jwt:', (service) => service.add(SVC, 'my jwt:bob', 'p'), 'done'],
    ['a manager changes the password of another', (service) => service.update(SVC, 'ann', 'p'), 'done'],
    ['the password of nobody', (service) => service.update(SVC, 'bob', 'p'), "User doesn't exist [userName=bob]"],
    ['a new password is empty', (service) => service.update(SVC, 'ann', ''), 'Password is empty'],
    ['removing nobody', (service) => service.remove(SVC, 'bob'), "User doesn't exist [userName=bob]"],
    ['removing the empty name', (service) => service.remove(SVC, ''), "User doesn't exist [userName=]"],
    ['removing the default user', (service) => service.remove(SVC, 'svc'), 'Default user cannot be removed.'],
    ['removing a user', (service) => service.remove(SVC, 'ann'), 'done'],
    [
      'removing twice',
      (service) => service.remove(SVC, 'ann').then(() => service.remove(SVC, 'ann')),
      "User doesn't exist [userName=ann]",
    ],
  ];
  for (const [title, work, expected] of cases) {
    test(title, async () => {
      const { service } = await start();
      await service.add(SVC, 'ann', 'a');
      expect(await outcome(() => work(service))).toBe(expected);
    });
  }

  test('the option lets users change the own password without the old one', async () => {
    const { service } = await start({ needsOldPassword: false });
    await service.add(SVC, 'ann', 'a');
    expect(await outcome(() => service.update(caller('ann'), 'ann', 'p'))).toBe('done');
  });

  test.each([
    [undefined, []],
    [
      ['user', 'user', 'shop'],
      ['user', 'shop'],
    ],
    [[], []],
  ])('a new user with the roles %j has %j', async (roles, stored) => {
    const { service, records } = await start();
    await service.add(SVC, 'ann', 'a', roles);
    expect((await findAccount(records, 'ann'))?.roles).toEqual(stored);
  });

  test.each([
    ['that the caller may not give', 'nobody'],
    ['that is removed while the password is hashed', 'brief'],
  ])('a user is not added with a role %s', async (_, role) => {
    const { service, records } = await start();
    expect(await outcome(() => service.add(SVC, 'ann', 'a', [role]))).toContain(role);
    expect(await findAccount(records, 'ann')).toBeUndefined();
  });

  test('users whose names are forbidden by now stay, and are found', async () => {
    const { service, records, logins } = await start();
    await service.add(SVC, 'ann', 'a');
    const account = await findAccount(records, 'ann');
    if (account === undefined) throw new Error('ann is missing');
    for (const name of ['jwt:bob', 'ann#17', 'an\u200bn']) await addAccount(records, { ...account, name });
    expect(await forbiddenNames(records)).toEqual(['ann#17', 'an\u200bn', 'jwt:bob']);
    expect((await logins.check('an\u200bn', 'a', '10.0.0.1')).name).toBe('an\u200bn');
    expect((await logins.check('jwt:bob', 'a', '10.0.0.1')).name).toBe('jwt:bob');
    await service.remove(SVC, 'jwt:bob');
    expect(await forbiddenNames(records)).toEqual(['ann#17', 'an\u200bn']);
  });

  test('an inactive cluster rejects all of them, a read-only one none', async () => {
    const { service, cluster } = await start();
    await cluster.setState('ACTIVE_READ_ONLY', false);
    expect(await outcome(() => service.add(SVC, 'ann', 'a'))).toBe('done');
    await cluster.setState('INACTIVE', true);
    for (const work of [
      () => service.add(SVC, 'bob', 'p'),
      () => service.update(SVC, 'ann', 'p'),
      () => service.remove(SVC, 'ann'),
    ]) {
      expect(await outcome(work)).toStartWith('Can not perform the operation because the cluster is inactive');
    }
  });

  test('without authentication all are rejected', async () => {
    for (const work of [
      () => DISABLED_SERVICES.users.add(SVC, 'a', 'b'),
      () => DISABLED_SERVICES.users.update(SVC, 'a', 'b'),
      () => DISABLED_SERVICES.users.remove(SVC, 'a'),
    ]) {
      expect(await outcome(work)).toBe('Operation cannot be performed: security disabled.');
    }
  });

  test('a removed user who is changed at the same time stays removed', async () => {
    const { service, records } = await start();
    await service.add(SVC, 'ann', 'a');
    await Promise.allSettled([service.update(SVC, 'ann', 'b'), service.remove(SVC, 'ann')]);
    expect(await findAccount(records, 'ann')).toBeUndefined();
  });

  test('the own change of a password keeps the session it came from and ends the others', async () => {
    const { service, records, sessions } = await start();
    await service.add(SVC, 'ann', 'a');
    const account = await findAccount(records, 'ann');
    if (account === undefined) throw new Error('ann is missing');
    const [own, other] = [await sessions.open(account), await sessions.open(account)];
    await service.update({ ...caller('ann', own.token), byPassword: true }, 'ann', 'b');
    expect(await sessions.find(own.token)).toBeDefined();
    expect(await sessions.find(other.token)).toBeUndefined();
  });
});

describe('logging in', () => {
  let running: Running;
  beforeAll(async () => {
    running = await start();
    await running.seed('secret', [{ name: 'ann', password: 'a' }]);
  });

  const wrong = (name: string | null) => `The user name or password is incorrect [userName=${name}]`;
  const cases: ReadonlyArray<readonly [string, string | undefined, string | undefined, string]> = [
    ['the default user', 'svc', 'secret', 'done'],
    ['the same again, recognised', 'svc', 'secret', 'done'],
    ['a declared user', 'ann', 'a', 'done'],
    ['a wrong password', 'svc', 'Secret', wrong('svc')],
    ['another letter case of the name', 'SVC', 'secret', wrong('SVC')],
    ['nobody', 'nobody', 'x', wrong('nobody')],
    ['an empty password', 'svc', '', wrong('svc')],
    ['no password', 'svc', undefined, wrong('svc')],
    ['no name', undefined, 'secret', wrong(null)],
    ['a password longer than any', 'svc', 'x'.repeat(2_000), wrong('svc')],
  ];
  for (const [title, name, password, expected] of cases) {
    test(title, async () => {
      expect(await outcome(() => running.logins.check(name, password, '10.0.0.1'))).toBe(expected);
    });
  }

  test('the old password is not recognised after a change', async () => {
    await running.logins.check('ann', 'a', '10.0.0.2');
    await running.service.update(SVC, 'ann', 'b');
    expect(await outcome(() => running.logins.check('ann', 'a', '10.0.0.2'))).toBe(wrong('ann'));
    expect(await outcome(() => running.logins.check('ann', 'b', '10.0.0.2'))).toBe('done');
  });

  test('many at once with the right password all get in', async () => {
    const { logins, seed } = await start();
    await seed('secret');
    const all = await Promise.allSettled(Array.from({ length: 15 }, () => logins.check('svc', 'secret', '10.0.0.3')));
    expect(all.every((each) => each.status === 'fulfilled')).toBe(true);
  });

  test('an address that failed too often has to wait for its turn', async () => {
    const { logins, seed, clock } = await start();
    await seed('secret');
    for (let n = 0; n < 10; n++) await outcome(() => logins.check(`nobody${n}`, 'x', '10.0.0.7'));
    let done = '';
    const waiting = outcome(() => logins.check('svc', 'secret', '10.0.0.7')).then((text) => (done = text));
    await Bun.sleep(150);
    expect(done).toBe('');
    clock.advance(1_000);
    await waiting;
    expect(done).toBe('done');
  }, 20_000);

  test('guessing from one network is slowed down, and locks nobody out elsewhere', async () => {
    const { logins, seed, clock } = await start({ isHashed: true });
    await seed('secret');
    await logins.check('svc', 'secret', '10.0.0.4');
    const guesses = Array.from({ length: 30 }, (_, n) => outcome(() => logins.check('svc', `guess${n}`, '10.0.0.5')));
    const answers = await Promise.all(guesses);
    const checked = answers.filter((answer) => answer === wrong('svc')).length;
    expect(checked).toBeGreaterThanOrEqual(10);
    expect(checked).toBeLessThanOrEqual(11);
    expect(await outcome(() => logins.check('svc', 'secret', '10.0.0.5'))).toStartWith('Too many failed attempts');
    expect(await outcome(() => logins.check('svc', 'secret', '10.0.0.4'))).toBe('done');
    expect(await outcome(() => logins.check('svc', 'secret', '10.0.0.6'))).toBe('done');
    clock.advance(61_000);
    expect(await outcome(() => logins.check('svc', 'secret', '10.0.0.5'))).toBe('done');
  }, 20_000);

  test('a guesser beside a user does not lock the user out', async () => {
    const { logins, seed } = await start();
    await seed('secret');
    await logins.check('svc', 'secret', '10.0.0.4');
    for (let n = 0; n < 10; n++) await outcome(() => logins.check('svc', `guess${n}`, '10.0.0.4'));
    expect(await outcome(() => logins.check('svc', 'guess', '10.0.0.4'))).toStartWith('Too many failed attempts');
    expect(await outcome(() => logins.check('svc', 'secret', '10.0.0.4'))).toBe('done');
    for (let n = 0; n < 100; n++) await outcome(() => logins.check('svc', `guess${n}`, '10.0.0.4'));
    expect(await outcome(() => logins.check('svc', 'secret', '10.0.0.4'))).toStartWith('Too many failed attempts');
  }, 20_000);

  test('a user that does not exist costs one hash with the same parameters', async () => {
    const { logins, seed } = await start({ isHashed: true });
    await seed('secret');
    await outcome(() => logins.check('nobody', 'first', '10.0.0.8'));
    const verify = spyOn(Bun.password, 'verify');
    try {
      const costs: string[] = [];
      for (const name of ['svc', 'nobody', 'x'.repeat(500)]) {
        verify.mockClear();
        await outcome(() => logins.check(name, 'guess', '10.0.0.8'));
        // The part of the text before salt and hash: algorithm, version, memory, passes and lanes.
        costs.push(verify.mock.calls.map(([, hash]) => String(hash).split('$').slice(0, 4).join('$')).join());
      }
      expect(costs[0]).toMatch(/^\$argon2id\$v=\d+\$m=\d+,t=\d+,p=\d+$/);
      expect(new Set(costs).size).toBe(1);
    } finally {
      verify.mockRestore();
    }
  });

  test('a user that exists and one that does not are rejected alike', async () => {
    const { logins, seed } = await start();
    await seed('secret');
    const texts = { known: new Set<string>(), unknown: new Set<string>() };
    for (const [who, name] of [
      ['unknown', 'nobody'],
      ['known', 'svc'],
    ] as const) {
      const text = await outcome(() => logins.check(name, 'guess', '10.0.0.1'));
      texts[who].add(text.replace(name, 'NAME'));
    }
    expect(texts.known).toEqual(texts.unknown);
  });
});

describe('the first users', () => {
  test('a random password of the default user is told once and works', async () => {
    const { seed, made, logins } = await start({ isHashed: true });
    await seed();
    await seed();
    expect(made).toHaveLength(2);
    expect(made[0]).toBe('svc');
    expect((await logins.check('svc', made[1], '10.0.0.1')).name).toBe('svc');
  });

  test('a store that had users keeps them as they are', async () => {
    const { seed, service, logins, made } = await start();
    await seed('first', [{ name: 'ann', password: 'a' }]);
    await service.remove(SVC, 'ann');
    await seed('second', [{ name: 'ann', password: 'a' }]);
    expect((await logins.check('svc', 'first', '10.0.0.1')).name).toBe('svc');
    expect(await outcome(() => logins.check('ann', 'a', '10.0.0.1'))).toContain('incorrect');
    expect(made).toEqual([]);
  });

  test('the default user may be declared like any other', async () => {
    const { seed, made, logins } = await start();
    await seed(undefined, [{ name: 'svc', password: 'declared' }]);
    expect(made).toEqual([]);
    expect((await logins.check('svc', 'declared', '10.0.0.1')).name).toBe('svc');
  });
});
