import { beforeEach, describe, expect, test } from 'bun:test';
import { ManualClock } from '../../../../test/fixtures/base/manual-clock.ts';
import { openModelGrid } from '../../../../test/model/model-grid.ts';
import { GridError } from '../../../base/errors.ts';
import type { Caller } from '../../../commands/context.ts';
import { COMMANDS } from '../../../commands/registry.ts';
import type { ClusterState, Records } from '../../../grid/grid.ts';
import { type Account, addAccount, findAccount, removeAccount } from '../accounts.ts';
import { Attempts } from '../attempts.ts';
import { createKeyAttempts } from '../key-attempts.ts';
import { SecurityEpoch } from '../security-epoch.ts';
import { DISABLED_SERVICES } from '../users.ts';
import { idOfApiKey, isApiKey } from './api-key-records.ts';
import { createApiKeyService } from './api-key-service.ts';
import { ApiKeys } from './api-keys.ts';

const accountOf = (name: string, digit: string): Account => ({
  name,
  id: `00000000-0000-0000-0000-00000000000${digit}`,
  passwordHash: '',
  stamp: '1',
});
const ANN = accountOf('ann', 'a');
const ADMIN = accountOf('svc', 'b');
const callerOf = ({ name, id }: Account): Caller => ({ user: name, token: null, subjectId: id });
const ann = callerOf(ANN);
const admin = callerOf(ADMIN);
const NEW = { name: 'k', user: undefined, scope: undefined, addresses: undefined, rate: undefined, ttlMs: undefined };

async function codeOf(work: () => unknown): Promise<string> {
  try {
    await work();
    return '';
  } catch (error) {
    return error instanceof GridError ? error.code : String(error);
  }
}

let clock: ManualClock;
let records: Records;
let stored: Array<readonly [string, string]>;
let read: string[];
let state: ClusterState;
let epoch: SecurityEpoch;

beforeEach(async () => {
  clock = new ManualClock();
  const model = openModelGrid({ clock }).records;
  stored = [];
  read = [];
  records = {
    ...model,
    get(kind, id) {
      read.push(kind);
      return model.get(kind, id);
    },
    put(kind, id, content, expiresAtMs) {
      stored.push([kind, content]);
      return model.put(kind, id, content, expiresAtMs);
    },
    add(kind, id, content, expiresAtMs) {
      stored.push([kind, content]);
      return model.add(kind, id, content, expiresAtMs);
    },
  };
  state = 'ACTIVE';
  epoch = new SecurityEpoch();
  await addAccount(records, ANN);
  await addAccount(records, ADMIN);
});

function services(limits = { apiKeys: 4, apiKeysPerUser: 3 }) {
  const service = createApiKeyService({
    records,
    findAccount: (user) => findAccount(records, user),
    state: () => state,
    clock,
    epoch,
    limits,
    commands: COMMANDS,
    manages: ({ user, key }) => user === 'svc' && key === undefined,
    unsupportedUser: (user) => (user === 'other' ? 'for a reason' : undefined),
    knowsTables: true,
  });
  const attempts = new Attempts({
    clock,
    clients: { isShared: () => false },
    maxFailures: 3,
    maxNetworkFailures: 100,
    maxBackoffMs: 60_000,
  });
  const keyAttempts = createKeyAttempts(attempts);
  const thread = (trustMs = Number.POSITIVE_INFINITY) =>
    new ApiKeys({
      records,
      findAccount: (user) => findAccount(records, user),
      clock,
      epoch,
      keyAttempts,
      trustMs,
      onUseNotStored: () => {},
    });
  return { service, thread, keys: thread() };
}

const at = (address: string) => () => address;
const HOME = at('10.0.0.1');

describe('an API key', () => {
  test('authenticates its user, with its id and scope', async () => {
    const { service, keys } = services();
    const scope = '{"commands":["get"]}';
    const { key, id } = await service.add(ann, { ...NEW, scope });
    expect(isApiKey(key)).toBe(true);
    expect(idOfApiKey(key)).toBe(id);
    expect(await keys.find(key, HOME)).toEqual({ user: 'ann', token: null, subjectId: ANN.id, key: { id, scope } });
    expect(keys.cached(key)?.user).toBe('ann');
  });

  test('is not in any record', async () => {
    const { service, keys } = services();
    const { key, id } = await service.add(ann, NEW);
    const rotated = await service.rotate(ann, id, 1_000, undefined);
    await keys.find(rotated.key, HOME);
    const secrets = [key, rotated.key].map((text) => text.slice(-64));
    expect(stored.length).toBeGreaterThan(4);
    for (const [, content] of stored) for (const secret of secrets) expect(content).not.toContain(secret);
  });

  test('with another secret, or of an id that does not exist, has one error', async () => {
    const { service, keys } = services();
    const { key, id } = await service.add(ann, NEW);
    const wrong = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`;
    const absent = key.replace(id, '0123456789abcdef');
    for (const text of [wrong, absent]) {
      await expect(async () => keys.find(text, HOME)).toThrow(
        `The API key is unknown, expired or revoked [id=${idOfApiKey(text)}]`,
      );
    }
  });

  test('is looked up in as many steps when its id does not exist', async () => {
    const { service, keys } = services();
    const { key, id } = await service.add(ann, NEW);
    const expired = await service.add(ann, { ...NEW, name: 'expired', ttlMs: 1 });
    clock.advance(1);
    const steps = async (text: string): Promise<readonly string[]> => {
      read = [];
      await codeOf(() => keys.find(text, HOME));
      return read;
    };
    const wrong = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`;
    const all = [await steps(wrong), await steps(key.replace(id, '0123456789abcdef')), await steps(expired.key)];
    expect(all).toEqual(Array.from({ length: 3 }, () => ['apiKey', 'apiKeySecret']));
  });

  test('is rejected on every thread when it is removed', async () => {
    const { service, thread } = services();
    const threads = [thread(), thread()];
    const { key, id } = await service.add(ann, NEW);
    for (const each of threads) expect((await each.find(key, HOME)).user).toBe('ann');
    await service.remove(ann, id);
    for (const each of threads) {
      expect(each.cached(key)).toBeUndefined();
      expect(await codeOf(() => each.find(key, HOME))).toBe('API_KEY_UNKNOWN');
    }
  });

  test('is rejected on other processes when its trust ends', async () => {
    const { service, thread } = services();
    const other = new ApiKeys({
      records,
      findAccount: (user) => findAccount(records, user),
      clock,
      epoch: new SecurityEpoch(),
      keyAttempts: { failed: () => {} },
      trustMs: 1_000,
      onUseNotStored: () => {},
    });
    const { key, id } = await service.add(ann, NEW);
    await thread().find(key, HOME);
    await other.find(key, HOME);
    await service.remove(ann, id);
    clock.advance(1_000);
    expect(await codeOf(() => other.find(key, HOME))).toBe('API_KEY_UNKNOWN');
  });

  test('ends with its user, and does not come back with a user of the same name', async () => {
    const { service, keys } = services();
    const { key } = await service.add(ann, NEW);
    await keys.find(key, HOME);
    await removeAccount(records, 'ann');
    epoch.raise();
    expect(await codeOf(() => keys.find(key, HOME))).toBe('API_KEY_UNKNOWN');
    await addAccount(records, accountOf('ann', 'c'));
    expect(await codeOf(() => keys.find(key, HOME))).toBe('API_KEY_UNKNOWN');
    await service.removeAll('ann');
    expect(await service.list(admin, undefined)).toEqual([]);
  });

  test('expires, also in the cache, and is then listed as expired', async () => {
    const { service, keys } = services();
    const { key, id } = await service.add(ann, { ...NEW, ttlMs: 5_000 });
    await keys.find(key, HOME);
    clock.advance(4_999);
    expect((await keys.find(key, HOME)).user).toBe('ann');
    clock.advance(1);
    expect(await codeOf(() => keys.find(key, HOME))).toBe('API_KEY_UNKNOWN');
    expect(await service.list(ann, undefined)).toMatchObject([{ id, expired: true, expiresAt: null }]);
    expect(await codeOf(() => service.rotate(ann, id, 0, undefined))).toBe('API_KEY_INVALID');
    const renewed = await service.rotate(ann, id, 0, 1_000);
    expect((await keys.find(renewed.key, HOME)).user).toBe('ann');
    expect(await codeOf(() => keys.find(key, HOME))).toBe('API_KEY_UNKNOWN');
  });

  test('has two secrets during the overlap after a rotation', async () => {
    const { service, keys } = services();
    const first = await service.add(ann, { ...NEW, ttlMs: 60_000 });
    await keys.find(first.key, HOME);
    const second = await service.rotate(ann, first.id, 10_000, undefined);
    expect(second).toMatchObject({ id: first.id, name: 'k', user: 'ann', expiresAt: first.expiresAt });
    for (const { key } of [first, second]) expect((await keys.find(key, HOME)).user).toBe('ann');
    expect(await service.list(ann, undefined)).toMatchObject([{ overlapUntil: second.overlapUntil }]);
    clock.advance(10_000);
    expect(await codeOf(() => keys.find(first.key, HOME))).toBe('API_KEY_UNKNOWN');
    expect((await keys.find(second.key, HOME)).user).toBe('ann');
    const third = await service.rotate(ann, first.id, 0, undefined);
    expect(await codeOf(() => keys.find(second.key, HOME))).toBe('API_KEY_UNKNOWN');
    expect((await keys.find(third.key, HOME)).user).toBe('ann');
  });

  test('is accepted from its addresses only', async () => {
    const { service, keys } = services();
    const { key } = await service.add(ann, { ...NEW, addresses: '10.0.0.0/8, 192.168.1.5' });
    for (const address of ['10.1.2.3', '192.168.1.5', '10.1.2.3']) {
      expect((await keys.find(key, at(address))).user).toBe('ann');
    }
    for (const address of ['11.0.0.1', '192.168.1.6', '::1']) {
      await expect(async () => keys.find(key, at(address))).toThrow(`address ${address} in the scope of the API key`);
    }
  });

  test('stores its last use at most once a minute', async () => {
    const { service, keys } = services();
    const { key } = await service.add(ann, NEW);
    expect(await service.list(ann, undefined)).toMatchObject([{ lastUsedAt: null }]);
    const uses = () => stored.filter(([kind]) => kind === 'apiKeyUse').length;
    for (let second = 0; second < 60; second++) {
      await keys.find(key, HOME);
      clock.advance(1_000);
    }
    expect(uses()).toBe(1);
    await keys.find(key, HOME);
    expect(uses()).toBe(2);
    epoch.raise();
    await keys.find(key, HOME);
    expect(uses()).toBe(2);
    expect(await service.list(ann, undefined)).toMatchObject([{ lastUsedAt: new Date(clock.nowMs()).toISOString() }]);
  });

  test('is not delayed by wrong guesses for its id, which back off whether the id exists or not', async () => {
    const { service, keys, thread } = services();
    const { key, id } = await service.add(ann, NEW);
    await keys.find(key, HOME);
    const guesses = (text: string) =>
      Promise.all(Array.from({ length: 6 }, (_, at) => codeOf(() => keys.find(`${text.slice(0, -1)}${at}`, HOME))));
    const own = (await guesses(key.endsWith('6') ? key : `${key.slice(0, -1)}6`)).filter((code) => code !== '').sort();
    const absent = (await guesses(key.replace(id, 'ffffffffffffffff'))).sort();
    expect(absent).toContain('TOO_MANY_ATTEMPTS');
    expect(absent.filter((code) => code === 'API_KEY_UNKNOWN')).toHaveLength(3);
    expect(own.filter((code) => code === 'API_KEY_UNKNOWN')).toHaveLength(3);
    expect((await keys.find(key, HOME)).user).toBe('ann');
    expect((await thread().find(key, HOME)).user).toBe('ann');
  });
});

describe('management', () => {
  const rejections: ReadonlyArray<readonly [string, Caller, Partial<typeof NEW> | Record<string, unknown>, string]> = [
    ['an empty name', ann, { name: '' }, 'API_KEY_INVALID'],
    ['a long name', ann, { name: 'n'.repeat(101) }, 'API_KEY_INVALID'],
    ['an invisible name', ann, { name: 'k\u200by' }, 'API_KEY_INVALID'],
    ['a full-width name', ann, { name: '\uff4bey' }, 'API_KEY_INVALID'],
    ['no time to live', ann, { ttlMs: 0 }, 'API_KEY_INVALID'],
    ['more than ten years', ann, { ttlMs: 11 * 365 * 24 * 3_600_000 }, 'API_KEY_INVALID'],
    ['a wrong network', ann, { addresses: '10.0.0.0/40' }, 'API_KEY_INVALID'],
    ['too many networks', ann, { addresses: Array(101).fill('10.0.0.1').join() }, 'API_KEY_INVALID'],
    ['a wrong rate', ann, { rate: '5' }, 'API_KEY_INVALID'],
    ['a scope that is no JSON', ann, { scope: '{' }, 'API_KEY_INVALID'],
    ['a scope that is a list', ann, { scope: '[]' }, 'API_KEY_INVALID'],
    ['a long scope', ann, { scope: `{"commands":["${'c'.repeat(4_096)}"]}` }, 'API_KEY_INVALID'],
    ['an unknown member', ann, { scope: '{"cache":{}}' }, 'API_KEY_INVALID'],
    ['an unknown command', ann, { scope: '{"commands":["gett"]}' }, 'API_KEY_INVALID'],
    ['an unknown group', ann, { scope: '{"commands":["@entries"]}' }, 'API_KEY_INVALID'],
    ['an unknown right', ann, { scope: '{"caches":{"*":["look"]}}' }, 'API_KEY_INVALID'],
    ['an unknown word', ann, { scope: '{"tables":{"*":"look"}}' }, 'API_KEY_INVALID'],
    ['rights that are no object', ann, { scope: '{"caches":["a"]}' }, 'API_KEY_INVALID'],
    ['commands that are no list', ann, { scope: '{"commands":"get"}' }, 'API_KEY_INVALID'],
    ['an unknown administration right', ann, { scope: '{"administration":["all"]}' }, 'API_KEY_INVALID'],
    ['another user', ann, { user: 'svc' }, 'USER_OPERATION'],
    ['a user that does not exist', admin, { user: 'nobody' }, 'USER_NOT_FOUND'],
    ['a user who cannot have keys', admin, { user: 'other' }, 'NOT_SUPPORTED'],
  ];
  for (const [title, caller, key, code] of rejections) {
    test(`rejects ${title}`, async () => {
      const { service } = services();
      expect(await codeOf(() => service.add(caller, { ...NEW, ...key }))).toBe(code);
      expect(await service.list(admin, undefined)).toEqual([]);
    });
  }

  test('shows and changes only the own keys, and those of all users for an administrator', async () => {
    const { service, keys } = services();
    const own = await service.add(ann, NEW);
    const other = await service.add(admin, { ...NEW, addresses: '::1' });
    const made = await service.add(admin, { ...NEW, user: 'ann', name: 'by svc', scope: '{"caches":{"a":"read"}}' });
    const names = async (caller: Caller, user?: string) => (await service.list(caller, user)).map(({ id }) => id);
    expect(await names(ann)).toEqual([made.id, own.id]);
    expect(await names(admin)).toEqual([made.id, own.id, other.id]);
    expect(await names(admin, 'ann')).toEqual([made.id, own.id]);
    expect(await codeOf(() => service.list(ann, 'svc'))).toBe('USER_OPERATION');
    expect(JSON.stringify(await service.list(admin, undefined))).not.toContain(other.key.slice(-64));
    expect(await service.list(ann, undefined)).toMatchObject([
      {
        name: 'by svc',
        createdBy: 'svc',
        scope: { caches: { a: 'read' } },
        addresses: null,
        rate: null,
        expired: false,
      },
      { name: 'k', createdBy: 'ann', scope: null },
    ]);
    for (const work of [
      () => service.remove(ann, other.id),
      () => service.rotate(ann, other.id, 0, undefined),
      () => service.remove(ann, '0123456789abcdef'),
      () => service.remove(ann, 'no id'),
    ]) {
      expect(await codeOf(work)).toBe('API_KEY_NOT_FOUND');
    }
    await service.remove(ann, made.id);
    await service.remove(admin, own.id);
    expect(await names(admin)).toEqual([other.id]);
    expect((await keys.find(other.key, at('::1'))).user).toBe('svc');
  });

  test('bounds the keys of one user and of all, and their names are unique', async () => {
    const { service } = services();
    const add = (caller: Caller, name: string) => codeOf(() => service.add(caller, { ...NEW, name }));
    expect(await add(ann, 'a')).toBe('');
    expect(await add(ann, 'a')).toBe('API_KEY_EXISTS');
    expect(await Promise.all(['b', 'c', 'd'].map((name) => add(ann, name)))).toEqual(['', '', 'API_KEY_LIMIT']);
    expect(await add(admin, 'a')).toBe('');
    expect(await add(admin, 'b')).toBe('API_KEY_LIMIT');
  });

  test('changes nothing while the cluster is inactive', async () => {
    const { service } = services();
    const { id } = await service.add(ann, NEW);
    state = 'INACTIVE';
    for (const work of [
      () => service.add(ann, { ...NEW, name: 'b' }),
      () => service.rotate(ann, id, 0, undefined),
      () => service.remove(ann, id),
    ]) {
      expect(await codeOf(work)).toBe('INACTIVE');
    }
  });

  test('is disabled without authentication', async () => {
    for (const work of [
      () => DISABLED_SERVICES.apiKeys.add(ann, NEW),
      () => DISABLED_SERVICES.apiKeys.list(ann, undefined),
      () => DISABLED_SERVICES.apiKeys.rotate(ann, 'x', 0, undefined),
      () => DISABLED_SERVICES.apiKeys.remove(ann, 'x'),
    ]) {
      expect(await codeOf(work)).toBe('SECURITY_DISABLED');
    }
  });
});
