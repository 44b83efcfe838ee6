/** The open files of this machine's processes, as Linux reports them to their users; unknown elsewhere. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

const PROCESSES = '/proc';

/**
 * Returns the id of the process with an open file, socket or pipe whose name in the system matches, or undefined if
 * there is none. Processes that it started may also have it open.
 */
export function holderOf(matches: (name: string) => boolean): number | undefined {
  const ids = namesIn(PROCESSES).filter((name) => /^\d+$/.test(name));
  const holders = ids.map(Number).filter((id) => {
    const folder = join(PROCESSES, String(id), 'fd');
    return namesIn(folder).some((name) => matches(linkTarget(join(folder, name))));
  });
  return holders.find((id) => !holders.includes(parentOf(id)));
}

/** Returns the id of a process's parent, or 0 if unknown. */
function parentOf(id: number): number {
  const status = contentOf(join(PROCESSES, String(id), 'stat'));
  // The name of the program, in parentheses, may contain blanks and parentheses.
  return Number(/^\) \S (\d+) /.exec(status.slice(status.lastIndexOf(')')))?.[1] ?? 0);
}

/** Returns the name of the program that a process runs, or undefined if unknown. */
export function programOf(id: number): string | undefined {
  const name = contentOf(join(PROCESSES, String(id), 'comm')).trim();
  return name === '' ? undefined : name;
}

/** Returns a system file as text; empty if there is none, or if it belongs to another user. */
export function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

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
