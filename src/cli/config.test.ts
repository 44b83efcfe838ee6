import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runSvc } from './terminal.fixture.ts';

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
    output: `${join(cwd, 'svc.config.ts')}: in order\n`,
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
