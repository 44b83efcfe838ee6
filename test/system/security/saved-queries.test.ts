/**
 * Saved queries over sockets: their owners, the effect of removing a user, and that they survive restarts and backups.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, queryOf, type ServiceProcess, startService } from '../service-process.ts';

setDefaultTimeout(60_000);

const PASSWORD = 'pw-of-all';
const root = newFolder();
const dataDir = join(root, 'data');
const ENVIRONMENT = {
  SVC_WORKERS: '2',
  SVC_AUTHENTICATION: 'true',
  SVC_ADMIN_PASSWORD: PASSWORD,
  SVC_BACKUP_FOLDER: join(root, 'backups'),
};
const start = (folder: string, env: Readonly<Record<string, string>> = ENVIRONMENT) =>
  startService({ dataDir: folder, env });

type Parameters = Readonly<Record<string, string>>;
interface Saved {
  readonly id: string;
}

let service: ServiceProcess;
const as = (user: string, params: Parameters) =>
  service.send(queryOf({ ...params, 'svc.login': user, 'svc.password': PASSWORD }));
const save = async (user: string, params: Parameters): Promise<Saved> =>
  (await as(user, { cmd: 'savedqueryadd', ...params })).response as Saved;
/** Returns what requests over many connections return, so that all threads get some. */
async function onAllThreads(user: string, params: Parameters): Promise<readonly unknown[]> {
  const { sessionToken } = await as(user, { cmd: 'authenticate' });
  const headers = { Authorization: `Bearer ${sessionToken}`, Connection: 'close' };
  const answers = await Promise.all(Array.from({ length: 8 }, () => service.send(queryOf(params), { headers })));
  return answers.map(({ response }) => response);
}

beforeAll(async () => {
  service = await start(dataDir);
  for (const user of ['ann', 'bob', 'eve']) {
    await as('svc', { cmd: 'adduser', user, password: PASSWORD, roles: user === 'eve' ? '' : 'user' });
  }
  await as('svc', { cmd: 'roleadd', name: 'few', rights: '{"commands":["noop"]}' });
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  rmSync(root, { recursive: true, force: true });
});

test('a shared query is read on every thread, and changed by its owner and by administrators alone', async () => {
  const { id } = await save('ann', { name: 'people', qry: 'SELECT name FROM people', shared: 'true' });
  const read = { cmd: 'savedqueryget', id };
  for (const response of await onAllThreads('bob', read)) {
    expect(response).toMatchObject({ id, name: 'people', user: 'ann', changeable: false });
  }
  const change = { cmd: 'savedqueryupdate', id, name: 'all people', revision: '1' };
  expect(await as('bob', change)).toMatchObject({ successStatus: 3, error: expect.stringContaining('another user') });
  expect((await as('svc', change)).response).toMatchObject({ name: 'all people', changedBy: 'svc', revision: 2 });
  for (const response of await onAllThreads('ann', read)) expect(response).toMatchObject({ name: 'all people' });
});

test('a shared query gives no rights on its tables', async () => {
  const qry = 'SELECT secret FROM salary';
  await as('svc', { cmd: 'qryfldexe', pageSize: '1', qry: 'CREATE TABLE salary (id INT PRIMARY KEY, secret INT)' });
  const { id } = await save('svc', { name: 'salary', qry, shared: 'true' });
  await as('svc', { cmd: 'roleadd', name: 'poor', rights: '{"caches":{"none":"read"}}' });
  await as('svc', { cmd: 'roleassign', user: 'eve', roles: 'poor' });
  const { response } = await as('eve', { cmd: 'savedqueryget', id });
  expect(response).toMatchObject({ qry, changeable: false });
  expect((await as('eve', { cmd: 'qryfldexe', pageSize: '1', qry })).successStatus).toBe(3);
});

test('users need a role with the commands', async () => {
  await as('svc', { cmd: 'roleassign', user: 'eve', roles: 'few' });
  expect((await as('eve', { cmd: 'savedquerylist' })).error).toContain('missing=command savedquerylist');
  await as('svc', { cmd: 'roleupdate', name: 'few', rights: '{"commands":["@savedquery"]}' });
  expect((await as('eve', { cmd: 'savedquerylist' })).successStatus).toBe(0);
  await as('svc', { cmd: 'roleassign', user: 'eve', roles: '' });
  expect((await as('eve', { cmd: 'savedquerylist' })).successStatus).toBe(3);
});

test('an API key reads what its user and its scope allow', async () => {
  const { id } = await save('ann', { name: 'own', qry: 'SELECT 1' });
  const keyOf = async (scope: string) =>
    ((await as('ann', { cmd: 'apikeyadd', name: scope, scope })).response as { readonly key: string }).key;
  const read = async (scope: string) =>
    service.send(queryOf({ cmd: 'savedqueryget', id }), { headers: { Authorization: `Bearer ${await keyOf(scope)}` } });
  expect((await read('{"commands":["@savedquery"]}')).response).toMatchObject({ qry: 'SELECT 1', changeable: true });
  expect((await read('{"commands":["get"]}')).successStatus).toBe(3);
});

test('what a removed user has shared stays for those who have its address; the rest goes', async () => {
  const own = await save('bob', { name: 'own', qry: 'SELECT 1' });
  const shared = await save('bob', { name: 'shared', qry: 'SELECT 2', shared: 'true' });
  await as('svc', { cmd: 'removeuser', user: 'bob' });
  await as('svc', { cmd: 'adduser', user: 'bob', password: PASSWORD, roles: 'user' });
  expect((await as('svc', { cmd: 'savedqueryget', id: own.id })).error).toContain('no saved query with this id');
  expect((await as('bob', { cmd: 'savedqueryget', id: shared.id })).response).toMatchObject({ changeable: false });
  expect((await as('bob', { cmd: 'savedqueryrmv', id: shared.id })).successStatus).toBe(3);
  expect((await as('svc', { cmd: 'savedqueryrmv', id: shared.id })).response).toBe(true);
});

test('restarts and backups keep saved queries, and the audit log has their changes without their texts', async () => {
  const { response: before } = await as('ann', { cmd: 'savedquerylist' });
  const parameters = JSON.stringify([{ name: 'city', label: 'City', default: 'Rome' }]);
  const { id } = await save('ann', { name: 'kept', qry: "SELECT 'private text', :city", parameters });
  const kept = { cmd: 'savedqueryget', id };
  const { response: stored } = await as('ann', kept);
  expect((await as('svc', { cmd: 'backup', name: 'kept' })).error).toBeNull();
  await service.stop();
  const audit = readFileSync(join(dataDir, 'log', 'audit.log'), 'utf8');
  expect(audit).toContain('"command":"savedqueryadd","status":0,"name":"kept"');
  expect(audit).toContain('"command":"savedqueryupdate"');
  expect(audit).not.toContain('private text');
  const restored = join(root, 'restored');
  const program = join(import.meta.dir, '../../../src/main.ts');
  const [backup = ''] = readdirSync(ENVIRONMENT.SVC_BACKUP_FOLDER);
  const file = join(ENVIRONMENT.SVC_BACKUP_FOLDER, backup);
  const child = Bun.spawn([process.execPath, program, 'restore', file, '--to', restored], { stdout: 'ignore' });
  expect(await child.exited).toBe(0);
  for (const folder of [restored, dataDir]) {
    service = await start(folder);
    expect((await as('ann', kept)).response).toEqual(stored);
    const names = (await as('ann', { cmd: 'savedquerylist' })).response as readonly unknown[];
    expect(names).toHaveLength((before as readonly unknown[]).length + 1);
    await service.stop();
  }
  // Without authentication everyone may do everything.
  service = await start(restored, { SVC_WORKERS: '2' });
  expect((await service.send(queryOf(kept))).response).toMatchObject({ user: 'ann', changeable: true });
  expect((await service.send(queryOf({ cmd: 'savedqueryrmv', id }))).response).toBe(true);
});
