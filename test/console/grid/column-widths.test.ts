/** How the columns of a grid use its width. */
import { describe, expect, test } from 'bun:test';
import { columnWidths, pinnedAt, type WidthRequest, widthOfText } from '../../../src/console/rows/column-widths.ts';

const CASES: ReadonlyArray<readonly [title: string, request: Partial<WidthRequest>, widths: readonly number[]]> = [
  ['are as wide as their contents in a narrow grid', { gridPixels: 0 }, [100, 200, 100]],
  ['stretch the texts in proportion', { gridPixels: 700 }, [100, 400, 200]],
  ['leave free what texts do not need', { gridPixels: 1_040 }, [100, 420, 313]],
  ['are stretched for texts alone', { gridPixels: 800, isText: [false, false, false] }, [100, 200, 100]],
  ['have room for their types', { gridPixels: 450, withTypes: [140, 200, 110] }, [140, 200, 110]],
  ['show no types where not all fit', { gridPixels: 449, withTypes: [140, 200, 110] }, [100, 232, 116]],
  [
    'that stay in view leave room on a small screen',
    { gridPixels: 250, isPinned: [true], firstPixels: 40 },
    [100, 200, 100],
  ],
  ['that stay in view are cut off', { gridPixels: 250, isPinned: [true], firstPixels: 54 }, [96, 200, 100]],
  ['keep what was set', { gridPixels: 700, set: new Map([[1, 50]]) }, [100, 50, 420]],
  [
    'stretch nothing where all were set',
    { gridPixels: 700, set: new Map([0, 1, 2].map((at) => [at, 60])) },
    [60, 60, 60],
  ],
];

describe('columns', () => {
  for (const [title, request, widths] of CASES) {
    test(title, () => {
      const whole = {
        contents: [100, 200, 100],
        withTypes: [100, 200, 100],
        isText: [false, true, true],
        set: new Map(),
        isPinned: [],
        firstPixels: 0,
        gridPixels: 0,
        ...request,
      };
      expect(columnWidths(whole)).toEqual([...widths]);
    });
  }

  test('have a least and a greatest width', () => {
    expect([8.2, 160.4, 8_000].map((pixels) => widthOfText(pixels, 64))).toEqual([64, 181, 420]);
  });

  test('that are pinned stay behind each other, and leave room to others', () => {
    const wide = { widths: [100, 200, 100, 80], isPinned: [false, true, false, true], firstPixels: 50 };
    expect(pinnedAt({ ...wide, gridPixels: 1_000 })).toEqual([undefined, 50, undefined, 250]);
    expect(pinnedAt({ ...wide, gridPixels: 500 })).toEqual([undefined, 50, undefined, undefined]);
  });
});
