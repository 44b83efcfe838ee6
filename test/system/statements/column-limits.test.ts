/** Every way to write an entry of a table rejects values that its columns cannot hold, with the texts of statements. */
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { send } from '../resources/resource-client.ts';
import { type Answer, newFolder, queryOf, type ServiceProcess, startService } from '../service-process.ts';

const TABLES = [
  'CREATE TABLE word (id VARCHAR(4) PRIMARY KEY, text VARCHAR(3)) WITH "CACHE_NAME=words,WRAP_VALUE=false"',
  'CREATE TABLE item (id INT PRIMARY KEY, n VARCHAR(3), d DECIMAL(5,2), b BINARY(2), "r" INT NOT NULL) ' +
    'WITH "CACHE_NAME=items,VALUE_TYPE=Item"',
  'CREATE TABLE pair (a VARCHAR(2), b DECIMAL(3,1), v INT, PRIMARY KEY (a, b)) ' +
    'WITH "CACHE_NAME=pairs,KEY_TYPE=PairKey,VALUE_TYPE=Pair"',
  'CREATE TABLE price (id DECIMAL(3,1) PRIMARY KEY, v DECIMAL(5,2)) WITH "CACHE_NAME=prices,WRAP_VALUE=false"',
];
const FORMER = 'abc';
const tooLong = (column: string, limit: number, length: number) =>
  `Value for a column '${column}' is too long. Maximum length: ${limit}, actual length: ${length}`;
const outOfRange = (column: string, bound: 'precision:' | 'scale :', limit: number, actual: number) =>
  `Value for a column '${column}' is out of range. Maximum ${bound} ${limit}, actual ${bound.replace(' :', ':')} ${actual}`;
const TOO_LONG = tooLong('TEXT', 3, 4);

let service: ServiceProcess;
const sql = (qry: string): Promise<Answer> => service.send(queryOf({ cmd: 'qryfldexe', pageSize: '100', qry }));

async function rows(query: string): Promise<unknown> {
  const { response } = await sql(query);
  return (response as { readonly items: unknown }).items;
}

beforeAll(async () => {
  service = await startService();
  for (const table of TABLES) expect((await sql(table)).error).toBeNull();
}, 60_000);
afterAll(() => service[Symbol.asyncDispose]());

describe('a value that is too long', () => {
  beforeEach(async () => {
    await service.command('cmd=clear&cacheName=words');
    await service.command(`cmd=put&cacheName=words&key=a&val=${FORMER}`);
  });

  const json = (body: unknown): RequestInit => ({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const csv = (body: string): RequestInit => ({ method: 'POST', headers: { 'content-type': 'text/csv' }, body });
  const command = (query: string, init?: RequestInit) => async () => {
    const { error, response } = await service.send(`cacheName=words&${query}`, init);
    return error ?? JSON.stringify(response);
  };
  const resource = (request: string, body: string, headers?: Readonly<Record<string, string>>) => async () =>
    (await send(service, request, body, headers)).text;
  const statement = (text: string) => async () => (await sql(text)).error;
  const once = { headers: { 'idempotency-key': 'once' } };
  const batched = [
    { cmd: 'put', cacheName: 'words', key: 'b', val: 'b' },
    { cmd: 'put', cacheName: 'words', key: 'a', val: 'abcd' },
  ];
  const entries = '/caches/words/entries';

  const PATHS: ReadonlyArray<readonly [title: string, write: () => Promise<string | null>]> = [
    ['put', command('cmd=put&key=a&val=abcd')],
    ['put of a new key', command('cmd=put&key=b&val=abcd')],
    ['put with a time to live', command('cmd=put&key=a&val=abcd&ttlMs=60000')],
    ['putall', command('cmd=putall&k1=b&v1=b&k2=a&v2=abcd&k3=c&v3=c')],
    ['add', command('cmd=add&key=b&val=abcd')],
    ['add of a key that exists', command('cmd=add&key=a&val=abcd')],
    ['putifabs', command('cmd=putifabs&key=b&val=abcd')],
    ['putifabs of a key that exists', command('cmd=putifabs&key=a&val=abcd')],
    ['getput', command('cmd=getput&key=a&val=abcd')],
    ['getputifabs', command('cmd=getputifabs&key=b&val=abcd')],
    ['getputifabs of a key that exists', command('cmd=getputifabs&key=a&val=abcd')],
    ['rep', command('cmd=rep&key=a&val=abcd')],
    ['rep of a missing key', command('cmd=rep&key=b&val=abcd')],
    ['getrep', command('cmd=getrep&key=a&val=abcd')],
    ['getrep of a missing key', command('cmd=getrep&key=b&val=abcd')],
    ['cas', command('cmd=cas&key=a&val=abcd&val2=abc')],
    ['cas of another value', command('cmd=cas&key=a&val=abcd&val2=x')],
    ['repval', command('cmd=repval&key=a&val=abcd&val2=abc')],
    ['append', command('cmd=append&key=a&val=d')],
    ['prepend', command('cmd=prepend&key=a&val=z')],
    ['batch', command('cmd=batch', json([batched[1]]))],
    ['an atomic batch', command('cmd=batch&atomic=true', json(batched))],
    ['a dry run', command('cmd=dryrun&of=put&key=a&val=abcd')],
    ['a request with an idempotency key', command('cmd=put&key=a&val=abcd', once)],
    ['its repetition', command('cmd=put&key=a&val=abcd', once)],
    ['an import of entries', command('cmd=import', csv('key,value\na,abcd\n'))],
    [
      'an import of entries with types',
      command('cmd=import', csv('key,keyType,value,valueType\na,string,abcd,string\n')),
    ],
    ['an import of rows', command('cmd=import&table=word', csv('id,text\nb,abcd\n'))],
    ['PUT of an entry', resource(`PUT ${entries}/a`, '"abcd"')],
    ['PUT of an entry with a condition', resource(`PUT ${entries}/a`, '"abcd"', { 'if-match': '*' })],
    ['POST of an entry', resource(`POST ${entries}/b`, '"abcd"')],
    ['PATCH of an entry', resource(`PATCH ${entries}/a`, '"d"')],
    ['PUT of a row', resource('PUT /tables/word/rows/a', '{"TEXT":"abcd"}')],
    ['PATCH of a row', resource('PATCH /tables/word/rows/a', '{"TEXT":"abcd"}')],
    ['INSERT', statement("INSERT INTO word VALUES ('b', 'abcd')")],
    ['INSERT of a whole value', statement("INSERT INTO word (_key, _val) VALUES ('b', 'abcd')")],
    ['MERGE', statement("MERGE INTO word (id, text) VALUES ('a', 'abcd')")],
    ['UPDATE', statement("UPDATE word SET text = 'abcd'")],
    ['UPDATE of a whole value', statement("UPDATE word SET _val = _val || 'd'")],
  ];
  test.each(PATHS)('is rejected by %s', async (_, write) => {
    expect(await write()).toContain(TOO_LONG);
    expect(await rows('SELECT id, text FROM word')).toEqual([['a', FORMER]]);
  });
});

const ITEM = 'cacheName=items&keyType=int&valueType=Item';
const PAIR = 'cacheName=pairs&keyType=PairKey&valueType=Pair';
const PRICE = 'cacheName=prices&keyType=java.math.BigDecimal&valueType=java.math.BigDecimal';

describe('a put', () => {
  const REJECTED: ReadonlyArray<readonly [entry: string, key: string, value: string, error: string]> = [
    [ITEM, '1', '{"n":"abcd","r":1}', tooLong('N', 3, 4)],
    [ITEM, '1', '{"N":"abcd","R":1}', tooLong('N', 3, 4)],
    [ITEM, '1', '{"d":1.234,"r":1}', outOfRange('D', 'scale :', 2, 3)],
    [ITEM, '1', '{"d":123456.7,"r":1}', outOfRange('D', 'precision:', 5, 7)],
    [ITEM, '1', '{"d":-123456,"r":1}', outOfRange('D', 'precision:', 5, 6)],
    [ITEM, '1', '{"b":"AQID","r":1}', tooLong('B', 2, 3)],
    [ITEM, '1', '{"n":"abc"}', "Null value is not allowed for column 'r'"],
    [ITEM, '1', '{"n":"abc","r":null}', "Null value is not allowed for column 'r'"],
    [ITEM.replace('int', 'long'), '1', '{"n":"abc","r":1}', 'incorrect key class [expCls=integer, actualCls=long]'],
    [PAIR, '{"a":"abc","b":1}', '{"v":1}', tooLong('A', 2, 3)],
    [PAIR, '{"a":"ab","b":1.25}', '{"v":1}', outOfRange('B', 'scale :', 1, 2)],
    [PAIR, '{"a":"ab","b":1.20}', '{"v":1}', outOfRange('B', 'scale :', 1, 2)],
    [PAIR, '{"a":"ab","b":null}', '{"v":1}', 'needs exactly the fields'],
    [PRICE, '1.20', '1', outOfRange('ID', 'scale :', 1, 2)],
    [PRICE, '1.2', '1.234', outOfRange('V', 'scale :', 2, 3)],
    ['cacheName=words', 'abcde', 'abc', tooLong('ID', 4, 5)],
  ];
  test.each(REJECTED)('%s key=%s val=%s is rejected', async (entry, key, value, error) => {
    const answer = await service.send(`cmd=put&${entry}&${queryOf({ key, val: value })}`);
    expect(answer.error).toContain(error);
    expect(await service.command(`cmd=size&${entry.replaceAll(/&.*/g, '')}`)).toBe(entry === 'cacheName=words' ? 1 : 0);
  });

  const STORED: ReadonlyArray<readonly [entry: string, key: string, value: string]> = [
    [ITEM, '1', '{"n":"abc","d":123.45,"b":"AQI=","r":1,"further":"abcdefgh"}'],
    [ITEM, '2', '{"n":null,"d":1234.5,"r":1}'],
    [PAIR, '{"a":"ab","b":12.5}', '{"v":null}'],
    [PRICE, '12.5', '999.99'],
    // Values of other types are not rows.
    ['cacheName=words&valueType=int', 'a', '12345'],
    ['cacheName=items&keyType=long&valueType=Other', '1', '{"n":"abcd"}'],
  ];
  test.each(STORED)('%s key=%s val=%s is accepted', async (entry, key, value) => {
    expect(await service.command(`cmd=put&${entry}&${queryOf({ key, val: value })}`)).toBe(true);
    await service.command(`cmd=clear&${entry.replaceAll(/&.*/g, '')}`);
  });
});

test('a row that a former version stored keeps its value, unless that is written again', async () => {
  const dataDir = newFolder();
  const item = 'cacheName=items&keyType=int&valueType=Item&key=1';
  const former = '{"n":"abcdef","r":1,"toy":"ball"}';
  try {
    {
      await using before = await startService({ dataDir });
      for (const table of TABLES) await before.command(queryOf({ cmd: 'qryfldexe', pageSize: '1', qry: table }));
      await before.command(`cmd=put&${item}&${queryOf({ val: former.replace('abcdef', 'abc') })}`);
    }
    {
      using database = new Database(join(dataDir, 'svc.db'));
      const [[id] = []] = database.query("SELECT id FROM caches WHERE name = 'items'").values();
      expect(database.run(`UPDATE e${String(id)} SET f1 = 'abcdef' WHERE f1 = 'abc'`).changes).toBe(1);
    }
    await using after = await startService({ dataDir });
    const run = (qry: string): Promise<Answer> => after.send(queryOf({ cmd: 'qryfldexe', pageSize: '9', qry }));
    expect((await send(after, 'PATCH /tables/item/rows/1', '{"r":2}')).status).toBe(204);
    expect((await run('UPDATE item SET "r" = "r" + 1, d = 1.5')).response).toMatchObject({ items: [[1]] });
    expect((await run('ALTER TABLE item ADD COLUMN toy VARCHAR(4)')).error).toBeNull();
    const again = await after.send(`cmd=put&${item}&${queryOf({ val: former })}`);
    expect(again.error).toContain(tooLong('N', 3, 6));
    expect((await run('UPDATE item SET n = n')).error).toBe(tooLong('N', 3, 6));
    const found = await run('SELECT n, "r", toy FROM item');
    expect(found.response).toMatchObject({ items: [['abcdef', 3, 'ball']] });
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}, 60_000);
