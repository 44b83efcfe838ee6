/** Restores a data folder from a continuous backup, and lists what can be restored. */
import { Database } from 'bun:sqlite';
import { closeSync, fsyncSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { fail } from '../../../../base/errors.ts';
import { RESTORING_FILE } from '../../storage/restored-regions.ts';
import { SCHEMA_VERSION, schemaVersionOf } from '../../storage/schema.ts';
import { syncFolder } from '../private-output.ts';
import { type RestoreFolder, restoreTo } from '../restore.ts';
import { type Verification, verifyFolder } from '../verify.ts';
import { type Destination, positionText, type StoredObject } from './destination.ts';
import { openDestination } from './open-destination.ts';
import { type WriteObserver, writeDatabase } from './restore-objects.ts';
import { planRestore, type RestorePoint, type RestoreTarget, restorePoints } from './restore-plan.ts';

export interface RestorePlanOptions extends RestoreFolder {
  readonly program: string;
  readonly observer: WriteObserver;
}

export interface RestoreContinuousOptions extends Omit<RestorePlanOptions, 'observer'> {
  readonly url: string;
  readonly target: RestoreTarget;
  /** Called with the bytes of objects that were applied, and of all. */
  readonly onProgress: (appliedBytes: number, totalBytes: number) => void;
}

/** What was restored. */
export interface RestoredPoint {
  readonly position: string;
  /** The time of the last object, ISO 8601. */
  readonly shippedAt: string;
  readonly objects: number;
  readonly restoredBytes: number;
  /** Whether the data was compared with a checksum of the whole, which objects of Litestream do not have. */
  readonly checksums: boolean;
  readonly found: Verification;
}

/**
 * Restores a point to a folder, and verifies it. Throws BACKUP_POINT_MISSING, BACKUP_DAMAGED, SCHEMA_NEWER,
 * FOLDER_IN_USE and FOLDER_NOT_EMPTY.
 */
export async function restoreContinuous(options: RestoreContinuousOptions): Promise<RestoredPoint> {
  const { url, target, onProgress } = options;
  const destination = openDestination(url);
  const plan = planRestore(await destination.objects(), target);
  const totalBytes = plan.reduce((sum, { bytes }) => sum + bytes, 0);
  const observer: WriteObserver = { onProgress: (bytes) => onProgress(bytes, totalBytes) };
  return restorePlan(destination, plan, { ...options, observer });
}

/** Applies objects to a folder, and verifies it. Throws what {@link restoreContinuous} throws. */
export async function restorePlan(
  destination: Destination,
  plan: readonly StoredObject[],
  options: RestorePlanOptions,
): Promise<RestoredPoint> {
  const { folder, program, log, observer } = options;
  const path = join(folder, RESTORING_FILE);
  const { header, isCompared } = await restoreTo(options, [], async () => {
    const descriptor = openSync(path, 'w', 0o600);
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
function checkSchema(path: string, folder: string, program: string): void {
  const database = new Database(path, { readwrite: true, create: false, safeIntegers: true });
  try {
    const version = schemaVersionOf(database);
    if (version > SCHEMA_VERSION) throw fail('SCHEMA_NEWER', folder, version, 'unknown', program, SCHEMA_VERSION);
  } finally {
    database.close(true);
  }
}

/** Points that follow each other, from objects of one level. */
export interface RestorableRange {
  readonly from: string;
  readonly to: string;
  readonly firstPosition: string;
  readonly lastPosition: string;
  readonly points: number;
  /** The longest time between two points. */
  readonly longestStepMs: number;
}

export interface Restorable {
  readonly objects: number;
  readonly bytes: number;
  /** The oldest first. */
  readonly ranges: readonly RestorableRange[];
}

/** Lists what can be restored from a destination. */
export async function listRestorable(url: string): Promise<Restorable> {
  const objects = await openDestination(url).objects();
  const groups: RestorePoint[][] = [];
  for (const point of restorePoints(objects)) {
    const group = groups.at(-1);
    if (group !== undefined && (group.at(-1)?.level === point.level || group.length === 1)) group.push(point);
    else groups.push([point]);
  }
  return {
    objects: objects.length,
    bytes: objects.reduce((sum, { bytes }) => sum + bytes, 0),
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
