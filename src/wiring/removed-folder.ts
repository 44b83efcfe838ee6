/** Finds the service whose data folder was removed while it ran. */
import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const PROCESSES = '/proc';
const REMOVED = ' (deleted)';

/**
 * Returns the id of the process that has files of a removed folder open; undefined if there is none, or if the folder
 * exists, or the system does not tell what processes have open.
 */
export function processOfRemoved(folder: string): number | undefined {
  if (existsSync(folder)) return undefined;
  const path = join(realPath(dirname(folder)), basename(folder));
  const holders = new Set(processIds().filter((id) => hasRemovedFile(id, path)));
  // The processes of a service have its files open, too.
  return [...holders].find((id) => !holders.has(parentOf(id)));
}

function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

function processIds(): number[] {
  return namesIn(PROCESSES)
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function hasRemovedFile(id: number, folder: string): boolean {
  const files = join(PROCESSES, String(id), 'fd');
  return namesIn(files).some((name) => {
    const target = linkTarget(join(files, name));
    return target.startsWith(`${folder}/`) && target.endsWith(REMOVED);
  });
}

function parentOf(id: number): number {
  try {
    // The name of the program, in parentheses, may contain blanks.
    const status = readFileSync(join(PROCESSES, String(id), 'stat'), 'utf8');
    return Number(/\) \S (\d+) /.exec(status.slice(status.lastIndexOf(')')))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** Returns the names; none for what has ended, or belongs to another user. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function linkTarget(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
