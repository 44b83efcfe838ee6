/**
 * Builds the service as one executable file, dist/svc (`--outfile FILE`: elsewhere): the runtime, the program and the
 * threads that it starts. It is for this platform or for the one that `--target` names, whose runtime is downloaded.
 */
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

/** Where threads begin, from `src`: each must be named here to be inside the executable (src/base/thread-url.ts). */
const THREADS = ['http-thread.ts', 'query-thread.ts'];
const TARGETS: readonly Bun.Build.CompileTarget[] = [
  'bun-linux-x64',
  'bun-linux-arm64',
  'bun-linux-x64-musl',
  'bun-linux-arm64-musl',
  'bun-darwin-x64',
  'bun-darwin-arm64',
  'bun-windows-x64',
];

const root = join(import.meta.dir, '..');
const { values } = parseArgs({
  args: process.argv.slice(2),
  options: { outfile: { type: 'string', default: join(root, 'dist', 'svc') }, target: { type: 'string' } },
});
const outfile = resolve(values.outfile);
const target = TARGETS.find((each) => each === values.target);
if (values.target !== undefined && target === undefined) {
  process.stderr.write(`--target: ${values.target} is unknown; there are ${TARGETS.join(', ')}\n`);
  process.exit(2);
}

const result = await Bun.build({
  // Tasks run in processes of the executable itself, which main.ts begins too.
  entrypoints: ['main.ts', ...THREADS].map((path) => join(root, 'src', path)),
  root: join(root, 'src'),
  target: 'bun',
  minify: { whitespace: true, syntax: true, identifiers: false },
  sourcemap: 'inline',
  compile: {
    outfile,
    ...(target !== undefined && { target }),
    // Configuration files and tasks may use packages that lie beside them; what else lies there is none of ours.
    autoloadPackageJson: true,
    autoloadTsconfig: false,
    autoloadBunfig: false,
  },
});
// The executable holds the maps itself; those beside it are of no use.
for (const { kind, path } of result.outputs) if (kind === 'sourcemap') rmSync(path, { force: true });
for (const message of result.logs) process.stderr.write(`${message}\n`);
if (!result.success) process.exit(1);
process.stdout.write(`${outfile}: ${Math.round(Bun.file(outfile).size / 2 ** 20)} MiB\n`);
