/** Bodies of any size are decoded to the same result at once or in steps; the steps are short. */
import { expect, test } from 'bun:test';
import { completeAtOnce } from '../base/slices.ts';
import { readForm } from './form-body.ts';
import { readJsonBody } from './json-body.ts';

const MEBIBYTE = 1_024 * 1_024;

/** The outcome of decoding: the parameters, or the failure. */
function outcome(decode: (into: Map<string, string>) => void): unknown {
  const into = new Map<string, string>();
  try {
    decode(into);
  } catch (error) {
    return error instanceof Error ? error.message : error;
  }
  return [...into];
}

const repeat = (before: string, part: string, bytes: number, after = '') =>
  Buffer.concat([
    Buffer.from(before),
    Buffer.alloc(bytes - (bytes % Buffer.byteLength(part)), part),
    Buffer.from(after),
  ]);
const ff = (bytes: number) => Buffer.concat([Buffer.from('x='), Buffer.alloc(bytes, 0xff)]);

const form = (charset?: string) => (body: Uint8Array, into: Map<string, string>) =>
  readForm(body, charset, { into, limit: 1_000 });
const json = (body: Uint8Array, into: Map<string, string>) => readJsonBody(body, { into, limit: 1_000 });

type Create = (body: Uint8Array, into: Map<string, string>) => Generator<undefined, void>;
/** Characters of the parameter x, or the failure. */
type Expected = number | string;
const SIZE = 4 * MEBIBYTE;

const LARGE: ReadonlyArray<readonly [title: string, create: Create, body: Uint8Array, expected: Expected]> = [
  ['bytes that are no UTF-8', form(), ff(SIZE), 'not valid UTF-8'],
  [
    'one wrong byte at the end',
    form(),
    Buffer.concat([repeat('x=', 'a', SIZE), Buffer.of(0xff, 0x61)]),
    'not valid UTF-8',
  ],
  ['half a character', form(), Buffer.concat([repeat('x=', 'a', SIZE), Buffer.of(0xc3)]), 'not valid UTF-8'],
  ['the code of half a character', form(), Buffer.concat([repeat('x=', 'a', SIZE), Buffer.from('%c3')]), SIZE + 1],
  ['letters', form(), repeat('x=', 'a', SIZE), SIZE],
  ['characters of two bytes', form(), repeat('x=', 'é', SIZE), SIZE / 2],
  ['characters of three bytes as codes', form(), repeat('x=', '%E2%82%AC', SIZE), Math.floor(SIZE / 9)],
  ['codes and letters', form(), repeat('x=', '%41x', SIZE), SIZE / 2],
  ['blanks', form(), repeat('x=', '+', SIZE), SIZE],
  ['percent signs', form(), repeat('', '%', SIZE), 'invalid percent-encoding'],
  ['ampersands', form(), repeat('', '&', SIZE, 'x=1'), 1],
  ['equals signs', form(), repeat('x=', '=', SIZE), SIZE],
  ['pairs', form(), repeat('', 'a&', SIZE), 'Limit exceeded'],
  ['a long name', form(), repeat('', 'n', SIZE, '=1&x=2'), 1],
  ['a long name of codes', form(), repeat('', '%41', SIZE, '=1&x=2'), 1],
  ['ISO-8859-1', form('iso-8859-1'), ff(SIZE), SIZE],
  ['gbk, codes and letters', form('gbk'), repeat('x=', '%41x', SIZE), SIZE / 2],
  ['gbk, codes of two bytes and letters', form('gbk'), repeat('x=', '%81%40x', SIZE), 2 * Math.floor(SIZE / 7)],
  ['gbk, bytes', form('gbk'), repeat('x=', '\u0001', SIZE).fill(0x81, 2), SIZE / 2],
  ['gbk, half a character', form('gbk'), Buffer.concat([repeat('x=', 'a', SIZE), Buffer.of(0x81)]), 'not valid gbk'],
  ['utf-16', form('utf-16'), repeat('x=', 'a', SIZE), 'can have at most 16384 bytes'],
  ['JSON: a text', json, repeat('{"x":"', 'a', SIZE, '"}'), SIZE],
  ['JSON: characters of two bytes', json, repeat('{"x":"a', 'é', SIZE, '"}'), SIZE / 2 + 1],
  ['JSON: escapes', json, repeat('{"x":"', '\\u0000', SIZE, '"}'), Math.floor(SIZE / 6)],
  ['JSON: escaped pairs', json, repeat('{"x":"', '\\ud83d\\ude00', SIZE, '"}'), 2 * Math.floor(SIZE / 12)],
  ['JSON: escapes among others', json, repeat('{"x":"', 'é\\n€\\"', SIZE, '"}'), 4 * Math.floor(SIZE / 9)],
  ['JSON: an array', json, repeat('{"x":[', '1,', SIZE, '1]}'), 'must be a text'],
  ['JSON: an array of a type', json, repeat('{"valueType":"T","val":[', '1,', SIZE, '1],"x":"1"}'), 1],
  ['JSON: many keys', json, repeat('{"keys":[', '1,', SIZE, '1]}'), 'Limit exceeded'],
  ['JSON: depth', json, repeat('{"x":', '[', SIZE), 'Nested more than 1000 deep at line 1, column 1005'],
  ['JSON: nulls', json, repeat('{', '"a":null,', SIZE, '"x":1}'), 1],
  ['JSON: one name again and again', json, repeat('{', '"x":1,', SIZE, '"x":12}'), 2],
  ['JSON: a long name', json, repeat('{"', 'k', SIZE, '":[1],"x":1}'), 1],
  ['JSON: a long number', json, repeat('{"x":', '1', SIZE, '}'), 'Number longer than 1000 characters'],
  ['JSON: a long fraction', json, repeat('{"x":0.', '1', SIZE, '}'), 'Number longer than 1000 characters'],
  ['JSON: blanks', json, repeat('', ' ', SIZE, '{"x":1}'), 1],
  ['JSON: nothing but blanks', json, repeat('', ' ', SIZE), 'nothing'],
  ['JSON: lines', json, repeat('{', '\n', SIZE, 'x'), `line ${SIZE + 1}, column 1`],
  ['JSON: a text without an end', json, repeat('{"x":"', 'a', SIZE), 'Unexpected end of the text'],
  [
    'JSON: half a character at the end',
    json,
    Buffer.concat([repeat('{"x":"', 'a', SIZE), Buffer.of(0xc3)]),
    'not valid UTF-8',
  ],
];

for (const [title, create, body, expected] of LARGE) {
  test(`a large body is decoded in short steps: ${title}`, () => {
    const into = new Map<string, string>();
    let steps = 0;
    const startedCpu = process.cpuUsage();
    const failure = outcome(() => {
      for (const _ of create(body, into)) steps++;
    });
    const { user, system } = process.cpuUsage(startedCpu);
    const cpuMs = (user + system) / 1_000;
    if (typeof expected === 'number') expect(into.get('x')?.length).toBe(expected);
    else if (expected === 'nothing') expect([failure, into.size]).toEqual([[], 0]);
    else expect(String(failure)).toContain(expected);
    if (cpuMs > 20) expect(steps).toBeGreaterThan(8);
    expect(cpuMs).toBeLessThan(2_000);
  });
}

const WRONG_JSON: ReadonlyArray<readonly [body: string, message: string]> = [
  ['{"a":1 2}', `Unexpected character ('2' (code 50)): was expecting ',' or '}' at line 1, column 8`],
  ['{"a":[1 2]}', `Unexpected character ('2' (code 50)): was expecting ',' or ']' at line 1, column 9`],
  ['{"a":[1,]}', `Unexpected character (']' (code 93)): was expecting a value at line 1, column 9`],
  ['{"a":1,}', `Unexpected character ('}' (code 125)): was expecting a name in double quotes at line 1, column 8`],
  ['{a:1}', `Unexpected character ('a' (code 97)): was expecting a name in double quotes at line 1, column 2`],
  ['{"a" 1}', `Unexpected character ('1' (code 49)): was expecting ':' at line 1, column 6`],
  ['{"a":01}', `Unexpected character ('1' (code 49)): was expecting the end of the number at line 1, column 7`],
  ['{"a":1.}', `Unexpected character ('.' (code 46)): was expecting the end of the number at line 1, column 7`],
  ['{"a":1e+}', `Unexpected character ('e' (code 101)): was expecting the end of the number at line 1, column 7`],
  ['{"a":-}', `Unexpected character ('-' (code 45)): was expecting a value at line 1, column 6`],
  ['{"a":+1}', `Unexpected character ('+' (code 43)): was expecting a value at line 1, column 6`],
  ['{"a":truth}', `Unexpected character ('t' (code 116)): was expecting a value at line 1, column 6`],
  ['{"a":NaN}', `Unexpected character ('N' (code 78)): was expecting a value at line 1, column 6`],
  ['{"a":"\\x"}', `Unexpected character ('x' (code 120)): was expecting an escape at line 1, column 8`],
  ['{"a":"\\u12g4"}', `Unexpected character ('u' (code 117)): was expecting an escape at line 1, column 8`],
  ['{"a":"\\', 'Unexpected end of the text: was expecting an escape at line 1, column 8'],
  ['{"a":"é😀\n"}', `Unexpected character ('\n' (code 10)): was expecting a closing quote`],
  ['{"é😀"\n\n é', `Unexpected character ('é' (code 233)): was expecting ':' at line 3, column 2`],
  ['{"a":{"b":[', 'Unexpected end of the text: was expecting a value at line 1, column 12'],
  ['{"a":1', `Unexpected end of the text: was expecting ',' or '}' at line 1, column 7`],
  ['{"a":1}}', `Unexpected character ('}' (code 125)): was expecting the end of the text at line 1, column 8`],
  ['{} 1', `Unexpected character ('1' (code 49)): was expecting the end of the text at line 1, column 4`],
  ['{"a":1]', `Unexpected character (']' (code 93)): was expecting ',' or '}' at line 1, column 7`],
  ['{,}', `Unexpected character (',' (code 44)): was expecting a name in double quotes at line 1, column 2`],
];

for (const [body, message] of WRONG_JSON) {
  test(`JSON ${JSON.stringify(body)} is told where it is wrong`, () => {
    expect(() => completeAtOnce(json(Buffer.from(body), new Map()))).toThrow(message);
  });
}

const utf16 = (text: string) => Buffer.from(text, 'utf16le');
/** Forms in charsets in which bytes below 128 may be part of any character: the parameters, or the failure. */
const UNLIKE_ASCII: ReadonlyArray<readonly [title: string, body: Buffer, charset: string, outcome: unknown]> = [
  [
    'fields in UTF-16',
    utf16('a=é€&b=+c'),
    'utf-16le',
    [
      ['a', 'é€'],
      ['b', ' c'],
    ],
  ],
  ['percent codes of UTF-16 characters', utf16('a=%E9%00%AC%20'), 'utf-16le', [['a', 'é€']]],
  ['an escape sequence of ISO-2022-JP', Buffer.from('a=\x1b$B$"\x1b(B'), 'iso-2022-jp', [['a', 'あ']]],
  ['half a character in UTF-16', Buffer.concat([utf16('a='), Buffer.of(0x41)]), 'utf-16le', 'is not valid utf-16le'],
  ['percent codes of half a character', utf16('a=%E9'), 'utf-16le', 'is not valid utf-16le'],
  ['more than 16 KiB', utf16('x'.repeat(9_000)), 'utf-16le', 'a form in utf-16le can have at most 16384 bytes'],
  ['a charset that nobody knows', utf16('a=b'), 'utf-16zz', 'unknown charset "utf-16zz"'],
];

for (const [title, body, charset, expected] of UNLIKE_ASCII) {
  test(`a form unlike ASCII is read as a whole: ${title}`, () => {
    const actual = outcome((into) => completeAtOnce(form(charset)(body, into)));
    if (typeof expected === 'string') expect(actual).toContain(expected);
    else expect(actual).toEqual(expected);
  });
}

test('an error quotes at most 1,000 characters of a value', () => {
  const text = String(outcome((into) => completeAtOnce(form(`x${'y'.repeat(50_000)}`)(Buffer.from('a=b'), into))));
  expect(text).toContain('...');
  expect(text.length).toBeLessThan(1_200);
});
