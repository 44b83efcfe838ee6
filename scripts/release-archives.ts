/** The archives of a release: the npm package, the context of the container's build, and the Helm chart. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import product from '../package.json' with { type: 'json' };

const root = join(import.meta.dir, '..');
const DOCKERFILE = 'deploy/container/Dockerfile';

/** Runs a program and returns its output. Throws with its errors if it fails or is not there. */
export function succeed(command: readonly string[], env: Readonly<Record<string, string>> = {}): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command], { cwd: root, env: { ...process.env, ...env } });
  if (exitCode !== 0) throw new Error(`${command[0]} failed: ${stderr}`);
  return stdout.toString();
}

/** Returns the time of files in packages, in s since 1970: that of the commit, so that a build can be repeated. */
export function sourceDateSeconds(): string {
  if (process.env.SOURCE_DATE_EPOCH !== undefined) return process.env.SOURCE_DATE_EPOCH;
  const { exitCode, stdout } = Bun.spawnSync(['git', 'log', '-1', '--format=%ct'], { cwd: root });
  return exitCode === 0 ? stdout.toString().trim() : String(Math.floor(Date.now() / 1000));
}

/** Writes an archive whose bytes depend on the files alone. */
function pack(file: string, args: readonly string[]): string {
  const fixed = ['--sort=name', `--mtime=@${sourceDateSeconds()}`, '--owner=0', '--group=0', '--numeric-owner'];
  succeed(['tar', '--create', '--gzip', '--file', file, ...fixed, '--mode=go-w,a+rX', ...args]);
  return file;
}

/** Packs the npm package. */
export function packNpm(folder: string): string {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const output = succeed([npm, 'pack', '--silent', '--pack-destination', folder]);
  return join(folder, output.trim().split('\n').at(-1) ?? '');
}

/** Packs the Helm chart, with the files that are links in the repository. */
export function packChart(folder: string): string {
  const file = join(folder, `svc-${product.version}.tgz`);
  return pack(file, ['--dereference', '--exclude=.helmignore', '--directory', join(root, 'deploy/helm'), 'svc']);
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
