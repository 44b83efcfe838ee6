/** Statements, scans and cursors over real sockets: visibility, termination, and no effect on other requests. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type HttpConnection, openConnection } from './http-connection.ts';
import { allowedMs } from './machine.ts';
import { WORKERS } from './modes.ts';
import { type Answer, type ServiceProcess, startService } from './service-process.ts';

const CONFIG = join(import.meta.dir, '../fixtures/queries.config.ts');
const LIMIT_MS = 60_000;
/** A statement with practically endless rows. */
const ENDLESS = 'SELECT count(*) FROM SYSTEM_RANGE(1, 1000000000000)';
const MB = 1024 * 1024;
/** A write-ahead log that is longer is emptied. */
const LOG_MARK = 64 * MB;

interface Page {
  readonly items: unknown[][];
  readonly last: boolean;
  readonly queryId: number;
  readonly rowCount?: number;
  readonly timeMs?: number;
}

/** A client of one service. */
class Client {
  readonly service: ServiceProcess;

  constructor(service: ServiceProcess) {
    this.service = service;
  }

  send(params: Readonly<Record<string, string | number>>, init?: RequestInit): Promise<Answer> {
    const texts = Object.entries(params).map(([name, value]): [string, string] => [name, String(value)]);
    return this.service.send(new URLSearchParams(texts).toString(), init);
  }

  async page(params: Readonly<Record<string, string | number>>): Promise<Page> {
    const answer = await this.send(params);
    if (answer.error !== null) throw new Error(answer.error);
    return answer.response as Page;
  }

  run(qry: string, pageSize = 100, more: Readonly<Record<string, string | number>> = {}): Promise<Page> {
    return this.page({ cmd: 'qryfldexe', qry, pageSize, ...more });
  }

  fetch(qryId: number, pageSize: number): Promise<Page> {
    return this.page({ cmd: 'qryfetch', qryId, pageSize });
  }

  async rows(qry: string): Promise<unknown[][]> {
    return (await this.run(qry, 1_000_000)).items;
  }

  async failure(qry: string, more: Readonly<Record<string, string | number>> = {}): Promise<string> {
    return (await this.send({ cmd: 'qryfldexe', qry, pageSize: 10, ...more })).error ?? 'no failure';
  }
}

describe.each(WORKERS)('queries with %i HTTP threads', (workers) => {
  let service: ServiceProcess;
  let client: Client;
  let connections: HttpConnection[];
  // Opened for each test: an idle one is closed while a long test runs.
  beforeEach(async () => {
    connections = await Promise.all(Array.from({ length: 8 }, () => openConnection(service.port)));
  });
  afterEach(() => {
    for (const connection of connections) connection.close();
  });

  beforeAll(async () => {
    service = await startService({ args: ['--config', CONFIG], env: { SVC_WORKERS: String(workers) } });
    client = new Client(service);
    await client.run('CREATE TABLE Item(id INT PRIMARY KEY, name VARCHAR) WITH "cache_name=item,value_type=Item"');
    await client.run("INSERT INTO Item SELECT x, 'n' || x FROM SYSTEM_RANGE(1, 1000)");
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
  });

  test('SELECT sees earlier puts, and get sees earlier INSERTs, on any connection', async () => {
    const table = `Seen${workers}`;
    await client.run(`CREATE TABLE ${table}(id INT PRIMARY KEY, name VARCHAR) WITH "cache_name=seen,value_type=Seen"`);
    await Promise.all(
      connections.slice(0, 4).map(async (writer, number) => {
        const reader = connections[number + 4] ?? writer;
        for (let i = 0; i < 50; i++) {
          const id = number * 1000 + i;
          const val = encodeURIComponent(JSON.stringify({ NAME: `a${i}` }));
          await writer.sendCommand(`cmd=put&cacheName=seen&keyType=int&key=${id}&valueType=Seen&val=${val}`);
          const byKey = await reader.sendCommand(
            `cmd=qryfldexe&pageSize=1&qry=SELECT+name+FROM+${table}+WHERE+id=${id}`,
          );
          expect((byKey.response as Page).items).toEqual([[`a${i}`]]);
          const byScan = await reader.sendCommand(
            `cmd=qryfldexe&pageSize=1&qry=SELECT+name+FROM+${table}+WHERE+id%2B0=${id}`,
          );
          expect((byScan.response as Page).items).toEqual([[`a${i}`]]);
          await writer.sendCommand(`cmd=qryfldexe&pageSize=1&qry=UPDATE+${table}+SET+name='b'+WHERE+id=${id}`);
          const got = await reader.sendCommand(`cmd=get&cacheName=seen&keyType=int&key=${id}`);
          expect(got.response).toEqual({ NAME: 'b' });
        }
      }),
    );
    expect(await client.rows(`SELECT count(*), min(name), max(name) FROM ${table}`)).toEqual([[200, 'b', 'b']]);
    expect(await service.command('cmd=size&cacheName=seen')).toBe(200);
  }, 30_000);

  test('a cursor keeps its snapshot while rows change, are removed, and their table is dropped', async () => {
    await client.run('CREATE TABLE Gone(id INT PRIMARY KEY, n INT)');
    await client.run('INSERT INTO Gone SELECT x, x FROM SYSTEM_RANGE(1, 50)');
    const first = await client.run('SELECT id, n FROM Gone ORDER BY id', 10);
    await client.run('UPDATE Gone SET n = 0');
    await client.run('ALTER TABLE Gone ADD COLUMN more VARCHAR');
    await client.run('CREATE INDEX Gone_n ON Gone(n)');
    const second = await client.fetch(first.queryId, 10);
    await client.run('DELETE FROM Gone WHERE id > 20');
    await client.run('DROP TABLE Gone');
    const rest = await client.fetch(first.queryId, 100);
    expect([...first.items, ...second.items, ...rest.items]).toEqual(
      Array.from({ length: 50 }, (_, index) => [index + 1, index + 1]),
    );
    expect(rest.last).toBe(true);
  });

  test('any thread fetches a cursor', async () => {
    const { queryId } = await client.run('SELECT id FROM Item ORDER BY id', 1);
    const seen: unknown[] = [];
    for (const connection of connections) {
      const { response } = await connection.sendCommand(`cmd=qryfetch&pageSize=2&qryId=${queryId}`);
      seen.push(...(response as Page).items.flat());
    }
    expect(seen).toEqual(Array.from({ length: 16 }, (_, index) => index + 2));
    expect(await service.command(`cmd=qrycls&qryId=${queryId}`)).toBe(true);
  });

  test('a full last page is marked as last', async () => {
    const first = await client.run('SELECT id FROM Item WHERE id <= 20', 10);
    expect([first.items.length, first.last]).toEqual([10, false]);
    const second = await client.fetch(first.queryId, 10);
    expect([second.items.length, second.last]).toEqual([10, true]);
    const after = await client.send({ cmd: 'qryfetch', qryId: first.queryId, pageSize: 1 });
    expect(after.error).toContain(`Failed to find query with ID: ${first.queryId}`);
  });

  test('pages of any size return every row once and in order, including prefetched rows', async () => {
    const sizes = [1, 7, 100, 3, 50, 250, 2];
    for (const pause of [false, true]) {
      let page = await client.run('SELECT id FROM Item ORDER BY id', 5);
      const rows = [...page.items];
      for (let at = 0; !page.last; at++) {
        // Allows the rows of the next page to be prefetched.
        if (pause) await Bun.sleep(2);
        page = await client.fetch(page.queryId, sizes[at % sizes.length] ?? 1);
        rows.push(...page.items);
      }
      expect(rows).toEqual(Array.from({ length: 1000 }, (_, at) => [at + 1]));
    }
  });

  test('an error in a row fails its page but no earlier one', async () => {
    const page = await client.run('SELECT 1 / (x - 450) FROM SYSTEM_RANGE(1, 1000)', 100);
    for (let number = 1; number < 4; number++) {
      expect((await client.fetch(page.queryId, 100)).items.length).toBe(100);
      await Bun.sleep(2);
    }
    const failed = await client.send({ cmd: 'qryfetch', qryId: page.queryId, pageSize: 100 });
    expect(failed.error).toContain('Division by zero');
    const after = await client.send({ cmd: 'qryfetch', qryId: page.queryId, pageSize: 100 });
    expect(after.error).toContain(`${page.queryId}`);
  });

  test('an empty page leaves all rows to be fetched', async () => {
    for (const qry of ['SELECT id FROM Item WHERE id = 1', 'SELECT id FROM Item WHERE id < 2', 'VALUES (1)']) {
      const empty = await client.run(qry, 0);
      expect([empty.items, empty.last]).toEqual([[], false]);
      const page = await client.fetch(empty.queryId, 2_147_483_647);
      expect([page.items, page.last]).toEqual([[[1]], true]);
    }
  });

  test('maxRows ends the result', async () => {
    const first = await client.run('SELECT id FROM Item ORDER BY id', 3, { maxRows: 5 });
    expect([first.items.length, first.last]).toEqual([3, false]);
    const second = await client.fetch(first.queryId, 3);
    expect([second.items, second.last]).toEqual([[[4], [5]], true]);
    expect((await client.run('SELECT id FROM Item', 10, { maxRows: 0 })).last).toBe(false);
  });

  test('statistics=true returns row count and time', async () => {
    for (const qry of [
      'SELECT id FROM Item WHERE id = 1',
      'SELECT id FROM Item',
      "UPDATE Item SET name = 'n1' WHERE id = 1",
    ]) {
      const page = await client.run(qry, 7, { statistics: 'true' });
      expect(page.rowCount).toBe(page.items.length);
      expect(page.timeMs).toBeGreaterThan(0);
      expect((await client.run(qry, 7)).rowCount).toBeUndefined();
    }
  });

  test('a closed cursor is unknown, and closing always returns true', async () => {
    const { queryId } = await client.run('SELECT id FROM Item', 1);
    for (const id of [queryId, queryId, 1, -5, 15, Number.MAX_SAFE_INTEGER]) {
      expect(await service.command(`cmd=qrycls&qryId=${id}`)).toBe(true);
    }
    expect((await client.send({ cmd: 'qryfetch', qryId: queryId, pageSize: 1 })).error).toContain(
      'Failed to find query',
    );
  });

  test(
    'a time limit ends any statement',
    async () => {
      const statements = [
        ENDLESS,
        'SELECT count(*) FROM Item a, Item b, Item c WHERE a.id + b.id + c.id = 0',
        'UPDATE Item SET name = name WHERE id IN (SELECT a.id FROM Item a, Item b, Item c, Item d WHERE a.id + d.id = 0)',
        'EXPLAIN ANALYZE SELECT a.id FROM Item a, Item b, Item c WHERE a.id + b.id + c.id = 0',
      ];
      for (const statement of statements) {
        const begunMs = performance.now();
        const timeout = Math.ceil(allowedMs(1_000));
        expect(await client.failure(statement, { timeout })).toContain('the time limit is over');
        expect(performance.now() - begunMs).toBeLessThan(allowedMs(10_000));
      }
      expect((await client.rows('SELECT count(*) FROM Item'))[0]).toEqual([1000]);
    },
    LIMIT_MS,
  );

  test(
    'a statement ends when its client disconnects',
    async () => {
      for (let i = 0; i < 8; i++) {
        const gone = client.send({ cmd: 'qryfldexe', qry: ENDLESS, pageSize: 1 }, { signal: AbortSignal.timeout(150) });
        await gone.then(
          () => expect.unreachable('it has no end'),
          () => {},
        );
      }
      // Otherwise all statement processes would stay busy.
      await Promise.all(Array.from({ length: 8 }, () => client.rows('SELECT count(*) FROM Item')));
    },
    LIMIT_MS,
  );

  test(
    'closing a cursor ends the page in progress',
    async () => {
      const { queryId } = await client.run(
        'SELECT id FROM Item WHERE id < 3 UNION ALL SELECT a.id FROM Item a, Item b, Item c WHERE a.id + b.id + c.id = 0',
        1,
      );
      const page = client.send({ cmd: 'qryfetch', qryId: queryId, pageSize: 100 });
      await Bun.sleep(300);
      expect(await service.command(`cmd=qrycls&qryId=${queryId}`)).toBe(true);
      expect((await page).error).toContain('the query was closed');
    },
    LIMIT_MS,
  );

  test(
    'a client that stops reading a page loses its cursor',
    async () => {
      const answer = await fetch(
        `${service.url}?cmd=qryfldexe&pageSize=1000000000&qry=${encodeURIComponent('SELECT x, x FROM SYSTEM_RANGE(1, 100000000)')}`,
      );
      const reader = answer.body?.getReader();
      let queryId = Number.NaN;
      for (let text = ''; Number.isNaN(queryId); ) {
        text += new TextDecoder().decode((await reader?.read())?.value);
        queryId = Number(/"queryId":(\d+)/.exec(text)?.[1]);
      }
      const busy = await client.send({ cmd: 'qryfetch', qryId: queryId, pageSize: 1 });
      expect(busy.error).toContain('is being sent');
      await reader?.cancel();
      let error = '';
      for (let i = 0; i < 100 && !error.includes('Failed to find query'); i++) {
        await Bun.sleep(50);
        error = (await client.send({ cmd: 'qryfetch', qryId: queryId, pageSize: 1 })).error ?? '';
      }
      expect(error).toContain('Failed to find query');
    },
    LIMIT_MS,
  );

  test('NDJSON contains all rows', async () => {
    const query = `cmd=qryfldexe&pageSize=1&qry=${encodeURIComponent("SELECT id, name, NULL AS empty, 'a\"b,c' AS quoted, '' AS blank FROM Item WHERE id < 3 ORDER BY id")}`;
    const csv = await fetch(`${service.url}?${query}`, { headers: { accept: 'text/csv' } });
    expect(csv.headers.get('content-type')).toBe('text/csv;charset=utf-8');
    expect(await csv.text()).toBe('ID,NAME,EMPTY,QUOTED,BLANK\r\n1,n1,,"a""b,c",""\r\n2,n2,,"a""b,c",""\r\n');
    const lines = await fetch(`${service.url}?${query}`, { headers: { accept: 'application/x-ndjson' } });
    expect(await lines.text()).toBe(
      '{"ID":1,"NAME":"n1","EMPTY":null,"QUOTED":"a\\"b,c","BLANK":""}\n{"ID":2,"NAME":"n2","EMPTY":null,"QUOTED":"a\\"b,c","BLANK":""}\n',
    );
    const none = await fetch(`${service.url}?cmd=qryfldexe&pageSize=1&qry=SELECT+id+FROM+Item+WHERE+id<0`, {
      headers: { accept: 'text/csv' },
    });
    expect(await none.text()).toBe('ID\r\n');
  });

  test(
    'a change of many rows is visible to all once acknowledged, and puts wait for it',
    async () => {
      await client.run('CREATE TABLE Many(id INT PRIMARY KEY, n INT) WITH "cache_name=many"');
      await client.run('INSERT INTO Many SELECT x, 0 FROM SYSTEM_RANGE(1, 200000)');
      expect(await service.command('cmd=size&cacheName=many')).toBe(200_000);
      const update = client.run('UPDATE Many SET n = n + 1');
      let gets = 0;
      let slowestMs = 0;
      let over = false;
      const getting = (async () => {
        const [connection] = connections;
        while (!over && connection !== undefined) {
          const begunMs = performance.now();
          await connection.sendCommand('cmd=get&cacheName=item&keyType=int&key=1');
          slowestMs = Math.max(slowestMs, performance.now() - begunMs);
          gets++;
        }
      })();
      const puts = connections.slice(1).map((each, index) => each.sendCommand(`cmd=put&key=queued${index}&val=1`));
      expect((await update).items).toEqual([[200_000]]);
      over = true;
      await getting;
      expect((await Promise.all(puts)).every(({ response }) => response === true)).toBe(true);
      expect(gets).toBeGreaterThan(20);
      expect(await client.rows('SELECT min(n), max(n), count(*) FROM Many')).toEqual([[1, 1, 200_000]]);
      await client.run('DELETE FROM Many WHERE id > 100');
      expect(await service.command('cmd=size&cacheName=many')).toBe(100);
      await client.run('DROP TABLE Many');
    },
    LIMIT_MS,
  );

  test('a failed change has no effect', async () => {
    expect(await client.failure('UPDATE Item SET name = CAST(id / (id - 500) AS VARCHAR) WHERE id > 400')).toContain(
      'Division by zero',
    );
    expect(await client.rows("SELECT count(*) FROM Item WHERE name = 'n' || id")).toEqual([[1000]]);
    expect(await client.failure("INSERT INTO Item SELECT x, 'new' FROM SYSTEM_RANGE(990, 1010)")).toContain(
      'already in cache',
    );
    expect(await service.command('cmd=size&cacheName=item')).toBe(1000);
  });

  test(
    'indexes can be created concurrently',
    async () => {
      await client.run('CREATE TABLE Wide(id INT PRIMARY KEY, a INT, b INT, c INT)');
      await client.run('INSERT INTO Wide SELECT x, x, x, x FROM SYSTEM_RANGE(1, 20000)');
      const same = await Promise.all([1, 2, 3].map(() => client.failure('CREATE INDEX w_a ON Wide(a)')));
      expect(same.filter((each) => each === 'no failure')).toHaveLength(1);
      expect(same.filter((each) => each.includes('Index already exists: W_A'))).toHaveLength(2);
      await Promise.all(['b', 'c'].map((column) => client.run(`CREATE INDEX w_${column} ON Wide(${column})`)));
      for (const column of ['a', 'b', 'c']) {
        const [[plan] = []] = await client.rows(`EXPLAIN SELECT * FROM Wide WHERE ${column} = 5`);
        expect(plan).toContain(
          `finds rows of PUBLIC.WIDE by index W_${column.toUpperCase()} (${column.toUpperCase()} = ?)`,
        );
      }
    },
    LIMIT_MS,
  );

  test(
    'a terminated statement process fails its statements, and the next statement uses another',
    async () => {
      await service.command('cmd=put&cacheName=killed&key=1&val=1').catch(() => {});
      await service.command('cmd=getorcreate&cacheName=killed');
      await service.command('cmd=put&cacheName=killed&key=1&val=1');
      await service.command('cmd=put&cacheName=killed&key=2&val=1');
      const open = await client.run('SELECT id FROM Item', 1);
      const killing = await client.send({ cmd: 'qryscanexe', cacheName: 'killed', className: 'Killer', pageSize: 0 });
      await Bun.sleep(200);
      const after = await client.send({
        cmd: 'qryfetch',
        qryId: (killing.response as Page | null)?.queryId ?? 0,
        pageSize: 1,
      });
      expect(after.error).not.toBeNull();
      for (let i = 0; i < 8; i++) expect(await client.rows('SELECT count(*) FROM Item')).toEqual([[1000]]);
      await client.run('UPDATE Item SET name = name WHERE id > 0');
      await client.send({ cmd: 'qrycls', qryId: open.queryId });
      const scanned = await client.page({ cmd: 'qryscanexe', cacheName: 'killed', className: 'Even', pageSize: 10 });
      expect(scanned.items).toEqual([{ key: '2', value: '1' }] as never);
    },
    LIMIT_MS,
  );

  test(
    'tables of more than ten non-persistent regions can be read and changed',
    async () => {
      for (let region = 1; region <= 12; region++) {
        await client.run(`CREATE TABLE R${region}(id INT PRIMARY KEY, n INT) WITH "data_region=temporary${region}"`);
        await client.run(`INSERT INTO R${region} SELECT x, ${region} FROM SYSTEM_RANGE(1, 3)`);
      }
      for (let region = 1; region <= 12; region++) {
        expect(await client.rows(`SELECT sum(n) FROM R${region}`)).toEqual([[region * 3]]);
      }
      expect(await client.rows('SELECT r12.n + i.id FROM R12 r12 JOIN Item i ON i.id = r12.id ORDER BY 1')).toEqual([
        [13],
        [14],
        [15],
      ]);
      const union = Array.from({ length: 12 }, (_, index) => `SELECT n FROM R${index + 1}`).join(' UNION ALL ');
      expect(await client.failure(union)).toContain('at most 10 data regions');
    },
    LIMIT_MS,
  );
});

describe('limits', () => {
  test('the limit of cursors is enforced, and closing one allows another', async () => {
    await using service = await startService({ env: { SVC_LIMITS_OPEN_CURSORS: '3' } });
    const client = new Client(service);
    const open = await Promise.all([1, 2, 3].map(() => client.run('SELECT x FROM SYSTEM_RANGE(1, 100)', 1)));
    // Each connection from loopback has a separate share, so the error names the limit or the share.
    expect(await client.failure('SELECT x FROM SYSTEM_RANGE(1, 100)')).toMatch(
      /^(?:Too many|No more) open cursors.*limit=3\]$/,
    );
    expect((await client.run('SELECT x FROM SYSTEM_RANGE(1, 10)', 10)).last).toBe(true);
    await client.send({ cmd: 'qrycls', qryId: open[0]?.queryId ?? 0 });
    expect((await client.run('SELECT x FROM SYSTEM_RANGE(1, 100)', 1)).last).toBe(false);
  });

  test(
    'an idle cursor is closed',
    async () => {
      await using service = await startService({ env: { SVC_QUERY_IDLE_TIMEOUT: '1' } });
      const client = new Client(service);
      const { queryId } = await client.run('SELECT x FROM SYSTEM_RANGE(1, 100)', 1);
      await Bun.sleep(600);
      expect((await client.fetch(queryId, 1)).items).toEqual([[2]]);
      await Bun.sleep(3_000);
      const deferred = await client.send({ cmd: 'qryfetch', qryId: queryId, pageSize: 1 });
      expect(deferred.error).toContain('Failed to find query');
    },
    LIMIT_MS,
  );

  test(
    'open cursors return all rows and the write-ahead log becomes short again',
    async () => {
      await using service = await startService();
      const client = new Client(service);
      await client.run('CREATE TABLE Held(id INT PRIMARY KEY, name VARCHAR, d DOUBLE, b BINARY)');
      await client.run("INSERT INTO Held SELECT x, 'n' || x, x, CAST('0a' AS BINARY) FROM SYSTEM_RANGE(1, 20000)");
      const held = await client.run('SELECT id, name, d, b FROM Held ORDER BY id', 10);
      const sorted = await client.run('SELECT id FROM Held ORDER BY name', 10);
      const scan = await client.page({ cmd: 'qryscanexe', cacheName: 'SQL_PUBLIC_HELD', pageSize: 10 });
      const logBytes = () => statSync(join(service.dataDir, 'svc.db-wal'), { throwIfNoEntry: false })?.size ?? 0;
      // Values that make every page different: pages that do not change are not written.
      for (let written = 0; logBytes() < LOG_MARK; written++) {
        const val = String(written)
          .padEnd(8, 'x')
          .repeat(MB / 8);
        const body = new URLSearchParams({ cmd: 'put', key: `big${written % 20}`, val });
        expect(await (await fetch(service.url, { method: 'POST', body })).json()).toMatchObject({ error: null });
        expect(written).toBeLessThan(500);
      }
      // The log is emptied although cursors are opened and abandoned all the time.
      const endMs = performance.now() + 45_000;
      for (let opened = 0; logBytes() > LOG_MARK / 2 && performance.now() < endMs; opened++) {
        await client.run('SELECT id, name, d, b FROM Held WHERE id <= 1000 ORDER BY id', 10);
        await service.command(`cmd=put&key=small&val=${opened}`);
        await Bun.sleep(50);
      }
      expect(logBytes()).toBeLessThan(LOG_MARK / 2);
      await client.run('UPDATE Held SET d = 0');
      const rest = await client.fetch(held.queryId, 1_000_000);
      const items = [...held.items, ...rest.items];
      expect(items.map(([id]) => id)).toEqual(Array.from({ length: 20_000 }, (_, index) => index + 1));
      expect(items[12_345]).toEqual([12_346, 'n12346', 12_346, 'Cg==']);
      expect(sorted.items.length + (await client.fetch(sorted.queryId, 1_000_000)).items.length).toBe(20_000);
      expect(scan.items.length + (await client.fetch(scan.queryId, 1_000_000)).items.length).toBe(20_000);
    },
    LIMIT_MS,
  );
});
