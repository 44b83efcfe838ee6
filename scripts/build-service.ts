/**
 * Bundles the service for the npm package: `bun scripts/build-service.ts [FOLDER]` (default: dist/service). Bun reads a
 * few files there instead of translating hundreds, so that a service starts in half the time. The bundle needs no other
 * package, only the runtime.
 */
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { embedConsole } from './console-plugin.ts';
import { ENTRY_POINTS, MINIFY } from './entry-points.ts';

const root = join(import.meta.dir, '..');
const folder = resolve(process.argv[2] ?? join(root, 'dist/service'));

rmSync(folder, { recursive: true, force: true });
const { outputs } = await Bun.build({
  entrypoints: [...ENTRY_POINTS, 'embedding.ts'].map((path) => join(root, 'src', path)),
  root: join(root, 'src'),
  outdir: folder,
  target: 'bun',
  format: 'esm',
  // Each part is loaded when it is needed.
  splitting: true,
  minify: MINIFY,
  sourcemap: 'linked',
  plugins: [await embedConsole()],
});
const bytes = outputs.reduce((sum, { size }) => sum + size, 0);
process.stdout.write(`${folder}: ${outputs.length} files, ${(bytes / 2 ** 20).toFixed(1)} MiB\n`);
