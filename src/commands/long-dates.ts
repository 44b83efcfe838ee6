/** The reference's long form of date keys in getall (behaviour-data.md 6), for compatibility mode `reference`. */
import type { Value } from '../values/value.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;
const DAY_MS = 86_400_000;

/** `Jan 2, 2018, 12:00:00 AM` for date, time and timestamp; undefined for every other value. */
export function longDateText(value: Value): string | undefined {
  if (value.type === 'date') return longForm(value.data * DAY_MS);
  if (value.type === 'time') return longForm(value.data);
  if (value.type === 'timestamp') return longForm(Number(value.data / 1_000_000n));
  return undefined;
}

function longForm(epochMs: number): string {
  const at = new Date(epochMs);
  const hour = at.getUTCHours();
  const two = (n: number) => String(n).padStart(2, '0');
  const clock = `${hour % 12 || 12}:${two(at.getUTCMinutes())}:${two(at.getUTCSeconds())} ${hour < 12 ? 'AM' : 'PM'}`;
  return `${MONTHS[at.getUTCMonth()]} ${at.getUTCDate()}, ${at.getUTCFullYear()}, ${clock}`;
}
