import { toJavaDays } from './calendar.ts';
import { formatText } from './json.ts';
import { formatInstant } from './scalar-formats.ts';
import type { Value } from './value.ts';

/**
 * Formats a key as Ignite does for member names in getall's object form (docs/spec/ignite-data.md 6, known difference
 * 13): dates and times in American format, without fractions of a second. For compatibility mode `reference`.
 */
export function formatIgniteKey(key: Value): string {
  if (key.type === 'date') return formatInstant(toJavaDays(key.data) * 86_400_000);
  if (key.type === 'time') return formatInstant(key.data);
  if (key.type === 'timestamp') return formatInstant(Number(key.data / 1_000_000n));
  return formatText(key);
}
