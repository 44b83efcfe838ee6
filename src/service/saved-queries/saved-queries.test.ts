import { beforeEach, describe, expect, test } from 'bun:test';
import { ManualClock } from '../../../test/fixtures/base/manual-clock.ts';
import { openModelGrid } from '../../../test/model/model-grid.ts';
import { GridError } from '../../base/errors.ts';
import type { Caller } from '../../commands/context.ts';
import type { ClusterState } from '../../grid/grid.ts';
import { createSavedQueryService, type OwnSavedQueryService } from './saved-query-service.ts';

const callerOf = (user: string, subjectId = `${user}-id`): Caller => ({ user, token: null, subjectId });
const ann = callerOf('ann');
const bob = callerOf('bob');
const admin = callerOf('svc');
const NEW = { name: 'q', qry: 'SELECT :a', cacheName: undefined, parameters: undefined, shared: false };
const SAME = { ...NEW, name: undefined, qry: undefined, shared: undefined, revision: undefined };

let clock: ManualClock;
let state: ClusterState;
let accounts: Map<string, string>;
let service: OwnSavedQueryService;

beforeEach(() => {
  clock = new ManualClock();
  state = 'ACTIVE';
  accounts = new Map([ann, bob, admin].map(({ user }) => [user, `${user}-id`]));
  service = createSavedQueryService({
    records: openModelGrid({ clock }).records,
    state: () => state,
    clock,
    limits: { savedQueries: 3, savedQueriesPerUser: 2 },
    manages: ({ user }) => user === 'svc',
    accountIdOf: (user) => accounts.get(user),
  });
});

async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => '',
    (error: unknown) => (error instanceof GridError ? error.code : String(error)),
  );
}
const namesFor = async (caller: Caller, user?: string) => (await service.list(caller, user)).map(({ name }) => name);

describe('who reads and changes a saved query', () => {
  test('one that is not shared: its owner, and administrators who ask for it', async () => {
    const { id } = await service.add(ann, NEW);
    expect(await namesFor(ann)).toEqual(['q']);
    expect(await namesFor(bob)).toEqual([]);
    expect(await namesFor(bob, 'ann')).toEqual([]);
    expect(await namesFor(admin)).toEqual([]);
    expect(await namesFor(admin, 'ann')).toEqual(['q']);
    expect(await service.get(ann, id)).toMatchObject({ qry: 'SELECT :a', user: 'ann', changeable: true });
    expect(await service.get(admin, id)).toMatchObject({ changeable: true });
    // The same response as for a missing query: the id may have been guessed.
    const asBob = [service.get(bob, id), service.update(bob, id, SAME), service.remove(bob, id)];
    expect(await Promise.all(asBob.map(codeOf))).toEqual(Array(3).fill('SAVED_QUERY_NOT_FOUND'));
  });

  test('one that is shared: everybody reads it, its owner and administrators change it', async () => {
    const { id } = await service.add(ann, { ...NEW, shared: true });
    for (const caller of [ann, bob, admin]) expect(await namesFor(caller)).toEqual(['q']);
    expect(await service.list(bob, undefined)).toMatchObject([{ user: 'ann', shared: true, changeable: false }]);
    expect(await service.get(bob, id)).toMatchObject({ qry: 'SELECT :a', changeable: false });
    expect(await codeOf(service.update(bob, id, { ...SAME, name: 'b' }))).toBe('SAVED_QUERY_FORBIDDEN');
    expect(await codeOf(service.remove(bob, id))).toBe('SAVED_QUERY_FORBIDDEN');
    expect(await service.update(admin, id, { ...SAME, name: 'r' })).toMatchObject({
      name: 'r',
      user: 'ann',
      changedBy: 'svc',
    });
    await service.update(ann, id, { ...SAME, shared: false });
    expect(await codeOf(service.get(bob, id))).toBe('SAVED_QUERY_NOT_FOUND');
    await service.remove(admin, id);
    expect(await namesFor(ann)).toEqual([]);
  });

  test('a new user of the name of a removed one owns none of the queries', async () => {
    const shared = await service.add(ann, { ...NEW, name: 'shared', shared: true });
    const own = await service.add(ann, NEW);
    accounts.delete('ann');
    await service.removeAll('ann');
    const other = callerOf('ann', 'another id');
    expect(await service.list(other, undefined)).toMatchObject([{ id: shared.id, user: 'ann', changeable: false }]);
    expect(await codeOf(service.get(admin, own.id))).toBe('SAVED_QUERY_NOT_FOUND');
    expect(await codeOf(service.remove(other, shared.id))).toBe('SAVED_QUERY_FORBIDDEN');
    await service.remove(admin, shared.id);
  });

  test('queries of a user who is there again stay', async () => {
    await service.add(ann, NEW);
    await service.removeAll('ann');
    expect(await namesFor(ann)).toEqual(['q']);
  });
});

describe('changes', () => {
  test('only what is named changes, and each change has a revision and a time', async () => {
    const parameters = '[{"name":"a","label":"A"}]';
    const { id } = await service.add(ann, { ...NEW, cacheName: 'shop', parameters });
    clock.advance(1_000);
    const changed = await service.update(ann, id, { ...SAME, qry: 'SELECT 2' });
    expect(changed).toMatchObject({ name: 'q', qry: 'SELECT 2', cacheName: 'shop', shared: false, revision: 2 });
    expect(changed.parameters).toEqual([{ name: 'a', label: 'A', type: 'string', default: null }]);
    expect(Date.parse(changed.changedAt) - Date.parse(changed.createdAt)).toBe(1_000);
    expect(await service.update(ann, id, { ...SAME, cacheName: '', parameters: '' })).toMatchObject({
      cacheName: null,
      parameters: [],
    });
    const { qry: _qry, cacheName: _cacheName, parameters: _parameters, ...description } = await service.get(ann, id);
    expect(await service.list(ann, undefined)).toEqual([description]);
  });

  test('a change of an older revision is rejected', async () => {
    const { id, revision } = await service.add(ann, NEW);
    const both = [1, 2].map((at) => codeOf(service.update(ann, id, { ...SAME, qry: `SELECT ${at}`, revision })));
    expect(await Promise.all(both)).toEqual(['', 'SAVED_QUERY_CHANGED']);
    expect(await service.get(ann, id)).toMatchObject({ qry: 'SELECT 1', revision: 2 });
  });

  test('names are unique for each owner, also when a query is renamed', async () => {
    const { id } = await service.add(ann, NEW);
    await service.add(ann, { ...NEW, name: 'r' });
    expect(await codeOf(service.add(bob, NEW))).toBe('');
    expect(await codeOf(service.update(ann, id, { ...SAME, name: 'r' }))).toBe('SAVED_QUERY_EXISTS');
    expect(await codeOf(service.update(ann, id, { ...SAME, name: 'q' }))).toBe('');
  });

  test('limits count the queries of one user, and of all', async () => {
    const add = (caller: Caller, name: string) => codeOf(service.add(caller, { ...NEW, name }));
    expect(await Promise.all(['a', 'b', 'c'].map((name) => add(ann, name)))).toEqual(['', '', 'SAVED_QUERY_LIMIT']);
    expect(await add(bob, 'a')).toBe('');
    expect(await add(bob, 'b')).toBe('SAVED_QUERY_LIMIT');
  });

  test('nothing is read or changed while the cluster is inactive', async () => {
    const { id } = await service.add(ann, NEW);
    state = 'INACTIVE';
    const all = [
      service.list(ann, undefined),
      service.get(ann, id),
      service.add(ann, { ...NEW, name: 'r' }),
      service.update(ann, id, SAME),
      service.remove(ann, id),
    ];
    expect(await Promise.all(all.map(codeOf))).toEqual(Array(5).fill('INACTIVE'));
  });
});
