import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runSvc } from '../../test/fixtures/cli/terminal.ts';

let cwd = '';
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'svc-config-'));
});
afterAll(() => rmSync(cwd, { recursive: true }));

test('init writes a starter that check accepts, and replaces no file', async () => {
  expect((await runSvc(['config', 'init'], { cwd })).exitCode).toBe(0);
  const again = await runSvc(['config', 'init'], { cwd });
  expect([again.exitCode, again.errors]).toEqual([2, expect.stringContaining('exists; --force replaces it')]);
  expect(await runSvc(['config', 'check'], { cwd })).toEqual({
    exitCode: 0,
    output: `${join(cwd, 'svc.config.ts')}: OK\n`,
    errors: '',
  });
});

test('check names line and column', async () => {
  writeFileSync(join(cwd, 'wrong.config.ts'), 'export default {\n  http: { port: 99999 },\n};\n');
  const { exitCode, errors } = await runSvc(['config', 'check', '--config', 'wrong.config.ts'], { cwd });
  expect([exitCode, errors]).toEqual([2, expect.stringContaining('wrong.config.ts:2:11: http.port: must be')]);
  writeFileSync(join(cwd, 'broken.config.ts'), 'export default {\n  http: = 1,\n};\n');
  const broken = await runSvc(['config', 'check', 'broken.config.ts'], { cwd });
  expect([broken.exitCode, broken.errors]).toEqual([2, expect.stringContaining('broken.config.ts:2:9: Unexpected =')]);
});

test('check reports all mistakes in one run, each with its place', async () => {
  writeFileSync(
    join(cwd, 'many.config.ts'),
    `export default {
  http: { port: 99999, prot: 1 },
  backup: { intervalMs: 1000 },
  regions: [{ name: 'r', persistent: 'yes' }],
  caches: [
    { name: 'a', region: 'nowhere', template: 'none', mode: 'HALF' },
    { name: 'b', region: 'r', backups: -1 },
    { name: 'b' },
    { name: 'c', entries: [{ key: 'x', keyType: 'int', value: '1', valueType: 'long' }] },
  ],
  permissions: {
    roles: { admin: {}, reader: { commands: ['gett', '@entries'] } },
    users: { ann: ['reader', 'writer'] },
    others: ['nobody'],
  },
  tasks: { t: './none.ts' },
};
`,
  );
  const environment = { SVC_LOG_LEVEL: 'loud', SVC_HTTP_HSOT: 'x' };
  const argv = ['config', 'check', 'many.config.ts', '--workres', '2', '--max-open', '1'];
  const { exitCode, errors } = await runSvc(argv, { cwd, environment });
  expect(exitCode).toBe(2);
  const expected = [
    '--workres: unknown, did you mean --workers',
    '--max-open: unknown',
    'SVC_HTTP_HSOT: unknown, did you mean SVC_HTTP_HOST',
    'SVC_LOG_LEVEL: must be debug, info, warn or error',
    ':2:11: http.port: must be a whole number',
    ':2:24: http.prot: unknown',
    'backup.intervalMs: needs a folder',
    ':4:26: regions[0].persistent: must be true or false',
    ':6:55: caches[0].mode: must be one of',
    ':6:18: caches[0].region: Failed to find data region [dataRegion=nowhere',
    ':6:37: caches[0].template: Failed to find cache template [templateName=none',
    ':7:31: caches[1].backups: must be a whole number',
    'caches: b is declared twice',
    ':9:30: caches[3].entries[0].key: Failed to convert value',
    ':12:14: permissions.roles.admin: this role is built in',
    ':12:35: permissions.roles.reader.commands: there is no command gett',
    ':12:35: permissions.roles.reader.commands: there is no group entries',
    ':13:14: permissions.users.ann: there is no role writer',
    ':14:5: permissions.others: there is no role nobody',
    ':16:12: tasks.t: there is no file',
  ];
  const lines = errors.trimEnd().split('\n');
  expect(expected.filter((text) => !lines.some((line) => line.includes(text)))).toEqual([]);
  expect(lines).toHaveLength(expected.length);
});

test('show names the source of each value and masks secrets', async () => {
  writeFileSync(join(cwd, 'own.config.ts'), 'export default { http: { host: "127.0.0.1" } };\n');
  const environment = { SVC_HTTP_PORT: '8123', SVC_SECRET_KEY: 'very-secret' };
  const argv = ['config', 'show', '--json', '--config', 'own.config.ts', '--log-level', 'debug'];
  const { exitCode, output } = await runSvc(argv, { cwd, environment });
  expect([exitCode, output.includes('very-secret')]).toEqual([0, false]);
  const rows: ReadonlyArray<Readonly<Record<string, unknown>>> = JSON.parse(output);
  const row = (path: string) => rows.find((each) => each.path === path);
  expect(row('http.port')).toEqual({ path: 'http.port', value: 8123, source: 'SVC_HTTP_PORT' });
  expect(row('http.host')).toMatchObject({ source: `${join(cwd, 'own.config.ts')}: http.host` });
  expect(row('log.level')).toMatchObject({ value: 'debug', source: '--log-level' });
  expect(row('secretKey')).toMatchObject({ value: '***', source: 'SVC_SECRET_KEY' });
  expect(row('workers')).toMatchObject({ source: 'default' });
});

test('the example of the repository is in order', async () => {
  const examples = join(import.meta.dir, '../../examples');
  expect(await runSvc(['config', 'check'], { cwd: examples })).toMatchObject({ exitCode: 0, errors: '' });
});
