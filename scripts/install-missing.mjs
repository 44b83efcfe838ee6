// Installs the project's packages if they are absent or differ from the lock file, so that a fresh clone just starts.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stamp = join(root, 'node_modules', '.installed-lock');
const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');
const installed = existsSync(stamp) && readFileSync(stamp, 'utf8') === lock;
if (!installed) {
  process.stderr.write('installing packages (npm ci)\n');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const install = (...options) =>
    execFileSync(npm, ['ci', '--no-audit', '--no-fund', '--loglevel=error', ...options], {
      cwd: root,
      stdio: ['ignore', 2, 2],
    });
  try {
    // Without it, npm asks the registry about every package that its cache has.
    install('--prefer-offline');
  } catch {
    // What the cache knows of a package may be older than the version in the lock file.
    process.stderr.write('installing packages again, without --prefer-offline\n');
    install();
  }
  writeFileSync(stamp, lock);
}
