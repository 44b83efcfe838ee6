/**
 * The packages whose code is part of the build. They are development dependencies: installing the npm package requires
 * none of them, only the runtime.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildConsole } from '../src/wiring/console/bundle.ts';
import { ENTRY_POINTS } from './entry-points.ts';

const root = join(import.meta.dir, '..');

/** A package of package-lock.json. */
interface LockedPackage {
  readonly version: string;
  readonly dev?: true;
}

/** A package, and the exact version of the lock file. */
export interface Package {
  readonly name: string;
  readonly version: string;
}

/** Returns the packages of which the program or the console contains a file, ordered by name. */
export async function bundledPackages(): Promise<readonly Package[]> {
  const program = await Bun.build({
    entrypoints: [...ENTRY_POINTS, 'embedding.ts'].map((path) => join(root, 'src', path)),
    root: join(root, 'src'),
    target: 'bun',
    metafile: true,
  });
  const console = await buildConsole(join(root, 'src/console'));
  const files = [program, console].flatMap(({ metafile }) => Object.keys(metafile?.inputs ?? {}));
  // A package within another one's folder may be another version.
  const folders = files.flatMap((file) => /.*(node_modules\/(?:@[^/]+\/)?[^/]+)/.exec(file)?.[0] ?? []);
  const locked = lockedPackages();
  return [...new Set(folders.map((folder) => folder.slice(folder.indexOf('node_modules/'))))].sort().map((folder) => {
    const found = locked[folder];
    if (found === undefined) throw new Error(`package-lock.json has no ${folder}`);
    return { name: nameOf(folder), version: found.version };
  });
}

/** Returns the packages that npm installs together with this one: the runtime. */
export function installedPackages(): readonly Package[] {
  return Object.entries(lockedPackages()).flatMap(([folder, { version, dev }]) =>
    dev === true || folder === '' ? [] : [{ name: nameOf(folder), version }],
  );
}

function lockedPackages(): Readonly<Record<string, LockedPackage>> {
  const lock: { readonly packages: Readonly<Record<string, LockedPackage>> } = JSON.parse(
    readFileSync(join(root, 'package-lock.json'), 'utf8'),
  );
  return lock.packages;
}

function nameOf(folder: string): string {
  return folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
}
