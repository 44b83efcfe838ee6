/**
 * Fits connections and cursors into the files that the process may have open. The runtime ends the process when it
 * finds none for itself, so a reserve is kept for it: data files, logs, event loops, task processes.
 */
import { readFileSync } from 'node:fs';
import type { Limits } from '../base/limits.ts';
import { MOST_TURNED_AWAY } from '../http/socket-server.ts';

/** Files for everything but connections and cursors, and those of each thread that answers requests. */
const RESERVED_FILES = 96;
const RESERVED_FILES_OF_THREAD = 32;
/** Database and log, each of the persistent regions and of the others. */
const FILES_OF_CURSOR = 4;
/** Cursors may take this part of what is left. */
const PART_OF_CURSORS = 1 / 3;

export interface FittedLimits {
  readonly limits: Limits;
  /** Connections of all threads together. */
  readonly connections: number;
  /** What had to be lowered, for the log; undefined: nothing. */
  readonly lowered: string | undefined;
}

/** `openFiles` undefined: not known, nothing is lowered. */
export function fitOpenFiles(limits: Limits, threads: number, openFiles: number | undefined): FittedLimits {
  const wanted = limits.connections * threads;
  if (openFiles === undefined) return { limits, connections: wanted, lowered: undefined };
  const reserved = RESERVED_FILES + (RESERVED_FILES_OF_THREAD + MOST_TURNED_AWAY) * threads;
  const left = Math.max(openFiles - reserved, 0);
  const openCursors = Math.max(1, Math.min(limits.openCursors, Math.floor((left * PART_OF_CURSORS) / FILES_OF_CURSOR)));
  const connections = Math.max(1, Math.min(wanted, left - openCursors * FILES_OF_CURSOR));
  const texts = [
    ...(connections < wanted ? [`connections of all threads from ${wanted} to ${connections}`] : []),
    ...(openCursors < limits.openCursors ? [`openCursors from ${limits.openCursors} to ${openCursors}`] : []),
  ];
  const lowered =
    texts.length === 0 ? undefined : `Lowered ${texts.join(' and ')}: the process may open ${openFiles} files`;
  return { limits: { ...limits, openCursors }, connections, lowered };
}

/**
 * Returns how many files this process may open (RLIMIT_NOFILE), or undefined where the platform does not tell. The
 * runtime has raised the soft limit to the hard one when it started.
 */
export function openFilesLimit(): number | undefined {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}
