/** The single-file executable: built, then started where nothing else of the project is. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, type ServiceOptions, type ServiceProcess, StartFailure, startService } from './service-process.ts';

const root = join(import.meta.dir, '../..');
const build = join(root, 'scripts/build.ts');
const folder = newFolder();
const executable = join(folder, 'svc');

beforeAll(() => {
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, build, '--outfile', executable], { cwd: root });
  if (exitCode !== 0) throw new Error(stderr.toString());
}, 120_000);

const folders: string[] = [folder];
afterAll(() => {
  for (const each of folders) rmSync(each, { recursive: true, force: true });
});

/** Starts the executable in a folder of its own that holds the files given. */
function startIn(files: Readonly<Record<string, string>>, options: ServiceOptions = {}): Promise<ServiceProcess> {
  const cwd = newFolder();
  folders.push(cwd);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  return startService({ ...options, program: [executable], cwd });
}

const CONFIGURATION = `
import { defineConfig } from 'svc';
import { greeting } from './greeting.ts';

export default defineConfig({
  name: 'grid',
  tasks: { greet: (argument) => \`\${greeting} \${argument}\` },
  classes: { 'example.City': { name: 'string', people: 'long' } },
});
`;
const FILES = { 'svc.config.ts': CONFIGURATION, 'greeting.ts': "export const greeting: string = 'good morning';\n" };

test('every thread that the code starts is inside', () => {
  const listed = readFileSync(build, 'utf8');
  const started = [...new Bun.Glob('src/**/*.ts').scanSync({ cwd: root })].flatMap((path) =>
    [...readFileSync(join(root, path), 'utf8').matchAll(/\bthreadUrl\(\s*'([^']+)'/g)].map(([, target = '']) => target),
  );
  expect(started).toContain('http-thread.ts');
  for (const target of started) expect(listed).toContain(`'${target}'`);
});

test('the executable tells its version and its options', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect(Bun.spawnSync([executable, '--version'], { cwd: folder }).stdout.toString()).toBe(`${version}\n`);
  expect(Bun.spawnSync([executable, '--help'], { cwd: folder }).stdout.toString()).toContain('--http-port');
});

test('in an empty folder it serves with the defaults', async () => {
  await using service = await startIn({});
  expect(service.url).toEndWith('/svc');
  expect(await service.command('cmd=put&key=a&val=1')).toBe(true);
  expect(await service.command('cmd=get&key=a')).toBe('1');
  expect(await service.stop()).toBe(0);
});

for (const workers of ['1', '2']) {
  describe(`workers=${workers}`, () => {
    const env = { SVC_WORKERS: workers };

    test('a configuration file imports defineConfig and modules beside it', async () => {
      await using service = await startIn(FILES, { env });
      expect(service.url).toEndWith('/grid');
      expect(service.output()).toContain('listening on');
      const city = encodeURIComponent('{"people":"9007199254740993","name":"Oslo"}');
      await service.command(`cmd=put&key=oslo&val=${city}&valueType=example.City`);
      const { text } = await service.ask('cmd=get&key=oslo');
      expect(text).toContain('"people":9007199254740993');
    });

    test('what one thread wrote every other reads', async () => {
      await using service = await startIn(FILES, { env });
      await service.command('cmd=put&key=a&val=1');
      const close = { headers: { connection: 'close' } };
      const seen = await Promise.all(Array.from({ length: 20 }, () => service.ask('cmd=get&key=a', close)));
      expect(new Set(seen.map(({ response }) => response))).toEqual(new Set(['1']));
    });

    test('tasks of the configuration file run in processes of the executable', async () => {
      await using service = await startIn(FILES, { env });
      expect(await service.command('cmd=exe&name=greet&p1=Ann')).toMatchObject({ result: 'good morning Ann' });
    });
  });
}

test('data stay when it is started again', async () => {
  const dataDir = newFolder();
  folders.push(dataDir);
  {
    await using service = await startIn({}, { dataDir });
    await service.command('cmd=put&key=a&val=kept');
  }
  await using service = await startIn({}, { dataDir });
  expect(await service.command('cmd=get&key=a')).toBe('kept');
});

test('a mistake in the configuration file is told with its place', async () => {
  const wrong = "import { defineConfig } from 'svc';\nexport default defineConfig({ workers: 'many' });\n";
  const failure = await startIn({ 'svc.config.ts': wrong }, {}).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(StartFailure);
  expect(String(failure)).toContain('workers');
});
