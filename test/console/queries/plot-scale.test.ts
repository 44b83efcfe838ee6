/** Where the y axis of a plot ends. */
import { expect, test } from 'bun:test';
import { scaleOf } from '../../../src/console/elements/plot-scale.ts';

const hour = (value: number, ...peaks: number[]) => [...new Array<number | null>(60).fill(value), ...peaks];

type Options = Parameters<typeof scaleOf>[1];
type Case = readonly [name: string, series: ReadonlyArray<ArrayLike<number | null>>, options: Options, top: number];

const WHOLE: readonly Case[] = [
  ['no series', [], {}, 1],
  ['nothing but zeros', [hour(0)], { cutsPeaks: true }, 1],
  ['no value', [[null, null]], { cutsPeaks: true }, 1],
  ['steady values', [hour(100)], { cutsPeaks: true }, 110],
  ['the highest of several series', [hour(100), hour(300)], { cutsPeaks: true }, 330],
  ['a peak of a few times what is usual', [hour(100, 390)], { cutsPeaks: true }, 429],
  ['a peak, where it is not to be cut', [hour(100, 5_000)], {}, 5_500],
  ['few values', [[1, 1, 1, 100]], { cutsPeaks: true }, 110],
  ['peaks alone, which are usual then', [hour(0, 5_000)], { cutsPeaks: true }, 5_500],
  ['high values that are frequent', [hour(100, ...new Array(20).fill(5_000))], { cutsPeaks: true }, 5_500],
  ['a limit far away', [hour(100)], { limit: 1_000 }, 110],
  ['a limit near by', [hour(600)], { limit: 1_000 }, 1_100],
  ['a limit that is passed', [hour(1_200)], { limit: 1_000 }, 1_320],
];

test.each(WHOLE)('shows %s in full', (_, series, options, top) => {
  const scale = scaleOf(series, options);
  expect(scale.top).toBeCloseTo(top);
  expect(scale.cut).toBeUndefined();
});

test('an import of three minutes does not flatten an hour', () => {
  const scale = scaleOf([hour(100, 40_000, 55_000, 30_000), hour(10)], { cutsPeaks: true });
  expect(scale).toEqual({ top: 200, cut: { count: 3, highest: 55_000, at: 61 } });
});

test('a peak that is cut off in one series is cut off though another has no value there', () => {
  const scale = scaleOf([hour(100, 9_000), [...hour(50), null]], { cutsPeaks: true });
  expect(scale.cut).toEqual({ count: 1, highest: 9_000, at: 60 });
});
