/** Defaults and options that protect users: the header of writes by GET, and secrets that stay out of every file. */
import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { WORKERS } from './modes.ts';
import { queryOf, type ServiceProcess, startService } from './service-process.ts';

const LIMIT_MS = 60_000;
const sql = (qry: string) => queryOf({ cmd: 'qryfldexe', pageSize: 1, qry });

describe('http.csrfHeader', () => {
  /** A query, and whether a GET request needs the header. */
  const QUERIES: ReadonlyArray<readonly [string, boolean]> = [
    ['cmd=get&key=a', false],
    ['cmd=version', false],
    ['cmd=size', false],
    [sql('SELECT 1'), false],
    [sql('EXPLAIN SELECT 1'), false],
    ['cmd=put&key=a&val=1', true],
    ['cmd=rmv&key=a', true],
    ['cmd=incr&key=a&delta=1', true],
    ['cmd=getorcreate&cacheName=c', true],
    ['cmd=destcache&cacheName=c', true],
    ['cmd=setstate&state=ACTIVE', true],
    ['cmd=exe&name=svc.echo&p1=1', true],
    [sql('CREATE TABLE W(id INT PRIMARY KEY, v INT)'), true],
    [sql('INSERT INTO W VALUES(1, 1)'), true],
    [sql('SELECT * FRM'), true],
  ];

  test(
    'a GET request that changes data needs the header, POST and reads do not',
    async () => {
      await using service = await startService({ env: { SVC_HTTP_CSRF_HEADER: 'X-Requested-With' } });
      const missing = 'A GET request that changes data needs the header X-Requested-With.';
      for (const [query, needsHeader] of QUERIES) {
        const plain = await service.send(query);
        const withHeader = await service.send(query, { headers: { 'X-Requested-With': 'script' } });
        const posted = await service.send('', {
          method: 'POST',
          body: query,
          headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        });
        expect([query, plain.error === missing]).toEqual([query, needsHeader]);
        expect([query, withHeader.error === missing, posted.error === missing]).toEqual([query, false, false]);
      }
      expect((await service.send('cmd=put&key=a&val=1&httpStatus=true')).http).toBe(403);
    },
    LIMIT_MS,
  );
});

const SECRET = 's3cr3tMarker';

/** Requests with secrets in their parameters, in every form; some fail on purpose. */
const WITH_SECRETS: readonly string[] = [
  `cmd=authenticate&svc.login=svc&svc.password=${SECRET}`,
  `cmd=authenticate&user=svc&password=${SECRET}`,
  `cmd=get&key=a&svc.login=svc&svc.password=${SECRET}`,
  `cmd=get&key=a&sessionToken=${SECRET}`,
  `cmd=nothing&sessionToken=${SECRET}&svc.password=${SECRET}`,
  `cmd=put&key=a&valueType=int&val=x&svc.login=svc&svc.password=${SECRET}`,
  `cmd=qryfldexe&pageSize=x&qry=1&svc.login=svc&svc.password=${SECRET}`,
];
/** Requests of the administrator with secrets in their own parameters. */
const OF_ADMINISTRATOR: readonly string[] = [
  `cmd=adduser&roles=user&user=ann&password=${SECRET}`,
  `cmd=adduser&roles=user&user=ann&password=${SECRET}`,
  `cmd=updateuser&user=nobody&password=${SECRET}`,
  `cmd=adduser&roles=user&user=bob&passwort=${SECRET}`,
  sql(`CREATE USER carl WITH PASSWORD '${SECRET}'`),
  sql(`CREATE USER carl WITH PASSWORD '${SECRET}'`),
  sql(`ALTER USER nobody WITH PASSWORD '${SECRET}'`),
  sql(`CREATE USER carl WITH PASWORD '${SECRET}'`),
  sql(`CREATE USER carl WITH PASSWORD '${SECRET}`),
];

/** Returns the contents of all text files below a folder. */
function contentsOf(folder: string): ReadonlyArray<readonly [string, string]> {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .map((name) => [name, readFileSync(join(folder, name), 'utf8')] as const);
}

async function metricsOf(service: ServiceProcess, token: string): Promise<string> {
  return (await fetch(`${service.origin}/metrics?sessionToken=${token}`)).text();
}

for (const workers of WORKERS.map(String)) {
  test(
    `secrets in URLs reach no log, audit, error, metric or system view, workers=${workers}`,
    async () => {
      await using service = await startService({
        env: {
          SVC_WORKERS: workers,
          SVC_AUTHENTICATION: 'true',
          SVC_ADMIN_PASSWORD: 'pass',
          SVC_LOG_LEVEL: 'debug',
          SVC_LOGIN_MAX_FAILURES: '1000',
          SVC_LOGIN_MAX_NETWORK_FAILURES: '1000',
        },
      });
      const { sessionToken } = await service.send('cmd=authenticate&svc.login=svc&svc.password=pass');
      const token = sessionToken ?? '';
      const errors: string[] = [];
      for (const query of WITH_SECRETS) {
        errors.push(String((await service.send(query)).error));
        errors.push(String((await service.send('', { method: 'POST', body: new URLSearchParams(query) })).error));
      }
      for (const query of OF_ADMINISTRATOR) {
        const { error } = await service.send(`${query}&sessionToken=${token}`);
        // Errors of SQL repeat the statement to its sender, as Ignite does.
        if (!query.includes('qryfldexe')) errors.push(String(error));
      }
      const views = await service.send(`${sql('SELECT SQL FROM SYS.SQL_QUERIES')}&sessionToken=${token}`);
      const history = await service.send(`${sql('SELECT SQL FROM SYS.SQL_QUERIES_HISTORY')}&sessionToken=${token}`);
      const places = [
        ['errors', errors.join('\n')],
        ['output', service.output()],
        ['metrics', await metricsOf(service, token)],
        ['running statements', JSON.stringify(views.response)],
        ['history of statements', JSON.stringify(history.response)],
        ...contentsOf(join(service.dataDir, 'log')),
      ] as const;
      expect(places.some(([name]) => name.includes('audit'))).toBe(true);
      for (const [name, content] of places) {
        expect([name, content.includes(SECRET)]).toEqual([name, false]);
        expect([name, content.includes(token)]).toEqual([name, false]);
      }
    },
    LIMIT_MS,
  );
}
