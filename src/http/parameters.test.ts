import { expect, test } from 'bun:test';
import { GridError } from '../base/errors.ts';
import { completeAtOnce } from '../base/slices.ts';
import { readForm } from './form-body.ts';
import { readPairs } from './parameters.ts';

function read(text: string): Record<string, string> {
  const into = new Map<string, string>();
  readPairs(text, 0, into, 100, 0);
  return Object.fromEntries(into);
}

const READ: ReadonlyArray<readonly [title: string, text: string, expected: Record<string, string>]> = [
  ['pairs', 'cmd=get&key=a', { cmd: 'get', key: 'a' }],
  ['the first value wins', 'a=1&a=2', { a: '1' }],
  ['names are case-sensitive', 'a=1&A=2', { a: '1', A: '2' }],
  ['a name without = is empty text', 'key&val=1', { key: '', val: '1' }],
  ['a name without = at the end', 'val=1&key', { val: '1', key: '' }],
  ['an empty value is empty text', 'key=&val=1', { key: '', val: '1' }],
  ['an empty name counts', '=1', { '': '1' }],
  ['empty pairs are skipped', '&&a=1&&', { a: '1' }],
  ['nothing at all', '', {}],
  ['= inside a value', 'a=b=c', { a: 'b=c' }],
  [';does not separate', 'a=1;b=2', { a: '1;b=2' }],
  ['+ and %20 are blanks, %2B is a plus', 'a=x+y%20z%2B', { a: 'x y z+' }],
  ['+ in a name', 'a+b=1', { 'a b': '1' }],
  ['codes in a name', '%63md=get', { cmd: 'get' }],
  ['UTF-8', 'a=%c3%bc%E2%82%AC%f0%9f%98%80', { a: 'ü€😀' }],
  ['characters that are not encoded', 'a=ü€', { a: 'ü€' }],
  ['a character cut off at the end: 1 of 2', 'a=%e9', { a: '\ufffd' }],
  ['a character cut off at the end: 2 of 3', 'a=x%e2%82', { a: 'x\ufffd' }],
  ['a character cut off at the end: 3 of 4', 'a=%f0%9f%98&b=1', { a: '\ufffd', b: '1' }],
  ['a character cut off behind others', 'a=%c3%bc%c3', { a: 'ü\ufffd' }],
  ['NUL', 'a=%00', { a: '\0' }],
];

for (const [title, text, expected] of READ) {
  test(`reads ${title}`, () => expect(read(text)).toEqual(expected));
}

const REJECTED: ReadonlyArray<readonly [title: string, text: string]> = [
  ['a percent sign with no digits', 'a=%zz'],
  ['a percent sign at the end', 'a=%'],
  ['a percent sign with one digit', 'a=%a'],
  ['%u codes', 'a=%u0041'],
  ['bytes that are no UTF-8', 'a=%ff%fe'],
  ['a continuation without its beginning', 'a=%80'],
  ['a cut-off character before another', 'a=%e9x'],
  ['a cut-off character before a code', 'a=%e9%20'],
  ['a longer form than needed', 'a=%c0%80'],
  ['half a surrogate pair', 'a=%ed%a0%80'],
  ['a character beyond Unicode, cut off', 'a=%f4%90'],
  ['a broken code in a name', '%zz=1'],
  ['a broken code in a value that does not count', 'a=1&a=%zz'],
];

for (const [title, text] of REJECTED) {
  test(`rejects ${title}`, () => {
    expect(() => read(text)).toThrow(expect.objectContaining({ code: 'REQUEST_MALFORMED' }));
  });
}

test('a kept statement is not that of a text with the same low bytes', () => {
  expect(read("qry=select%20'\u0154'")).toEqual({ qry: "select 'Ŕ'" });
  expect(read("qry=select%20'T'")).toEqual({ qry: "select 'T'" });
  expect(read("qry=select%20'\u0154'")).toEqual({ qry: "select 'Ŕ'" });
});

test('limits the number of parameters, counting those already read', () => {
  const into = new Map<string, string>();
  expect(readPairs('a&b&c', 0, into, 5, 2)).toBe(5);
  expect(() => readPairs('a&b&c&d', 0, into, 5, 2)).toThrow(GridError);
});

test('many pairs without = take linear time', () => {
  const begun = process.cpuUsage();
  const into = new Map<string, string>();
  readPairs(Array.from({ length: 200_000 }, (_, index) => `p${index}`).join('&'), 0, into, 200_000, 0);
  expect(into.size).toBe(200_000);
  // CPU time, because others may also use the processor.
  expect(process.cpuUsage(begun).user).toBeLessThan(2_000_000);
});

const bytes = (...parts: ReadonlyArray<string | number>) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.of(part))));

function readWhole(body: Uint8Array, charset: string | undefined, into: Map<string, string>, limit: number): void {
  completeAtOnce(readForm(body, charset?.toLowerCase(), { into, limit }));
}

const FORMS: ReadonlyArray<
  readonly [title: string, body: Uint8Array, charset: string | undefined, expected: Record<string, string>]
> = [
  ['no charset is UTF-8', bytes('a=%c3%bc&b=ü'), undefined, { a: 'ü', b: 'ü' }],
  ['UTF-8 by name, in capitals', bytes('a=ü'), 'UTF-8', { a: 'ü' }],
  ['ISO-8859-1, codes and bytes', bytes('a=%e9+', 0xe9), 'ISO-8859-1', { a: 'é é' }],
  ['ISO-8859-1 keeps bytes 80 to 9f', bytes('a=%80'), 'iso-8859-1', { a: '\u0080' }],
  ['windows-1252', bytes('a=%80', 0x80), 'windows-1252', { a: '€€' }],
  ['a byte cut off at the end of a value', bytes('a=', 0xe9, '&b=1'), undefined, { a: '\ufffd', b: '1' }],
  ['an empty body', bytes(), undefined, {}],
];

for (const [title, body, charset, expected] of FORMS) {
  test(`form: ${title}`, () => {
    const into = new Map<string, string>();
    readWhole(body, charset, into, 100);
    expect(Object.fromEntries(into)).toEqual(expected);
  });
}

const WRONG_FORMS: ReadonlyArray<readonly [title: string, body: Uint8Array, charset: string | undefined]> = [
  ['bytes that are no UTF-8', bytes('a=', 0xff, 'x'), undefined],
  ['an unknown charset', bytes('a=1'), 'klingon'],
  ['a broken code in another charset', bytes('a=%zz'), 'iso-8859-1'],
];

for (const [title, body, charset] of WRONG_FORMS) {
  test(`form: rejects ${title}`, () => {
    expect(() => readWhole(body, charset, new Map(), 100)).toThrow(
      expect.objectContaining({ code: 'REQUEST_MALFORMED' }),
    );
  });
}
