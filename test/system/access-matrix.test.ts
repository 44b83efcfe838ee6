/**
 * Sends every command anonymously, with each role, with an expired token, from another site and with invalid
 * signatures. The expected outcome is derived from the command's declaration.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandDeclaration, Permission } from '../../src/commands/command.ts';
import { COMMANDS } from '../../src/commands/registry.ts';
import { type Answer, newFolder, type ServiceProcess, startService } from './service-process.ts';

/** The outcome of the access checks. `runs` includes errors of the command itself, such as missing parameters. */
type AccessOutcome =
  | 'runs'
  | 'not logged in'
  | 'wrong credentials'
  | 'unknown token'
  | 'no permission'
  | 'no user management'
  | 'wrong signature'
  | 'foreign site';

const SECRET = 'matrix-key';
const sha1 = (text: string) => createHash('sha1').update(text).digest('base64');
const SIGNED = `17:${sha1(`17:${SECRET}`)}`;
const PASSWORDS: Readonly<Record<string, string>> = {
  svc: 'pw-svc',
  ann: 'pw-ann',
  rita: 'pw-rita',
  otto: 'pw-otto',
  nora: 'pw-nora',
  wim: 'pw-wim',
};
const CONFIGURATION = {
  authentication: true,
  adminPassword: PASSWORDS.svc,
  secretKey: SECRET,
  rest: { sessionTimeout: 1 },
  users: ['ann', 'rita', 'otto', 'nora', 'wim'].map((name) => ({ name, password: PASSWORDS[name] })),
  permissions: {
    roles: {
      reader: { commands: ['@entry', '@bulk', '@query'], caches: { 'shop.*': 'read' } },
      operator: { commands: ['@cluster', 'log'], administration: ['state', 'log'] },
      nothing: {},
      writer: { caches: { 'shop.*': ['put', 'remove'] } },
    },
    users: { rita: ['reader'], otto: ['operator'], nora: ['nothing'], wim: ['writer'] },
  },
};

let service: ServiceProcess;

beforeAll(async () => {
  const file = join(newFolder(), 'svc.config.ts');
  writeFileSync(file, `export default ${JSON.stringify(CONFIGURATION)};`);
  service = await startService({ args: ['--config', file] });
}, 60_000);
afterAll(() => service[Symbol.asyncDispose]());

interface Sender {
  readonly user?: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Commands that reject an undeclared name before they check permissions. */
const STRICT = new Set(COMMANDS.filter(({ rejectsUndeclared }) => rejectsUndeclared).map(({ name }) => name));

function send(command: string, { user, token, headers }: Sender): Promise<Answer> {
  const params = new URLSearchParams({ cmd: command });
  if (!STRICT.has(command)) params.set('cacheName', 'shop.orders');
  if (token !== undefined) params.set('sessionToken', token);
  const credentials = user === undefined ? undefined : btoa(`${user}:${PASSWORDS[user]}`);
  return service.send(params.toString(), {
    headers: {
      'X-Signature': SIGNED,
      ...(credentials !== undefined && { Authorization: `Basic ${credentials}` }),
      ...headers,
    },
  });
}

function outcomeOf({ http, successStatus, error }: Answer): AccessOutcome | string {
  const text = error ?? '';
  if (text.includes('User management operations are not allowed')) return 'no user management';
  if (successStatus === 2) return text.includes('token not found') ? 'not logged in' : 'wrong credentials';
  if (successStatus === 3) {
    if (http === 401 && text.includes('security check failed')) return 'wrong signature';
    if (http === 403 && text.includes('another site')) return 'foreign site';
    return text.startsWith('Authorization failed [user=') ? 'no permission' : `status 3: ${text}`;
  }
  if (text.includes('unknown session token')) return 'unknown token';
  return successStatus === 0 || successStatus === 1 ? 'runs' : `status ${successStatus}: ${text}`;
}

/** Sends every command and compares the outcomes with those that `expected` derives from the declarations. */
async function matrix(
  sender: () => Promise<Sender> | Sender,
  expected: (command: CommandDeclaration) => AccessOutcome,
): Promise<void> {
  const seen: Record<string, AccessOutcome | string> = {};
  const expectedOutcomes: Record<string, AccessOutcome> = {};
  for (const command of COMMANDS) {
    seen[command.name] = outcomeOf(await send(command.name, await sender()));
    expectedOutcomes[command.name] = expected(command);
  }
  await send('activate', { user: 'svc' });
  expect(seen).toEqual(expectedOutcomes);
}

const isSql = ({ name }: CommandDeclaration) => name === 'qryfldexe' || name === 'qryexe';

/** For each role, the commands that it includes and the outcome for each permission that they need. */
const ROLES: Readonly<
  Record<string, { has: (command: CommandDeclaration) => boolean; may: Readonly<Record<Permission, AccessOutcome>> }>
> = {
  svc: { has: () => true, may: may(() => 'runs') },
  // An ordinary user has all rights except managing users, which Ignite's error text rejects, changing the state, and
  // backups.
  ann: {
    has: () => true,
    may: may((needs) => (needs === 'adminState' || needs === 'adminBackup' ? 'no permission' : 'runs')),
  },
  rita: {
    has: ({ group }) => ['entry', 'bulk', 'query'].includes(group),
    may: may((needs) => (needs === 'session' || needs === 'cacheRead' ? 'runs' : 'no permission')),
  },
  otto: {
    has: ({ group, name }) => group === 'cluster' || name === 'log',
    may: may((needs) =>
      ['session', 'adminState', 'adminLog', 'adminMetrics'].includes(needs) ? 'runs' : 'no permission',
    ),
  },
  nora: { has: () => true, may: may((needs) => (needs === 'session' ? 'runs' : 'no permission')) },
  wim: {
    has: ({ readsValues }) => readsValues === undefined,
    may: may((needs) => (['session', 'cachePut', 'cacheRemove'].includes(needs) ? 'runs' : 'no permission')),
  },
};

function may(outcomeFor: (needs: Permission) => AccessOutcome): Readonly<Record<Permission, AccessOutcome>> {
  return {
    open: 'runs',
    login: 'runs',
    session: outcomeFor('session'),
    cacheRead: outcomeFor('cacheRead'),
    cachePut: outcomeFor('cachePut'),
    cacheRemove: outcomeFor('cacheRemove'),
    cacheCreate: outcomeFor('cacheCreate'),
    cacheDestroy: outcomeFor('cacheDestroy'),
    counter: outcomeFor('counter'),
    taskExecute: outcomeFor('taskExecute'),
    adminState: outcomeFor('adminState'),
    adminUsers: outcomeFor('adminUsers'),
    adminLog: outcomeFor('adminLog'),
    adminBackup: outcomeFor('adminBackup'),
    adminMetrics: outcomeFor('adminMetrics'),
  };
}

describe('every command', () => {
  test('without credentials', async () => {
    await matrix(
      () => ({}),
      ({ needs }) => (needs === 'open' ? 'runs' : needs === 'login' ? 'wrong credentials' : 'not logged in'),
    );
  });

  for (const [user, { has, may: outcomes }] of Object.entries(ROLES)) {
    test(`as ${user}`, async () => {
      await matrix(
        () => ({ user }),
        (command) => {
          if (command.needs === 'open' || command.needs === 'login') return 'runs';
          if (!has(command)) return 'no permission';
          // A statement can access every table, so rights on some caches are not enough.
          return user === 'rita' && isSql(command) ? 'no permission' : outcomes[command.needs];
        },
      );
    }, 30_000);
  }

  test('with an expired token', async () => {
    const { sessionToken } = await send('authenticate', { user: 'svc' });
    if (sessionToken === null) throw new Error('there is no token');
    expect(outcomeOf(await send('get', { token: sessionToken }))).toBe('runs');
    await Bun.sleep(1_500);
    await matrix(
      () => ({ token: sessionToken }),
      ({ needs }) => (needs === 'open' ? 'runs' : 'unknown token'),
    );
  });

  const sites: ReadonlyArray<readonly [string, Readonly<Record<string, string>>]> = [
    ['from a page of another origin', { Origin: 'http://elsewhere.example' }],
    ['with Sec-Fetch-Site: cross-site', { 'Sec-Fetch-Site': 'cross-site' }],
    ['under a foreign host name', { Host: 'elsewhere.example' }],
  ];
  for (const [title, headers] of sites) {
    test(title, () =>
      matrix(
        () => ({ user: 'svc', headers }),
        () => 'foreign site',
      ),
    );
  }

  const signatures: ReadonlyArray<readonly [string, string]> = [
    ['with a wrong signature', `17:${sha1('17:other')}`],
    ['with an empty signature', ''],
    ['with the signature for another timestamp', SIGNED.replace('17:', '18:')],
  ];
  for (const [title, signature] of signatures) {
    test(title, () =>
      matrix(
        () => ({ user: 'svc', headers: { 'X-Signature': signature } }),
        () => 'wrong signature',
      ),
    );
  }
});

describe('an ordinary user is not allowed', () => {
  const statements: ReadonlyArray<readonly [string, string]> = [
    ['adduser', 'cmd=adduser&roles=user&user=bob&password=x'],
    ['removeuser', 'cmd=removeuser&user=rita'],
    ['updateuser for another user', 'cmd=updateuser&user=svc&password=x'],
    ['CREATE USER', `cmd=qryfldexe&pageSize=1&qry=${encodeURIComponent("create user bob with password 'x'")}`],
    ['DROP USER', `cmd=qryfldexe&pageSize=1&qry=${encodeURIComponent('drop user "rita"')}`],
  ];
  for (const [title, query] of statements) {
    test(title, async () => {
      const { sessionToken } = await send('authenticate', { user: 'ann' });
      const answer = await service.send(`${query}&sessionToken=${sessionToken}`, {
        headers: { 'X-Signature': SIGNED },
      });
      expect(answer.error).toContain('User management operations are not allowed for user. [curUser=ann]');
      expect(answer.successStatus).toBe(1);
    });
  }
});

describe('the rights put and remove without read', () => {
  const STORED = 'confidential';
  /** Parameters of commands that return or compare the value. */
  const READING: ReadonlyArray<Readonly<Record<string, string>>> = [
    { cmd: 'getput', val: 'x' },
    { cmd: 'getputifabs', val: 'x' },
    { cmd: 'getrep', val: 'x' },
    { cmd: 'getrmv' },
    { cmd: 'cas', val: 'x', val2: STORED },
    { cmd: 'repval', val: 'x', val2: STORED },
    { cmd: 'rmvval', val: STORED },
    { cmd: 'qryfldexe', qry: 'insert into "shop.orders".s select _val from "shop.orders".s', pageSize: '1' },
    { cmd: 'get' },
  ];
  const forms: ReadonlyArray<
    readonly [string, (command: Readonly<Record<string, string>>) => Readonly<Record<string, string>>]
  > = [
    ['by itself', (command) => command],
    ['as a dry run', ({ cmd = '', ...rest }) => ({ cmd: 'dryrun', of: cmd, ...rest })],
    ['in a batch', (command) => ({ cmd: 'batch', commands: JSON.stringify([command]) })],
    ['in an atomic batch', (command) => ({ cmd: 'batch', atomic: 'true', commands: JSON.stringify([command]) })],
    ['in a dry run of a batch', (command) => ({ cmd: 'dryrun', of: 'batch', commands: JSON.stringify([command]) })],
  ];
  const query = (params: Readonly<Record<string, string>>, user: string) =>
    service.send(new URLSearchParams(params).toString(), {
      headers: { 'X-Signature': SIGNED, Authorization: `Basic ${btoa(`${user}:${PASSWORDS[user]}`)}` },
    });
  const entry = { cacheName: 'shop.orders', key: 'k' };

  for (const [title, form] of forms) {
    test(`tell no value ${title}`, async () => {
      await query({ cmd: 'getorcreate', cacheName: 'shop.orders' }, 'svc');
      for (const command of READING) {
        await query({ ...entry, cmd: 'put', val: STORED }, 'svc');
        const { error, response } = await query(form({ ...entry, ...command }), 'wim');
        // A dry run rejects a command that reads, and an atomic batch one that it cannot contain.
        const text = `${error} ${JSON.stringify(response)}`;
        const rejected = /missing=(read|read, put, remove) on (cache|table)|it changes nothing|BATCH_COMMAND/.test(
          text,
        );
        expect([command.cmd, rejected || text]).toEqual([command.cmd, true]);
        expect(text).not.toContain(STORED);
        expect((await query({ ...entry, cmd: 'get' }, 'svc')).response).toBe(STORED);
      }
      expect(outcomeOf(await query(form({ ...entry, cmd: 'put', val: 'x' }), 'wim'))).toBe('runs');
    });
  }
});

describe('changes of users', () => {
  const query = (text: string) => service.send(text, { headers: { 'X-Signature': SIGNED } });

  test('removeuser ends sessions before it responds', async () => {
    const admin = (await send('authenticate', { user: 'svc' })).sessionToken;
    await query(`cmd=adduser&roles=user&user=tom&password=t&sessionToken=${admin}`);
    const { sessionToken } = await query('cmd=authenticate&svc.login=tom&svc.password=t');
    expect(outcomeOf(await query(`cmd=state&sessionToken=${sessionToken}`))).toBe('runs');
    // Hashing and checking the new password may take longer than a session of one second.
    const renewed = (await send('authenticate', { user: 'svc' })).sessionToken;
    expect((await query(`cmd=removeuser&user=tom&sessionToken=${renewed}`)).error).toBeNull();
    expect(outcomeOf(await query(`cmd=state&sessionToken=${sessionToken}`))).toBe('unknown token');
    expect(outcomeOf(await query('cmd=state&svc.login=tom&svc.password=t'))).toBe('wrong credentials');
  });

  test('the audit log contains users but no passwords', async () => {
    const lines = await Bun.file(join(service.dataDir, 'log', 'audit.log')).text();
    expect(lines).toContain('"command":"removeuser","status":0,"about":"tom"');
    for (const password of Object.values(PASSWORDS)) expect(lines).not.toContain(password);
  });
});
