/**
 * Entry of a statement process. Several run read-only statements, scans and exports; one, the process for changes, runs
 * long changes, transactions, imports and definitions (`svc --statement-process PARENT reads|changes` in lists of
 * processes).
 *
 * Runs: the server of src/engines/embedded/statement-process, at a low priority, one statement at a time plus the pages
 * of open cursors. Owns: its cursors and their connections, its socket for the service's threads, and its part of the
 * shared areas, which it maps from a file. The process for changes may hold the write lock. Its memory is bounded by
 * the kernel. Started by statement-processes.ts in the main thread when a statement needs it, and replaced when it
 * dies. Ends: when it has been idle, when its statement does not end, when it has used too much memory, or with the
 * service; always by SIGKILL, because closing its files would write the log back.
 */
import { writeSync } from 'node:fs';
import os from 'node:os';
import { ProcessPort } from '../../base/process-port.ts';
import type { ChannelPort } from '../../base/rpc-channel.ts';
import { PRODUCT_VERSION } from '../../configuration/version.ts';
import { holdFolder } from '../../engines/embedded/storage/data-folder.ts';
import { endWithParent } from '../parent-watch/parent-process.ts';
import { limitMemory, type MemoryLimit } from './memory-limit.ts';
import { listenOnSocket } from './socket-port.ts';
import type { StatementProcessStart } from './statement-process-host.ts';

/**
 * Added to the service's niceness, so that requests get nine tenths of busy processors; three quarters while a process
 * starts, because statements wait for it.
 */
const ADDED_NICENESS = 10;
const STARTING_NICENESS = 5;
/** A process that has used this fraction of its memory is replaced. */
const RECYCLED_PART = 2;

/** Ends this process without closing its files: the last one to close a database writes its log back. */
function end(): void {
  process.kill(process.pid, 'SIGKILL');
}

/** Reports an error thrown by configured code, and ends the process. */
function fail(error: unknown): void {
  writeSync(2, `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  end();
}

/** Gives the threads that serve requests precedence over this process. */
function lowerPriority(added: number): void {
  try {
    os.setPriority(0, Math.min(os.getPriority(0) + added, os.constants.priority.PRIORITY_LOW));
  } catch {
    // Not permitted: all have the same priority.
  }
}

/** Serves the service, whose process has the given id, until that ends. */
export async function serveStatements(parent: number): Promise<void> {
  endWithParent(parent);
  process.on('disconnect', end);
  // Signals from a terminal or a service manager reach all processes; the service decides when this one ends.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
  const owner = new ProcessPort((message) => void process.send?.(message));
  process.once('message', (message: unknown) => {
    process.on('message', owner.receive);
    // Sent by the program itself; `start` compares the versions.
    start(message as StatementProcessStart, owner).catch(fail);
  });
}

async function start(message: StatementProcessStart, owner: ChannelPort): Promise<void> {
  if (message.version !== PRODUCT_VERSION) {
    throw new Error(`the program on disk has version ${PRODUCT_VERSION}, the service ${message.version}`);
  }
  lowerPriority(STARTING_NICENESS);
  holdFolder(message.start.setup.files.dataDir);
  const { openStatementProcess } = await import('./open-statement-server.ts');
  const { memoryBytes } = message;
  let limit: MemoryLimit | undefined;
  const isDueForRecycling = (): boolean => limit !== undefined && limit.takenBytes() > memoryBytes / RECYCLED_PART;
  const index = await openStatementProcess(message, owner, isDueForRecycling);
  listenOnSocket(message.socket, (port) => index.serve(port));
  if (memoryBytes > 0) limit = limitMemory(memoryBytes);
  lowerPriority(ADDED_NICENESS - STARTING_NICENESS);
  index.ready(limit?.isEnforced === true);
}
