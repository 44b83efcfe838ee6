/**
 * Bundles the service: `bun scripts/build-service.ts [FOLDER] [--program]` (default: dist/service). `npm start` and the
 * npm package run the bundle, which needs no other package, only the runtime. `--program` leaves out what only the
 * package needs. It contains compiled code next to the source text: startup takes half the processor time of a startup
 * from hundreds of source files. Another version of Bun compiles the text again.
 */
import { rmSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { BunPlugin } from 'bun';
import { embedConsole } from './console-plugin.ts';
import { APART, APART_PACKAGES, ENTRY_POINTS, MINIFY, PARTS } from './entry-points.ts';

const root = join(import.meta.dir, '..');
const sources = join(root, 'src');
const { values, positionals } = parseArgs({ options: { program: { type: 'boolean' } }, allowPositionals: true });
const folder = resolve(positionals[0] ?? join(root, 'dist/service'));
/** Entry points of the npm package only: its roots, and the process in which a program on Node runs it. */
const PACKAGE_PARTS = { 'processes/embedding/embedding-process.ts': ['embedding.ts'], 'testing.ts': ['embedding.ts'] };
const parts: typeof PARTS = values.program ? PARTS : { ...PARTS, ...PACKAGE_PARTS };
const entryPoints = new Set([
  ...ENTRY_POINTS,
  ...Object.entries(parts).flatMap(([path, own]) => [path, ...own]),
  ...APART,
]);

/** Makes entry points load their parts, and all modules the separate ones, from separate files. */
const separateParts: BunPlugin = {
  name: 'parts of entry points',
  setup(build) {
    build.onResolve({ filter: /\.ts$/ }, ({ path, importer }) => {
      if (importer === '') return undefined;
      const imported = relative(sources, resolve(dirname(importer), path));
      // The same classes as those of the entry `./client` of the package, which is next to the bundle.
      if (!values.program && dirname(importer) === sources && imported === 'client/client.ts') {
        return { path: '../client/client.js', external: true };
      }
      const isPart = parts[relative(sources, importer)]?.includes(imported) === true;
      return isPart || APART.includes(imported)
        ? { path: `./${basename(imported, '.ts')}.js`, external: true }
        : undefined;
    });
    // The build for browsers does not load the diagnostics channels, which have no subscribers.
    build.onResolve({ filter: /^lru-cache$/ }, () => ({
      path: join(root, 'node_modules/lru-cache/dist/esm/browser/index.min.js'),
    }));
    build.onResolve({ filter: new RegExp(`^(?:${APART_PACKAGES.join('|')})$`) }, ({ path, importer }) =>
      importer === '' ? undefined : { path: `./${path}.js`, external: true },
    );
  },
};

rmSync(folder, { recursive: true, force: true });
const OUTPUT = {
  outdir: folder,
  target: 'bun',
  minify: MINIFY,
  sourcemap: 'linked',
  // The only format that Bun compiles outside an executable.
  format: 'cjs',
  bytecode: true,
} as const;
const { outputs } = await Bun.build({
  ...OUTPUT,
  root: sources,
  // All in one folder, so a separate module that several of them load has the same path for all.
  naming: '[name].[ext]',
  plugins: [separateParts, await embedConsole()],
  entrypoints: [...entryPoints].map((path) => join(sources, path)),
  // Otherwise, they would be the locations of the sources at build time.
  define: {
    'import.meta.path': 'module.filename',
    'import.meta.dirname': 'module.path',
    'import.meta.dir': 'module.path',
  },
});
for (const name of APART_PACKAGES) {
  const built = await Bun.build({
    ...OUTPUT,
    entrypoints: [fileURLToPath(import.meta.resolve(name))],
    naming: `${name}.js`,
  });
  outputs.push(...built.outputs);
}
const bytes = outputs.reduce((sum, { size }) => sum + size, 0);
process.stdout.write(`${folder}: ${outputs.length} files, ${(bytes / 2 ** 20).toFixed(1)} MiB\n`);
