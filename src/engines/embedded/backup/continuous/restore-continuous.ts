/** Restores a data folder from a continuous backup, and lists its restorable states. */
import { Database } from 'bun:sqlite';
import { closeSync, fsyncSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { gridError } from '../../../../base/errors.ts';
import { isMissing } from '../../../../base/missing-files.ts';
import { withoutUrlSecrets } from '../../../../base/url-secrets.ts';
import type { Restorable, RestorableRange } from '../../../../grid/backup.ts';
import { RESTORING_FILE } from '../../storage/restored-regions.ts';
import { SCHEMA_VERSION, schemaVersionOf } from '../../storage/schema.ts';
import type { BackupKeys } from '../backup-keys.ts';
import { syncFolder } from '../private-output.ts';
import { type RestoreFolder, restoreTo } from '../restore.ts';
import { type Verification, verifyFolder } from '../verify.ts';
import {
  type Destination,
  fileNameOf,
  LOWEST_LEVEL,
  newestOf,
  positionText,
  type StoredObject,
} from './destination.ts';
import { type DestinationContext, openDestination } from './open-destination.ts';
import { type WriteObserver, writeDatabase } from './restore-objects.ts';
import { planRestore, type RestorePoint, type RestoreTarget, restorePoints } from './restore-plan.ts';

/** Maximum number of attempts; another is made if objects were merged and removed in the meantime. */
const MAX_TRIES = 3;

export interface RestorePlanOptions extends RestoreFolder {
  readonly program: string;
  readonly observer: WriteObserver;
}

export interface RestoreContinuousOptions extends Omit<RestorePlanOptions, 'observer'>, DestinationContext {
  readonly url: string;
  /** The keys of encrypted objects. With them, unencrypted objects are rejected. */
  readonly keys?: BackupKeys | undefined;
  readonly target: RestoreTarget;
  /** Called with the bytes of applied objects, and the total. */
  readonly onProgress: (appliedBytes: number, totalBytes: number) => void;
}

/** The restored state. */
export interface RestoredPoint {
  readonly position: string;
  /** The time of the last object, ISO 8601. */
  readonly shippedAt: string;
  readonly objects: number;
  readonly restoredBytes: number;
  /** Whether the pages were compared with the hash of the shipped database, which Litestream's objects lack. */
  readonly checksums: boolean;
  readonly found: Verification;
}

/**
 * Restores a point to a folder, and verifies it. Throws BACKUP_POINT_MISSING, BACKUP_DAMAGED, SCHEMA_NEWER,
 * FOLDER_IN_USE and FOLDER_NOT_EMPTY.
 */
export async function restoreContinuous(options: RestoreContinuousOptions): Promise<RestoredPoint> {
  const { url, keys, target, onProgress } = options;
  const destination = openDestination(url, options, { keys });
  return withPlan(
    destination,
    (objects) => {
      if (objects.length === 0)
        throw gridError('BACKUP_POINT_MISSING', `${withoutUrlSecrets(url)} has no continuous backup`);
      return planRestore(destination, objects, target);
    },
    (plan) => {
      const totalBytes = plan.reduce((sum, { bytes }) => sum + bytes, 0);
      const observer: WriteObserver = { onProgress: (bytes) => onProgress(bytes, totalBytes) };
      return restorePlan(destination, plan, { ...options, observer });
    },
  );
}

/** Plans and restores. Repeats this if objects of the plan were merged and removed in the meantime. */
export async function withPlan<T>(
  destination: Destination,
  choose: (objects: readonly StoredObject[]) => Promise<readonly StoredObject[]>,
  restore: (plan: readonly StoredObject[]) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    let plan: readonly StoredObject[] | undefined;
    try {
      plan = await choose(await destination.objects());
      return await restore(plan);
    } catch (error) {
      if (tries === MAX_TRIES) throw error;
      if (plan === undefined ? !isMissing(error) : await areThere(destination, plan)) throw error;
    }
  }
}

/** Reports whether all objects are in the destination. */
async function areThere(destination: Destination, plan: readonly StoredObject[]): Promise<boolean> {
  const there = new Set((await destination.objects()).map((name) => `${name.level}/${fileNameOf(name)}`));
  return plan.every((each) => there.has(`${each.level}/${fileNameOf(each)}`));
}

/** Applies objects to a folder, and verifies it. Throws like {@link restoreContinuous}. */
export async function restorePlan(
  destination: Destination,
  plan: readonly StoredObject[],
  options: RestorePlanOptions,
): Promise<RestoredPoint> {
  const { folder, program, log, observer } = options;
  const path = join(folder, RESTORING_FILE);
  const { header, isCompared } = await restoreTo(options, [], async () => {
    const descriptor = openSync(path, 'w+', 0o600);
    try {
      // From here on the folder is recognized as incomplete, whatever happens.
      syncFolder(folder);
      const written = await writeDatabase(destination, plan, descriptor, observer);
      fsyncSync(descriptor);
      checkSchema(path, folder, program);
      return written;
    } finally {
      closeSync(descriptor);
    }
  });
  return {
    position: positionText(header.lastTransaction),
    shippedAt: isoOf(header.timestampMs),
    objects: plan.length,
    restoredBytes: header.pages * header.pageBytes,
    checksums: isCompared,
    found: verifyFolder(folder, log),
  };
}

/** Throws SCHEMA_NEWER. */
export function checkSchema(path: string, folder: string, program: string): void {
  const database = new Database(path, { readwrite: true, create: false, safeIntegers: true });
  try {
    const version = schemaVersionOf(database);
    if (version > SCHEMA_VERSION) throw gridError('SCHEMA_NEWER', folder, version, 'unknown', program, SCHEMA_VERSION);
  } finally {
    database.close(true);
  }
}

/**
 * Lists the restorable states of a destination, which needs no key. With keys, throws BACKUP_KEY_WRONG if they do not
 * decrypt the newest object.
 */
export async function listRestorable(url: string, context: DestinationContext, keys?: BackupKeys): Promise<Restorable> {
  const destination = openDestination(url, context, { keys });
  const objects = await destination.objects();
  const newest = newestOf(objects);
  const points = restorePoints(objects);
  // The store received the objects of single intervals as they were shipped.
  const isInexact = ({ level }: RestorePoint, at: number): boolean =>
    level !== LOWEST_LEVEL || at === 0 || at === points.length - 1 || points[at + 1]?.level !== level;
  const times = new Map<bigint, number>();
  for (const { last, timestampMs } of await destination.withTimes(points.filter(isInexact))) {
    times.set(last, timestampMs);
  }
  const groups: RestorePoint[][] = [];
  for (const listed of points) {
    const point = { ...listed, timestampMs: times.get(listed.last) ?? listed.timestampMs };
    const group = groups.at(-1);
    if (group !== undefined && (group.at(-1)?.level === point.level || group.length === 1)) group.push(point);
    else groups.push([point]);
  }
  return {
    objects: objects.length,
    bytes: objects.reduce((sum, { bytes }) => sum + bytes, 0),
    encrypted: newest !== undefined && (await destination.isEncrypted(newest)),
    ranges: groups.map(rangeOf),
  };
}

function rangeOf(points: readonly RestorePoint[]): RestorableRange {
  const times = points.map(({ timestampMs }) => timestampMs);
  const positions = points.map(({ position }) => positionText(position));
  let longestStepMs = 0;
  for (const [at, time] of times.entries()) longestStepMs = Math.max(longestStepMs, time - (times[at - 1] ?? time));
  return {
    from: isoOf(times[0] ?? 0),
    to: isoOf(times.at(-1) ?? 0),
    firstPosition: positions[0] ?? '',
    lastPosition: positions.at(-1) ?? '',
    points: points.length,
    longestStepMs,
  };
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
