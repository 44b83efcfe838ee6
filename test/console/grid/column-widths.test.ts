/** How the columns of a grid use its width. */
import { describe, expect, test } from 'bun:test';
import { columnWidths, type WidthRequest, widthOfText } from '../../../src/console/rows/column-widths.ts';

const CASES: ReadonlyArray<readonly [title: string, request: Partial<WidthRequest>, widths: readonly number[]]> = [
  ['are as wide as their contents in a narrow grid', { gridPixels: 0 }, [100, 200, 100]],
  ['stretch the texts in proportion', { gridPixels: 700 }, [100, 400, 200]],
  ['share what texts do not need', { gridPixels: 1_040 }, [124, 524, 392]],
  ['stretch numbers where there is no text', { gridPixels: 800, isText: [false, false, false] }, [200, 400, 200]],
  ['keep what was set', { gridPixels: 700, set: new Map([[1, 50]]) }, [125, 50, 525]],
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
        isText: [false, true, true],
        set: new Map(),
        gridPixels: 0,
        ...request,
      };
      expect(columnWidths(whole)).toEqual([...widths]);
    });
  }

  test('have a least and a greatest width', () => {
    expect([8.2, 160.4, 8_000].map((pixels) => widthOfText(pixels, 64))).toEqual([64, 181, 420]);
  });
});
