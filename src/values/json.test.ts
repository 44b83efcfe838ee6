import { describe, expect, test } from 'bun:test';
import { pick, randomText, randomValue, seededRandom } from '../../test/fixtures/values/random-values.ts';
import { JSON_BOUNDS } from '../base/limits.ts';
import { ConversionFailure } from './conversion-failure.ts';
import { EXACT_NUMBERS, readPlain } from './custom.ts';
import { equalValues } from './equality.ts';
import { escapedCharacters, formatText, type JsonNode, readJson, writeJson, writeText } from './json.ts';
import { parseText } from './scalar-traits.ts';
import { NULL, text, type Value } from './value.ts';

/** Converts a node to plain data; numbers become `#` and their source text. */
function plain(node: JsonNode): unknown {
  switch (node.kind) {
    case 'null':
      return null;
    case 'boolean':
    case 'string':
      return node.value;
    case 'number':
      return `#${node.text}`;
    case 'array':
      return node.items.map(plain);
    case 'object':
      return [...node.members].map(([name, member]) => [name, plain(member)]);
  }
}

const READ: ReadonlyArray<readonly [text: string, plain: unknown]> = [
  ['null', null],
  ['true', true],
  [' false\n', false],
  ['"a"', 'a'],
  ['"\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\uD83D\\ude00"', '"\\/\b\f\n\r\tA😀'],
  ['"\\ud800"', '\ud800'],
  ['"a\u007f\u2028😀"', 'a\u007f\u2028😀'],
  ['0', '#0'],
  ['-0', '#-0'],
  ['1.50', '#1.50'],
  ['12345678901234567890123', '#12345678901234567890123'],
  ['1E+3', '#1E+3'],
  ['1e400', '#1e400'],
  ['[]', []],
  ['[1,"a",null,[2]]', ['#1', 'a', null, ['#2']]],
  [
    ' \n{ "a" : 1 , "b":{}}\t\r',
    [
      ['a', '#1'],
      ['b', []],
    ],
  ],
  [
    '{"z":1,"a":2,"z":3}',
    [
      ['z', '#3'],
      ['a', '#2'],
    ],
  ],
  [
    '{"":1,"__proto__":2}',
    [
      ['', '#1'],
      ['__proto__', '#2'],
    ],
  ],
];

const REJECTED: ReadonlyArray<readonly [text: string, reason: string]> = [
  ['', 'Unexpected end of the text'],
  ['  ', 'Unexpected end of the text'],
  ['abc', "Unexpected character ('a' (code 97)): was expecting a value at line 1, column 1"],
  ['{a:1}', 'was expecting a name in double quotes at line 1, column 2'],
  ["{'a':1}", 'was expecting a name in double quotes'],
  ['{"a":', 'Unexpected end of the text: was expecting a value'],
  ['{"a"}', "was expecting ':'"],
  ['{"a":1,}', 'was expecting a name in double quotes'],
  ['{"a":1 "b":2}', "was expecting ',' or '}'"],
  ['[1,]', 'was expecting a value'],
  ['[1 2]', "was expecting ',' or ']'"],
  ['[1', "Unexpected end of the text: was expecting ',' or ']'"],
  ['{"a":1} garbage', 'was expecting the end of the text at line 1, column 9'],
  ['{"a":1}{}', 'was expecting the end of the text'],
  ['01', 'was expecting the end of the number'],
  ['+1', 'was expecting a value'],
  ['.5', 'was expecting a value'],
  ['5.', 'was expecting the end of the number'],
  ['1e', 'was expecting the end of the number'],
  ['-', 'was expecting a value'],
  ['0x10', 'was expecting the end of the number'],
  ['NaN', 'was expecting a value'],
  ['Infinity', 'was expecting a value'],
  ['nul', 'was expecting a value'],
  ['nullx', 'was expecting the end of the text'],
  ['"a', 'Unexpected end of the text'],
  ['"a\tb"', 'control characters are written as escapes'],
  ['"\\x"', 'was expecting an escape'],
  ['"\\u12g4"', 'was expecting an escape'],
  ['"\\u12', 'was expecting an escape'],
  ['/*c*/1', 'was expecting a value'],
  ['\ufeff1', 'was expecting a value'],
  ['\u00a01', 'was expecting a value'],
  ['{\n"a":\n x}', 'at line 3, column 2'],
  ['['.repeat(JSON_BOUNDS.depth + 1), 'Nested more than 1000 deep'],
  ['['.repeat(1_000_000), 'Nested more than 1000 deep'],
  ['1'.repeat(JSON_BOUNDS.numberCharacters + 1), 'Number longer than 1000 characters'],
];

describe('parsing JSON', () => {
  test.each(READ)('%p is parsed', (source, expected) => {
    expect(plain(readJson(source))).toEqual(expected);
  });
  test.each(REJECTED)('%p is rejected', (source, reason) => {
    expect(() => readJson(source)).toThrow(ConversionFailure);
    expect(() => readJson(source)).toThrow(reason);
  });
  test('nesting up to the bound is parsed', () => {
    const source = '['.repeat(JSON_BOUNDS.depth) + ']'.repeat(JSON_BOUNDS.depth);
    expect(readJson(source).kind).toBe('array');
  });
  test('start and end delimit the source text of arrays and objects', () => {
    const source = ' {"a": [1, 2] , "b": {"c":"d"}}';
    const node = readJson(source);
    if (node.kind !== 'object') throw new Error('an object was expected');
    const slices = [...node.members.values()].map((member) =>
      member.kind === 'array' || member.kind === 'object' ? source.slice(member.start, member.end) : '',
    );
    expect(slices).toEqual(['[1, 2]', '{"c":"d"}']);
    expect(source.slice(node.start, node.end)).toBe(source.trim());
  });
});

const INTEGER: Value = { type: 'integer', data: 1 };

const WRITTEN: ReadonlyArray<readonly [value: Value, json: string]> = [
  [NULL, 'null'],
  [text(''), '""'],
  [text('a/b<é\u007f\u2028'), '"a/b<é\u007f\u2028"'],
  [text('"\\\b\t\n\f\r'), '"\\"\\\\\\b\\t\\n\\f\\r"'],
  [text('\u0000\u0001'), '"\\u0000\\u0001"'],
  [text('a😀"\ud800'), '"a\\uD83D\\uDE00\\"\\uD800"'],
  [parseText('boolean', 'true'), 'true'],
  [{ type: 'byte', data: -128 }, '-128'],
  [{ type: 'long', data: 9007199254740993n }, '9007199254740993'],
  [{ type: 'double', data: 1 }, '1.0'],
  [{ type: 'double', data: -0 }, '-0.0'],
  [{ type: 'double', data: 1e10 }, '1.0E10'],
  [{ type: 'double', data: Number.NaN }, '"NaN"'],
  [{ type: 'float', data: Number.NEGATIVE_INFINITY }, '"-Infinity"'],
  [{ type: 'float', data: Math.fround(0.1) }, '0.1'],
  [{ type: 'char', data: '"' }, '"\\""'],
  [parseText('date', '2018-1-2'), '"2018-01-02"'],
  [parseText('time', '1:2:3'), '"01:02:03"'],
  [parseText('timestamp', '2018-02-18 01:02:03'), '"2018-02-18 01:02:03.0"'],
  [{ type: 'instant', data: 1514862245000 }, '"Jan 2, 2018, 3:04:05 AM"'],
  [{ type: 'instant', data: -1 }, '"Dec 31, 1969, 11:59:59 PM"'],
  [{ type: 'instant', data: 253402300800000 }, '"Jan 1, 10000, 12:00:00 AM"'],
  [{ type: 'instant', data: -62135769600000 }, '"Jan 1, 1, 12:00:00 AM"'],
  [parseText('decimal', '1.50'), '1.50'],
  [parseText('decimal', '1E+3'), '1E+3'],
  [{ type: 'bigInteger', data: 10n ** 25n }, '10000000000000000000000000'],
  [{ type: 'bytes', data: Uint8Array.of(1, 2, 3) }, '"AQID"'],
  [{ type: 'array', element: 'integer', data: [INTEGER, INTEGER] }, '[1,1]'],
  [
    {
      type: 'array',
      element: 'char',
      data: [
        { type: 'char', data: 'a' },
        { type: 'char', data: 'b' },
      ],
    },
    '"ab"',
  ],
  [{ type: 'list', data: [INTEGER, NULL, text('a'), { type: 'list', data: [] }] }, '[1,null,"a",[]]'],
  [
    {
      type: 'map',
      data: [
        [text('a"'), INTEGER],
        [INTEGER, NULL],
      ],
    },
    '{"a\\"":1,"1":null}',
  ],
  [{ type: 'object', typeName: 'T', fields: [] }, '{}'],
  [
    {
      type: 'object',
      typeName: 'T',
      fields: [
        { name: 'z', value: INTEGER },
        { name: 'a', value: NULL },
      ],
    },
    '{"z":1,"a":null}',
  ],
  [{ type: 'enum', typeName: 'E', ordinal: 2, name: 'RED' }, '"RED"'],
  [{ type: 'enum', typeName: 'E', ordinal: 2, name: undefined }, '2'],
  [{ type: 'opaque', className: 'org.X', text: 'x="y"' }, '"x=\\"y\\""'],
];

describe('writing JSON', () => {
  test.each(WRITTEN.map(([value, json]) => [json, value] as const))('the JSON %s is written', (json, value) => {
    expect(writeJson(value)).toBe(json);
  });

  const TEXTS: ReadonlyArray<readonly [value: Value, text: string]> = [
    [text('a"b'), 'a"b'],
    [{ type: 'double', data: Number.NaN }, 'NaN'],
    [parseText('date', '2018-01-02'), '2018-01-02'],
    [{ type: 'object', typeName: 'T', fields: [{ name: 'id', value: INTEGER }] }, '{"id":1}'],
    [{ type: 'opaque', className: 'X', text: 'x' }, 'x'],
  ];
  test.each(TEXTS.map(([value, key]) => [key, value] as const))(
    'the text %s is written for a key',
    (expected, value) => {
      expect(formatText(value)).toBe(expected);
    },
  );
});

describe('random documents', () => {
  test('JSON.parse reads written strings back', () => {
    const random = seededRandom(1);
    for (let round = 0; round < 10_000; round++) {
      const source = randomText(random, 12);
      const json = writeText(source);
      expect(JSON.parse(json)).toBe(source);
      expect(plain(readJson(json))).toBe(source);
      expect(/[\ud800-\udfff]/.test(json)).toBe(false);
    }
  });

  test('plain values are read back unchanged', () => {
    const random = seededRandom(2);
    for (let round = 0; round < 5_000; round++) {
      const once = readPlain(readJson(writeJson(randomValue(random, 4))), EXACT_NUMBERS);
      const twice = readPlain(readJson(writeJson(once)), EXACT_NUMBERS);
      const beyondDoubles = /"-?Infinity"/.test(writeJson(once));
      if (!beyondDoubles && !equalValues(once, twice)) {
        throw new Error(`round ${round}: ${writeJson(once)} became ${writeJson(twice)}`);
      }
    }
  });

  test('the parser accepts and rejects the same texts as JSON.parse', () => {
    const random = seededRandom(3);
    const chunks = [
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '"a"',
      '"\\u00e9"',
      '1',
      '-',
      '.5',
      'e3',
      'true',
      'null',
      ' ',
      '\n',
      '\\',
      'x',
    ] as const;
    for (let round = 0; round < 30_000; round++) {
      const source =
        round % 2 === 0
          ? Array.from({ length: random.below(9) }, () => pick(random, chunks)).join('')
          : damage(writeJson(randomValue(random, 3)), random.below(1 << 30));
      expectSameOutcome(source);
    }
  });
});

/** Removes, doubles or replaces one character. */
function damage(json: string, chance: number): string {
  const at = (chance >> 2) % (json.length + 1);
  const replacement = ['', json.charAt(at).repeat(2), '"', '}'][chance & 3] ?? '';
  return json.slice(0, at) + replacement + json.slice(at + 1);
}

function expectSameOutcome(source: string): void {
  let expected: unknown;
  let isValid = true;
  try {
    expected = JSON.parse(source);
  } catch {
    isValid = false;
  }
  try {
    const node = readJson(source);
    if (!isValid) throw new Error(`${JSON.stringify(source)} was read`);
    expect(asRuntime(node)).toEqual(expected);
  } catch (error) {
    if (isValid || !(error instanceof ConversionFailure)) throw error;
  }
}

function asRuntime(node: JsonNode): unknown {
  if (node.kind === 'number') return Number(node.text);
  if (node.kind === 'array') return node.items.map(asRuntime);
  if (node.kind !== 'object') return plain(node);
  return Object.fromEntries([...node.members].map(([name, member]) => [name, asRuntime(member)]));
}

test('the length of a written string is known for every character', () => {
  for (let code = 0; code < 0x10000; code++) {
    const source = `a${String.fromCharCode(code)}b`;
    expect(escapedCharacters(source)).toBe(writeText(source).length - '""'.length);
  }
});

test('more values than the maximum are rejected', () => {
  expect(readJson('[1,[2,3],{"a":4}]', 7).kind).toBe('array');
  expect(() => readJson('[1,[2,3],{"a":4}]', 6)).toThrow('More than 6 values at line 1, column 15');
});
