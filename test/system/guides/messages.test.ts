/** Messages for typical mistakes: what happened, with the value, and what to do. One line per mistake. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, type ServiceProcess, StartFailure, startService } from '../service-process.ts';

let service: ServiceProcess;
const folder = newFolder();
beforeAll(async () => {
  service = await startService();
  await service.command('cmd=qryfldexe&pageSize=1&qry=CREATE TABLE T (id INT PRIMARY KEY, n INT)');
}, 30_000);
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

describe('requests', () => {
  const form = { method: 'POST', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } };
  const statement = (sql: string): string => `cmd=qryfldexe&pageSize=10&qry=${encodeURIComponent(sql)}`;
  const cases: ReadonlyArray<readonly [query: string, message: string, init?: RequestInit]> = [
    ['cmd=keys', 'Did you mean qryscanexe?'],
    ['cmd=delete&key=a', 'Did you mean rmv?'],
    ['cmd=set&key=a&val=b', 'Did you mean put?'],
    ['cmd=sql', 'Did you mean qryfldexe?'],
    ['cmd=gett&key=a', 'Did you mean get?'],
    ['key=a', 'mandatory parameter in request: cmd. For example: /svc?cmd=version'],
    ['', 'add Content-Type: application/json', { ...form, body: '{"cmd":"get","key":"a"}' }],
    ['cmd=put&key=a&val=1&valueType=int%5B%5D', 'arrays are named as in Java: "[I"'],
    ['cmd=rmvall', 'keys (send k1)'],
    ['cmd=put&key=a&val=b&exp=1h', '[exp=1h] (exp is a number of milliseconds)'],
    [statement('SELECT n FROM T WHERE id = ?'), 'Invalid number of query parameters [expected=1, actual=0]'],
    [`${statement('SELECT n FROM T WHERE id = ?')}&arg1=1&arg2=2`, '[expected=1, actual=2]'],
    [`${statement('SELECT n FROM T WHERE id = ?')}&arg1=x`, 'converting argument 1 to INTEGER'],
    [`${statement('INSERT INTO T VALUES (1, ?)')}&arg1=x`, 'converting argument 1 to INTEGER for column N'],
    [statement("INSERT INTO T VALUES (1, 'x')"), 'at line 1, column 26; converting to INTEGER for column N'],
    [statement("SELECT COUNT(*) FROM T WHERE n < 'x'"), 'at line 1, column 34; converting to INTEGER'],
    [statement('INSERT INTO T(id, n) VALUES (1, 2), (1, 2, 3)'), '[21002-197] (3 values for 2 columns: ID, N)'],
    [statement('INSERT INTO T VALUES (1)'), '(1 value for 2 columns: ID, N)'],
    [statement('SELECT 1 UNION SELECT 1, 2'), '(1 and 2 columns)'],
    [statement('INSERT INTO T SELECT 1, 2 UNION ALL SELECT 1, 3'), 'in cache [keys=[1]] (key ID of T)'],
    [`${statement('TRUNCATE TABLE T')}&errors=object`, 'Use DELETE FROM t'],
    [
      `${statement('INSERT INTO T VALUES (1, 99999999999)')}&errors=object`,
      'range: \\"99999999999\\" (converting to INTEGER for column N)',
    ],
    ['cmd=version', 'allow it with the option http.origins', { headers: { Origin: 'https://a.example' } }],
    ['cmd=version', 'allow it with the option http.hosts', { headers: { Host: 'a.example' } }],
  ];
  for (const [query, message, init] of cases) {
    test(`${query}: ${message}`, async () => {
      const { error } = await service.send(query, init);
      expect(typeof error === 'string' ? error : Bun.inspect(error)).toContain(message);
    });
  }

  test('a distant word is not taken for a command', async () => {
    expect((await service.send('cmd=xylophone')).error).toEndWith('Unknown command: xylophone.');
  });
});

describe('starts', () => {
  async function failureOf(options: Parameters<typeof startService>[0]): Promise<string> {
    try {
      await using unexpected = await startService(options);
      return `it started: ${unexpected.url}`;
    } catch (error) {
      if (error instanceof StartFailure) return error.output;
      throw error;
    }
  }

  function configuration(name: string, text: string): readonly string[] {
    const file = join(folder, `${name}.config.ts`);
    writeFileSync(file, text);
    return ['--config', file];
  }

  test('a data folder in use: the process that uses it', async () => {
    const message = await failureOf({ dataDir: service.dataDir });
    expect(message).toContain(`in use by process ${service.pid}: ${service.dataDir} (dataDir)`);
  });

  test('a data folder that is a file', async () => {
    const path = join(folder, 'file');
    writeFileSync(path, '');
    const message = await failureOf({ dataDir: path });
    expect(message).toContain('dataDir: ');
    expect(message).toContain(path);
  });

  test('a data folder without permission', async () => {
    // An administrator may write anywhere, but not below a file of the kernel.
    const parent = process.getuid?.() === 0 ? '/proc/self/none' : join(folder, 'closed');
    if (parent.startsWith(folder)) {
      mkdirSync(parent);
      chmodSync(parent, 0o500);
    }
    const message = await failureOf({ dataDir: join(parent, 'data') });
    expect(message).toContain(`dataDir: ${join(parent, 'data')} cannot be used (`);
    expect(message).toMatch(/EACCES|ENOENT|EPERM/);
  });

  test('a value of the configuration: file, line and column', async () => {
    const args = configuration('value', 'export default {\n  log: { level: "loud" },\n};\n');
    expect(await failureOf({ args })).toContain('value.config.ts:2:10: log.level: ');
  });

  test('the syntax of the configuration: file, line and column', async () => {
    const args = configuration('syntax', 'export default {\n  log: = 1,\n};\n');
    expect(await failureOf({ args })).toContain('syntax.config.ts:2:8: ');
  });

  test.each([
    ['--port', '--http-port'],
    ['--host', '--http-host'],
    ['--data', '--data-dir'],
    ['--prot', '--http-port'],
  ])('%s: %s', async (flag, meant) => {
    expect(await failureOf({ args: [flag, '1'] })).toContain(`${flag}: unknown, did you mean ${meant}`);
  });
});
