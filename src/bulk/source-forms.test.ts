/** Reading days and numbers in the forms of a source. */
import { describe, expect, test } from 'bun:test';
import type { SourceForms } from '../grid/bulk.ts';
import { dayReader, formAdvice, formConverter, numberReader, PLAIN_FORMS } from './source-forms.ts';

describe('days', () => {
  const CASES: ReadonlyArray<readonly [format: string, text: string, plain: string | undefined]> = [
    ['dd.MM.yyyy', '31.12.2025', '2025-12-31'],
    ['dd.MM.yyyy', '1.2.2025', '2025-02-01'],
    ['DD.MM.YYYY', '01.02.0099', '0099-02-01'],
    ['dd.MM.yyyy', '2025-12-31', '2025-12-31'],
    ['dd.MM.yyyy', '29.02.2024', '2024-02-29'],
    ['dd.MM.yyyy', '29.02.2023', undefined],
    ['dd.MM.yyyy', '31.13.2025', undefined],
    ['dd.MM.yyyy', '00.01.2025', undefined],
    ['dd.MM.yyyy', '01.01.0000', undefined],
    ['dd.MM.yyyy', '31/12/2025', undefined],
    ['dd.MM.yyyy', '31.12.25', undefined],
    ['dd.MM.yyyy', '31.12.2025 9:05', '2025-12-31 09:05:00'],
    ['dd.MM.yyyy', '31.12.2025T23:05:06,123', '2025-12-31 23:05:06.123'],
    ['dd.MM.yyyy', '31.12.2025 24:00', undefined],
    ['dd.MM.yyyy', '31.12.2025 10:60', undefined],
    ['MM/dd/yyyy', '12/31/2025 12:05 AM', '2025-12-31 00:05:00'],
    ['MM/dd/yyyy', '12/31/2025 12:05 pm', '2025-12-31 12:05:00'],
    ['MM/dd/yyyy', '12/31/2025 1:05:06 p.m.', '2025-12-31 13:05:06'],
    ['MM/dd/yyyy', '12/31/2025 13:05 PM', undefined],
    ['dd.MM.yy', '31.12.68', '2068-12-31'],
    ['dd.MM.yy', '31.12.69', '1969-12-31'],
    ['yyyyMMdd', '20251231', '2025-12-31'],
    ['yyyyMMdd', '2025121', undefined],
    ['d. M. yyyy', '1. 2. 2025', '2025-02-01'],
  ];
  for (const [format, text, plain] of CASES) {
    test(`${format}: ${text}`, () => expect(dayReader(format)?.(text)).toBe(plain));
  }

  test.each(['', 'dd.MM', 'dd.MM.yyy', 'dd.MM.y', 'dd.MM.yyyy.dd', 'dd.MMM.yyyy', 'hh.MM.yyyy', 'dMyyyy', '1.MM.yyyy'])(
    '%j is no format',
    (format) => expect(dayReader(format)).toBeUndefined(),
  );
});

describe('numbers', () => {
  const german: SourceForms = { ...PLAIN_FORMS, decimalSeparator: ',', thousands: '.' };
  const CASES: ReadonlyArray<readonly [forms: Partial<SourceForms>, text: string, plain: string | undefined]> = [
    [german, '1.234,56', '1234.56'],
    [german, '-1.234.567', '-1234567'],
    [german, '1234,5', '1234.5'],
    [german, ',5', '0.5'],
    [german, '1,5e-3', '1.5e-3'],
    [german, '007', '007'],
    [german, '1.23', undefined],
    [german, '1.2345', undefined],
    [german, '1,2,3', undefined],
    [german, '1,', undefined],
    [german, '', undefined],
    [german, '.', undefined],
    [{ decimalSeparator: ',' }, '1.234,5', undefined],
    [{ decimalSeparator: ',' }, '1.5', undefined],
    [{ thousands: ',' }, '1,234.5', '1234.5'],
    [{ thousands: ',' }, '12,34,567', '1234567'],
    [{ thousands: "'" }, '1\u2019234.5', '1234.5'],
    [{ decimalSeparator: ',', thousands: ' ' }, '1\u202f234,5', '1234.5'],
  ];
  for (const [forms, text, plain] of CASES) {
    test(`${JSON.stringify(forms)}: ${text}`, () =>
      expect(numberReader({ ...PLAIN_FORMS, ...forms })(text)).toBe(plain));
  }
});

test('fields are converted by the kinds of their columns, and the first wrong one rejects the record', () => {
  const forms: SourceForms = { dateFormat: 'dd.MM.yyyy', decimalSeparator: ',', thousands: '.' };
  const convert = formConverter(forms, ['A', 'B', 'C', 'D'], ['text', 'number', 'moment', 'other']);
  const record = { line: 2, endLine: 2, endOffset: 9, error: undefined };
  const fields = ['1,5', ' 1.000,5 ', '31.12.2025', '1,5'];
  expect(convert({ ...record, fields })).toEqual({ ...record, fields: ['1,5', '1000.5', '2025-12-31', '1,5'] });
  const absent = [null, null, undefined, null];
  expect(convert({ ...record, fields: absent })).toEqual({ ...record, fields: absent });
  const json = [{ kind: 'string', value: '1,5' } as const, { kind: 'number', text: '1.5' } as const];
  expect(convert({ ...record, fields: [null, json[0], null, null] }).fields?.[1]).toBe('1.5');
  expect(convert({ ...record, fields: [null, json[1], null, null] }).fields?.[1]).toEqual(json[1]);
  expect(convert({ ...record, fields: [null, '1.5', null, null] })).toEqual({
    ...record,
    fields: undefined,
    error: 'column B: "1.5" is not a number (decimalSeparator=, thousands=.)',
  });
  expect(convert({ ...record, fields: [null, null, '2025/01/02', null] }).error).toBe(
    'column C: "2025/01/02" is not a date (dateFormat=dd.MM.yyyy)',
  );
});

test('a record that is rejected without forms gets the form that reads it', () => {
  const columns = { names: ['A', 'B'], kinds: ['moment', 'number'] } as const;
  const advice = (reason: string, fields: readonly string[]) => formAdvice(reason, fields, columns);
  expect(advice('column A: wrong', ['31.12.2025', ''])).toBe('; dateFormat=dd.MM.yyyy reads such dates');
  expect(advice('column A: wrong', ['1/2/2025', ''])).toContain('dateFormat=dd/MM/yyyy or dateFormat=MM/dd/yyyy');
  expect(advice('column A: wrong', ['x', ''])).toBe('');
  expect(advice('column B: wrong', ['', '1.234,5'])).toBe('; decimalSeparator=, reads such numbers');
  expect(advice('column B: wrong', ['', '1.234'])).toBe('');
  expect(advice('no column', ['31.12.2025', '1,5'])).toBe('');
});
