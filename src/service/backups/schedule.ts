/** The times of scheduled backups. */

export interface BackupSchedule {
  /** Time between backups. */
  readonly intervalMs: number;
  /** `HH:MM` in the process's time zone, from which the times of each day count; if undefined, from the first one. */
  readonly timeOfDay: string | undefined;
}

export const DAY_MS = 86_400_000;

/** Returns the first scheduled time after `afterMs`, which is itself one unless there is a time of day. */
export function nextBackup({ intervalMs, timeOfDay }: BackupSchedule, afterMs: number): number {
  if (timeOfDay === undefined) return afterMs + intervalMs;
  const days = Math.max(1, Math.round(intervalMs / DAY_MS));
  const today = timeOn(timeOfDay, afterMs, 0);
  const start = today <= afterMs ? today : timeOn(timeOfDay, afterMs, -1);
  const nextStart = timeOn(timeOfDay, start, days);
  if (intervalMs >= DAY_MS) return nextStart;
  // A day has 23 or 25 hours when the clocks change.
  return Math.min(start + (Math.floor((afterMs - start) / intervalMs) + 1) * intervalMs, nextStart);
}

/** Returns the time of day on the same day as a time, or days later. */
function timeOn(timeOfDay: string, ofMs: number, days: number): number {
  const [hours, minutes] = timeOfDay.split(':').map(Number);
  const date = new Date(ofMs);
  date.setDate(date.getDate() + days);
  return date.setHours(hours ?? 0, minutes ?? 0, 0, 0);
}
