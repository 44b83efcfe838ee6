/** The conversions by the message interceptor. Every engine sends the same responses. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, queryOf, type ServiceProcess, startService } from './service-process.ts';

/** Stores `secret-...` for `plain-...`, sends `***` for secret values, and fails to send `broken`. */
const CONFIGURATION = `export default {
  interceptor: {
    onReceive: (value) =>
      value.type === 'string' ? { type: 'string', data: value.data.replace('plain', 'secret') } : value,
    onSend(value) {
      if (value.type === 'string' && value.data === 'broken') throw new Error('broken');
      return value.type === 'object' || (value.type === 'string' && value.data.startsWith('secret'))
        ? { type: 'string', data: '***' }
        : value;
    },
  },
  scanPredicates: { stored: (_, value) => value.data === 'secret-1' },
};
`;

interface Page {
  readonly items: unknown[];
  readonly last: boolean;
  readonly queryId: number;
}

/** `environment` selects the engine; `hasPredicates` tells whether it runs configured scan predicates. */
export function runInterceptorSuite(
  environment: () => Readonly<Record<string, string>>,
  { hasPredicates, limitMs }: { readonly hasPredicates: boolean; readonly limitMs: number },
): void {
  describe('the message interceptor', () => {
    const folder = newFolder();
    let service: ServiceProcess;
    beforeAll(async () => {
      const config = join(folder, 'svc.config.ts');
      writeFileSync(config, CONFIGURATION);
      service = await startService({ env: { SVC_CONFIG: config, ...environment() } });
      await service.command('cmd=getorcreate&cacheName=c');
      for (const number of [1, 2, 3]) await service.command(`cmd=put&cacheName=c&key=k${number}&val=plain-${number}`);
      await sql('CREATE TABLE person(id INT PRIMARY KEY, name VARCHAR) WITH "CACHE_NAME=person,VALUE_TYPE=Person"');
      await sql('INSERT INTO person(id, name) VALUES (1, ?), (2, ?)', 'plain-ann', 'plain-bob');
    }, limitMs);
    afterAll(async () => {
      await service?.[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    });

    async function page(parameters: Readonly<Record<string, string>>): Promise<Page> {
      return (await service.command(queryOf(parameters))) as Page;
    }

    async function sql(qry: string, ...args: readonly string[]): Promise<unknown[]> {
      const numbered = Object.fromEntries(args.map((arg, index) => [`arg${index + 1}`, arg]));
      return (await page({ cmd: 'qryfldexe', pageSize: '100', qry, ...numbered })).items;
    }

    async function exported(parameters: Readonly<Record<string, string>>): Promise<string> {
      return (await fetch(`${service.url}?${queryOf({ cmd: 'export', ...parameters })}`)).text();
    }

    test('converts values of get and getall', async () => {
      expect(await service.command('cmd=get&cacheName=c&key=k1')).toBe('***');
      expect(await service.command('cmd=getall&cacheName=c&k1=k1&k2=k2')).toEqual({ k1: '***', k2: '***' });
      expect(await service.command('cmd=getall&cacheName=c&k1=k1&asArray=true')).toEqual([{ key: 'k1', value: '***' }]);
    });

    test('converts keys and values of every page of a scan', async () => {
      const first = await page({ cmd: 'qryscanexe', cacheName: 'c', pageSize: '1' });
      const next = await page({ cmd: 'qryfetch', qryId: String(first.queryId), pageSize: '10' });
      const values = [...first.items, ...next.items].map((item) => (item as { value: unknown }).value);
      expect(values).toEqual(['***', '***', '***']);
    });

    if (hasPredicates) {
      test('does not convert the rows of system views', async () => {
        await service.command('cmd=getorcreate&cacheName=secret-cache');
        const names = await sql("SELECT CACHE_NAME FROM SYS.CACHES WHERE CACHE_NAME LIKE 'secret%'");
        expect(names).toEqual([['secret-cache']]);
      });

      test('fails in an atomic batch before anything is committed', async () => {
        const put = { cmd: 'put', cacheName: 'c', key: 'batch', val: 'broken' };
        const qry = "SELECT 'broken' FROM person";
        for (const last of [
          { cmd: 'get', cacheName: 'c', key: 'batch' },
          { cmd: 'getput', cacheName: 'c', key: 'batch', val: 'x' },
          { cmd: 'getall', cacheName: 'c', keys: ['batch'] },
          { cmd: 'qryfldexe', pageSize: 10, qry },
        ]) {
          const body = JSON.stringify({ cmd: 'batch', atomic: true, commands: [put, last] });
          const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
          expect((await service.send('errors=text', init)).error).toContain('Internal error');
          expect(await service.command('cmd=conkey&cacheName=c&key=batch')).toBe(false);
        }
      });

      test('converts the rows of a scan with a predicate, which sees what is stored', async () => {
        const { items } = await page({ cmd: 'qryscanexe', cacheName: 'c', pageSize: '10', className: 'stored' });
        expect(items).toEqual([{ key: 'k1', value: '***' }]);
      });
    }

    test('converts the entries of qryexe', async () => {
      const query = { cmd: 'qryexe', cacheName: 'person', type: 'Person', pageSize: '10', qry: 'id > 0 ORDER BY id' };
      expect((await page(query)).items).toEqual([
        { key: 1, value: '***' },
        { key: 2, value: '***' },
      ]);
    });

    test('converts the columns of statements, those of later pages, and of one row by its key [8.10a]', async () => {
      const qry = 'SELECT id, name, _val, MAX(name) OVER_ALL FROM person GROUP BY id, name, _val ORDER BY id';
      const first = await page({ cmd: 'qryfldexe', pageSize: '1', qry });
      const next = await page({ cmd: 'qryfetch', qryId: String(first.queryId), pageSize: '10' });
      expect([...first.items, ...next.items]).toEqual([
        [1, '***', '***', '***'],
        [2, '***', '***', '***'],
      ]);
      expect(await sql('SELECT name FROM person WHERE id = 1')).toEqual([['***']]);
      expect(await sql('SELECT name FROM person WHERE id = ?', '2')).toEqual([['***']]);
    });

    test('converts rows as CSV and NDJSON', async () => {
      for (const accept of ['text/csv', 'application/x-ndjson']) {
        const query = queryOf({ cmd: 'qryfldexe', pageSize: '10', qry: 'SELECT name FROM person' });
        const rows = await (await fetch(`${service.url}?${query}`, { headers: { accept } })).text();
        expect(rows).toContain('***');
        expect(rows).not.toContain('secret');
      }
    });

    test('converts exports of caches and tables', async () => {
      for (const source of [{ cacheName: 'c' }, { table: 'person' }] as const) {
        for (const format of ['csv', 'ndjson']) {
          const rows = await exported({ ...source, format });
          expect(rows).toContain('***');
          expect(rows).not.toContain('secret');
        }
      }
    });

    test('converts what imports of caches and tables contain', async () => {
      const body = (text: string) => ({ method: 'POST', body: text });
      const entry = await service.send('cmd=import&cacheName=c&format=csv', body('key,value\nk4,plain-4\n'));
      expect(entry.response).toMatchObject({ rows: 1 });
      expect(await service.command('cmd=get&cacheName=c&key=k4')).toBe('***');
      const row = await service.send('cmd=import&table=person&format=csv', body('id,name\n3,plain-cy\n'));
      expect(row).toMatchObject({ error: null, response: { rows: 1 } });
      // The argument is also converted: the stored name is the same.
      expect(await sql('SELECT id FROM person WHERE name = ?', 'plain-cy')).toEqual([[3]]);
    });

    test('imports values of each type as they are if it does not convert them', async () => {
      await sql(`CREATE TABLE wide(id BIGINT PRIMARY KEY, n INT, b BOOLEAN, d DOUBLE, de DECIMAL(20, 4), s VARCHAR,
        da DATE, t TIME, ts TIMESTAMP, u UUID, bi BINARY, df INT DEFAULT 7)`);
      const header = 'id,n,b,d,de,s,da,t,ts,u,bi';
      const row =
        '1,2,true,-0.5,1.1000,x,2001-01-01,23:59:59,1999-12-31 23:59:59.123456789,' +
        '0e3d2a1c-6b1f-4c6e-9d7a-0123456789ab,AQI=';
      const body = `${header}\n${row}\n2,,,,,,,,,,\n`;
      const { error } = await service.send('cmd=import&table=wide&format=csv', { method: 'POST', body });
      expect(error).toBeNull();
      const lines = (await exported({ table: 'wide', format: 'csv' })).trim().split(/\r?\n/);
      expect(lines[0]?.toLowerCase()).toBe(`${header},df`);
      expect(lines.slice(1).sort()).toEqual([`${row},7`, `2${','.repeat(11)}7`]);
    });

    test('converts neither counts nor the plan of a statement', async () => {
      expect(await sql('UPDATE person SET name = ? WHERE id = 2', 'plain-bo')).toEqual([[1]]);
      expect(JSON.stringify(await sql('EXPLAIN SELECT name FROM person'))).not.toContain('***');
    });
  });
}
