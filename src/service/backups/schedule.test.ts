import { expect, test } from 'bun:test';
import { nextBackup } from './schedule.ts';

const HOUR_MS = 3_600_000;
const at = (text: string): number => new Date(text).getTime();

test.each([
  ['an interval', 20_000, undefined, '2026-03-01T10:00:00', '2026-03-01T10:00:20'],
  ['a time later today', 24 * HOUR_MS, '22:30', '2026-03-01T10:00:00', '2026-03-01T22:30:00'],
  ['that time tomorrow', 24 * HOUR_MS, '22:30', '2026-03-01T22:30:00', '2026-03-02T22:30:00'],
  ['after a delay', 24 * HOUR_MS, '22:30', '2026-03-01T22:31:07', '2026-03-02T22:30:00'],
  ['every week', 7 * 24 * HOUR_MS, '22:30', '2026-03-01T22:30:00', '2026-03-08T22:30:00'],
  ['every six hours', 6 * HOUR_MS, '02:30', '2026-03-01T08:31:00', '2026-03-01T14:30:00'],
  ['every six hours, before the first', 6 * HOUR_MS, '02:30', '2026-03-01T01:00:00', '2026-03-01T02:30:00'],
] as const)('%s', (_, intervalMs, timeOfDay, after, expected) => {
  expect(new Date(nextBackup({ intervalMs, timeOfDay }, at(after)))).toEqual(new Date(at(expected)));
});
