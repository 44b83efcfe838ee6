/**
 * Builds a release in the folder dist (`--folder FOLDER`: elsewhere): an executable for each platform, Debian packages,
 * the npm package, the clients for npm, pip and Go, the context of the container's build, the Helm chart, the
 * documentation, the OpenAPI document, raw results of measurements, a list of what is in the executables (SBOM,
 * CycloneDX), a signed statement of what it was built from (`--key FILE`: with this private key in place of a new one),
 * and SHA256SUMS. A part that cannot be built here is reported, and the exit code is 3. `--only PART`, repeatable,
 * limits the parts; `deb` is the Debian package for this machine.
 */
import { createHash } from 'node:crypto';
import { createReadStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import product from '../package.json' with { type: 'json' };
import { bundledPackages, installedPackages } from './bundled-packages.ts';
import { packClient, packGo, packPython } from './client-packages.ts';
import { buildDebianPackage, DEBIAN_TARGETS, type DebianArchitecture } from './debian-package.ts';
import { buildExecutable, reportFile, TARGETS, type Target, usage } from './executable.ts';
import { releaseKey, writeProvenance } from './provenance.ts';
import {
  packChart,
  packContainerContext,
  packDocumentation,
  packMeasurements,
  packNpm,
  writeOpenApi,
} from './release-archives.ts';

const ARCHIVES = {
  npm: packNpm,
  client: packClient,
  python: packPython,
  go: packGo,
  container: packContainerContext,
  chart: packChart,
  docs: packDocumentation,
  openapi: writeOpenApi,
  measurements: packMeasurements,
} as const satisfies Readonly<Record<string, (folder: string) => string>>;

/** Exit code when a part of a release is missing. */
const INCOMPLETE = 3;

const root = join(import.meta.dir, '..');
const debianParts = Object.keys(DEBIAN_TARGETS).map((architecture) => `deb-${architecture}`);
const PARTS: readonly string[] = [...TARGETS, ...debianParts, ...Object.keys(ARCHIVES)];

/** Returns the name of an executable in a release, for example `svc-1.0.0-linux-x64`. */
function releaseName(target: Target): string {
  const platform = target.slice('bun-'.length);
  return `svc-${product.version}-${platform}`;
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

/** Builds the parts of a release into a folder. */
class Release {
  readonly #folder: string;
  readonly #temporary = mkdtempSync(join(tmpdir(), 'svc-release-'));
  readonly #executables = new Map<Target, Promise<string>>();
  readonly files: string[] = [];

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Builds a part. Throws with the reason if it cannot be built here. */
  async add(part: string): Promise<void> {
    const file = await this.#build(part);
    reportFile(file);
    this.files.push(file);
  }

  async #build(part: string): Promise<string> {
    const target = TARGETS.find((each) => each === part);
    if (target !== undefined) return this.#executable(target, this.#folder);
    const archive = Object.entries(ARCHIVES).find(([name]) => name === part);
    if (archive !== undefined) return archive[1](this.#folder);
    const architecture = part.slice('deb-'.length) as DebianArchitecture;
    const executable = await this.#executable(DEBIAN_TARGETS[architecture], this.#temporary);
    return buildDebianPackage({ executable, architecture, folder: this.#folder });
  }

  /** Builds the executable of a platform once; `folder` is for one that has not been built yet. */
  #executable(target: Target, folder: string): Promise<string> {
    const built = this.#executables.get(target) ?? this.#buildExecutable(target, join(folder, releaseName(target)));
    this.#executables.set(target, built);
    return built;
  }

  async #buildExecutable(target: Target, file: string): Promise<string> {
    rmSync(file, { force: true });
    const problem = await buildExecutable(file, target);
    if (problem !== undefined) throw new Error(`its runtime could not be downloaded or used: ${problem}`);
    return file;
  }

  end(): void {
    rmSync(this.#temporary, { recursive: true, force: true });
  }
}

async function buildRelease(folder: string, parts: readonly string[], keyFile: string | undefined): Promise<number> {
  const startedAt = new Date().toISOString();
  const key = releaseKey(keyFile);
  mkdirSync(folder, { recursive: true });
  const release = new Release(folder);
  let missing = 0;
  try {
    for (const part of parts) {
      try {
        await release.add(part);
      } catch (error) {
        missing++;
        process.stderr.write(`${part}: not built, ${error instanceof Error ? error.message : error}\n`);
      }
    }
  } finally {
    release.end();
  }
  const sbom = join(folder, `svc-${product.version}.cdx.json`);
  await writeSbom(sbom);
  const built = [...release.files, sbom];
  const subjects = await Promise.all(built.map(async (file) => ({ name: basename(file), sha256: await sha256(file) })));
  const build = { version: product.version, commit: sourceCommit(), parts, startedAt };
  const files = [...built, ...writeProvenance(folder, subjects, build, key)];
  const sums = await Promise.all(files.map(async (file) => `${await sha256(file)}  ${basename(file)}\n`));
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
  process.stdout.write(`${join(folder, 'SHA256SUMS')}: ${files.length} files\n`);
  return missing === 0 ? 0 : INCOMPLETE;
}

/** Returns the commit of the sources, or undefined if they are not a clone or have changes. */
function sourceCommit(): string | undefined {
  const git = (...args: readonly string[]) => Bun.spawnSync(['git', ...args], { cwd: root });
  if (git('diff', '--quiet', 'HEAD').exitCode !== 0) return undefined;
  return git('rev-parse', 'HEAD').stdout.toString().trim();
}

/** Returns the parts that `--only` names, with an executable before the package that contains it. */
function partsOf(names: readonly string[]): readonly string[] {
  const chosen = new Set(names.map(partOf));
  return PARTS.filter((part) => chosen.has(part));
}

/** Returns the part that an argument of `--only` names. */
function partOf(name: string): string {
  if (name === 'deb') return process.arch === 'arm64' ? 'deb-arm64' : 'deb-amd64';
  return (
    PARTS.find((each) => each === name) ?? usage(`--only: ${name} is unknown; choose one of ${PARTS.join(', ')}, deb`)
  );
}

const { values } = parseArgs({
  args: process.argv.slice(2),
  options: {
    only: { type: 'string', multiple: true },
    key: { type: 'string' },
    folder: { type: 'string', default: join(root, 'dist') },
  },
});
process.exitCode = await buildRelease(resolve(values.folder), partsOf(values.only ?? PARTS), values.key);
