/** Values of cells as text, JSON and bytes, the fields that change them, and rows that are selected and copied. */

import { expect, test } from 'bun:test';
import { formatNumber } from '../../../src/console/elements/formats.ts';
import { MAX_SELECTED, rowsAsText, selectRange, toggleRow } from '../../../src/console/rows/row-selection.ts';
import { neededInstead, unfit } from '../../../src/console/rows/value-check.ts';
import { editedText, parameterText, storedText } from '../../../src/console/rows/value-input.ts';
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
  expect(hexOf('x'.repeat(70_000), 'java.lang.String')).toEndWith(`… ${formatNumber(4464)} more bytes`);
});

test.each([
  ['date', '2026-01-02', '2026-01-02'],
  ['time', '10:20', '10:20:00'],
  ['time', '10:20:30', '10:20:30'],
  ['timestamp', '2026-01-02', '2026-01-02 00:00:00'],
  ['timestamp', '2026-01-02T10:20', '2026-01-02 10:20:00'],
  ['timestamp', '2026-01-02T10:20:30.5', '2026-01-02 10:20:30.5'],
  ['timestamp', 'Today', 'Today'],
  ['string', '10:20', '10:20'],
  ['string', '2026-01-02T10:20', '2026-01-02T10:20'],
])('what a field of a %s stands for: %j', (argument, edited, stored) => {
  expect(storedText(argument, edited)).toBe(stored);
});

test('rows are selected between two, and one by one', () => {
  expect([...selectRange(5, 3)]).toEqual([5, 4, 3]);
  expect(selectRange(0, 5_000).size).toBe(MAX_SELECTED);
  expect([...toggleRow(toggleRow(new Set([1]), 2), 1)]).toEqual([2]);
});

test('rows are copied as spreadsheets read them', () => {
  const rows = [
    { A: '1', B: 'x\ty' },
    { A: null, B: 'say "x"' },
  ];
  expect(rowsAsText(['B', 'A'], rows)).toBe('B\tA\n"x\ty"\t1\n"say ""x"""\t');
});

test.each([
  ['int', '7', undefined],
  ['int', 'many', 'a whole number'],
  ['int', '1.5', 'a whole number'],
  ['int', '2147483648', 'a whole number from -2147483648 to 2147483647'],
  ['byte', '-129', 'a whole number from -128 to 127'],
  ['long', '+9223372036854775807', undefined],
  ['double', '1e5', undefined],
  ['double', 'NaN', undefined],
  ['double', 'x', 'a number'],
  ['decimal', '5,50', 'a decimal number'],
  ['java.math.BigDecimal', '-.5', undefined],
  ['boolean', 'yes', 'true or false'],
  ['date', '2026-1-5', undefined],
  ['date', '2026-02-0', 'a date such as 2026-01-31'],
  ['date', '2024-02-29', undefined],
  ['date', '2026-02-29', 'a date such as 2026-01-31'],
  ['date', '-4-02-29', undefined],
  ['timestamp', '2026-13-01', 'a date and time such as 2026-01-31 10:20:30'],
  ['date', '31.01.2026', 'a date such as 2026-01-31'],
  ['time', '10:20', undefined],
  ['time', '10', 'a time such as 10:20:30'],
  ['timestamp', '2026-01-31T10:20:30.5', undefined],
  ['timestamp', '2026-01-31', undefined],
  ['timestamp', '2026-01', 'a date and time such as 2026-01-31 10:20:30'],
  ['uuid', '0-0-1-0-2', undefined],
  ['uuid', 'x', 'a UUID'],
  ['string', '', undefined],
  ['Visit', '{', 'JSON such as {"a": 1}'],
  ['java.util.ArrayList', '[1, "x"]', undefined],
  ['[B', '0a FF', undefined],
  ['[B', '\\x0aff', undefined],
  ['[B', '0a f', 'pairs of hexadecimal digits such as 0a ff'],
])('a value of the type %s: %j', (argument, text, needed) => {
  expect(neededInstead(argument, text)).toBe(needed);
});

test('a value that does not fit its column is named with it', () => {
  expect(unfit({ name: 'AGE', sqlType: 'INTEGER' }, 'int', 'many')).toBe(
    'AGE (INTEGER) needs a whole number, not "many".',
  );
  expect(unfit({ name: 'Value', sqlType: '' }, 'int', '')).toBe('Value needs a whole number, not an empty string.');
});

test('bytes are edited as hexadecimal digits, stored in Base64, and sent as JSON', () => {
  expect(editedText('[B', 'AAr/')).toBe('00 0a ff');
  expect(['00 0a ff', '000AFF', '0x000aff', ' \\x00 0aff '].map((text) => storedText('[B', text))).toEqual(
    Array.from({ length: 4 }, () => 'AAr/'),
  );
  expect(storedText('[B', '0a f')).toBe('0a f');
  expect([editedText('[B', null), editedText('string', 'AAr/'), storedText('string', '00')]).toEqual([
    null,
    'AAr/',
    '00',
  ]);
  expect(parameterText('[B', 'AAr/')).toBe('"AAr/"');
  expect(parameterText('java.util.Date', '1700000000000')).toBe('1700000000000');
  expect(parameterText('java.util.Date', 'Nov 14, 2023')).toBe('"Nov 14, 2023"');
  expect(parameterText('string', 'AAr/')).toBe('AAr/');
});
