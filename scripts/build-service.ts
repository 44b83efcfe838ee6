/**
 * Bundles the service for the npm package: `bun scripts/build-service.ts [FOLDER]` (default: dist/service). Bun reads
 * a few files there instead of translating hundreds, so that a service starts sooner. The bundle needs no other
 * package, only the runtime.
 */
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { embedConsole } from './console-plugin.ts';
import { ENTRY_POINTS, MINIFY } from './entry-points.ts';

const root = join(import.meta.dir, '..');
const folder = resolve(process.argv[2] ?? join(root, 'dist/service'));

const common = {
  root: join(root, 'src'),
  outdir: folder,
  target: 'bun',
  minify: MINIFY,
  sourcemap: 'linked',
} as const;
const plugins = [await embedConsole()];

rmSync(folder, { recursive: true, force: true });
const program = await Bun.build({
  ...common,
  plugins,
  entrypoints: ENTRY_POINTS.map((path) => join(root, 'src', path)),
  format: 'esm',
  // Each part is loaded when it is needed.
  splitting: true,
});
// Tests wait for the first service of their process, so it is compiled before. Bun compiles only this format; another
// version of Bun than this one compiles it again.
const embedded = await Bun.build({
  ...common,
  plugins,
  entrypoints: [join(root, 'src/embedding.ts')],
  format: 'cjs',
  bytecode: true,
});
const outputs = [...program.outputs, ...embedded.outputs];
const bytes = outputs.reduce((sum, { size }) => sum + size, 0);
process.stdout.write(`${folder}: ${outputs.length} files, ${(bytes / 2 ** 20).toFixed(1)} MiB\n`);
