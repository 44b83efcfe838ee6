/**
 * Fits connections and cursors into the open-file limit. The runtime aborts if it cannot open one of its own files, so
 * a reserve remains for data files, logs, event loops and task processes.
 */
import { readFileSync } from 'node:fs';
import type { Limits } from '../base/limits.ts';
import { MAX_REJECTED_CONNECTIONS } from '../http/socket-server.ts';

/** Number of files reserved for everything except connections and cursors: per process, and per HTTP thread. */
const RESERVED_FILES = 96;
const RESERVED_FILES_PER_THREAD = 32;
/** Database and write-ahead log of persistent and of non-persistent regions. */
const FILES_PER_CURSOR = 4;
/** Share of the remaining files that cursors may use. */
const CURSOR_SHARE = 1 / 3;

export interface FittedLimits {
  readonly limits: Limits;
  /** Maximum connections of all threads together. */
  readonly connections: number;
  /** Message for the log, or undefined if no limit was lowered. */
  readonly lowered: string | undefined;
}

/** Lowers limits to fit `openFiles`; undefined means unknown and lowers nothing. */
export function fitOpenFiles(limits: Limits, threads: number, openFiles: number | undefined): FittedLimits {
  const wanted = limits.connections * threads;
  if (openFiles === undefined) return { limits, connections: wanted, lowered: undefined };
  const reserved = RESERVED_FILES + (RESERVED_FILES_PER_THREAD + MAX_REJECTED_CONNECTIONS) * threads;
  const left = Math.max(openFiles - reserved, 0);
  const openCursors = Math.max(1, Math.min(limits.openCursors, Math.floor((left * CURSOR_SHARE) / FILES_PER_CURSOR)));
  const connections = Math.max(1, Math.min(wanted, left - openCursors * FILES_PER_CURSOR));
  const texts = [
    ...(connections < wanted ? [`connections of all threads from ${wanted} to ${connections}`] : []),
    ...(openCursors < limits.openCursors ? [`openCursors from ${limits.openCursors} to ${openCursors}`] : []),
  ];
  const lowered =
    texts.length === 0 ? undefined : `Lowered ${texts.join(' and ')}: the process may open ${openFiles} files`;
  return { limits: { ...limits, openCursors }, connections, lowered };
}

/**
 * Returns the limit of open files (RLIMIT_NOFILE), or undefined if the platform does not report it. The runtime raises
 * the soft limit to the hard limit when it starts.
 */
export function openFilesLimit(): number | undefined {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}
