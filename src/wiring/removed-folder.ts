/** Finds the service whose data folder was removed while it ran. */
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { holderOf } from './descriptors.ts';

const REMOVED = ' (deleted)';

/**
 * Returns the id of the process that has files of a removed folder open, or undefined if there is none, if the folder
 * exists, or if the system does not report what processes have open.
 */
export function processOfRemoved(folder: string): number | undefined {
  if (existsSync(folder)) return undefined;
  const path = `${join(realPath(dirname(folder)), basename(folder))}/`;
  return holderOf((name) => name.startsWith(path) && name.endsWith(REMOVED));
}

function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
