/** Values of cells as text, JSON and bytes, the fields that change them, and rows that are selected and copied. */

import { expect, test } from 'bun:test';
import { formatNumber } from '../../../src/console/elements/formats.ts';
import { MOST_SELECTED, rowsAsText, selectRange, toggleRow } from '../../../src/console/rows/row-selection.ts';
import { inputOf, textOfInput } from '../../../src/console/rows/value-input.ts';
import { viewsOf } from '../../../src/console/rows/value-views.ts';

test.each([
  [
    '{"a":1.10,"b":[12345678901234567890,"x:{}, y"],"c":{}}',
    '{\n  "a": 1.10,\n  "b": [\n    12345678901234567890,\n    "x:{}, y"\n  ],\n  "c": {}\n}',
  ],
  ['[ ]', '[]'],
  [' [1 , 2] ', '[\n  1,\n  2\n]'],
  ['{"a":"\\"}"}', '{\n  "a": "\\"}"\n}'],
  ['{"a":', undefined],
  ['7', undefined],
  ['text', undefined],
])('JSON of %j', (text, json) => {
  const views = viewsOf(text, 'java.lang.String')?.views ?? [];
  expect(views.find(([view]) => view === 'json')?.[1]).toBe(json);
  // Text is always there, as it is.
  expect(views.find(([view]) => view === 'text')?.[1]).toBe(text);
});

test('bytes are those of UTF-8, or of Base64 for binary values', () => {
  const hexOf = (value: string, type: string) => viewsOf(value, type)?.views.find(([view]) => view === 'hex')?.[1];
  expect(hexOf('Bär', 'java.lang.String')).toBe('000000  42 c3 a4 72                                      B..r');
  expect(hexOf('AAH/', '[B')).toStartWith('000000  00 01 ff ');
  expect(viewsOf('AAH/', '[B')?.byteCount).toBe(3);
  expect(hexOf('x'.repeat(17), 'java.lang.String')?.split('\n')[1]).toStartWith('000010  78 ');
  expect(hexOf('x'.repeat(70_000), 'java.lang.String')).toEndWith(`… ${formatNumber(4464)} further bytes`);
});

test.each([
  ['boolean', 'true', 'boolean', 'true'],
  ['date', '2026-01-02', 'date', '2026-01-02'],
  ['date', '12026-01-02', 'text', '12026-01-02'],
  ['time', '10:20:30', 'time', '10:20:30'],
  ['timestamp', '2026-01-02 10:20:30', 'datetime-local', '2026-01-02T10:20:30'],
  ['timestamp', '2026-01-02 10:20:30.123456', 'text', '2026-01-02 10:20:30.123456'],
  ['timestamp', null, 'datetime-local', ''],
  ['decimal', '12345678901234567890.10', 'text', '12345678901234567890.10'],
  ['string', null, 'text', ''],
] as const)('the field of a %s %j', (argument, text, type, value) => {
  expect(inputOf(argument, text)).toEqual({ type, value });
});

test.each([
  ['boolean', '', null],
  ['date', '', null],
  ['string', '', ''],
  ['timestamp', '2026-01-02T10:20', '2026-01-02 10:20:00'],
  ['timestamp', '2026-01-02T10:20:30.5', '2026-01-02 10:20:30.5'],
  ['time', '10:20', '10:20:00'],
  ['string', '10:20', '10:20'],
])('what a field of a %s stands for: %j', (argument, value, text) => {
  expect(textOfInput(argument, value)).toBe(text);
});

test('rows are selected between two, and one by one', () => {
  expect([...selectRange(5, 3)]).toEqual([5, 4, 3]);
  expect(selectRange(0, 5_000).size).toBe(MOST_SELECTED);
  expect([...toggleRow(toggleRow(new Set([1]), 2), 1)]).toEqual([2]);
});

test('rows are copied as spreadsheets read them', () => {
  const rows = [
    { A: '1', B: 'x\ty' },
    { A: null, B: 'say "x"' },
  ];
  expect(rowsAsText(['B', 'A'], rows)).toBe('B\tA\n"x\ty"\t1\n"say ""x"""\t');
});
