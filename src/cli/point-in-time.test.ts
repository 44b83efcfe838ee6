/** Tests the times that options accept. */
import { describe, expect, test } from 'bun:test';
import { pointInTime } from './point-in-time.ts';

const NOW = Date.parse('2026-11-29T10:00:00Z');

describe('a time', () => {
  const cases: ReadonlyArray<readonly [text: string, time: string, assumed: string | undefined]> = [
    ['2026-11-23T12:34:56Z', '2026-11-23T12:34:56.000Z', undefined],
    ['2026-11-23 12:34:56.789+01:00', '2026-11-23T11:34:56.789Z', undefined],
    ['2026-11-23T12:34-0530', '2026-11-23T18:04:00.000Z', undefined],
    ['2026-11-23T12:34:56', '2026-11-23T11:34:56.000Z', 'in Europe/Berlin'],
    ['2026-07-23 12:34', '2026-07-23T10:34:00.000Z', 'in Europe/Berlin'],
    ['2026-11-23', '2026-11-22T23:00:00.000Z', 'in Europe/Berlin'],
    // The night in which clocks go back from 3 to 2, and the one in which they skip from 2 to 3.
    ['2026-10-25T01:30', '2026-10-24T23:30:00.000Z', 'in Europe/Berlin'],
    ['2026-10-25T03:30', '2026-10-25T02:30:00.000Z', 'in Europe/Berlin'],
    ['2026-03-29T03:30', '2026-03-29T01:30:00.000Z', 'in Europe/Berlin'],
    ['10 seconds ago', '2026-11-29T09:59:50.000Z', 'is 2026-11-29T09:59:50.000Z'],
    ['1.5 hours ago', '2026-11-29T08:30:00.000Z', 'is 2026-11-29T08:30:00.000Z'],
    ['2d ago', '2026-11-27T10:00:00.000Z', 'is 2026-11-27T10:00:00.000Z'],
    [' 5 min ago ', '2026-11-29T09:55:00.000Z', '5 min ago is'],
  ];
  for (const [text, time, assumed] of cases) {
    test(text, () => {
      const found = pointInTime('--at', text, NOW, 'Europe/Berlin');
      expect(new Date(found.ms).toISOString()).toBe(time);
      if (assumed === undefined) expect(found.assumed).toBeUndefined();
      else expect(found.assumed).toContain(assumed);
    });
  }
});

describe('no time', () => {
  for (const text of [
    '',
    'yesterday',
    '10 seconds',
    '10 parsecs ago',
    '2026-13-01',
    '2026-11-23T25:00Z',
    '1700000000',
  ]) {
    test(text, () => {
      const message = `--at: must be a time, such as 2026-11-23T12:34:56Z, 2026-11-23T13:34:56+01:00, or 10 minutes ago`;
      expect(() => pointInTime('--at', text, NOW, 'Europe/Berlin')).toThrow(message);
    });
  }
});
