// Builds the service as one executable, dist/svc: the runtime, the program and the threads that it starts.
// `npm run build -- --outfile FILE` writes it elsewhere.
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = join(import.meta.dir, '..');

/** Where threads begin, from `src`: each must be named here to be inside the executable (src/base/thread-url.ts). */
const THREADS = ['http-thread.ts'];

const given = process.argv.indexOf('--outfile');
const outfile = given < 0 ? join(root, 'dist', 'svc') : resolve(process.argv[given + 1] ?? 'svc');

const result = await Bun.build({
  // Tasks run in processes of the executable itself, which main.ts begins too.
  entrypoints: ['main.ts', ...THREADS].map((path) => join(root, 'src', path)),
  root: join(root, 'src'),
  target: 'bun',
  minify: { whitespace: true, syntax: true, identifiers: false },
  sourcemap: 'inline',
  compile: {
    outfile,
    // Configuration files import packages that lie beside them; variables come from the environment alone.
    autoloadPackageJson: true,
    autoloadTsconfig: false,
    autoloadDotenv: false,
    autoloadBunfig: false,
  },
});
// The executable holds the maps itself; those beside it are of no use.
for (const { kind, path } of result.outputs) if (kind === 'sourcemap') rmSync(path, { force: true });
for (const message of result.logs) process.stderr.write(`${message}\n`);
if (!result.success) process.exit(1);
const megabytes = (Bun.file(outfile).size / 1e6).toFixed(0);
process.stdout.write(`${outfile} written, ${megabytes} MB\n`);
