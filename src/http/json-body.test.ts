import { expect, test } from 'bun:test';
import { completeAtOnce } from '../base/slices.ts';
import { readJsonBody } from './json-body.ts';

const LISTS = { roles: 'mayBeEmpty', addresses: 'notEmpty' } as const;

function read(body: string, query: Record<string, string> = {}): Record<string, string> {
  const into = new Map(Object.entries(query));
  const findStructured = (params: ReadonlyMap<string, string>) =>
    params.get('cmd') === 'batch' ? ({ json: 'commands', lists: LISTS } as const) : undefined;
  completeAtOnce(readJsonBody(Buffer.from(body), { into, limit: 100, findStructured }));
  return Object.fromEntries(into);
}

const READ: ReadonlyArray<readonly [title: string, body: string, expected: Record<string, string>]> = [
  ['texts', '{"cmd":"get","key":"a"}', { cmd: 'get', key: 'a' }],
  ['escapes', '{"key":"\\u00fc\\n"}', { key: 'ü\n' }],
  [
    'numbers by their source text',
    '{"key":1.50,"val":12345678901234567890123}',
    { key: '1.50', val: '12345678901234567890123' },
  ],
  ['true and false', '{"async":true,"mtr":false}', { async: 'true', mtr: 'false' }],
  ['null as absent', '{"exp":null}', {}],
  [
    'an object of a custom type by its source text',
    '{"val":{"a": 1.0},"valueType":"T"}',
    { val: '{"a": 1.0}', valueType: 'T' },
  ],
  [
    'an array of a Java type',
    '{"key":[1, 2],"keyType":"java.util.ArrayList"}',
    { key: '[1, 2]', keyType: 'java.util.ArrayList' },
  ],
  ['keys', '{"keys":["a",1,true]}', { k1: 'a', k2: '1', k3: 'true' }],
  ['keys and values', '{"keys":["a"],"values":[2.0]}', { k1: 'a', v1: '2.0' }],
  ['objects among values', '{"values":[{"a":1}],"valueType":"T"}', { v1: '{"a":1}', valueType: 'T' }],
  ['params', '{"params":["x",2]}', { p1: 'x', p2: '2' }],
  ['a text argument without a type', '{"args":["x"]}', { arg1: 'x' }],
  ['a small number as argument', '{"args":[-2147483648]}', { arg1: '-2147483648', arg1Type: 'int' }],
  ['a larger number as argument', '{"args":[2147483648]}', { arg1: '2147483648', arg1Type: 'long' }],
  [
    'a huge number as argument',
    '{"args":[9223372036854775808]}',
    { arg1: '9223372036854775808', arg1Type: 'java.math.BigDecimal' },
  ],
  ['a fraction as argument', '{"args":[0.25]}', { arg1: '0.25', arg1Type: 'double' }],
  ['a scale as argument', '{"args":[1.50]}', { arg1: '1.50', arg1Type: 'java.math.BigDecimal' }],
  ['a zero with a sign as argument', '{"args":[-0.00]}', { arg1: '-0.00', arg1Type: 'double' }],
  [
    'a fraction that no double holds',
    '{"args":[1234567890.12345678]}',
    { arg1: '1234567890.12345678', arg1Type: 'java.math.BigDecimal' },
  ],
  ['a flag as argument', '{"args":[true]}', { arg1: 'true', arg1Type: 'boolean' }],
  ['null as argument', '{"args":[null,"x"]}', { arg1Type: 'null', arg2: 'x' }],
  ["an argument's own type", '{"args":[1],"arg1Type":"long"}', { arg1: '1', arg1Type: 'long' }],
  ['numbered names too', '{"k1":"a","arg1":1}', { k1: 'a', arg1: '1' }],
  ['a text named keys', '{"keys":"a"}', { keys: 'a' }],
  [
    'an array that its command reads',
    '{"commands":[{"a": 1}],"cmd":"batch"}',
    { commands: '[{"a": 1}]', cmd: 'batch' },
  ],
  ['an empty object', ' {} ', {}],
  ['an empty body', '', {}],
  [
    'a name that objects inherit',
    '{"constructor":"x","__proto__":"y"}',
    Object.fromEntries([
      ['constructor', 'x'],
      ['__proto__', 'y'],
    ]),
  ],
];

for (const [title, body, expected] of READ) {
  test(`reads ${title}`, () => expect(read(body)).toEqual(expected));
}

test('parameters of the query string take precedence', () => {
  expect(read('{"val":"body","keys":["x","y"]}', { val: 'query', k1: 'q' })).toEqual({
    val: 'query',
    k1: 'q',
    k2: 'y',
  });
});

const REJECTED: ReadonlyArray<readonly [title: string, body: string]> = [
  ['an array', '[1]'],
  ['a text', '"cmd"'],
  ['what is no JSON', '{"cmd":'],
  ['trailing text', '{} x'],
  ['an object without a type', '{"val":{"a":1}}'],
  ['an object of type string', '{"val":{"a":1},"valueType":"String"}'],
  ['an object where a text belongs', '{"cacheName":{}}'],
  ['an array as argument without a type', '{"args":[[1]]}'],
  ['null among keys', '{"keys":["a",null]}'],
  ['keys that are no array', '{"keys":{"a":1}}'],
];

for (const [title, body] of REJECTED) {
  test(`rejects ${title}`, () => {
    expect(() => read(body)).toThrow(expect.objectContaining({ code: 'REQUEST_MALFORMED' }));
  });
}

test('rejects a body that is not valid UTF-8', () => {
  expect(() => completeAtOnce(readJsonBody(Buffer.from([0x7b, 0xff, 0x7d]), { into: new Map(), limit: 9 }))).toThrow(
    'not valid UTF-8',
  );
});

test('counts the parameters of the body', () => {
  expect(() => read(JSON.stringify({ keys: Array.from({ length: 101 }, () => 'x') }))).toThrow('Limit exceeded');
});

test('a list is an array of strings or one string', () => {
  const rolesOf = (roles: unknown, query: Record<string, string> = {}) =>
    read(JSON.stringify({ cmd: 'batch', roles }), query).roles;
  expect(rolesOf(['reader', 'writer'])).toBe('reader,writer');
  expect(rolesOf('reader,writer')).toBe('reader,writer');
  expect(rolesOf([])).toBe('');
  expect(rolesOf(['reader'], { roles: 'other' })).toBe('other');
  for (const wrong of [[''], [' '], ['a,b'], [1], [null], [['a']], { a: 'b' }])
    expect(() => rolesOf(wrong)).toThrow('roles must be an array of strings');
  expect(() => rolesOf(Array(1_000).fill('r'.repeat(300)))).toThrow('roles characters');
  expect(() => read('{"cmd":"batch","addresses":[]}')).toThrow('the array addresses is empty');
});

test('an item of a list takes no longer to check than to read', () => {
  // With a time that grew by the square of its length, it would take minutes.
  const item = `${'r'.repeat(200_000)},`;
  expect(() => read(JSON.stringify({ cmd: 'batch', roles: [item] }))).toThrow('roles must be an array of strings');
});

test('an array is the parameter of a command that reads one', () => {
  expect(read(' [1, {"a":"ü"}]\n', { cmd: 'batch' })).toEqual({ cmd: 'batch', commands: '[1, {"a":"ü"}]\n' });
  expect(read('[2]', { cmd: 'batch', commands: '[1]' })).toEqual({ cmd: 'batch', commands: '[1]' });
  expect(() => read('[1]', { cmd: 'put' })).toThrow('the JSON body must be an object');
  expect(() => read('[1]')).toThrow(
    expect.objectContaining({
      message: 'Failed to read the request: the JSON body must be an object',
      remedy: expect.stringContaining('/svc/batch'),
    }),
  );
  expect(() => read('{"cmd":"put","commands":[1]}')).toThrow('commands must be a text');
  expect(() => read('{"cmd":"put","cacheName":{"a":1}}')).toThrow(
    expect.objectContaining({
      code: 'REQUEST_MALFORMED',
      parameter: 'cacheName',
      remedy: expect.stringContaining('Send cacheName as a text'),
    }),
  );
});
