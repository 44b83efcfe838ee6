/** Debian programs for tests: each is unpacked into a cached folder, with the libraries that this machine lacks. */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { endOf } from './ended-program.ts';

const build = join(import.meta.dir, '../build/debian');

export interface DebianProgram {
  readonly path: string;
  /** The path of the libraries that came with it. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Returns a program: the installed one under one of its names, or the one in Debian's package, which is unpacked but
 * not installed; or what is missing.
 */
export async function debianProgram(
  pack: string,
  ...names: readonly [string, ...string[]]
): Promise<DebianProgram | { readonly missing: string }> {
  for (const name of names) {
    const path = Bun.which(name);
    if (path !== null) return { path, env: {} };
  }
  const folder = join(build, pack);
  const found = () => ['usr/bin', 'usr/sbin'].map((at) => join(folder, at, names[0])).find((path) => existsSync(path));
  // The list of packages may be older than the package.
  for (const command of [unpack(pack), `apt-get update && ${unpack(pack)}`]) {
    if (found() !== undefined) break;
    mkdirSync(join(folder, 'archives/partial'), { recursive: true });
    await endOf(['sh', '-c', command], { cwd: folder });
  }
  const path = found();
  const libraries = [...new Bun.Glob('usr/lib/*-linux-gnu').scanSync({ cwd: folder, onlyFiles: false })];
  if (path !== undefined) return { path, env: { LD_LIBRARY_PATH: libraries.map((at) => join(folder, at)).join(':') } };
  return { missing: `skipped: ${names[0]} is not on the PATH, and apt-get cannot download the package ${pack}` };
}

function unpack(pack: string): string {
  const download = 'apt-get install --yes --download-only --no-install-recommends -o Debug::NoLocking=1';
  return `${download} -o Dir::Cache::archives="$PWD/archives" ${pack} && for each in archives/*.deb; do dpkg -x "$each" .; done`;
}
