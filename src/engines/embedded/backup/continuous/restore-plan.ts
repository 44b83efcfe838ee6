/** Chooses the objects that lead to a point in time or a position, like Litestream, and lists the restorable points. */
import { gridError } from '../../../../base/errors.ts';
import { type Destination, positionText, SNAPSHOT_LEVEL, type StoredObject } from './destination.ts';

/** The point to restore; without a member, the newest state. */
export interface RestoreTarget {
  /** The last restored commits were shipped at this time, in ms since 1970, or before. */
  readonly atMs?: number;
  readonly position?: bigint;
}

/** Returns which of all objects to apply one after another. Throws BACKUP_POINT_MISSING and BACKUP_DAMAGED. */
export async function planRestore(
  destination: Destination,
  all: readonly StoredObject[],
  target: RestoreTarget,
): Promise<readonly StoredObject[]> {
  const { atMs, position } = target;
  const end = atMs === undefined ? position : await positionAt(destination, all, atMs);
  const objects = end === undefined ? all : all.filter((each) => each.last <= end);
  const plan: StoredObject[] = [];
  let reached = 0n;
  for (;;) {
    const next = reached === 0n ? firstOf(objects) : followerOf(objects, reached);
    if (next === undefined) break;
    plan.push(next);
    reached = next.last;
  }
  const further = objects.filter((each) => each.last > reached);
  if (further.length > 0 && plan.length > 0) {
    throw gridError('BACKUP_DAMAGED', `the object that follows position ${positionText(reached)} is missing`);
  }
  if (plan.length === 0 || (position !== undefined && reached !== position)) {
    throw await missing(destination, all, target);
  }
  return plan;
}

/**
 * Returns the last position before a point in time, or 0 if there is none. Times grow with positions, so few of them
 * are read: each may take a request.
 */
async function positionAt(destination: Destination, all: readonly StoredObject[], atMs: number): Promise<bigint> {
  const sorted = [...all].sort((a, b) => (a.last < b.last ? -1 : 1));
  let low = 0;
  for (let high = sorted.length; low < high; ) {
    const middle = (low + high) >> 1;
    const [object] = await destination.withTimes(sorted.slice(middle, middle + 1));
    if (object !== undefined && object.timestampMs <= atMs) low = middle + 1;
    else high = middle;
  }
  return sorted[low - 1]?.last ?? 0n;
}

/** Returns the newest snapshot or, without one, the object with the longest range from the beginning. */
function firstOf(objects: readonly StoredObject[]): StoredObject | undefined {
  const beginnings = objects.filter((each) => each.first === 1n);
  const snapshots = beginnings.filter((each) => each.level === SNAPSHOT_LEVEL);
  return longest(snapshots.length > 0 ? snapshots : beginnings);
}

/** Returns the object that leads furthest from a position. */
export function followerOf(objects: readonly StoredObject[], reached: bigint): StoredObject | undefined {
  return longest(
    objects.filter(({ level, first, last }) => level !== SNAPSHOT_LEVEL && first <= reached + 1n && last > reached),
  );
}

function longest(objects: readonly StoredObject[]): StoredObject | undefined {
  return objects.reduce<StoredObject | undefined>(
    (a, b) => (a === undefined || b.last > a.last || (b.last === a.last && b.first < a.first) ? b : a),
    undefined,
  );
}

async function missing(
  destination: Destination,
  all: readonly StoredObject[],
  { atMs, position }: RestoreTarget,
): Promise<Error> {
  const points = restorePoints(all);
  const [first, last] = await destination.withTimes([...points.slice(0, 1), ...points.slice(-1)]);
  if (first === undefined || last === undefined) return gridError('BACKUP_POINT_MISSING', 'there is no snapshot');
  const range =
    `from ${new Date(first.timestampMs).toISOString()} (position ${positionText(first.last)}) ` +
    `to ${new Date(last.timestampMs).toISOString()} (position ${positionText(last.last)})`;
  const wanted = position === undefined ? new Date(atMs ?? 0).toISOString() : `position ${positionText(position)}`;
  return gridError('BACKUP_POINT_MISSING', `${wanted} is not among the points ${range}`);
}

/** A restorable state of the database, and the object that ends at it. */
export interface RestorePoint extends StoredObject {
  readonly position: bigint;
}

/** Returns all restorable states, oldest first. */
export function restorePoints(objects: readonly StoredObject[]): readonly RestorePoint[] {
  const sorted = [...objects].sort((a, b) => (a.last === b.last ? a.level - b.level : a.last < b.last ? -1 : 1));
  const points: RestorePoint[] = [];
  for (const object of sorted) {
    const { first, last } = object;
    const before = points.at(-1)?.position ?? 0n;
    if (before === last) continue;
    if (first === 1n || (before > 0n && first <= before + 1n)) points.push({ ...object, position: last });
  }
  return points;
}
