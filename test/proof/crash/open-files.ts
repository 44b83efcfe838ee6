/** Which files processes have open, on Linux. */
import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of the regions that do not persist, from the files that a process has open. */
export function memoryFolder(pid: number): string | undefined {
  for (const path of openFilesOf(pid)) {
    const found = /^.*\/svc-regions-[^/]+/.exec(path)?.[0];
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Reports whether a process has a file of the folder open. */
export function isUsed(folder: string): boolean {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return processes.some((pid) => openFilesOf(Number(pid)).some((path) => path.startsWith(`${folder}/`)));
}

function openFilesOf(pid: number): readonly string[] {
  const descriptors = `/proc/${pid}/fd`;
  return descriptorsOf(descriptors).map((each) => readChannel(join(descriptors, each)));
}

/** Returns the open descriptors of a process, or none when it ended meanwhile or belongs to another user. */
function descriptorsOf(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

/** Returns the target of a link; empty when the descriptor was closed meanwhile. */
function readChannel(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
