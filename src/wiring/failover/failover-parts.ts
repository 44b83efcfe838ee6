/** Creates the parts of a service with failover from its configuration. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { openBootClock } from '../../base/boot-clock.ts';
import { objectStoreEnvironment } from '../../base/child-environment.ts';
import { sleep } from '../../base/clock.ts';
import { errorText } from '../../base/errors.ts';
import type { FailoverStatus, Loss } from '../../base/failover-status.ts';
import { SharedFile } from '../../base/shared-areas.ts';
import type { FailoverSettings } from '../../configuration/configuration.ts';
import { ConfigurationError } from '../../configuration/option.ts';
import { PRODUCT_VERSION } from '../../configuration/version.ts';
import type { Leases } from '../../engines/embedded/backup/continuous/failover/leases.ts';
import { openLeases } from '../../engines/embedded/backup/continuous/failover/open-leases.ts';
import type { FailoverRecord, FailoverTerms } from '../../engines/embedded/backup/continuous/failover/record.ts';
import { StandbyCopy } from '../../engines/embedded/backup/continuous/failover/standby-copy.ts';
import { isTemporary, ObjectStoreError } from '../../engines/embedded/backup/continuous/s3-errors.ts';
import { SHIPPING_PROCESS_ARGUMENT } from '../../engines/embedded/backup/continuous/shipping-messages.ts';
import { FAILOVER_FILE } from '../../engines/embedded/storage/private-files.ts';
import { SCHEMA_VERSION } from '../../engines/embedded/storage/schema.ts';
import { ownCommand } from '../launch.ts';
import { declarationsHash } from './declarations-hash.ts';
import type { FailoverStart } from './failover-options.ts';

/**
 * How long startup waits for a store that does not respond, and the pause between attempts: long enough that systemd,
 * which gives up after five starts in five minutes (deploy/systemd/svc.service), never does so during an outage.
 */
const START_LIMIT_MS = 90_000;
const START_PAUSE_MS = 1_000;

/** Time between checks of the record, and for the next object. */
export const POLL_MS = 300;
/** The same for the record while the primary hands over, and how long after it was asked to. */
export const HAND_OVER_POLL_MS = 25;
export const HAND_OVER_MS = 10_000;

export function leasesOf({ configuration, continuous, failover }: FailoverStart): Leases {
  return openLeases(
    {
      url: continuous.url,
      folder: configuration.dataDir,
      leaseMs: failover.leaseMs,
      bootMs: openBootClock(),
      processId: process.pid,
    },
    { environment: objectStoreEnvironment(process.env) },
  );
}

export function termsOf({ configuration, failover }: FailoverStart): FailoverTerms {
  return {
    leaseMs: failover.leaseMs,
    url: failover.advertisedUrl ?? null,
    schemaVersion: SCHEMA_VERSION,
    program: PRODUCT_VERSION,
    declarations: declarationsHash(configuration),
    isAutomatic: mayLoseMs(failover) !== null,
    mayLoseMs: mayLoseMs(failover),
  };
}

/** Milliseconds of acknowledged changes that killing the primary would lose, or null if unbounded. */
export function mayLoseMs({ acknowledge, maxLossMs }: FailoverSettings): number | null {
  return acknowledge === 'remote' ? 0 : (maxLossMs ?? null);
}

/** Returns the time since then, or null if it never happened. */
export function ageOf(thenMs: number | undefined, nowMs: number): number | null {
  return thenMs === undefined || thenMs === 0 ? null : Math.max(0, nowMs - thenMs);
}

/** A standby's report on itself. */
export function standbyStatus(
  primary: FailoverRecord | undefined,
  copy: StandbyCopy | undefined,
  waitsFor: string | undefined,
  nowMs: number,
): FailoverStatus {
  const { position = null, lastObjectMs, reason = null } = copy?.status() ?? {};
  const { failover: part } = primary ?? {};
  return {
    role: 'standby',
    epoch: primary?.epoch ?? 0,
    primary: part?.url ?? null,
    takeover: part?.takeover ?? null,
    position,
    behindMs: copy?.behindMs() ?? 0,
    behindPositions: Math.max(0, numberOf(part?.position) - numberOf(position)),
    lastObjectAgeMs: ageOf(lastObjectMs, nowMs),
    isSilent: copy?.isSilent ?? false,
    reason,
    isHeld: primary !== undefined && !primary.released && waitsFor === undefined,
    waitsFor: waitsFor ?? null,
    mayLoseMs: part?.mayLoseMs ?? null,
  };
}

function numberOf(position: string | null | undefined): number {
  return position === null || position === undefined ? 0 : Number.parseInt(position, 16);
}

/** Creates the follower of a database's objects. */
export function copyOf(
  { configuration, continuous, failover, clock, log }: FailoverStart,
  database: string,
  onLost: (lost: Loss) => void,
): StandbyCopy {
  return new StandbyCopy({
    command: ownCommand(SHIPPING_PROCESS_ARGUMENT),
    environment: objectStoreEnvironment(process.env),
    clock,
    log: (level, text) => log[level](text),
    onLost,
    request: {
      database,
      url: continuous.url,
      folder: configuration.dataDir,
      keyFile: configuration.backup.keyFile,
      leaseMs: failover.leaseMs,
      processId: process.pid,
      pollMs: POLL_MS,
      program: PRODUCT_VERSION,
    },
  });
}

/** Performs an operation on the store; if the store does not respond at the moment, retries for a while. */
export async function whenStoreAnswers<T>(
  { clock, log }: Pick<FailoverStart, 'clock' | 'log'>,
  action: () => Promise<T>,
): Promise<T> {
  const endMs = clock.monotonicMs() + START_LIMIT_MS;
  for (;;) {
    try {
      return await action();
    } catch (error) {
      const isAgain = error instanceof ObjectStoreError && isTemporary(error) && clock.monotonicMs() < endMs;
      if (!isAgain) throw error;
      log.warn('The start waits for the object store', { reason: errorText(error) });
      await sleep(clock, START_PAUSE_MS);
    }
  }
}

/** Creates the memory of terms, and a function that removes it. On Linux the file has no name. */
export function termMemory(folder: string): { readonly memory: SharedFile; readonly remove: () => void } {
  const path = join(folder, `${FAILOVER_FILE}.memory`);
  rmSync(path, { force: true });
  const memory = new SharedFile(path);
  return {
    memory,
    remove() {
      memory.close();
      rmSync(path, { force: true });
    },
  };
}

/** Throws if the primary has different declarations. */
export function checkPrimary({ failover }: FailoverRecord, terms: FailoverTerms): void {
  if (failover === undefined || failover.declarations === terms.declarations) return;
  throw new ConfigurationError(
    'backup.continuous.failover: the primary has other regions, caches, templates or classes: give all services ' +
      'the same configuration',
  );
}
