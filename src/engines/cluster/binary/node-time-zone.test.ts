import { describe, expect, test } from 'bun:test';
import { timeZoneNamed, UTC_ZONE } from './node-time-zone.ts';

const utc = (text: string): number => Date.parse(`${text}Z`);

/** Wall-clock times, and what `new java.sql.Timestamp(...).getTime()` returns in UTC for the same text. */
const OLD_TIMES: ReadonlyArray<readonly [text: string, instantMs: number]> = [
  ['1970-01-01T00:00:00', 0],
  ['1582-10-15T00:00:00', -12_219_292_800_000],
  ['1582-10-04T12:00:00', -12_219_336_000_000],
  ['1191-01-01T00:00:00', utc('1191-01-08T00:00:00')],
  ['1128-05-02T23:59:59', utc('1128-05-09T23:59:59')],
];

describe('wall-clock times and instants', () => {
  test.each(OLD_TIMES)('%s has the instant of Java in its calendar', (text, instantMs) => {
    expect(UTC_ZONE.toInstant(utc(text))).toBe(instantMs);
    expect(UTC_ZONE.toLocal(instantMs)).toBe(utc(text));
  });

  test.each(['Europe/Berlin', 'America/New_York', 'Asia/Kolkata'])('are converted in %s and back', (name) => {
    const zone = timeZoneNamed(name);
    for (const [text] of [...OLD_TIMES, ['2024-07-01T12:00:00'] as const]) {
      expect(zone.toLocal(zone.toInstant(utc(text)))).toBe(utc(text));
    }
    expect(zone.toInstant(utc('2024-07-01T12:00:00'))).not.toBe(utc('2024-07-01T12:00:00'));
  });
});
