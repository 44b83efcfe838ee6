/** Tests the suggested replacements for statements of other databases. */
import { describe, expect, test } from 'bun:test';
import { foreignForm } from './foreign-statements.ts';

describe('a form of another database has a replacement', () => {
  const cases: ReadonlyArray<readonly [statement: string, replacement: string | undefined]> = [
    ['insert into p(id) values (1) on conflict (id) do nothing', 'WHERE NOT EXISTS'],
    ['insert into p(id) values (1) on conflict do update set n = 2', 'MERGE INTO t USING'],
    ['insert into p(id) values (1) on duplicate key update n = 2', 'MERGE INTO t USING'],
    ['insert ignore into p(id) values (1)', 'WHERE NOT EXISTS'],
    ['insert or ignore into p(id) values (1)', 'WHERE NOT EXISTS'],
    ['insert or replace into p(id) values (1)', 'replaces the row'],
    ['upsert into p values (1)', 'MERGE INTO t USING'],
    ['insert into p(id) values (1) returning id', 'in the same batch'],
    ['update p set n = 1 returning *', 'in the same batch'],
    ['delete from p returning id', 'in the same batch'],
    ['truncate p', 'DELETE FROM t'],
    ['/* all */ TRUNCATE TABLE p', 'DELETE FROM t'],
    ['select * from p where rownum < 3', 'LIMIT 10'],
    ['select first 2 * from p', 'LIMIT 10'],
    ['select * from p limit 10 percent', 'number of rows'],
    ['select top 10 percent * from p', 'number of rows'],
    ['select * from p for update', 'atomic=true'],
    ['begin', 'atomic=true'],
    ['start transaction', 'atomic=true'],
    ['create table q as select * from p', 'INSERT INTO t SELECT'],
    ['create temporary table q (id int)', 'drop it'],
    ['create unique index i on p(n)', 'Only primary keys'],
    ['create sequence s', 'incr'],
    ['alter table p rename to q', 'adds and drops columns'],
    ['alter table p add constraint c unique (n)', 'adds and drops columns'],
    ["copy p from 'file'", 'import and export'],
    ['grant select on p to ann', 'roleassign'],
    ['vacuum', 'Nothing is to be done'],
    ['pragma table_info(p)', 'SYS.TABLE_COLUMNS'],
    ['select form p', undefined],
    ["insert into p(s) values ('x on conflict (id) do nothing'", undefined],
    ['select "RETURNING", returning from p', undefined],
    ["insert into p values ('unclosed", undefined],
    ['', undefined],
  ];
  for (const [statement, replacement] of cases) {
    test(statement, () => {
      const found = foreignForm(statement, 'here');
      if (replacement === undefined) expect(found).toBeUndefined();
      else expect(found).toContain(replacement);
    });
  }

  test('nodes have no MERGE with a condition', () => {
    const onNodes = foreignForm('insert into p values (1) on conflict (id) do update set n = 2', 'onNodes');
    expect(onNodes).toContain('UPDATE the row');
    expect(onNodes).not.toContain('USING');
  });
});
