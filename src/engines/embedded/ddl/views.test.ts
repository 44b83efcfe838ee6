/** Views that read other views: no view reads itself, and none remains whose tables or views are gone. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openSqlGrid, type SqlGrid } from '../../../../test/fixtures/embedded/sql-grid.ts';

let sql: SqlGrid;
beforeAll(async () => {
  sql = await openSqlGrid();
});
afterAll(() => sql.close());

/** Statements in order, and the views after them or the error of the last one. */
const SCRIPTS: ReadonlyArray<readonly [string, readonly string[], string]> = [
  [
    'a view reads itself',
    ['create view V as select 1 x', 'create or replace view V as select * from V'],
    'would read itself',
  ],
  [
    'two views read each other',
    [
      'create view V as select * from T',
      'create view W as select * from V',
      'create or replace view V as select * from W',
    ],
    'would read itself',
  ],
  [
    'three views read each other in a subquery',
    [
      'create view V as select * from T',
      'create view W as select id from T where id in (select id from V)',
      'create view X as with q as (select id from W) select * from q',
      'create or replace view V as select 1 id from T where exists (select 1 from X)',
    ],
    'would read itself',
  ],
  [
    'a common table has the name of the view',
    ['create view V as select 1 id', 'create or replace view V as with V as (select 2 id) select * from V'],
    'V',
  ],
  [
    'a view replaces one that it does not read',
    ['create view V as select * from T', 'create or replace view V as select 1 id'],
    'V',
  ],
  [
    'views over views of a dropped table',
    [
      'create view V as select * from T',
      'create view W as select * from V',
      'create view X as select id from U where id in (select id from W)',
      'create view Y as select * from U',
      'drop table T',
    ],
    'Y',
  ],
  [
    'views over a dropped view',
    ['create view V as select 1 id', 'create view W as select * from V', 'drop view V'],
    '',
  ],
  [
    'views with other readings of a name',
    ['create view V as select 1 id', 'create view W as with V as (select 2 id) select * from V', 'drop view V'],
    'W',
  ],
];

for (const [title, statements, expected] of SCRIPTS) {
  test(title, async () => {
    await sql.run('create table if not exists T(id int primary key, v int)');
    await sql.run('create table if not exists U(id int primary key, v int)');
    for (const { NAME } of await sql.objects("select name from SYS.VIEWS where schema = 'PUBLIC'")) {
      await sql.run(`drop view if exists ${NAME}`);
    }
    const answer = async () => {
      for (const statement of statements) await sql.run(statement);
      const views = await sql.objects("select name from SYS.VIEWS where schema = 'PUBLIC' order by name");
      for (const { NAME } of views) await sql.run(`select * from ${NAME}`);
      return views.map(({ NAME }) => NAME).join(' ');
    };
    const found = await answer().catch((error: unknown) => String(error));
    if (expected.includes(' ')) expect(found).toContain(expected);
    else expect(found).toBe(expected);
  });
}
