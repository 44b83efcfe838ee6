/**
 * Writes the files that `npm pack` in clients/typescript packs besides its package.json: the client, its types, its
 * page and the license. `bun scripts/client-package.ts`; with `--remove`, which npm runs afterwards, removes it.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { reachableFrom } from './declaration-files.ts';
import { succeed } from './release-archives.ts';

const root = join(import.meta.dir, '..');
const folder = join(root, 'clients/typescript');

for (const name of ['client.js', 'types', 'README.md', 'LICENSE'])
  rmSync(join(folder, name), { recursive: true, force: true });
if (!process.argv.includes('--remove')) write();

function write(): void {
  succeed([process.execPath, 'scripts/build-types.ts']);
  for (const path of reachableFrom(join(root, 'types/client/client.d.ts'))) {
    const copy = join(folder, relative(root, path));
    mkdirSync(dirname(copy), { recursive: true });
    cpSync(path, copy);
  }
  const built = mkdtempSync(join(tmpdir(), 'svc-client-'));
  try {
    succeed([process.execPath, 'scripts/build-client.ts', built]);
    cpSync(join(built, 'client.js'), join(folder, 'client.js'));
  } finally {
    rmSync(built, { recursive: true, force: true });
  }
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  writeFileSync(join(folder, 'README.md'), readmeOf(readFileSync(join(root, 'docs/client.md'), 'utf8')));
}

/** Returns the client's page for readers of the package, which has no other pages and a different name. */
function readmeOf(page: string): string {
  return page
    .replaceAll('@svc-grid/svc/client', '@svc-grid/client')
    .replaceAll(/\[([^\]]+)\]\((?!https?:)[^)]*\)/g, '$1');
}
