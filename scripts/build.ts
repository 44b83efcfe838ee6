/**
 * Builds the service as one executable file, dist/svc, for this platform or the one that `--target` names
 * (`bun-linux-x64`, `bun-linux-arm64`, `bun-darwin-arm64`, ...; the runtime for another one is downloaded).
 */
import { mkdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

/** The program first, then every file that a thread begins with. */
const ENTRY_POINTS = ['src/main.ts', 'src/http-thread.ts'];

const root = dirname(import.meta.dir);
const { values } = parseArgs({
  args: Bun.argv.slice(2),
  options: { outfile: { type: 'string', default: join(root, 'dist', 'svc') }, target: { type: 'string' } },
});

const outfile = resolve(values.outfile);
mkdirSync(dirname(outfile), { recursive: true });
const build = Bun.spawnSync({
  cmd: [
    process.execPath,
    'build',
    '--compile',
    '--minify-whitespace',
    '--minify-syntax',
    '--sourcemap',
    // Configuration files and tasks may use packages that lie beside them.
    '--compile-autoload-package-json',
    ...(values.target === undefined ? [] : [`--target=${values.target}`]),
    ...ENTRY_POINTS.map((file) => join(root, file)),
    '--outfile',
    outfile,
  ],
  cwd: root,
  stdout: 'inherit',
  stderr: 'inherit',
});
if (build.exitCode !== 0) process.exit(build.exitCode);
process.stdout.write(`${outfile}: ${Math.round(statSync(outfile).size / 2 ** 20)} MiB\n`);
