/** Small separate disks for tests: ext4 file systems in files. */
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A mounted file system, or why there is none. */
export type LoopDisk = { readonly folder: string; unmount(): void } | { readonly missing: string };

function failureOf(command: readonly string[]): string | undefined {
  try {
    const { success, stderr } = Bun.spawnSync([...command]);
    return success ? undefined : `${command[0]}: ${stderr.toString().trim()}`;
  } catch (error) {
    return `${command[0]}: ${error}`;
  }
}

/** Creates a disk of this many mebibytes in a folder, and mounts it. */
export function mountLoopDisk(parent: string, mebibytes: number): LoopDisk {
  if (process.platform !== 'linux') return { missing: 'loop mounts need Linux' };
  const image = join(parent, `disk-${mebibytes}.img`);
  const folder = join(parent, `disk-${mebibytes}`);
  mkdirSync(folder);
  writeFileSync(image, '');
  truncateSync(image, mebibytes * 1024 * 1024);
  const missing = failureOf(['mkfs.ext4', '-q', '-F', image]) ?? failureOf(['mount', '-o', 'loop', image, folder]);
  if (missing !== undefined) return { missing };
  return { folder, unmount: () => void Bun.spawnSync(['umount', folder]) };
}
