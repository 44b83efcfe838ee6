/**
 * Builds the service as one executable file, dist/svc (`--outfile FILE`: elsewhere): the runtime, the program and its
 * threads. The executable is for this platform, or for the one that `--target` names, whose runtime Bun downloads.
 */
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

/** Entries of threads in `src`. Only those listed here are part of the executable (src/base/thread-url.ts). */
const THREADS = ['http-thread.ts', 'query-thread.ts', 'watchdog-thread.ts'];
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
  process.stderr.write(`--target: ${values.target} is unknown; choose one of ${TARGETS.join(', ')}\n`);
  process.exit(2);
}

const result = await Bun.build({
  // Task processes run the executable itself, so main.ts is their entry, too.
  entrypoints: ['main.ts', ...THREADS].map((path) => join(root, 'src', path)),
  root: join(root, 'src'),
  target: 'bun',
  minify: { whitespace: true, syntax: true, identifiers: false },
  sourcemap: 'inline',
  compile: {
    outfile,
    ...(target !== undefined && { target }),
    // Configuration files and tasks may import packages beside them. Other settings found there are not for svc.
    autoloadPackageJson: true,
    autoloadTsconfig: false,
    autoloadBunfig: false,
  },
});
// The executable contains the source maps, so the separate files are not needed.
for (const { kind, path } of result.outputs) if (kind === 'sourcemap') rmSync(path, { force: true });
for (const message of result.logs) process.stderr.write(`${message}\n`);
if (!result.success) process.exit(1);
process.stdout.write(`${outfile}: ${Math.round(Bun.file(outfile).size / 2 ** 20)} MiB\n`);
