import { expect, test } from 'bun:test';
import { daysFromCivil, fromJavaDays, toJavaDays } from './calendar.ts';

/** Milliseconds of java.sql.Date.valueOf in Java 17, in UTC. */
const JAVA_DAYS: ReadonlyArray<readonly [year: number, month: number, day: number, milliseconds: number]> = [
  [1, 1, 1, -62135769600000],
  [4, 2, 29, -62036064000000],
  [100, 3, 1, -59006448000000],
  [999, 12, 31, -30609878400000],
  [1000, 1, 1, -30609792000000],
  [1200, 2, 29, -24293174400000],
  [1500, 2, 28, -14825980800000],
  [1500, 3, 1, -14825808000000],
  [1582, 10, 4, -12219379200000],
  [1582, 10, 15, -12219292800000],
  [1583, 1, 1, -12212553600000],
  [1969, 12, 31, -86400000],
  [1970, 1, 1, 0],
  [2000, 2, 29, 951782400000],
  [9999, 12, 31, 253402214400000],
];

test.each(JAVA_DAYS)('%d-%d-%d is the same day in Java', (year, month, day, milliseconds) => {
  const days = daysFromCivil(year, month, day);
  expect(toJavaDays(days) * 86_400_000).toBe(milliseconds);
  expect(fromJavaDays(milliseconds / 86_400_000)).toBe(days);
});

test('toJavaDays and fromJavaDays are inverse for all days of Java', () => {
  for (let days = -719162; days < 20_000; days++) {
    if (days === daysFromCivil(1582, 10, 5)) days = daysFromCivil(1582, 10, 15);
    if (fromJavaDays(toJavaDays(days)) !== days) throw new Error(`day ${days}`);
  }
});
