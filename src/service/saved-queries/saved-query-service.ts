/**
 * Saved queries: each belongs to a user, who may share it with all others. Reading one grants nothing: a user who
 * executes it needs the rights of its statements. The process has one service, so its changes happen one after another.
 *
 * Without authentication, saved queries have no owner: all are shared, and anyone may change them. When a service gets
 * authentication later, only administrators may.
 */
import type { Clock } from '../../base/clock.ts';
import { gridError } from '../../base/errors.ts';
import { type Limits, SAVED_QUERY_BOUNDS } from '../../base/limits.ts';
import { createMutex, type MaybePromise } from '../../base/maybe-promise.ts';
import { compareTexts } from '../../base/text-order.ts';
import type { Caller, SavedQueryService } from '../../commands/context.ts';
import type {
  NewSavedQuery,
  SavedQuery,
  SavedQueryChange,
  SavedQueryDescription,
  SavedText,
} from '../../commands/saved-queries.ts';
import type { ClusterState, Records } from '../../grid/grid.ts';
import { readParameters } from './saved-parameters.ts';
import {
  findDefinition,
  findText,
  listDefinitions,
  newSavedQueryId,
  putSavedQuery,
  removeSavedQuery,
  type SavedDefinition,
} from './saved-query-records.ts';

export interface SavedQueryOptions {
  readonly records: Records;
  readonly state: () => MaybePromise<ClusterState>;
  readonly clock: Clock;
  readonly limits: Pick<Limits, 'savedQueries' | 'savedQueriesPerUser'>;
  /** Reports whether a caller may change the queries of other users; undefined if there are no users. */
  readonly manages: ((caller: Caller) => MaybePromise<boolean>) | undefined;
  /** Returns the id of a user's account, or undefined if there is no such user. */
  readonly accountIdOf: (user: string) => MaybePromise<string | undefined>;
}

/** The saved queries of a service. */
export interface OwnSavedQueryService extends SavedQueryService {
  /** Removes the unshared queries of a removed user. Shared ones stay, for those who have their address. */
  readonly removeAll: (user: string) => Promise<void>;
}

export function createSavedQueryService(options: SavedQueryOptions): OwnSavedQueryService {
  const service = new StoredQueries(options);
  // Limits, names and revisions are checked against what is stored.
  const change = createMutex();
  return {
    list: (caller, user) => service.list(caller, user),
    get: (caller, id) => service.get(caller, id),
    add: (caller, query) => change(() => service.add(caller, query)),
    update: (caller, id, changes) => change(() => service.update(caller, id, changes)),
    remove: (caller, id) => change(() => service.remove(caller, id)),
    removeAll: (user) => change(() => service.removeAll(user)),
  };
}

/** Reports whether a query is the caller's own; without authentication, all are. */
function isOwn({ user, userId }: SavedDefinition, caller: Caller): boolean {
  return user === caller.user && userId === (caller.subjectId ?? '');
}

class StoredQueries {
  readonly #options: SavedQueryOptions;

  constructor(options: SavedQueryOptions) {
    this.#options = options;
  }

  async list(caller: Caller, user: string | undefined): Promise<readonly SavedQueryDescription[]> {
    await this.#requireActive();
    const manages = await this.#manages(caller);
    const shown = [...(await listDefinitions(this.#options.records))].filter(
      ([, each]) =>
        (user === undefined || each.user === user) &&
        (each.shared || isOwn(each, caller) || (manages && user !== undefined)),
    );
    return shown
      .map(([id, each]) => describe(id, each, manages || isOwn(each, caller)))
      .sort((one, other) => compareTexts(one.name, other.name) || compareTexts(one.user ?? '', other.user ?? ''));
  }

  async get(caller: Caller, id: string): Promise<SavedQuery> {
    await this.#requireActive();
    const { definition, text, changeable } = await this.#require(caller, id);
    return { ...describe(id, definition, changeable), ...text };
  }

  async add(caller: Caller, query: NewSavedQuery): Promise<SavedQuery> {
    const { records, clock } = this.#options;
    await this.#requireActive();
    const text: SavedText = {
      qry: checkedText(query.qry),
      cacheName: query.cacheName || null,
      parameters: readParameters(query.parameters ?? ''),
    };
    const createdAtMs = clock.nowMs();
    const definition: SavedDefinition = {
      name: checkedName(query.name),
      user: caller.user,
      userId: caller.subjectId ?? '',
      shared: this.#isShared(query.shared),
      revision: 1,
      createdAtMs,
      changedAtMs: createdAtMs,
      changedBy: caller.user,
    };
    const all = await listDefinitions(records);
    this.#checkNumber(all, definition);
    checkUnique(all, definition);
    const id = newSavedQueryId();
    await putSavedQuery(records, id, definition, text);
    return { ...describe(id, definition, true), ...text };
  }

  async update(caller: Caller, id: string, change: SavedQueryChange): Promise<SavedQuery> {
    const { records, clock } = this.#options;
    await this.#requireActive();
    const { definition, text } = await this.#requireChangeable(caller, id);
    const { revision, name, qry, cacheName, parameters, shared } = change;
    if (revision !== undefined && revision !== definition.revision) {
      throw gridError('SAVED_QUERY_CHANGED', id, definition.revision);
    }
    const changedText: SavedText = {
      qry: qry === undefined ? text.qry : checkedText(qry),
      cacheName: cacheName === undefined ? text.cacheName : cacheName || null,
      parameters: parameters === undefined ? text.parameters : readParameters(parameters),
    };
    const changed: SavedDefinition = {
      ...definition,
      name: name === undefined ? definition.name : checkedName(name),
      shared: shared === undefined ? definition.shared : this.#isShared(shared),
      revision: definition.revision + 1,
      changedAtMs: clock.nowMs(),
      changedBy: caller.user,
    };
    if (changed.name !== definition.name) checkUnique(await listDefinitions(records), changed);
    await putSavedQuery(records, id, changed, changedText);
    return { ...describe(id, changed, true), ...changedText };
  }

  async remove(caller: Caller, id: string): Promise<void> {
    await this.#requireActive();
    await this.#requireChangeable(caller, id);
    await removeSavedQuery(this.#options.records, id);
  }

  async removeAll(user: string): Promise<void> {
    const { records, accountIdOf } = this.#options;
    const present = await accountIdOf(user);
    for (const [id, each] of await listDefinitions(records)) {
      if (each.user === user && each.userId !== present && !each.shared) await removeSavedQuery(records, id);
    }
  }

  async #requireActive(): Promise<void> {
    if ((await this.#options.state()) === 'INACTIVE') throw gridError('INACTIVE');
  }

  #manages(caller: Caller): MaybePromise<boolean> {
    return this.#options.manages?.(caller) ?? true;
  }

  /** Without users, no one would see unshared queries. */
  #isShared(shared: boolean): boolean {
    return shared || this.#options.manages === undefined;
  }

  /** Returns a query that the caller may read. Throws the same error for others' queries as for none. */
  async #require(caller: Caller, id: string) {
    const { records } = this.#options;
    const definition = await findDefinition(records, id);
    if (definition === undefined) throw gridError('SAVED_QUERY_NOT_FOUND', id);
    const changeable = isOwn(definition, caller) || (await this.#manages(caller));
    const text = changeable || definition.shared ? await findText(records, id) : undefined;
    if (text === undefined) throw gridError('SAVED_QUERY_NOT_FOUND', id);
    return { definition, text, changeable };
  }

  async #requireChangeable(caller: Caller, id: string) {
    const found = await this.#require(caller, id);
    if (!found.changeable) throw gridError('SAVED_QUERY_FORBIDDEN', found.definition.user, id);
    return found;
  }

  #checkNumber(all: ReadonlyMap<string, SavedDefinition>, { user, userId }: SavedDefinition): void {
    const { savedQueries, savedQueriesPerUser } = this.#options.limits;
    if (all.size >= savedQueries) throw gridError('SAVED_QUERY_LIMIT', 'all users', savedQueries);
    const own = [...all.values()].filter((each) => each.user === user && each.userId === userId);
    if (own.length >= savedQueriesPerUser) throw gridError('SAVED_QUERY_LIMIT', 'this user', savedQueriesPerUser);
  }
}

/** Throws SAVED_QUERY_EXISTS if the owner has another query of the name. */
function checkUnique(all: ReadonlyMap<string, SavedDefinition>, { name, user, userId }: SavedDefinition): void {
  const isSame = (each: SavedDefinition) => each.name === name && each.user === user && each.userId === userId;
  if ([...all.values()].some(isSame)) throw gridError('SAVED_QUERY_EXISTS', name);
}

function checkedName(name: string): string {
  const { nameCharacters } = SAVED_QUERY_BOUNDS;
  if (name.trim() === '') throw gridError('SAVED_QUERY_INVALID', 'its name is empty');
  if (/\p{Cc}/u.test(name)) throw gridError('SAVED_QUERY_INVALID', 'its name has control characters');
  if (name.length > nameCharacters) {
    throw gridError('SAVED_QUERY_INVALID', `its name has more than ${nameCharacters} characters`);
  }
  return name;
}

function checkedText(qry: string): string {
  const { textCharacters } = SAVED_QUERY_BOUNDS;
  if (qry.trim() === '') throw gridError('SAVED_QUERY_INVALID', 'it has no text');
  if (qry.length > textCharacters) {
    throw gridError('SAVED_QUERY_INVALID', `its text has more than ${textCharacters} characters`);
  }
  return qry;
}

function describe(id: string, definition: SavedDefinition, changeable: boolean): SavedQueryDescription {
  const { name, user, shared, revision, createdAtMs, changedAtMs, changedBy } = definition;
  return {
    id,
    name,
    user: user === '' ? null : user,
    shared,
    changeable,
    revision,
    createdAt: new Date(createdAtMs).toISOString(),
    changedAt: new Date(changedAtMs).toISOString(),
    changedBy: changedBy === '' ? null : changedBy,
  };
}
