/** Rights on caches apply to SQL: a statement reaches only the tables whose caches its user may use. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WORKERS } from './modes.ts';
import { newFolder, queryOf, type ServiceProcess, startService } from './service-process.ts';

const CONFIGURATION = `export default {
  users: [{ name: 'ann', password: 'ann' }],
  permissions: {
    roles: { shop: { caches: { 'SQL_PUBLIC_SHOP*': 'write', stock: 'read' }, tables: { 'PUBLIC.LOANS': 'read', 'loans.*': 'read' } } },
    users: { ann: ['shop'] },
  },
};
`;

/** Statement, what the error names (empty: allowed). */
const STATEMENTS: ReadonlyArray<readonly [string, string]> = [
  ['SELECT * FROM ShopOrders', ''],
  ['INSERT INTO ShopOrders VALUES(2, 5)', ''],
  ['UPDATE ShopOrders SET v = 6 WHERE id = 2', ''],
  ['DELETE FROM ShopOrders WHERE id = 2', ''],
  ['SELECT * FROM Stock', ''],
  ['SELECT o.v, s.v FROM ShopOrders o JOIN Stock s ON s.id = o.id', ''],
  ['INSERT INTO ShopOrders SELECT id + 10, v FROM Stock', ''],
  ['UPDATE Stock SET v = 1', 'read, put, remove on table STOCK or cache *'],
  ['SELECT * FROM Salaries', 'read on table SALARIES or cache *'],
  ['SELECT * FROM "PUBLIC".SALARIES', 'read on table PUBLIC.SALARIES or cache *'],
  ['UPDATE ShopOrders SET v = (SELECT MAX(v) FROM Salaries)', 'read on table SALARIES or cache *'],
  ['SELECT * FROM AllSalaries', 'read on table ALLSALARIES or cache *'],
  ['SELECT * FROM SYS.TABLES', 'read on table SYS.TABLES or cache *'],
  // The entries of a cache need the right on the cache.
  ['SELECT COUNT(*) FROM "stock".ENTRIES', ''],
  ['SELECT s.v, e._val FROM Stock s JOIN "stock".ENTRIES e ON e._key = s.id', ''],
  ['SELECT * FROM "SQL_PUBLIC_SALARIES".ENTRIES', 'read on cache SQL_PUBLIC_SALARIES'],
  ['SELECT * FROM "nobody".ENTRIES', 'read on cache nobody'],
  ['SELECT * FROM "loans".ENTRIES', 'read on cache loans'],
  ['INSERT INTO "SQL_PUBLIC_SHOPORDERS".ENTRIES (_key, _val) VALUES (\'x\', 1)', ''],
  ['UPDATE "SQL_PUBLIC_SHOPORDERS".ENTRIES SET _val = 2 WHERE _key = \'x\'', ''],
  ['DELETE FROM "SQL_PUBLIC_SHOPORDERS".ENTRIES WHERE _key = \'x\'', ''],
  ['INSERT INTO "stock".ENTRIES (_key, _val) VALUES (\'x\', 1)', 'put, remove on cache stock'],
  ['DELETE FROM "stock".ENTRIES', 'read, put, remove on cache stock'],
  ['UPDATE "loans".ENTRIES SET _val = 1', 'put, remove on cache loans'],
  ['MERGE INTO "loans".ENTRIES (_key, _val) VALUES (1, 1)', 'put, remove on cache loans'],
  ['INSERT INTO "SQL_PUBLIC_SHOPORDERS".ENTRIES SELECT * FROM "loans".ENTRIES', 'read on cache loans'],
  ['SELECT id FROM Loans', ''],
  ['SELECT id FROM Loans WHERE EXISTS (SELECT 1 FROM "loans".ENTRIES)', 'read on cache loans'],
  ['WITH ENTRIES AS (SELECT 1) SELECT * FROM "loans".ENTRIES', 'read on cache loans'],
  // A common table hides the table of its name, but not in its own query.
  ['WITH RECURSIVE Salaries AS (SELECT v FROM Salaries) SELECT * FROM Salaries', 'read on table SALARIES or cache *'],
  ['WITH RECURSIVE AllSalaries AS (SELECT v FROM AllSalaries) SELECT 1', 'read on table ALLSALARIES or cache *'],
  [
    'INSERT INTO ShopOrders WITH RECURSIVE Salaries AS (SELECT id, v FROM Salaries) SELECT * FROM Salaries',
    'read on table SALARIES or cache *',
  ],
  ['WITH Salaries AS (SELECT v FROM Stock) SELECT * FROM Salaries', ''],
  [
    'WITH RECURSIVE Salaries(v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM Salaries WHERE v < 3) SELECT * FROM Salaries',
    '',
  ],
  ['DROP TABLE ShopOrders', 'destroy on cache *'],
  ['CREATE TABLE ShopMore(id INT PRIMARY KEY, v INT)', 'create, destroy on cache *'],
];

for (const workers of WORKERS.map(String)) {
  describe(`with ${workers} HTTP threads`, () => {
    const folder = newFolder();
    let service: ServiceProcess;
    const tokens = new Map<string, string>();
    const run = (user: string, qry: string) =>
      service.send(queryOf({ cmd: 'qryfldexe', pageSize: 10, qry, sessionToken: tokens.get(user) ?? '' }));

    beforeAll(async () => {
      const config = join(folder, 'svc.config.ts');
      writeFileSync(config, CONFIGURATION);
      service = await startService({
        dataDir: join(folder, 'data'),
        env: {
          SVC_CONFIG: config,
          SVC_WORKERS: workers,
          SVC_AUTHENTICATION: 'true',
          SVC_ADMIN_PASSWORD: 'svc',
          SVC_REST_SESSION_TIMEOUT: '600',
        },
      });
      for (const user of ['svc', 'ann']) {
        const login = queryOf({ cmd: 'authenticate', 'svc.login': user, 'svc.password': user });
        tokens.set(user, (await service.send(login)).sessionToken ?? '');
      }
      for (const statement of [
        'CREATE TABLE ShopOrders(id INT PRIMARY KEY, v INT)',
        'CREATE TABLE Stock(id INT PRIMARY KEY, v INT) WITH "CACHE_NAME=stock"',
        'CREATE TABLE Salaries(id INT PRIMARY KEY, v INT)',
        'CREATE TABLE Loans(id INT PRIMARY KEY, v INT) WITH "CACHE_NAME=loans"',
        'CREATE VIEW AllSalaries AS SELECT * FROM Salaries',
        'INSERT INTO ShopOrders VALUES(1, 5)',
        'INSERT INTO Stock VALUES(1, 7)',
      ]) {
        expect([statement, (await run('svc', statement)).error]).toEqual([statement, null]);
      }
    }, 60_000);
    afterAll(async () => {
      await service[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    });

    for (const [statement, missing] of STATEMENTS) {
      test(`${statement} ${missing === '' ? 'is allowed' : `needs ${missing}`}`, async () => {
        const { successStatus, error } = await run('ann', statement);
        if (missing === '') expect([successStatus, error]).toEqual([0, null]);
        else expect([successStatus, error]).toEqual([3, expect.stringContaining(missing)]);
      });
    }

    test('a table that takes the place of another is checked by its own cache', async () => {
      expect(
        (await run('svc', 'CREATE TABLE Moving(id INT PRIMARY KEY, v INT) WITH "CACHE_NAME=stock2"')).error,
      ).toBeNull();
      expect((await run('ann', 'SELECT * FROM Moving')).error).toContain('read on table MOVING or cache *');
      expect((await run('svc', 'DROP TABLE Moving')).error).toBeNull();
      expect(
        (await run('svc', 'CREATE TABLE Moving(id INT PRIMARY KEY, v INT) WITH "CACHE_NAME=SQL_PUBLIC_SHOP2"')).error,
      ).toBeNull();
      expect((await run('ann', 'SELECT * FROM Moving')).error).toBeNull();
    });
  });
}
