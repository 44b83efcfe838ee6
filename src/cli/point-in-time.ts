/** Points in time on the command line: absolute and relative ones. */
import { usageError } from './failures.ts';

/** The units of a relative time in milliseconds, by their first letters. */
const UNITS: ReadonlyArray<readonly [name: RegExp, ms: number]> = [
  [/^(?:ms|milliseconds?)$/i, 1],
  [/^(?:s|secs?|seconds?)$/i, 1_000],
  [/^(?:m|mins?|minutes?)$/i, 60_000],
  [/^(?:h|hours?)$/i, 3_600_000],
  [/^(?:d|days?)$/i, 24 * 3_600_000],
  [/^(?:w|weeks?)$/i, 7 * 24 * 3_600_000],
];
const RELATIVE = /^(\d{1,9}(?:\.\d{1,3})?)\s*([a-z]+)\s+ago$/i;
const ABSOLUTE = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)?\s*(Z|[+-]\d\d(?::?\d\d)?)?$/i;

export interface PointInTime {
  readonly ms: number;
  /** The assumption, as a sentence, or undefined if the string is unambiguous. */
  readonly assumed: string | undefined;
}

/** Returns the time in an option. `timeZone` applies to times without one. Throws CommandLineError. */
export function pointInTime(
  option: string,
  text: string,
  nowMs: number,
  timeZone: string = new Intl.DateTimeFormat().resolvedOptions().timeZone,
): PointInTime {
  const [, amount, unit = ''] = RELATIVE.exec(text.trim()) ?? [];
  const unitMs = UNITS.find(([name]) => name.test(unit))?.[1];
  if (amount !== undefined && unitMs !== undefined) {
    const ms = Math.round(nowMs - Number(amount) * unitMs);
    return { ms, assumed: `${option}: ${text.trim()} is ${new Date(ms).toISOString()}` };
  }
  const found = ABSOLUTE.exec(text.trim());
  const ms = found === null ? Number.NaN : absolute(text.trim(), found[1], timeZone);
  if (Number.isNaN(ms)) {
    const examples = '2026-11-23T12:34:56Z, 2026-11-23T13:34:56+01:00, or 10 minutes ago';
    throw usageError(`${option}: must be a time, such as ${examples}, not ${text}`);
  }
  if (found?.[1] !== undefined) return { ms, assumed: undefined };
  const iso = new Date(ms).toISOString();
  return { ms, assumed: `${option}: ${text.trim()} is taken as a time in ${timeZone}: ${iso}` };
}

function absolute(text: string, zone: string | undefined, timeZone: string): number {
  const written = text
    .slice(0, text.length - (zone?.length ?? 0))
    .trim()
    .replace(' ', 'T');
  const asUtc = Date.parse(`${written.includes('T') ? written : `${written}T00:00`}Z`);
  if (zone === undefined) return asUtc - offsetMs(asUtc - offsetMs(asUtc, timeZone), timeZone);
  const [, sign, hours = '0', minutes = '0'] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
  return asUtc - (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

/** Returns how far a zone's clocks are ahead of UTC. */
function offsetMs(ms: number, timeZone: string): number {
  if (Number.isNaN(ms)) return ms;
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  const name = format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours = '0', minutes = '0'] = /([+-])(\d\d):(\d\d)/.exec(name) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}
