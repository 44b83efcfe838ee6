/** Manages API keys. The process has one service, so that its changes happen one after another. */
import type { Clock } from '../../../base/clock.ts';
import { errorText, gridError } from '../../../base/errors.ts';
import { isoTime } from '../../../base/iso-time.ts';
import { API_KEY_BOUNDS, type Limits } from '../../../base/limits.ts';
import { splitList } from '../../../base/lists.ts';
import { createMutex, type MaybePromise } from '../../../base/maybe-promise.ts';
import { AddressSet } from '../../../base/networks.ts';
import { parseRate, RATE_FORM } from '../../../base/rates.ts';
import { compareTexts } from '../../../base/text-order.ts';
import type { CommandDeclaration } from '../../../commands/command.ts';
import type { ApiKeyDescription, ApiKeyService, Caller, IssuedApiKey, NewApiKey } from '../../../commands/context.ts';
import type { ClusterState, Records } from '../../../grid/grid.ts';
import type { Account, FindAccount } from '../accounts.ts';
import { isDisguised } from '../disguised-names.ts';
import type { SecurityEpoch } from '../security-epoch.ts';
import { hasOwnLogin } from '../users.ts';
import {
  type ApiKeyDefinition,
  type ApiKeySecrets,
  addApiKey,
  hashOfApiKey,
  isApiKeyId,
  listApiKeySecrets,
  listApiKeys,
  listApiKeyUses,
  newApiKeyId,
  newApiKeyText,
  putApiKeySecrets,
  readApiKey,
  removeApiKey,
} from './api-key-records.ts';
import { compileScope } from './key-scopes.ts';

export interface ApiKeyServiceOptions {
  readonly records: Records;
  readonly state: () => MaybePromise<ClusterState>;
  readonly findAccount: FindAccount;
  readonly clock: Clock;
  readonly epoch: SecurityEpoch;
  readonly limits: Pick<Limits, 'apiKeys' | 'apiKeysPerUser'>;
  readonly commands: readonly CommandDeclaration[];
  /** Reports whether a caller may manage other users' keys. */
  readonly manages: (caller: Caller) => MaybePromise<boolean>;
  /** Returns the reason why a user cannot have keys, or undefined if the user can. */
  readonly unsupportedUser: (user: string) => string | undefined;
  /** Whether the service knows which cache a table belongs to, so that a scope can name tables. */
  readonly knowsTables: boolean;
}

/** The API keys of a service with authentication. */
export interface OwnApiKeyService extends ApiKeyService {
  /** Removes a deleted user's keys, which were already void. */
  readonly removeAll: (user: string) => Promise<void>;
}

/** Creates the API keys of a service with authentication. */
export function createApiKeyService(options: ApiKeyServiceOptions): OwnApiKeyService {
  const service = new StoredApiKeys(options);
  // Limits and names are checked against what is stored.
  const change = createMutex();
  return {
    add: (caller, key) => change(() => service.add(caller, key)),
    list: (caller, user) => service.list(caller, user),
    rotate: (caller, id, overlapMs, ttlMs) => change(() => service.rotate(caller, id, overlapMs, ttlMs)),
    remove: (caller, id) => change(() => service.remove(caller, id)),
    removeAll: (user) => change(() => service.removeAll(user)),
  };
}

class StoredApiKeys {
  readonly #options: ApiKeyServiceOptions;

  constructor(options: ApiKeyServiceOptions) {
    this.#options = options;
  }

  async add(caller: Caller, key: NewApiKey): Promise<IssuedApiKey> {
    const { records, clock, manages, unsupportedUser, findAccount } = this.#options;
    const user = key.user ?? caller.user;
    const isOwn = user === caller.user && hasOwnLogin(caller);
    if (!isOwn && !(await manages(caller))) throw gridError('USER_MANAGEMENT_FORBIDDEN', caller.user);
    await this.#requireActive();
    const unsupported = unsupportedUser(user);
    if (unsupported !== undefined) throw gridError('NOT_SUPPORTED', 'an API key of this user', unsupported);
    const { name, scope, rate } = key;
    const addresses = this.#checked(key);
    const account = await findAccount(user);
    if (account === undefined) throw gridError('USER_NOT_FOUND', user);
    await this.#checkNumber(account, name);
    const nowMs = clock.nowMs();
    const id = newApiKeyId();
    const text = newApiKeyText(id);
    const expiresAtMs = key.ttlMs === undefined ? undefined : nowMs + key.ttlMs;
    const secrets: ApiKeySecrets = {
      hash: hashOfApiKey(text).toHex(),
      ...(expiresAtMs !== undefined && { expiresAtMs }),
    };
    // The secret first: a definition without one would be an expired key.
    await putApiKeySecrets(records, id, secrets);
    await addApiKey(records, id, {
      name,
      user,
      userId: account.id,
      ...(scope !== undefined && { scope }),
      ...(addresses !== undefined && { addresses }),
      ...(rate !== undefined && { rate }),
      createdBy: caller.user,
      createdAtMs: nowMs,
    });
    return { id, name, user, key: text, expiresAt: isoTime(expiresAtMs), overlapUntil: null };
  }

  async list(caller: Caller, user: string | undefined): Promise<readonly ApiKeyDescription[]> {
    const { records, manages } = this.#options;
    const all = await manages(caller);
    const isOwn = (user === undefined || user === caller.user) && hasOwnLogin(caller);
    if (!isOwn && !all) throw gridError('USER_MANAGEMENT_FORBIDDEN', caller.user);
    const shown = user ?? (all ? undefined : caller.user);
    const [keys, secrets, uses] = [
      await listApiKeys(records),
      await listApiKeySecrets(records),
      await listApiKeyUses(records),
    ];
    const described = [...keys]
      .filter(([, { user: owner }]) => shown === undefined || owner === shown)
      .map(([id, definition]) => this.#describe(id, definition, secrets.get(id), uses.get(id)));
    return described.sort((one, other) => compareTexts(one.user, other.user) || compareTexts(one.name, other.name));
  }

  async rotate(caller: Caller, id: string, overlapMs: number, ttlMs: number | undefined): Promise<IssuedApiKey> {
    const { records, clock, epoch } = this.#options;
    await this.#requireActive();
    const { name, user } = await this.#require(caller, id);
    checkTime('overlapMs', overlapMs, 0, API_KEY_BOUNDS.overlapMs);
    if (ttlMs !== undefined) checkTime('ttlMs', ttlMs, 1, API_KEY_BOUNDS.lifetimeMs);
    const { secrets } = await readApiKey(records, id);
    if (secrets === undefined && ttlMs === undefined) {
      throw gridError('API_KEY_INVALID', 'it has expired, so that ttlMs must say when it expires again');
    }
    const nowMs = clock.nowMs();
    const text = newApiKeyText(id);
    const expiresAtMs = ttlMs === undefined ? secrets?.expiresAtMs : nowMs + ttlMs;
    const untilMs = secrets === undefined || overlapMs === 0 ? undefined : nowMs + overlapMs;
    await putApiKeySecrets(records, id, {
      hash: hashOfApiKey(text).toHex(),
      ...(secrets !== undefined && untilMs !== undefined && { former: { hash: secrets.hash, untilMs } }),
      rotatedAtMs: nowMs,
      ...(expiresAtMs !== undefined && { expiresAtMs }),
    });
    epoch.raise();
    return { id, name, user, key: text, expiresAt: isoTime(expiresAtMs), overlapUntil: isoTime(untilMs) };
  }

  async remove(caller: Caller, id: string): Promise<void> {
    const { records, epoch } = this.#options;
    await this.#requireActive();
    await this.#require(caller, id);
    const removed = await removeApiKey(records, id);
    epoch.raise();
    if (!removed) throw gridError('API_KEY_NOT_FOUND', id);
  }

  async removeAll(user: string): Promise<void> {
    const { records, findAccount } = this.#options;
    const account = await findAccount(user);
    for (const [id, definition] of await listApiKeys(records)) {
      if (definition.user === user && definition.userId !== account?.id) await removeApiKey(records, id);
    }
  }

  async #requireActive(): Promise<void> {
    if ((await this.#options.state()) === 'INACTIVE') throw gridError('INACTIVE');
  }

  /** Returns the definition of a key that the caller may change. Throws the same error for others' keys as for none. */
  async #require(caller: Caller, id: string): Promise<ApiKeyDefinition> {
    const { records, manages } = this.#options;
    const definition = isApiKeyId(id) ? (await readApiKey(records, id)).definition : undefined;
    const isOwn = hasOwnLogin(caller) && definition?.user === caller.user && definition.userId === caller.subjectId;
    if (definition === undefined || (!isOwn && !(await manages(caller)))) throw gridError('API_KEY_NOT_FOUND', id);
    return definition;
  }

  /** Throws API_KEY_INVALID. Returns the addresses. */
  #checked({ name, scope, addresses, rate, ttlMs }: NewApiKey): readonly string[] | undefined {
    const { nameCharacters, scopeCharacters } = API_KEY_BOUNDS;
    if (name === '') throw gridError('API_KEY_INVALID', 'its name is empty');
    if (isDisguised(name)) {
      throw gridError('API_KEY_INVALID', 'its name has invisible characters, or characters that look like others');
    }
    if (name.length > nameCharacters) {
      throw gridError('API_KEY_INVALID', `its name has more than ${nameCharacters} characters`);
    }
    if (ttlMs !== undefined) checkTime('ttlMs', ttlMs, 1, API_KEY_BOUNDS.lifetimeMs);
    if (rate !== undefined && parseRate(rate) === undefined)
      throw gridError('API_KEY_INVALID', `rate must be ${RATE_FORM}`);
    if (scope !== undefined && scope.length > scopeCharacters) {
      throw gridError('API_KEY_INVALID', `scope has more than ${scopeCharacters} characters`);
    }
    if (scope !== undefined) this.#checkScope(scope);
    return addresses === undefined ? undefined : addressesOf(addresses);
  }

  #checkScope(scope: string): void {
    const { commands, knowsTables } = this.#options;
    let role: ReturnType<typeof compileScope>;
    try {
      role = compileScope(scope, commands);
    } catch (error) {
      throw gridError('API_KEY_INVALID', errorText(error));
    }
    if (role.tables.length > 0 && !knowsTables) {
      const reason = 'the service does not know which cache of the cluster a table belongs to';
      throw gridError('NOT_SUPPORTED', 'tables in the scope of an API key', reason);
    }
  }

  /** Throws API_KEY_EXISTS and API_KEY_LIMIT. */
  async #checkNumber({ name: user, id: userId }: Account, name: string): Promise<void> {
    const { records, limits } = this.#options;
    const keys = await listApiKeys(records);
    if (keys.size >= limits.apiKeys) throw gridError('API_KEY_LIMIT', 'all users', limits.apiKeys);
    const own = [...keys.values()].filter((key) => key.user === user && key.userId === userId);
    if (own.some((key) => key.name === name)) throw gridError('API_KEY_EXISTS', user, name);
    if (own.length >= limits.apiKeysPerUser) throw gridError('API_KEY_LIMIT', 'this user', limits.apiKeysPerUser);
  }

  #describe(
    id: string,
    { name, user, scope, addresses, rate, createdBy, createdAtMs }: ApiKeyDefinition,
    secrets: ApiKeySecrets | undefined,
    usedAtMs: number | undefined,
  ): ApiKeyDescription {
    const overlapMs = secrets?.former?.untilMs;
    return {
      id,
      name,
      user,
      scope: scope === undefined ? null : JSON.parse(scope),
      addresses: addresses ?? null,
      rate: rate ?? null,
      createdBy,
      createdAt: new Date(createdAtMs).toISOString(),
      rotatedAt: isoTime(secrets?.rotatedAtMs),
      overlapUntil: overlapMs !== undefined && overlapMs > this.#options.clock.nowMs() ? isoTime(overlapMs) : null,
      expiresAt: isoTime(secrets?.expiresAtMs),
      expired: secrets === undefined,
      lastUsedAt: isoTime(usedAtMs),
    };
  }
}

function addressesOf(text: string): readonly string[] {
  const addresses = splitList('addresses', text);
  if (addresses.length > API_KEY_BOUNDS.addresses) {
    throw gridError('API_KEY_INVALID', `it has more than ${API_KEY_BOUNDS.addresses} addresses`);
  }
  try {
    void new AddressSet(addresses);
  } catch (error) {
    throw gridError('API_KEY_INVALID', `addresses: ${errorText(error)}`);
  }
  return addresses;
}

function checkTime(name: string, ms: number, least: number, most: number): void {
  if (ms < least || ms > most) throw gridError('API_KEY_INVALID', `${name} must be from ${least} to ${most}`);
}
