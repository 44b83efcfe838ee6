/** Definitions whose responses depend on the compatibility mode, and those that Ignite accepts without effect. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type ServiceProcess, startService } from '../service-process.ts';

const LIMIT_MS = 60_000;
/** The answer of a definition that succeeds. */
const DONE = [[0]];

type Steps = ReadonlyArray<readonly [sql: string, answer: unknown]>;

/** The responses in both modes: an error begins with the text. */
const ALWAYS: Steps = [
  ['drop index none if exists', DONE],
  ['drop index if exists none if exists', DONE],
  ['alter table if exists none drop primary key', DONE],
  ['alter table if exists none drop constraint if exists c', DONE],
  ['alter table if exists none drop foreign key c', DONE],
  ['alter table if exists none rename constraint c to d', DONE],
  ['alter schema if exists none rename to other', DONE],
  ['create table k(id int primary key, v int)', DONE],
  ['alter table if exists k drop primary key', 'Unsupported statement'],
  ['alter table k drop constraint c', 'Unsupported statement'],
  ['alter schema if exists public rename to other', 'Unsupported statement'],
  ['insert into k(id, v) values (1, 2)', [[1]]],
  ['alter table k drop column v', DONE],
  ['select * from k', [[1]]],
  ['insert into k values (2)', [[1]]],
  ['alter table k add column w varchar', DONE],
  ["update k set w = 'x' where id = 2", [[1]]],
  [
    'select * from k order by id',
    [
      [1, null],
      [2, 'x'],
    ],
  ],
  ['create index on k(_key)', "Column doesn't exist: _KEY"],
  ['create index on k(w, _val)', "Column doesn't exist: _VAL"],
  ['create table d(id int primary key, v decimal(2, 5))', 'Scale($"5") must not be bigger than precision("2")'],
  ['alter table k add column d decimal(2, 5)', 'Scale($"5") must not be bigger than precision("2")'],
  ['alter table k add column b int before w', 'BEFORE keyword is not supported'],
  ['alter table k add column b int first', 'FIRST keyword is not supported'],
  [
    'create table d(id int primary key, v decimal(4, 2) default 1.555)',
    "Value for a column 'V' is out of range. Maximum scale : 2, actual scale: 3",
  ],
  [
    "create table d(id int primary key, v varchar(2) default 'abc')",
    "Value for a column 'V' is too long. Maximum length: 2, actual length: 3",
  ],
  ['create table d(id int primary key, v decimal(4, 2) default 1.5)', DONE],
  ['insert into d(id) values (1)', [[1]]],
  ['select v from d', [[1.5]]],
  ['create table o(id int primary key, v int) with ""', 'Invalid parameter (key[=value] expected): '],
  ['create table o(id int primary key, v int) with "=1"', 'Invalid parameter (key[=value] expected): =1'],
  ['create table o(id int primary key, v int) with "parallelism=0"', '"PARALLELISM" must be positive: 0'],
  [
    'create table o(id int primary key, v int) with "pk_inline_size=x"',
    'Parameter value must be an integer [name=PK_INLINE_SIZE, value=x]',
  ],
  ['create table o(id int primary key, v int) with "affinity_index_inline_size=-1"', '"AFFINITY_INDEX_INLINE_SIZE"'],
  ['create table o(id int primary key, v int) with "encrypted=true"', 'Tables cannot be encrypted'],
  ['create table o(id boolean primary key, v int) with "wrap_value,encrypted=false,parallelism=2"', DONE],
  ['insert into o values (true, 1)', [[1]]],
  ['insert into o values (true, 1)', 'Failed to INSERT some keys because they are already in cache [keys=[true]]'],
  ['create table twice(a int, b int, primary key(a, a))', DONE],
  ['insert into twice values (1, 2)', [[1]]],
  ['select _key, b from twice', [[1, 2]]],
];

const CONTRACT: Steps = [
  ['create view w as select * from none', 'Table "NONE" not found'],
  ['create view w(a, b) as select 1', 'Column count does not match'],
  ['create view w(a, b) as select 1, 2', DONE],
  ['create view if not exists w as select 3', DONE],
  ['select a + b from w', [[3]]],
  ['drop view w', DONE],
  ['create table i(id int primary key, v int invisible)', 'INVISIBLE columns are not supported'],
  ['create table a(id int primary key, v int)', DONE],
  ['create table b(id int primary key, v int)', DONE],
  ['drop table a, none', "Table doesn't exist: NONE"],
  ['select count(*) from a', [[0]]],
  ['drop table a, b', DONE],
  ['select count(*) from b', 'Table "B" not found'],
];

const REFERENCE: Steps = [
  ['create view w as select * from none', DONE],
  ['select * from w', 'Table "NONE" not found'],
  ['drop view w', DONE],
  ['create view w(a, b) as select 1, 2', 'Unsupported statement: create view w(a, b) as select 1, 2'],
  ['create view if not exists w as select 3', 'Unsupported statement: create view if not exists w'],
  ['create table i(id int primary key, v int invisible)', DONE],
  ['select v from i', []],
  ['create table a(id int primary key, v int)', DONE],
  ['create table b(id int primary key, v int)', DONE],
  ['drop table a, none', DONE],
  ['create table a(id int primary key, v int)', DONE],
  ['drop table a, b', DONE],
  ['select count(*) from b', [[0]]],
];

describe.each([
  ['contract', CONTRACT],
  ['reference', REFERENCE],
] as const)('definitions with compatibility=%s', (mode, steps) => {
  let service: ServiceProcess;
  beforeAll(async () => {
    service = await startService({ env: { SVC_COMPATIBILITY: mode } });
  }, LIMIT_MS);
  afterAll(() => service[Symbol.asyncDispose]());

  test(
    'a distributed join without an index is rejected as Ignite does, but not in a batch',
    async () => {
      for (const name of ['d1', 'd2']) {
        const qry = `create table ${name}(id int primary key, v int)`;
        await service.command(
          new URLSearchParams({ cmd: 'qryfldexe', pageSize: '1', cacheName: 'default', qry }).toString(),
        );
      }
      const join = { cacheName: 'default', pageSize: '10', qry: 'select * from d1 join d2 on d1.v = d2.v' };
      const answers = async (distributedJoins: string): Promise<Array<string | null>> => {
        const params = { cmd: 'qryfldexe', ...join, distributedJoins };
        const single = await service.send(new URLSearchParams(params).toString());
        const body = JSON.stringify({ cmd: 'batch', atomic: 'true', commands: JSON.stringify([params]) });
        const headers = { 'content-type': 'application/json' };
        const batch = await service.send('', { method: 'POST', headers, body });
        return [single.error, batch.error];
      };
      expect(await answers('false')).toEqual([null, null]);
      const rejected = expect.stringContaining('join condition does not use index [joinedCache=SQL_PUBLIC_D2]');
      // Ignite has no batches, so their commands follow the contract.
      expect(await answers('true')).toEqual(mode === 'reference' ? [rejected, null] : [null, null]);
    },
    LIMIT_MS,
  );

  test('the cache of a query cannot be one of the system', async () => {
    const query = { cmd: 'qryfldexe', cacheName: 'ignite-sys-cache', pageSize: '1', qry: 'select 1' };
    for (const each of [query, { ...query, cmd: 'qryscanexe' }]) {
      const { error } = await service.send(new URLSearchParams(each).toString());
      expect(error).toContain('Failed to get cache because it is a system cache: ignite-sys-cache');
    }
    const unknownClass = new URLSearchParams({ ...query, cmd: 'qryscanexe', className: 'x' });
    expect((await service.send(unknownClass.toString())).error).toContain('Failed to find target class: x');
  });

  test.each([
    ['in any mode', ALWAYS],
    ['in this mode', steps],
  ] as const)(
    'are answered as expected %s',
    async (_, given) => {
      for (const [qry, expected] of given) {
        const params = new URLSearchParams({ cmd: 'qryfldexe', cacheName: 'default', pageSize: '10', qry });
        const { response, error } = await service.send(params.toString());
        if (typeof expected === 'string') expect(`${qry}: ${error}`).toStartWith(`${qry}: ${expected}`);
        else expect([qry, error, response]).toEqual([qry, null, expect.objectContaining({ items: expected })]);
      }
    },
    LIMIT_MS,
  );
});
