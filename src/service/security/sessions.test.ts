import { describe, expect, test } from 'bun:test';
import { ManualClock } from '../../../test/fixtures/base/manual-clock.ts';
import { openModelGrid } from '../../../test/model/model-grid.ts';
import type { Records } from '../../grid/grid.ts';
import { type Account, addAccount, findAccount, removeAccount, replaceAccount } from './accounts.ts';
import { SecurityEpoch } from './security-epoch.ts';
import { isToken, Sessions, sessionIdOf } from './sessions.ts';

const ANN: Account = { name: 'ann', id: '00000000-0000-0000-0000-00000000000a', passwordHash: '', stamp: 's1' };

async function start(timeoutMs = 30_000, maxSessions = 100, lifetimeMs?: number) {
  const clock = new ManualClock();
  let writes = 0;
  const stored = openModelGrid({ clock }).records;
  const records: Records = {
    ...stored,
    put(...args) {
      writes++;
      return stored.put(...args);
    },
    replace(...args) {
      writes++;
      return stored.replace(...args);
    },
  };
  const epoch = new SecurityEpoch();
  const create = (trustMs = Number.MAX_SAFE_INTEGER) =>
    new Sessions({
      records,
      findAccount: (user) => findAccount(records, user),
      clock,
      epoch,
      timeoutMs,
      consoleTimeoutMs: 3_600_000,
      lifetimeMs,
      maxSessions,
      trustMs,
      onRenewalFailed: () => {},
      onEvicted: () => {},
    });
  await addAccount(records, ANN);
  return { clock, records, epoch, create, sessions: create(), writes: () => writes };
}

describe('form of a token', () => {
  const cases: ReadonlyArray<readonly [string, boolean]> = [
    ['ABABABABABABABABABABABABABABABAB', true],
    ['abababababababababababababababab', true],
    ['ABABABABABABABABABABABABABABABA', false],
    ['ABABABABABABABABABABABABABABABABA', false],
    ['GBABABABABABABABABABABABABABABAB', false],
    ['ABABABABABABABABABABABABABABABAB\n', false],
    ['zz', false],
    ['', false],
  ];
  for (const [text, is] of cases) test(`${JSON.stringify(text)}: ${is}`, () => expect(isToken(text)).toBe(is));
});

describe('life of a session', () => {
  /** Each use: the wait in ms before it, and whether the session still exists then. */
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<readonly [number, boolean]>]> = [
    ['lives for the time after its start', [[29_999, true]]],
    ['has ended a tenth later at the latest', [[33_000, false]]],
    [
      'slides with each use',
      [
        [20_000, true],
        [20_000, true],
        [20_000, true],
        [29_999, true],
      ],
    ],
    [
      'ends after its last use',
      [
        [20_000, true],
        [33_000, false],
        [0, false],
      ],
    ],
    [
      'is not cut short by the throttle of renewals',
      [
        [1, true],
        [2_998, true],
        [29_999, true],
      ],
    ],
  ];
  for (const [title, uses] of cases) {
    test(title, async () => {
      const { clock, sessions } = await start();
      const { token } = await sessions.open(ANN);
      for (const [waitMs, epoch] of uses) {
        clock.advance(waitMs);
        expect((await sessions.find(token)) !== undefined).toBe(epoch);
      }
    });
  }

  test('has a time of its own for the console, also after another thread has renewed it', async () => {
    const { clock, sessions, create } = await start();
    const other = create();
    const { token } = await sessions.open(ANN, undefined, true);
    clock.advance(3_599_999);
    expect(await other.find(token)).toBeDefined();
    clock.advance(3_599_999);
    expect(await sessions.find(token)).toBeDefined();
    clock.advance(3_600_000 * 1.1);
    expect(await sessions.find(token)).toBeUndefined();
  });

  test('is written at most once in a tenth of its time', async () => {
    const { clock, sessions, writes } = await start();
    const { token } = await sessions.open(ANN);
    const before = writes();
    for (let use = 0; use < 100; use++) {
      clock.advance(100);
      sessions.find(token);
    }
    expect(writes() - before).toBe(3);
  });

  test('a use on one thread keeps it alive on another', async () => {
    const { clock, sessions, create } = await start();
    const other = create();
    const { token } = await sessions.open(ANN);
    expect(await other.find(token)).toBeDefined();
    clock.advance(25_000);
    expect(await sessions.find(token)).toBeDefined();
    clock.advance(25_000);
    expect(await other.find(token)).toBeDefined();
  });
});

describe('what ends sessions at once, on every thread', () => {
  const cases: ReadonlyArray<readonly [string, (records: Records) => Promise<unknown>]> = [
    ['the user is removed', (records) => removeAccount(records, 'ann')],
    ['the password is changed', (records) => replaceAccount(records, { ...ANN, stamp: 's2' })],
    [
      'the user is removed and added again',
      async (records) => {
        await removeAccount(records, 'ann');
        await addAccount(records, { ...ANN, id: '00000000-0000-0000-0000-00000000000b' });
      },
    ],
  ];
  for (const [title, change] of cases) {
    test(title, async () => {
      const { records, epoch, sessions, create, clock } = await start();
      const other = create();
      const { token } = await sessions.open(ANN);
      await sessions.find(token);
      await other.find(token);
      await change(records);
      epoch.raise();
      expect(await sessions.find(token)).toBeUndefined();
      expect(await other.find(token)).toBeUndefined();
      clock.advance(5_000);
      expect(await sessions.find(token)).toBeUndefined();
    });
  }

  test('a renewal under way when the user is removed brings nothing back', async () => {
    const { clock, records, epoch, sessions } = await start();
    const { token } = await sessions.open(ANN);
    await sessions.find(token);
    clock.advance(4_000);
    const replace = records.replace.bind(records);
    let land = () => {};
    records.replace = (...args) => new Promise((resolve) => (land = () => resolve(replace(...args))));
    sessions.find(token);
    await removeAccount(records, 'ann');
    epoch.raise();
    land();
    expect(await sessions.find(token)).toBeUndefined();
  });

  test('a renewal of another thread that is stored after the end brings nothing back', async () => {
    const { clock, records, sessions, create } = await start();
    const other = create();
    const { token } = await sessions.open(ANN);
    await other.find(token);
    clock.advance(4_000);
    // The other thread's write is in flight when this one ends the session.
    const held = Promise.withResolvers<void>();
    const { put, replace } = records;
    records.put = (...args) => held.promise.then(() => put(...args));
    records.replace = (...args) => held.promise.then(() => replace(...args));
    other.find(token);
    expect(await sessions.end([sessionIdOf(token)])).toBe(1);
    held.resolve();
    await Bun.sleep(1);
    expect(await records.list('session')).toEqual([]);
    for (const each of [sessions, other]) expect(await each.find(token)).toBeUndefined();
  });

  test('the session that changed the password goes on', async () => {
    const { records, epoch, sessions } = await start();
    const kept = await sessions.open(ANN);
    const ended = await sessions.open(ANN);
    const changed = { ...ANN, stamp: 's2' };
    await replaceAccount(records, changed);
    await sessions.keep(kept.token, changed);
    epoch.raise();
    expect(await sessions.find(kept.token)).toEqual(kept);
    expect(await sessions.find(ended.token)).toBeUndefined();
  });

  test('a change made by another service is seen when the trust ends', async () => {
    const { clock, records, create } = await start();
    const sessions = create(1_000);
    const { token } = await sessions.open(ANN);
    await sessions.find(token);
    await removeAccount(records, 'ann');
    clock.advance(1_000);
    expect(await sessions.find(token)).toBeUndefined();
  });
});

describe('tokens', () => {
  test('are accepted in any letter case and stored only as a hash', async () => {
    const { records, sessions } = await start();
    const session = await sessions.open(ANN);
    expect(session.token).toMatch(/^[0-9A-F]{32}$/);
    expect(await sessions.find(session.token.toLowerCase())).toEqual(session);
    expect(JSON.stringify(await records.list('session')).toUpperCase()).not.toContain(session.token);
  });

  test('differ from login to login, the user id does not', async () => {
    const { sessions } = await start();
    const [first, second] = [await sessions.open(ANN), await sessions.open(ANN)];
    expect(first.token).not.toBe(second.token);
    expect(first.userId).toBe(second.userId);
  });

  test('cannot be guessed: unknown tokens write nothing and are not remembered', async () => {
    const { sessions, writes } = await start();
    const { token } = await sessions.open(ANN);
    const before = writes();
    Bun.gc(true);
    const heap = process.memoryUsage().heapUsed;
    for (let n = 0; n < 50_000; n++) {
      const guess = n.toString(16).padStart(32, '0');
      if ((await sessions.find(guess)) !== undefined) throw new Error(guess);
    }
    Bun.gc(true);
    expect(process.memoryUsage().heapUsed - heap).toBeLessThan(5_000_000);
    expect(writes()).toBe(before);
    expect((await sessions.find(token))?.user).toBe('ann');
  });

  test('have tokens whose 128 bits are all random', async () => {
    const { sessions } = await start(30_000, 10_000);
    const ones = new Array<number>(128).fill(0);
    for (let n = 0; n < 400; n++) {
      const bits = BigInt(`0x${(await sessions.open(ANN)).token}`);
      for (let bit = 0; bit < 128; bit++) if ((bits >> BigInt(bit)) & 1n) ones[bit] = (ones[bit] ?? 0) + 1;
    }
    // Six standard deviations from a half: one run in ten million fails by chance.
    for (const count of ones) expect(Math.abs(count - 200)).toBeLessThan(60);
  });

  describe('when all are used', () => {
    const accountOf = (name: string): Account => ({ ...ANN, name });
    async function startShared(maxSessions: number) {
      const { records, clock, epoch } = await start();
      for (const user of ['bob', 'eve', 'svc']) await records.put('user', user, JSON.stringify(accountOf(user)));
      const evicted: string[] = [];
      const sessions = new Sessions({
        records,
        findAccount: (user) => findAccount(records, user),
        clock,
        epoch,
        timeoutMs: 30_000,
        consoleTimeoutMs: 3_600_000,
        maxSessions,
        trustMs: Number.POSITIVE_INFINITY,
        isAdministrator: (user) => user === 'svc',
        onRenewalFailed: () => {},
        onEvicted: (user) => evicted.push(user),
      });
      return { sessions, clock, evicted };
    }

    test('a single user may have all, and one more is rejected', async () => {
      const { sessions, evicted } = await startShared(20);
      for (let count = 0; count < 20; count++) await sessions.open(ANN);
      await expect(sessions.open(ANN)).rejects.toMatchObject({ code: 'SESSION_LIMIT' });
      expect(evicted).toEqual([]);
    });

    test('the user with the most loses those least recently used, until all have equal shares', async () => {
      const { sessions, clock, evicted } = await startShared(20);
      const tokens: string[] = [];
      for (let count = 0; count < 20; count++) {
        tokens.push((await sessions.open(ANN)).token);
        clock.advance(10);
      }
      clock.advance(4_000);
      // The first session is in use: its renewal makes the second one the least recently used.
      expect((await sessions.find(tokens[0] ?? ''))?.user).toBe('ann');
      await Bun.sleep(10);
      for (let count = 0; count < 10; count++) await sessions.open(accountOf('bob'));
      await expect(sessions.open(accountOf('bob'))).rejects.toMatchObject({ code: 'USER_SHARE' });
      expect(evicted).toEqual(Array.from({ length: 10 }, () => 'ann'));
      const found = await Promise.all(tokens.map(async (token) => (await sessions.find(token)) !== undefined));
      expect(found.map((valid, index) => (valid ? index : -1)).filter((index) => index >= 0)).toEqual([
        0, 11, 12, 13, 14, 15, 16, 17, 18, 19,
      ]);
    });

    test('an administrator always gets one', async () => {
      const { sessions, evicted } = await startShared(2);
      for (const user of ['ann', 'bob']) await sessions.open(accountOf(user));
      await expect(sessions.open(accountOf('eve'))).rejects.toMatchObject({ code: 'USER_SHARE' });
      expect((await sessions.open(accountOf('svc'))).user).toBe('svc');
      expect(evicted.length).toBe(1);
    });
  });

  test('beyond the limit are rejected until one expires', async () => {
    const { clock, sessions } = await start(30_000, 3);
    for (let count = 0; count < 3; count++) await sessions.open(ANN);
    await expect(sessions.open(ANN)).rejects.toMatchObject({ code: 'SESSION_LIMIT' });
    clock.advance(33_001);
    expect((await sessions.open(ANN)).user).toBe('ann');
  });
});

describe('lifetime of a session', () => {
  test('a session ends after it, however much it is used, on every thread', async () => {
    const { clock, create, sessions, writes } = await start(30_000, 100, 100_000);
    const { token } = await sessions.open(ANN);
    const other = create();
    for (let second = 0; second < 99; second++) {
      clock.advance(1_000);
      for (const each of [sessions, other]) expect((await each.find(token))?.user).toBe('ann');
    }
    const before = writes();
    clock.advance(999);
    expect((await sessions.find(token))?.user).toBe('ann');
    // Nothing renews a session that ends before its idle time.
    expect(writes()).toBe(before);
    clock.advance(1);
    for (const each of [sessions, other, create()]) expect(await each.find(token)).toBeUndefined();
  });

  test('a session that is not used ends earlier', async () => {
    const { clock, sessions } = await start(30_000, 100, 100_000);
    const { token } = await sessions.open(ANN);
    clock.advance(33_001);
    expect(await sessions.find(token)).toBeUndefined();
  });

  test('a new password does not lengthen it', async () => {
    const { clock, records, sessions } = await start(30_000, 100, 50_000);
    const { token } = await sessions.open(ANN);
    clock.advance(20_000);
    const changed = { ...ANN, stamp: 's2' };
    await replaceAccount(records, changed);
    await sessions.keep(token, changed);
    clock.advance(29_000);
    expect((await sessions.find(token))?.user).toBe('ann');
    clock.advance(1_000);
    expect(await sessions.find(token)).toBeUndefined();
  });
});
