/**
 * The archives and documents of a release: the npm package, the context of the container's build, the Helm chart, the
 * documentation, the OpenAPI document, and the raw results of the comparison with other systems.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import product from '../package.json' with { type: 'json' };
import { buildSite, missingTool } from './build-site.ts';
import { openApiDocument } from './pages/generated-files.ts';

const root = join(import.meta.dir, '..');
const DOCKERFILE = 'deploy/container/Dockerfile';

/** Runs a program and returns its output. Throws with its errors if it fails or is not there. */
export function succeed(command: readonly string[], env: Readonly<Record<string, string>> = {}, cwd = root): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command], { cwd, env: { ...process.env, ...env } });
  if (exitCode !== 0) throw new Error(`${command[0]} failed: ${stderr}`);
  return stdout.toString();
}

/** Returns the time of files in packages, in s since 1970: the time of the commit, so a build can be repeated. */
export function sourceDateSeconds(): string {
  if (process.env.SOURCE_DATE_EPOCH !== undefined) return process.env.SOURCE_DATE_EPOCH;
  const { exitCode, stdout } = Bun.spawnSync(['git', 'log', '-1', '--format=%ct'], { cwd: root });
  return exitCode === 0 ? stdout.toString().trim() : String(Math.floor(Date.now() / 1000));
}

/** Writes an archive whose bytes depend on the files alone. */
export function pack(file: string, args: readonly string[]): string {
  const fixed = ['--sort=name', `--mtime=@${sourceDateSeconds()}`, '--owner=0', '--group=0', '--numeric-owner'];
  succeed(['tar', '--create', '--gzip', '--file', file, ...fixed, '--mode=go-w,a+rX', ...args]);
  return file;
}

/** Packs the npm package. */
export function packNpm(folder: string): string {
  return packedByNpm(root, folder);
}

/** Packs the npm package of a folder. */
export function packedByNpm(source: string, folder: string): string {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const output = succeed([npm, 'pack', '--silent', '--pack-destination', folder], {}, source);
  return join(folder, output.trim().split('\n').at(-1) ?? '');
}

/** Packs the Helm chart, with the files that are links in the repository. */
export function packChart(folder: string): string {
  const file = join(folder, `svc-${product.version}.tgz`);
  return pack(file, ['--dereference', '--exclude=.helmignore', '--directory', join(root, 'deploy/helm'), 'svc']);
}

/** Builds and packs the documentation site. Throws if a tool is missing. */
export function packDocumentation(folder: string): string {
  const missing = missingTool();
  if (missing !== undefined) throw new Error(missing);
  const temporary = mkdtempSync(join(tmpdir(), 'svc-site-'));
  try {
    const site = join(temporary, 'docs');
    buildSite({ tools: join(root, 'build/site-tools'), source: join(temporary, 'source'), site });
    return pack(join(folder, `svc-${product.version}-docs.tgz`), ['--directory', temporary, 'docs']);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** Writes the OpenAPI document. */
export function writeOpenApi(folder: string): string {
  const file = join(folder, `svc-${product.version}-openapi.json`);
  writeFileSync(file, openApiDocument());
  return file;
}

/** Packs the raw results of `npm run bench:peers`. Throws if there are none. */
export function packMeasurements(folder: string): string {
  const results = join(root, 'bench/results-peers');
  const names = existsSync(results) ? readdirSync(results).filter((name) => name.endsWith('.json')) : [];
  if (names.length === 0) throw new Error('npm run bench:peers has measured nothing here');
  return pack(join(folder, `svc-${product.version}-measurements.tgz`), ['--directory', results, ...names]);
}

/** Packs what `docker build` needs. Throws if the Dockerfile names an image without its digest. */
export function packContainerContext(folder: string): string {
  const text = readFileSync(join(root, DOCKERFILE), 'utf8');
  const unpinned = unpinnedImages(text);
  if (unpinned.length > 0) throw new Error(`${DOCKERFILE} names images without a digest: ${unpinned.join(', ')}`);
  const copied = [...text.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths = '']) => paths.split(' '));
  const tests = ['test', 'suite', 'fixture'].map((kind) => `--exclude=*.${kind}.ts`);
  const file = join(folder, `svc-${product.version}-container.tgz`);
  return pack(file, [...tests, '--directory', root, DOCKERFILE, `${DOCKERFILE}.dockerignore`, ...copied]);
}

/** Returns the images of a Dockerfile whose contents can change. */
export function unpinnedImages(dockerfile: string): readonly string[] {
  const from = [...dockerfile.matchAll(/^FROM (?:--\S+ )*(\S+)(?: AS (\S+))?$/gim)];
  const stages = new Set(from.flatMap(([, , stage]) => (stage === undefined ? [] : [stage])));
  return from.flatMap(([, image = '']) =>
    image === 'scratch' || stages.has(image) || /@sha256:[0-9a-f]{64}$/.test(image) ? [] : [image],
  );
}
