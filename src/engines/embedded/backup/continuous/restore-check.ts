/**
 * Checks that a continuous backup restores: restores a point in time to a temporary folder, and verifies it. Runs in a
 * separate low-priority process.
 */
import { rmSync } from 'node:fs';
import { type Clock, randomBytes, sleep } from '../../../../base/clock.ts';
import { GridError, gridError } from '../../../../base/errors.ts';
import { isMissing } from '../../../../base/missing-files.ts';
import type { RestoreCheck } from '../../../../grid/backup.ts';
import { readKeys } from '../backup-keys.ts';
import { checkRestoreSpace, outcomeOf } from '../check-backup.ts';
import type { Destination, StoredObject } from './destination.ts';
import { type DestinationContext, openDestination } from './open-destination.ts';
import { type RestoredPoint, restorePlan, withPlan } from './restore-continuous.ts';
import type { WriteObserver } from './restore-objects.ts';
import { planRestore, restorePoints } from './restore-plan.ts';

export interface RestoreCheckOptions {
  readonly url: string;
  /** The file with the keys of encrypted objects. */
  readonly keyFile?: string | undefined;
  /** The folder to restore to. It is removed before and after. */
  readonly folder: string;
  /** The point in time to restore, in ms since 1970, if still possible; a random one if undefined. */
  readonly atMs: number | undefined;
  /** Maximum bytes restored per second, or 0 for no limit. */
  readonly bytesPerSecond: number;
  /** Bytes of the disk that stay free; the default reserve if undefined. */
  readonly minFreeBytes: number | undefined;
  readonly program: string;
}

/** Number of bytes between checks of the disk and the rate. */
const PACED_BYTES = 1024 * 1024;

/** Restores a point in time and verifies it. Never rejects: failures are part of the result. */
export async function checkRestore(options: RestoreCheckOptions, context: DestinationContext): Promise<RestoreCheck> {
  let atMs = 0;
  try {
    const keys = options.keyFile === undefined ? undefined : readKeys(options.keyFile);
    // A point in time may be before objects were encrypted.
    const destination = openDestination(options.url, context, { keys, acceptsPlain: true });
    const point = await withPlan(
      destination,
      async (objects) => {
        atMs = await instantOf(destination, objects, options.atMs);
        return await planOf(destination, objects, atMs);
      },
      (plan) => restored(destination, plan, options, context.clock),
    );
    return verified(atMs, point);
  } catch (error) {
    return { ...outcomeOf(error), atMs, position: null, entries: 0, restoredBytes: 0 };
  }
}

/** Returns the requested point in time if it can still be restored, otherwise a random one of the range. */
async function instantOf(
  destination: Destination,
  objects: readonly StoredObject[],
  wantedMs: number | undefined,
): Promise<number> {
  // Not the last point: objects after a missing one lead nowhere.
  const newest = objects.reduce<StoredObject | undefined>(
    (a, b) => (a !== undefined && a.last >= b.last ? a : b),
    undefined,
  );
  const ends = [...restorePoints(objects).slice(0, 1), ...(newest === undefined ? [] : [newest])];
  const times = (await destination.withTimes(ends)).map(({ timestampMs }) => timestampMs);
  const firstMs = times[0] ?? 0;
  const lastMs = times.at(-1) ?? 0;
  if (wantedMs !== undefined && wantedMs >= firstMs && wantedMs <= lastMs) return wantedMs;
  const fraction = Buffer.from(randomBytes(4)).readUInt32BE() / 0xffffffff;
  return Math.round(firstMs + fraction * (lastMs - firstMs));
}

/** Returns the objects that lead to a point in time. If none do, that is damage: shipping begins with a snapshot. */
async function planOf(
  destination: Destination,
  objects: readonly StoredObject[],
  atMs: number,
): Promise<readonly StoredObject[]> {
  try {
    return await planRestore(destination, objects, { atMs });
  } catch (error) {
    throw error instanceof GridError ? gridError('BACKUP_DAMAGED', error.message) : error;
  }
}

async function restored(
  destination: Destination,
  plan: readonly StoredObject[],
  { folder, program, bytesPerSecond, minFreeBytes }: RestoreCheckOptions,
  clock: Clock,
): Promise<RestoredPoint> {
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  remove();
  try {
    const observer = paced(folder, bytesPerSecond, minFreeBytes, clock);
    const log = (): void => {};
    const point = await restorePlan(destination, plan, { folder, replace: false, program, log, observer });
    const [violation] = point.found.violations;
    if (violation !== undefined) throw gridError('BACKUP_DAMAGED', violation);
    if (!point.checksums)
      throw gridError('BACKUP_DAMAGED', `the object of position ${point.position} has no hash of the pages`);
    return point;
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw gridError('BACKUP_DAMAGED', 'an object is missing');
  } finally {
    remove();
  }
}

/** Limits the rate of a restore, and ends it with RESTORE_SPACE before it uses the disk's reserve. */
function paced(folder: string, bytesPerSecond: number, minFreeBytes: number | undefined, clock: Clock): WriteObserver {
  const startMs = clock.monotonicMs();
  let writtenBytes = 0;
  let lookedBytes = 0;
  let fileBytes = 0;
  return {
    onObject({ pages, pageBytes }) {
      checkRestoreSpace(folder, Math.max(0, pages * pageBytes - fileBytes), minFreeBytes);
      fileBytes = pages * pageBytes;
    },
    onPage(bytes) {
      writtenBytes += bytes;
      if (writtenBytes - lookedBytes < PACED_BYTES) return undefined;
      lookedBytes = writtenBytes;
      checkRestoreSpace(folder, 0, minFreeBytes);
      const neededMs = bytesPerSecond === 0 ? 0 : (writtenBytes / bytesPerSecond) * 1000;
      const aheadMs = neededMs - (clock.monotonicMs() - startMs);
      return aheadMs > 1 ? sleep(clock, aheadMs) : undefined;
    },
  };
}

function verified(atMs: number, { position, restoredBytes, found }: RestoredPoint): RestoreCheck {
  return { outcome: 'verified', reason: null, atMs, position, entries: found.entries, restoredBytes };
}
