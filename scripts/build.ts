/**
 * Builds the service as one executable file, dist/svc (`--outfile FILE`: elsewhere): the runtime, the program and its
 * threads. The executable is for this platform, or for the one that `--target` names, whose runtime Bun downloads.
 *
 * `--all` builds a release in the folder dist (`--folder FOLDER`: elsewhere): an executable for each platform, a list
 * of what is in them (SBOM, CycloneDX) and SHA256SUMS. A platform whose runtime cannot be downloaded is reported, and
 * the exit code is 3. `--only TARGET`, repeatable, limits the platforms.
 */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import product from '../package.json' with { type: 'json' };
import { bundledPackages, installedPackages } from './bundled-packages.ts';
import { embedConsole } from './console-plugin.ts';
import { ENTRY_POINTS, MINIFY } from './entry-points.ts';

const TARGETS = [
  'bun-linux-x64',
  'bun-linux-arm64',
  'bun-linux-x64-musl',
  'bun-linux-arm64-musl',
  'bun-darwin-x64',
  'bun-darwin-arm64',
  'bun-windows-x64',
] as const satisfies readonly Bun.Build.CompileTarget[];
type Target = (typeof TARGETS)[number];

/** Exit code when a platform is missing in a release. */
const INCOMPLETE = 3;

const root = join(import.meta.dir, '..');

function usage(problem: string): never {
  process.stderr.write(`${problem}\n`);
  process.exit(2);
}

function targetOf(option: string, name: string): Target {
  return (
    TARGETS.find((each) => each === name) ??
    usage(`--${option}: ${name} is unknown; choose one of ${TARGETS.join(', ')}`)
  );
}

/** Builds an executable. Returns why it could not be built. */
async function build(outfile: string, target: Target | undefined): Promise<string | undefined> {
  try {
    const result = await Bun.build({
      entrypoints: ENTRY_POINTS.map((path) => join(root, 'src', path)),
      root: join(root, 'src'),
      target: 'bun',
      format: 'esm',
      // Compiled code halves the time of a start. The runtimes of other platforms are not there to compile it.
      bytecode: target === undefined || target === `bun-${process.platform}-${process.arch}`,
      minify: MINIFY,
      sourcemap: 'inline',
      throw: false,
      plugins: [await embedConsole()],
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
    if (result.success && existsSync(outfile)) return undefined;
    return result.logs.join('\n') || 'the runtime wrote no file';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function report(file: string): void {
  process.stdout.write(`${file}: ${Math.round(Bun.file(file).size / 2 ** 20)} MiB\n`);
}

/** Returns the file of a release, for example `svc-1.0.0-linux-x64`. */
function releaseFile(folder: string, target: Target): string {
  const platform = target.slice('bun-'.length);
  return join(folder, `svc-${product.version}-${platform}${platform.startsWith('windows') ? '.exe' : ''}`);
}

/** The parts of an SBOM that are changed here. */
interface Sbom {
  readonly metadata: { readonly component: { name: string } };
  components: ReadonlyArray<{ readonly name: string; readonly version: string }>;
}

function sbomOfPackages(): Sbom {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only'];
  const { exitCode, stdout, stderr } = Bun.spawnSync([npm, ...args], { cwd: root });
  if (exitCode !== 0) throw new Error(`npm sbom failed: ${stderr}`);
  return JSON.parse(stdout.toString()) as Sbom;
}

/** Writes what the executables contain, the runtime included, from the lock file. */
async function writeSbom(file: string): Promise<void> {
  const sbom = sbomOfPackages();
  // npm names the folder of the clone.
  sbom.metadata.component.name = product.name;
  const contained = new Set(
    [...installedPackages(), ...(await bundledPackages())].map(({ name, version }) => `${name} ${version}`),
  );
  sbom.components = sbom.components.filter(({ name, version }) => contained.has(`${name} ${version}`));
  writeFileSync(file, `${JSON.stringify(sbom, undefined, 2)}\n`);
}

async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest('hex');
}

async function buildRelease(folder: string, targets: readonly Target[]): Promise<number> {
  mkdirSync(folder, { recursive: true });
  const files: string[] = [];
  let missing = 0;
  for (const target of targets) {
    const file = releaseFile(folder, target);
    rmSync(file, { force: true });
    const problem = await build(file, target);
    if (problem === undefined) {
      files.push(file);
      report(file);
    } else {
      missing++;
      process.stderr.write(`${target}: not built, its runtime could not be downloaded or used: ${problem}\n`);
    }
  }
  const sbom = join(folder, `svc-${product.version}.cdx.json`);
  await writeSbom(sbom);
  files.push(sbom);
  const sums = await Promise.all(files.map(async (file) => `${await sha256(file)}  ${basename(file)}\n`));
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
  process.stdout.write(`${join(folder, 'SHA256SUMS')}: ${files.length} files\n`);
  return missing === 0 ? 0 : INCOMPLETE;
}

const { values } = parseArgs({
  args: process.argv.slice(2),
  options: {
    outfile: { type: 'string', default: join(root, 'dist', 'svc') },
    target: { type: 'string' },
    all: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    folder: { type: 'string', default: join(root, 'dist') },
  },
});
if (values.all) {
  const targets = values.only?.map((name) => targetOf('only', name)) ?? TARGETS;
  process.exitCode = await buildRelease(resolve(values.folder), targets);
} else {
  const isForWindows = values.target?.startsWith('bun-windows') === true;
  const outfile = resolve(isForWindows && !values.outfile.endsWith('.exe') ? `${values.outfile}.exe` : values.outfile);
  const problem = await build(outfile, values.target === undefined ? undefined : targetOf('target', values.target));
  if (problem !== undefined) {
    process.stderr.write(`${problem}\n`);
    process.exitCode = 1;
  } else report(outfile);
}
