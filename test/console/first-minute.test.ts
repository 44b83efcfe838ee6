/** What a service without data offers. */
import { expect, test } from 'bun:test';
import { isEmpty } from '../../src/console/first-minute/is-empty.ts';
import { sampleData } from '../../src/console/first-minute/sample-data.ts';

test('a service is empty without tables and entries', () => {
  const cache = { table: undefined, size: 0 };
  for (const [empty, entries] of [
    [true, []],
    [true, [cache]],
    [false, undefined],
    [false, [{ ...cache, size: 1 }]],
    [false, [{ ...cache, size: null }]],
    [false, [{ ...cache, table: { schema: 'PUBLIC', name: 'SALE' } }]],
    [false, [cache, cache]],
  ] as const) {
    expect(isEmpty(entries)).toBe(empty);
  }
});

test('the sample data are the same each time, small, and refer to each other', () => {
  const data = sampleData();
  expect(sampleData()).toEqual(data);
  const lines = (text: string) => text.trim().split('\n').slice(1);
  const stations = new Set(lines(data.station).map((line) => line.split(',')[0]));
  const trips = lines(data.trip).map((line) => line.split(','));
  expect([stations.size, trips.length, lines(data.bikes).length, lines(data.reservations).length]).toEqual([
    12, 600, 40, 4,
  ]);
  for (const [, started = '', station, minutes, kilometres] of trips) {
    expect(started).toMatch(/^2026-06-[0-3]\d [0-2]\d:[0-5]\d:00$/);
    expect(stations.has(station)).toBe(true);
    expect(Number(minutes)).toBeGreaterThan(0);
    expect(kilometres).toMatch(/^\d+\.\d\d$/);
  }
  expect(data.trip.length).toBeLessThan(50_000);
});
