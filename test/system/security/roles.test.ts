/** Stored roles over sockets: a change takes effect on every thread at once, and survives restarts and backups. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, queryOf, type ServiceProcess, startService } from '../service-process.ts';

setDefaultTimeout(60_000);

const PASSWORD = 'pw-of-all';
const READER = JSON.stringify({ commands: ['@entry', 'noop', 'rolelist'], caches: { 'shop*': 'read' } });

const root = newFolder();
const dataDir = join(root, 'data');
const ENVIRONMENT = {
  SVC_WORKERS: '2',
  SVC_AUTHENTICATION: 'true',
  SVC_ADMIN_PASSWORD: PASSWORD,
  SVC_BACKUP_FOLDER: join(root, 'backups'),
};
const start = (folder: string) => startService({ dataDir: folder, env: ENVIRONMENT });

let service: ServiceProcess;
let admin: string;
beforeAll(async () => {
  service = await start(dataDir);
  admin = await logIn('svc');
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  rmSync(root, { recursive: true, force: true });
});

type Parameters = Readonly<Record<string, string>>;

async function logIn(user: string): Promise<string> {
  const { sessionToken } = await service.send(
    queryOf({ cmd: 'authenticate', 'svc.login': user, 'svc.password': PASSWORD }),
  );
  return String(sessionToken);
}
const as = (token: string, params: Parameters) => service.send(queryOf({ ...params, sessionToken: token }));
const change = async (params: Parameters): Promise<void> => {
  expect(await as(admin, params)).toMatchObject({ successStatus: 0, response: true });
};
/** Returns the statuses of a request over many connections, so that all threads get some. */
async function statusesOf(token: string, params: Parameters): Promise<readonly number[]> {
  const headers = { Authorization: `Bearer ${token}`, Connection: 'close' };
  const answers = await Promise.all(Array.from({ length: 12 }, () => service.send(queryOf(params), { headers })));
  return [...new Set(answers.map(({ successStatus }) => successStatus))];
}

const PUT = { cmd: 'put', cacheName: 'shop', key: 'a', val: '1' };
const GET = { cmd: 'get', cacheName: 'shop', key: 'a' };

test('a change holds at once, in open sessions and for API keys, on every thread', async () => {
  await change({ cmd: 'adduser', user: 'ann', password: PASSWORD, roles: 'user' });
  await as(admin, { cmd: 'getorcreate', cacheName: 'shop' });
  const ann = await logIn('ann');
  const { response: issued } = await as(ann, { cmd: 'apikeyadd', name: 'k' });
  const { key } = issued as { readonly key: string };
  for (const token of [ann, key]) expect(await statusesOf(token, PUT)).toEqual([0]);
  await change({ cmd: 'roleadd', name: 'reader', rights: READER });
  await change({ cmd: 'roleassign', user: 'ann', roles: 'reader' });
  for (const token of [ann, key]) {
    expect(await statusesOf(token, PUT)).toEqual([3]);
    expect(await statusesOf(token, GET)).toEqual([0]);
  }
  await change({ cmd: 'roleupdate', name: 'reader', rights: '{"caches":{"shop*":"write"}}' });
  for (const token of [ann, key]) expect(await statusesOf(token, PUT)).toEqual([0]);
  await change({ cmd: 'roleassign', user: 'ann', roles: 'admin' });
  expect(await statusesOf(ann, { cmd: 'sessionlist', user: 'svc' })).toEqual([0]);
  await change({ cmd: 'roleassign', user: 'ann', roles: '' });
  expect(await statusesOf(ann, { cmd: 'roleadd', name: 'x', rights: '{}' })).toEqual([3]);
});

test('a user keeps the roles with a new password, and a new user of the name does not get them', async () => {
  await change({ cmd: 'roleupdate', name: 'reader', rights: READER });
  await change({ cmd: 'adduser', user: 'bea', password: PASSWORD, roles: 'user' });
  await change({ cmd: 'roleassign', user: 'bea', roles: 'reader' });
  await change({ cmd: 'updateuser', user: 'bea', password: PASSWORD });
  expect(await statusesOf(await logIn('bea'), PUT)).toEqual([3]);
  await change({ cmd: 'removeuser', user: 'bea' });
  await change({ cmd: 'adduser', user: 'bea', password: PASSWORD, roles: 'user' });
  expect(await statusesOf(await logIn('bea'), PUT)).toEqual([0]);
});

test('the roles in a JSON body are an array of strings, or one string', async () => {
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${admin}` };
  const askJson = async (path: string, body: unknown) => {
    const answer = await fetch(`${service.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return ((await answer.json()) as { response: unknown }).response;
  };
  const rolesOfCleo = async () => {
    const users = (await askJson('', { cmd: 'userlist' })) as ReadonlyArray<{ name: string; roles: unknown }>;
    return users.find(({ name }) => name === 'cleo')?.roles;
  };
  const added = { cmd: 'adduser', user: 'cleo', password: PASSWORD, roles: ['reader', 'user'] };
  expect(await askJson('', { ...added, cmd: 'dryrun', of: 'adduser' })).toMatchObject({
    effects: [{ change: 'added' }],
  });
  expect(await askJson('', added)).toBe(true);
  expect(await rolesOfCleo()).toEqual(['reader', 'user']);
  const assigned = ['reader', [], ['user']].map((roles) => ({ cmd: 'roleassign', user: 'cleo', roles }));
  expect(await askJson('/batch', assigned)).toMatchObject(assigned.map(() => ({ response: true })));
  expect(await rolesOfCleo()).toEqual(['user']);
  expect(readFileSync(join(dataDir, 'log', 'audit.log'), 'utf8')).toContain('"about":"cleo","roles":"reader,user"');
});

test('a dry run tells the change, or its error, and changes nothing', async () => {
  const { response } = await as(admin, { cmd: 'dryrun', of: 'roleadd', name: 'possible', rights: '{}' });
  expect(response).toMatchObject({ effects: [{ role: 'possible', change: 'added' }] });
  const dry = { cmd: 'dryrun', of: 'rolermv', name: 'possible' };
  expect((await as(admin, dry)).error).toContain('There is no role with this name');
});

test('restarts and backups keep roles, and the audit log has their changes', async () => {
  await change({ cmd: 'roleassign', user: 'ann', roles: 'reader' });
  expect((await as(admin, { cmd: 'backup', name: 'kept' })).error).toBeNull();
  await service.stop();
  const audit = readFileSync(join(dataDir, 'log', 'audit.log'), 'utf8');
  for (const line of [
    '"command":"roleadd","status":0,"name":"reader"',
    '"command":"roleupdate","status":0,"name":"reader"',
    '"command":"roleassign","status":0,"about":"ann","roles":"reader"',
  ]) {
    expect(audit).toContain(line);
  }
  const restored = join(root, 'restored');
  const program = join(import.meta.dir, '../../../src/main.ts');
  const [backup = ''] = readdirSync(ENVIRONMENT.SVC_BACKUP_FOLDER);
  const file = join(ENVIRONMENT.SVC_BACKUP_FOLDER, backup);
  const child = Bun.spawn([process.execPath, program, 'restore', file, '--to', restored], { stdout: 'ignore' });
  expect(await child.exited).toBe(0);
  for (const folder of [restored, dataDir]) {
    service = await start(folder);
    const ann = await logIn('ann');
    expect(await statusesOf(ann, PUT)).toEqual([3]);
    expect(await statusesOf(ann, GET)).toEqual([0]);
    const { response } = await as(ann, { cmd: 'rolelist' });
    expect(response).toEqual([expect.objectContaining({ name: 'reader', source: 'stored', users: ['ann'] })]);
    if (folder === restored) await service.stop();
  }
});
