/** Which objects lead to a point in time or a position, and which points there are. Chooses as Litestream does. */
import { fail } from '../../../../base/errors.ts';
import { positionText, SNAPSHOT_LEVEL, type StoredObject } from './destination.ts';

/** What to restore; without a member: the newest. */
export interface RestoreTarget {
  /** The last commits that are restored were shipped at this time, in ms since 1970, or before. */
  readonly atMs?: number;
  readonly position?: bigint;
}

/** Returns the objects to apply one after the other. Throws BACKUP_POINT_MISSING and BACKUP_DAMAGED. */
export function planRestore(all: readonly StoredObject[], target: RestoreTarget): readonly StoredObject[] {
  const { atMs = Number.POSITIVE_INFINITY, position } = target;
  const objects = all.filter((each) => each.timestampMs <= atMs && (position === undefined || each.last <= position));
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
    throw fail('BACKUP_DAMAGED', `the object that follows position ${positionText(reached)} is missing`);
  }
  if (plan.length === 0 || (position !== undefined && reached !== position)) throw missing(all, target);
  return plan;
}

/** Returns the newest snapshot; without one the object with the longest range from the beginning. */
function firstOf(objects: readonly StoredObject[]): StoredObject | undefined {
  const beginnings = objects.filter((each) => each.first === 1n);
  const snapshots = beginnings.filter((each) => each.level === SNAPSHOT_LEVEL);
  return longest(snapshots.length > 0 ? snapshots : beginnings);
}

/** Returns the object that leads furthest from a position. */
function followerOf(objects: readonly StoredObject[], reached: bigint): StoredObject | undefined {
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

function missing(all: readonly StoredObject[], { atMs, position }: RestoreTarget): Error {
  const points = restorePoints(all);
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined) return fail('BACKUP_POINT_MISSING', 'there is no snapshot');
  const range =
    `from ${new Date(first.timestampMs).toISOString()} (position ${positionText(first.position)}) ` +
    `to ${new Date(last.timestampMs).toISOString()} (position ${positionText(last.position)})`;
  const wanted = position === undefined ? new Date(atMs ?? 0).toISOString() : `position ${positionText(position)}`;
  return fail('BACKUP_POINT_MISSING', `${wanted} is not among the points ${range}`);
}

/** A state of the database that can be restored. */
export interface RestorePoint {
  readonly position: bigint;
  readonly timestampMs: number;
  /** The level of the object that leads there. */
  readonly level: number;
}

/** Returns all states that can be restored, the oldest first. */
export function restorePoints(objects: readonly StoredObject[]): readonly RestorePoint[] {
  const sorted = [...objects].sort((a, b) => (a.last === b.last ? a.level - b.level : a.last < b.last ? -1 : 1));
  const points: RestorePoint[] = [];
  for (const { first, last, timestampMs, level } of sorted) {
    const before = points.at(-1)?.position ?? 0n;
    if (before === last) continue;
    if (first === 1n || (before > 0n && first <= before + 1n)) points.push({ position: last, timestampMs, level });
  }
  return points;
}
