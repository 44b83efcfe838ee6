/**
 * Builds the TypeScript client as a JavaScript module, for Node, Deno and browsers, which execute no TypeScript of
 * packages: `bun scripts/build-client.ts [FOLDER]` (default: dist/client).
 */
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = join(import.meta.dir, '..');
const folder = resolve(process.argv[2] ?? join(root, 'dist/client'));

rmSync(folder, { recursive: true, force: true });
const { outputs } = await Bun.build({
  entrypoints: [join(root, 'src/client/client.ts')],
  outdir: folder,
  target: 'browser',
  format: 'esm',
});
for (const { path, size } of outputs) process.stdout.write(`${path}: ${Math.round(size / 1_024)} KiB\n`);
