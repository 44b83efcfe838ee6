/** Tests names that mean a column if there is one, and otherwise a function call. */
import { describe, expect, test } from 'bun:test';
import { SqlStore } from '../../../../test/fixtures/embedded/sql-store.ts';

describe('a column named as a function without parentheses', () => {
  const sql = new SqlStore();
  sql.run('create table R(id int primary key, user varchar, localtime int)');
  sql.run("insert into R(id, user, localtime) values (1, 'ann', 7)");
  const cases: ReadonlyArray<readonly [statement: string, answer: string]> = [
    ['select user, localtime, r.user, max(user) over () from R', '[["ann",7,"ann","ann"]]'],
    ["select id from R where user = 'ann' order by user", '[[1]]'],
    ['select count(*) from R group by user having user is not null', '[[1]]'],
    ['select localtimestamp = current_timestamp, user() = user', '[[true,true]]'],
    ['select localtimestamp = current_timestamp from R', '[[true]]'],
  ];
  for (const [statement, answer] of cases) test(statement, () => expect(sql.answer(statement, [])).toBe(answer));

  test('a name in quotes is never a call', () => {
    expect(sql.answer('select "LOCALTIMESTAMP" from R', [])).toContain('Column "LOCALTIMESTAMP" not found');
  });
});
