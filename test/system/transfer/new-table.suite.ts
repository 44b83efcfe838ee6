/** Imports that infer their columns and create the table, over real sockets, on every engine. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { rawSocket } from '../raw-socket.ts';
import { type Answer, queryOf, type ServiceProcess, startService } from '../service-process.ts';

interface Plan {
  readonly statement: string | null;
  readonly parameters: Readonly<Record<string, string>>;
  readonly complete: boolean;
  readonly columns: ReadonlyArray<{ readonly type: string }>;
  readonly notes: readonly string[];
}

/** `environment` selects the engine. */
export function runNewTableSuite(environment: () => Readonly<Record<string, string>>, limitMs: number): void {
  let service: ServiceProcess;
  beforeAll(async () => {
    service = await startService({ env: environment() });
  }, limitMs);
  afterAll(() => service?.[Symbol.asyncDispose]());

  function send(parameters: Readonly<Record<string, string>>, body: string, type = 'text/csv'): Promise<Answer> {
    const query = queryOf({ cmd: 'import', ...parameters });
    return service.send(query, { method: 'POST', headers: { 'Content-Type': type }, body });
  }

  async function rows(qry: string): Promise<unknown> {
    const { response, error } = await service.send(queryOf({ cmd: 'qryfldexe', pageSize: 1_000, qry }));
    return error ?? (response as { items: unknown[] }).items;
  }

  const planOf = ({ response }: Answer) => (response as { readonly plan: Plan }).plan;
  /** More than the sample from which columns are inferred. */
  const LINES = 2_000;
  const FILLING = 'x'.repeat(100);
  const filled = (line: string) => `${line},${FILLING}\n`;
  const numbers = Array.from({ length: LINES }, (_, id) => filled(`${id + 1},${id + 1}`)).join('');

  const PEOPLE = 'Id;Full Name;born;zip\n1;Ann;1990-01-02;01234\n2;Bob;;99999\n';
  const CREATE_PEOPLE =
    'CREATE TABLE PEOPLE (\n  ID INTEGER NOT NULL,\n  "Full Name" VARCHAR NOT NULL,\n  BORN DATE,\n' +
    '  ZIP VARCHAR NOT NULL,\n  PRIMARY KEY (ID)\n)';

  test('a dry run shows the statement and creates nothing', async () => {
    const answer = await send({ table: 'people', dryRun: 'true' }, PEOPLE);
    expect(planOf(answer)).toMatchObject({
      statement: CREATE_PEOPLE,
      parameters: { delimiter: ';', header: 'true' },
      complete: true,
    });
    expect(answer.response).toMatchObject({ rows: 0, state: 'open' });
    expect(await rows('SELECT * FROM people')).toContain('not found');
  });

  test('columns are left out, of a new table and of one that exists', async () => {
    const text = 'id,secret,city\n1,x,Oslo\n2,y,\n';
    const planned = planOf(await send({ table: 'places', dryRun: 'true', omit: 'Secret' }, text));
    expect(planned).toMatchObject({
      parameters: { omit: 'Secret' },
      sample: [
        ['1', 'Oslo'],
        ['2', null],
      ],
    });
    expect((await send({ table: 'places', create: 'true', omit: 'secret' }, text)).error).toBeNull();
    const json = '{"id":3,"secret":{"a":1},"city":"Rome"}\n{"id":4}\n';
    expect((await send({ table: 'places', omit: 'secret' }, json, 'application/x-ndjson')).error).toBeNull();
    const bare = { table: 'places', omit: 'secret', header: 'false', columns: 'secret,id,city' };
    expect((await send(bare, 'x,5,Bonn\n')).error).toBeNull();
    expect(await rows('SELECT * FROM places ORDER BY id')).toEqual([
      [1, 'Oslo'],
      [2, null],
      [3, 'Rome'],
      [4, null],
      [5, 'Bonn'],
    ]);
    expect((await send({ table: 'places', omit: 'id' }, text)).error).toContain('ID');
    expect((await send({ cacheName: 'places', omit: 'id' }, 'key,value\n1,2\n')).error).toContain('omit');
  });

  test('create=true creates the table once, and imports by its columns afterwards', async () => {
    const created = await send({ table: 'people', create: 'true' }, PEOPLE);
    expect([created.error, planOf(created).statement]).toEqual([null, CREATE_PEOPLE]);
    const second = await send(
      { table: 'people', create: 'true' },
      PEOPLE.replace('\n1;', '\n3;').replace('\n2;', '\n4;'),
    );
    expect([second.error, planOf(second).statement]).toEqual([null, null]);
    expect(await rows('SELECT id, "Full Name", born, zip FROM people ORDER BY id')).toEqual([
      [1, 'Ann', '1990-01-02', '01234'],
      [2, 'Bob', null, '99999'],
      [3, 'Ann', '1990-01-02', '01234'],
      [4, 'Bob', null, '99999'],
    ]);
  });

  test('NDJSON, names without a schema in quotes, and types and keys of the client', async () => {
    const body = '{"code":"a","price":1.5,"sold":"2024-01-02T10:00:00Z"}\n{"code":"b","price":2}\n';
    const parameters = { table: 'PUBLIC."Sales"', create: 'true', key: 'code', types: 'price=decimal(10,2)' };
    const answer = await send(parameters, body, 'application/x-ndjson');
    expect(answer.error).toBeNull();
    expect(planOf(answer).statement).toContain(
      'CREATE TABLE PUBLIC."Sales" (\n  CODE VARCHAR NOT NULL,\n  PRICE DECIMAL(10,2)',
    );
    expect(await rows('SELECT * FROM "Sales" ORDER BY code')).toEqual([
      ['a', 1.5, '2024-01-02 10:00:00.0'],
      ['b', 2, null],
    ]);
  });

  test('each value has the type that keeps it', async () => {
    const id = '0e3d2a1c-6b1f-4c6e-9d7a-0123456789ab';
    const number = '12345678901234567890.125';
    const values = `${id},-7,9007199254740993,${number},1e300,true,2024-02-29,2024-02-29T23:59:59.123456Z,a`;
    const source = `uuid,small,big,price,ratio,flag,born,seen,word\n${values}\n`;
    const answer = await send({ table: 'typed', create: 'true' }, source);
    expect(answer.error).toBeNull();
    const types = 'UUID INTEGER BIGINT DECIMAL DOUBLE BOOLEAN DATE TIMESTAMP VARCHAR'.split(' ');
    expect(planOf(answer).columns.map(({ type }) => type)).toEqual(types);
    const texts = 'CAST(big AS VARCHAR), CAST(price AS VARCHAR)';
    expect(await rows(`SELECT uuid, small, ${texts}, ratio, flag, born, seen, word FROM typed`)).toEqual([
      [id, -7, '9007199254740993', number, 1e300, true, '2024-02-29', '2024-02-29 23:59:59.123456', 'a'],
    ]);
    const row = await fetch(`${service.url}/tables/typed/rows/${id}?select=small,price`);
    expect([row.status, await row.text()]).toEqual([200, `{"small":-7,"price":${number}}`]);
  });

  const GERMAN = 'Nr;Tag;Betrag;Zeit\n1;31.12.2025;1.234,56;01.02.2026 9:05\n2;;-7,5;31.12.2025\n';

  test('days and numbers in the forms of Germany are inferred, said, and read in the same way later', async () => {
    const answer = await send({ table: 'german', create: 'true' }, GERMAN);
    expect(answer.error).toBeNull();
    expect(planOf(answer)).toMatchObject({
      parameters: { delimiter: ';', dateFormat: 'dd.MM.yyyy', decimalSeparator: ',', thousands: '.' },
      notes: [],
    });
    expect(planOf(answer).columns.map(({ type }) => type)).toEqual(['INTEGER', 'DATE', 'DECIMAL', 'TIMESTAMP']);
    const parameters = { table: 'german', delimiter: ';', dateFormat: 'dd.mm.yyyy', thousands: '.' };
    expect((await send(parameters, GERMAN.replace('\n1;', '\n3;').replace('\n2;', '\n4;'))).error).toBeNull();
    expect(await rows('SELECT nr, tag, CAST(betrag AS VARCHAR), zeit FROM german ORDER BY nr')).toEqual([
      [1, '2025-12-31', '1234.56', '2026-02-01 09:05:00.0'],
      [2, null, '-7.5', '2025-12-31 00:00:00.0'],
      [3, '2025-12-31', '1234.56', '2026-02-01 09:05:00.0'],
      [4, null, '-7.5', '2025-12-31 00:00:00.0'],
    ]);
  });

  test('wrong values name line, column and form, also where no form was named', async () => {
    await send({ table: 'formed', create: 'true' }, 'id,day,price\n0,2025-01-01,1.5\n9,,\n');
    const forms = { table: 'formed', dateFormat: 'dd/MM/yyyy', decimalSeparator: ',' };
    const cases: ReadonlyArray<readonly [Readonly<Record<string, string>>, string, string]> = [
      [
        forms,
        '1,31/12/2025,"1,5"\n2,12/31/2025,1',
        'Line 3 was rejected: column DAY: "12/31/2025" is not a date (dateFormat=dd/MM/yyyy)',
      ],
      [forms, '3,,1.5', 'Line 2 was rejected: column PRICE: "1.5" is not a number (decimalSeparator=,)'],
      [{ table: 'formed' }, '4,31.12.2025,1', 'dateFormat=dd.MM.yyyy reads such dates'],
      [{ table: 'formed' }, '5,,"1.000,5"', 'decimalSeparator=, reads such numbers'],
    ];
    for (const [parameters, lines, message] of cases) {
      expect((await send(parameters, `id,day,price\n${lines}\n`)).error).toContain(message);
    }
    const json = '{"id":6,"day":"31/12/2025","price":"2,5"}\n{"id":7,"day":"2025-12-30","price":3.5}\n';
    expect((await send(forms, json, 'application/x-ndjson')).error).toBeNull();
    expect(await rows('SELECT id, day, CAST(price AS VARCHAR) FROM formed WHERE id < 9 ORDER BY id')).toEqual([
      [0, '2025-01-01', '1.5'],
      [1, '2025-12-31', '1.5'],
      [6, '2025-12-31', '2.5'],
      [7, '2025-12-30', '3.5'],
    ]);
  });

  test('days that could be read in two ways stay text, and a note says so', async () => {
    const answer = await send({ table: 'either', dryRun: 'true' }, 'id,born\n1,01/02/2025\n2,03/04/2025\n');
    expect(planOf(answer).columns.map(({ type }) => type)).toEqual(['INTEGER', 'VARCHAR']);
    expect(planOf(answer).notes).toEqual([
      'BORN stays text: 01/02/2025 may be 2025-02-01 (dateFormat=dd/MM/yyyy) or 2025-01-02 (dateFormat=MM/dd/yyyy)',
    ]);
  });

  test('a type that the client has named was not inferred', async () => {
    const answer = await send({ table: 'asked', create: 'true', types: 'n=int' }, 'id,n\n1,1\n2,x\n');
    expect(answer.error).toContain('Line 3 was rejected: column N: ');
    expect(answer.error).not.toContain('inferred');
  });

  describe('records without a key', () => {
    const LOG = 'level,level,\nwarn,a,1\nwarn,a,2\n';

    test('are numbered, and columns without usable names get others', async () => {
      const answer = await send({ table: 'log', create: 'true' }, LOG);
      expect(planOf(answer).parameters).toEqual({
        delimiter: ',',
        header: 'true',
        columns: 'LEVEL,LEVEL_2,C3',
        rowNumber: 'ROW_NUMBER',
      });
      expect(await rows('SELECT row_number, level, level_2, c3 FROM log ORDER BY 1')).toEqual([
        [1, 'warn', 'a', 1],
        [2, 'warn', 'a', 2],
      ]);
    });

    test('keep their numbers when several requests send the source', async () => {
      const first = { table: 'parts', create: 'true', importId: 'parts', onDuplicate: 'skip', last: 'false' };
      const source = `a,b\n${'x,y\n'.repeat(3_000)}`;
      const plan = planOf(await send({ ...first, dryRun: 'true' }, source));
      const started = await send({ ...first, ...plan.parameters }, source.slice(0, 5_000));
      expect(started.error).toBeNull();
      const { offset } = started.response as { readonly offset: number };
      const rest = { ...first, ...plan.parameters, last: 'true', offset: String(offset) };
      const ended = await send(rest, source.slice(offset));
      expect([ended.error, ended.response]).toEqual([null, expect.objectContaining({ rows: 3_000, state: 'done' })]);
      expect(await rows('SELECT COUNT(*), MIN(row_number), MAX(row_number) FROM parts')).toEqual([[3_000, 1, 3_000]]);
    });
  });

  describe('the first record', () => {
    test('is stored if it is no header', async () => {
      await send({ table: 'zips', create: 'true' }, '01234,Oslo\n99999,Rome\n00501,Bari\n');
      expect(await rows('SELECT * FROM zips ORDER BY 1')).toEqual([
        ['00501', 'Bari'],
        ['01234', 'Oslo'],
        ['99999', 'Rome'],
      ]);
    });

    test('is a question if nothing tells what it is, and no table is created', async () => {
      const source = 'Ann,Oslo\nBob,Rome\n';
      const { error } = await send({ table: 'pairs', create: 'true', errors: 'object' }, source);
      expect(error as unknown).toMatchObject({
        code: 'IMPORT_INVALID',
        parameter: 'header',
        message: expect.stringMatching(/header=true for columns called ANN, OSLO, or header=false/),
      });
      expect(await rows('SELECT * FROM pairs')).toContain('not found');
      const { response } = await send({ table: 'pairs', create: 'true', header: 'false' }, source);
      expect(response).toMatchObject({ rows: 2 });
    });

    test('may end in two returns', async () => {
      await send({ table: 'doubled', create: 'true' }, 'id,name\r\r\n1,Ann\r\r\n2,Bob\r\r\n');
      await send({ table: 'doubled' }, 'id,name\r\r\n3,Cid\r\r\n');
      expect(await rows('SELECT id, name FROM doubled ORDER BY 1')).toEqual([
        [1, 'Ann'],
        [2, 'Bob'],
        [3, 'Cid'],
      ]);
    });
  });

  describe('a source that contradicts what its beginning shows', () => {
    const CONTRADICTING = `id,people,filling\n${numbers}${filled(`${LINES + 1},many`)}`;

    for (const importId of [undefined, 'changing']) {
      test(`names line, column and parameter, and leaves no table${importId === undefined ? '' : ', nor an import'}`, async () => {
        const parameters = {
          table: 'changing',
          create: 'true',
          ...(importId !== undefined && { importId, onDuplicate: 'replace' }),
        };
        const { error, response } = await send(parameters, CONTRADICTING);
        expect(error).toStartWith(`Line ${LINES + 2} was rejected: column PEOPLE: `);
        expect(error).toContain('types=people=varchar');
        expect(error).toEndWith('the new table changing was removed');
        expect(response).toMatchObject({ rows: 0, offset: 0 });
        expect(await rows('SELECT * FROM changing')).toContain('not found');
        const again = await send({ ...parameters, types: 'people=varchar' }, CONTRADICTING);
        expect([again.error, again.response]).toEqual([null, expect.objectContaining({ rows: LINES + 1 })]);
        expect(await rows('DROP TABLE changing')).toEqual([[0]]);
        if (importId !== undefined) await service.command(`cmd=importrmv&importId=${importId}`);
      });
    }

    test('a type that the request names was not inferred', async () => {
      const parameters = { table: 'declared', create: 'true', types: 'people=int' };
      const { error } = await send(parameters, CONTRADICTING);
      expect(error).toStartWith(`Line ${LINES + 2} was rejected: column PEOPLE: `);
      expect(error).not.toContain('inferred');
    });

    test('a repeated key names the other ways', async () => {
      const { error } = await send({ table: 'twice', create: 'true' }, `id,x,filling\n${numbers}${filled('1,1')}`);
      expect(error).toContain('key=COLUMN, or number the records with rowNumber=row_number');
      expect(await rows('SELECT * FROM twice')).toContain('not found');
    });

    test('a cache that has the name of the new one keeps its entries', async () => {
      await service.command('cmd=getorcreate&cacheName=SQL_PUBLIC_TAKEN');
      await service.command('cmd=put&cacheName=SQL_PUBLIC_TAKEN&key=a&val=precious');
      const { error } = await send({ table: 'taken', create: 'true', types: 'id=int' }, 'id,v\nzz,1\n');
      expect(error).toBe('Table already exists: TAKEN');
      expect(await service.command('cmd=get&cacheName=SQL_PUBLIC_TAKEN&key=a')).toBe('precious');
      await service.command('cmd=destcache&cacheName=SQL_PUBLIC_TAKEN');
    });

    test('a client that leaves an import without an id leaves no table', async () => {
      const exists = async () => Array.isArray(await rows('SELECT COUNT(*) FROM gone'));
      const until = async (expected: boolean) => {
        for (let tries = 0; tries < 500 && (await exists()) !== expected; tries++) await Bun.sleep(10);
        return exists();
      };
      const socket = await rawSocket(service.port);
      const head =
        'POST /svc?cmd=import&table=gone&create=true HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\n';
      await socket.send(`${head}Content-Length: 100000000\r\n\r\nid,x,filling\n${numbers}`);
      expect(await until(true)).toBe(true);
      socket.end();
      expect(await until(false)).toBe(false);
    });
  });

  describe('errors', () => {
    const CASES: ReadonlyArray<readonly [Readonly<Record<string, string>>, string, string]> = [
      [{ cacheName: 'default', create: 'true' }, 'key,value\n', 'create needs the name of a table'],
      [{ cacheName: 'default', dryRun: 'true' }, 'key,value\n', 'dryRun needs the name of a table'],
      [{ cacheName: 'default', rowNumber: 'n' }, 'key,value\n', 'rowNumber needs the name of a table'],
      [{ cacheName: 'default', dateFormat: 'dd.MM.yyyy' }, 'key,value\n', 'dateFormat needs the name of a table'],
      [{ table: 'people', dateFormat: 'dd.MM' }, PEOPLE, 'dateFormat must be dd, MM and yyyy or yy in their order'],
      [{ table: 'people', decimalSeparator: ';' }, PEOPLE, 'decimalSeparator must be . or ,'],
      [{ table: 'people', thousands: '_' }, PEOPLE, "thousands must be one of . , ' and space"],
      [{ table: 'people', thousands: ',', decimalSeparator: ',' }, PEOPLE, 'thousands must be another character'],
      [{ table: 'people', rowNumber: 'n' }, PEOPLE, 'no column "n"'],
      [{ table: 'none' }, 'id,x\n1,1\n', 'There is no table none'],
      [
        { table: 'none', create: 'true', types: 'x=dat' },
        'id,x\n1,1\n',
        'types must name SQL types (column X): Unknown data type: "DAT", did you mean DATE?',
      ],
      [
        { table: 'none', dryRun: 'true', types: 'x=string' },
        'id,x\n1,1\n',
        'types must name SQL types (column X): Unknown data type: "STRING", did you mean VARCHAR?',
      ],
      [
        { table: 'none', create: 'true', types: 'x=serial' },
        'id,x\n1,1\n',
        'types must name SQL types (column X): AUTO_INCREMENT columns are not supported [colName=X]',
      ],
      [{ table: 'none', create: 'true' }, '', 'the source is empty'],
      [{ table: 'none', create: 'true' }, 'i\0d\0', 'contains zero bytes'],
      [{ table: 'none', create: 'true', types: 'x=nonsense' }, 'id,x\n1,1\n', 'NONSENSE'],
      [{ table: 'none', create: 'true' }, 'id,x\n1,1\n2\n', '2 fields expected, 1 found. Nothing was stored'],
    ];
    for (const [parameters, body, message] of CASES) {
      test(`${new URLSearchParams(parameters)} with ${JSON.stringify(body.slice(0, 12))}`, async () => {
        expect((await send(parameters, body)).error ?? 'none').toContain(message);
        expect(await rows('SELECT * FROM none')).toContain('not found');
      });
    }
  });
}
