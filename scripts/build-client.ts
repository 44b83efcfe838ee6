/**
 * Builds what runs without Bun as JavaScript modules, because Node, Deno and browsers execute no TypeScript of
 * packages: the TypeScript client, and the root of the package for Node.
 * `bun scripts/build-client.ts [FOLDER]` (default: dist/client).
 */
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { BunPlugin } from 'bun';

const root = join(import.meta.dir, '..');
const folder = resolve(process.argv[2] ?? join(root, 'dist/client'));

/**
 * Makes the roots of the package load the client and each other from separate modules, so there is one copy of each
 * class.
 */
const separateClient: BunPlugin = {
  name: 'client of the root',
  setup(build) {
    build.onResolve({ filter: /^\.\/client\/client\.ts$/ }, () => ({ path: './client.js', external: true }));
    build.onResolve({ filter: /^\.\/embedding-node\.ts$/ }, () => ({ path: './embedding-node.js', external: true }));
  },
};

rmSync(folder, { recursive: true, force: true });
const built = [
  await Bun.build({
    entrypoints: [join(root, 'src/client/client.ts')],
    outdir: folder,
    target: 'browser',
    format: 'esm',
  }),
  await Bun.build({
    entrypoints: [join(root, 'src/embedding-node.ts'), join(root, 'src/testing-node.ts')],
    outdir: folder,
    target: 'node',
    format: 'esm',
    plugins: [separateClient],
  }),
];
for (const { path, size } of built.flatMap(({ outputs }) => outputs)) {
  process.stdout.write(`${path}: ${Math.round(size / 1_024)} KiB\n`);
}
