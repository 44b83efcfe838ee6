import { expect, test } from 'bun:test';
import { Histogram } from './histogram.ts';

test('a number counts in the first bucket whose bound is not less', () => {
  const histogram = new Histogram([1, 2.5, 10]);
  for (const each of [0, 1, 1.1, 2.5, 9, 10.5, 100]) histogram.record(each);
  expect(histogram.read()).toEqual({ bounds: [1, 2.5, 10], buckets: [2, 2, 1, 2], sum: 124.1 });
});
