/** Records in the data folder where this process's service listens, and finds services by their data folders. */
import { mkdirSync } from 'node:fs';
import type { Clock } from '../base/clock.ts';
import { type FailoverDetails, type FailoverStatus, failoverDetails } from '../base/failover-status.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { PRODUCT_VERSION } from '../configuration/version.ts';
import { type LockingOwner, lockingOwner, lockOwner } from '../engines/embedded/storage/data-folder.ts';
import { readOwner, removeOwner, writeOwner } from '../engines/embedded/storage/folder-owner.ts';
import { isRunning } from './running-process.ts';

/**
 * Writes the service's address to its data folder. With the cluster engine, services may share the folder: the first
 * running one is described. Returns a function that withdraws the description.
 */
export function announce({ dataDir, engine }: Configuration, url: string, clock: Clock): () => void {
  const isCluster = engine.kind === 'cluster';
  if (isCluster && runningOwner(dataDir) !== undefined) return () => {};
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const release = isCluster ? lockOwner(dataDir) : () => {};
  if (release === undefined) return () => {};
  const described = { processId: process.pid, startedAtMs: clock.nowMs(), version: PRODUCT_VERSION };
  writeOwner(dataDir, { ...described, locked: !isCluster, url });
  return () => {
    if (readOwner(dataDir)?.processId === process.pid) removeOwner(dataDir);
    release();
  };
}

/** Adds to this process's description what only the user of the data folder may know about its role. */
export function describeRole(folder: string, status: FailoverStatus): void {
  const owner = readOwner(folder);
  const failover = failoverDetails(status);
  if (owner?.processId !== process.pid || isSame(owner.failover, failover)) return;
  writeOwner(folder, { ...owner, failover });
}

function isSame(one: FailoverDetails | undefined, { epoch, from, reason }: FailoverDetails): boolean {
  return one?.epoch === epoch && one.from === from && one.reason === reason;
}

/** Returns the running process that uses a data folder, or undefined. */
export function runningOwner(folder: string): LockingOwner | undefined {
  // After a crash, another program may have the id, but it does not hold the lock.
  const owner = lockingOwner(folder, process.getuid?.());
  return owner !== undefined && isRunning(owner.processId) ? owner : undefined;
}
