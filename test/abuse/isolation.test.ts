/** A client must not take accounts, cursors, results or files from others. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { WORKERS } from '../system/modes.ts';
import { queryOf, type ServiceProcess, startService } from '../system/service-process.ts';

const LIMIT_MS = 60_000;
const FORM = 'application/x-www-form-urlencoded';
const basic = (password: string) => ({ Authorization: `Basic ${btoa(`svc:${password}`)}` });

/** Ways to send a wrong password for the user `svc`. */
const GUESSES: ReadonlyArray<readonly [title: string, query: string, init: RequestInit]> = [
  ['authenticate', 'cmd=authenticate&svc.login=svc&svc.password=x', {}],
  ['get', 'cmd=get&key=a&svc.login=svc&svc.password=x', {}],
  ['user and password', 'cmd=state&user=svc&password=x', {}],
  ['adduser', 'cmd=adduser&user=svc&password=x', {}],
  ['a Basic header', 'cmd=get&key=a', { headers: basic('x') }],
  ['a body', 'cmd=get', { method: 'POST', body: 'svc.login=svc&svc.password=x', headers: { 'Content-Type': FORM } }],
  [
    'a large body',
    'cmd=put',
    { method: 'POST', body: 'x'.repeat(40_000), headers: { 'Content-Type': FORM, ...basic('x') } },
  ],
];

/** Statements whose cursors stay open, and a scan. */
const CURSORS: readonly string[] = [
  queryOf({ cmd: 'qryfldexe', pageSize: 1, qry: 'SELECT x FROM SYSTEM_RANGE(1, 100)' }),
  queryOf({ cmd: 'qryscanexe', cacheName: 'c', pageSize: 1 }),
];

/** Regular expressions that exhaust a matcher with a built-in limit, which would then report that nothing matches. */
const PATTERNS: ReadonlyArray<readonly [sql: string, expected: unknown]> = [
  ["regexp_like(repeat('a',40)||'!','(a+)+$|!')", true],
  ["regexp_like(v,'(a+)+$|!')", true],
  ["regexp_replace(repeat('a',40)||'!','(a+)+$|!','x')", `${'a'.repeat(40)}x`],
  ["regexp_replace(v,'(a+)+$|!','x')", `${'a'.repeat(40)}x`],
  ["repeat('a',40)||'!' regexp '(a+)+$|!'", true],
];

for (const workers of WORKERS.map(String)) {
  describe(`with ${workers} HTTP threads`, () => {
    let service: ServiceProcess;
    let token = '';
    const as = (sessionToken: string, query: string) => service.send(`${query}&sessionToken=${sessionToken}`);
    const logIn = async (user: string, password: string) => {
      const { sessionToken } = await service.send(
        queryOf({ cmd: 'authenticate', 'svc.login': user, 'svc.password': password }),
      );
      return sessionToken ?? '';
    };

    beforeAll(async () => {
      service = await startService({
        env: {
          SVC_WORKERS: workers,
          SVC_AUTHENTICATION: 'true',
          SVC_ADMIN_PASSWORD: 'pass',
          SVC_LIMITS_OPEN_CURSORS: '100',
          SVC_REST_SESSION_TIMEOUT: '600',
        },
        under: ['sh', '-c', 'umask 0; exec "$@"', 'sh'],
      });
      token = await logIn('svc', 'pass');
      for (const user of ['ann', 'bob'])
        await as(token, queryOf({ cmd: 'adduser', user, password: user, roles: 'user' }));
      await as(token, 'cmd=getorcreate&cacheName=c');
      for (let key = 0; key < 3; key++) await as(token, `cmd=put&cacheName=c&key=${key}&val=1`);
    }, LIMIT_MS);
    afterAll(() => service[Symbol.asyncDispose]());

    for (const query of CURSORS) {
      test(
        `one user cannot keep all cursors from others: ${query}`,
        async () => {
          const [ann, bob] = [await logIn('ann', 'ann'), await logIn('bob', 'bob')];
          const opened: unknown[] = [];
          let rejected = 0;
          for (let count = 0; count < 110; count++) {
            const answer = await as(ann, query);
            if (answer.error === null) opened.push((answer.response as { queryId: unknown }).queryId);
            else rejected++;
          }
          expect([opened.length, rejected]).toEqual([100, 10]);
          // The user with the most gives up a cursor for each of the others.
          const others = [await as(bob, query), await as(token, query)];
          expect(others.map(({ error }) => error)).toEqual([null, null]);
          for (const id of opened) await as(ann, `cmd=qrycls&qryId=${id}`);
          for (const [at, answer] of others.entries()) {
            const { queryId } = answer.response as { queryId: unknown };
            await as(at === 0 ? bob : token, `cmd=qrycls&qryId=${queryId}`);
          }
        },
        LIMIT_MS,
      );
    }

    test(
      'regular expressions are right or fail, and are never silently wrong',
      async () => {
        const run = (qry: string) => as(token, queryOf({ cmd: 'qryfldexe', pageSize: 10, qry }));
        await run('create table P (id int primary key, v varchar)');
        await run("insert into P values (1, repeat('a',40)||'!')");
        for (const [sql, expected] of PATTERNS) {
          const answer = await run(`select ${sql} from P where id = 1`);
          expect([sql, answer.error]).toEqual([sql, null]);
          expect([sql, (answer.response as { items: unknown[] }).items]).toEqual([sql, [[expected]]]);
        }
        expect((await run("update P set v = 'found' where id = 1 and regexp_like(v,'(a+)+$|!')")).error).toBeNull();
        expect((await run('select v from P')).response).toMatchObject({ items: [['found']] });
      },
      LIMIT_MS,
    );

    test('only the owner can read files, whatever the umask', () => {
      const names = readdirSync(service.dataDir, { recursive: true, encoding: 'utf8' });
      expect(names.length).toBeGreaterThan(3);
      const open = ['', ...names].filter((name) => (statSync(join(service.dataDir, name)).mode & 0o077) !== 0);
      expect(open).toEqual([]);
    });

    test(
      'wrong passwords lock nobody out',
      async () => {
        const texts = new Set<string>();
        for (let round = 0; round < 3; round++) {
          for (const [, query, init] of GUESSES) texts.add(String((await service.send(query, init)).error));
        }
        expect([...texts].some((text) => /too many/i.test(text))).toBe(true);
        expect((await as(token, 'cmd=get&cacheName=c&key=1')).response).toBe('1');
        expect(await logIn('svc', 'pass')).toMatch(/^[0-9A-F]{32}$/);
        expect(await logIn('ann', 'ann')).toMatch(/^[0-9A-F]{32}$/);
      },
      LIMIT_MS,
    );
  });
}
