import { describe, expect, test } from 'bun:test';
import { findCommand } from '../commands/registry.ts';
import { canonicalNumber, compareAnswers } from './comparison.ts';

const success = (response: unknown): string =>
  `{"successStatus":0,"affinityNodeId":"a","sessionToken":null,"error":null,"response":${
    typeof response === 'string' ? response : JSON.stringify(response)
  }}`;
const failure = (error: unknown): string => JSON.stringify({ successStatus: 1, error, response: null });
const page = (items: unknown, queryId = 1): string => success({ items, queryId, last: true, fieldsMetadata: [] });

/** Command, both answers, and the expected difference, or undefined if they mean the same. */
const CASES: ReadonlyArray<
  readonly [title: string, command: string, left: string, right: string, found: object | undefined, sql?: string]
> = [
  ['equal values', 'get', success('"a"'), success('"a"'), undefined],
  ['other values', 'get', success('"a"'), success('"b"'), { kind: 'response', path: 'response', left: '"a"' }],
  ['a number in another form', 'get', success('1.0'), success('1'), undefined],
  ['a long beyond doubles', 'get', success('9007199254740993'), success('9007199254740992'), { kind: 'response' }],
  ['a number and its text', 'get', success('1'), success('"1"'), { kind: 'response' }],
  ['another node id', 'get', success('1').replace('"a"', '"b"'), success('1'), undefined],
  ['members in another order', 'get', success({ a: 1, b: 2 }), success({ b: 2, a: 1 }), undefined],
  ['items of a stored array in another order', 'get', success([1, 2]), success([2, 1]), { path: 'response[0]' }],
  ['a member that is missing', 'get', success({ a: 1 }), success({}), { path: 'response.a', right: 'absent' }],
  ['rows in another order', 'qryfldexe', page([[1], [2]]), page([[2], [1]], 9), undefined, 'select x from t'],
  [
    'rows in another order than asked for',
    'qryfldexe',
    page([[1], [2]]),
    page([[2], [1]]),
    { path: 'response.items[0][0]' },
    'select x from t Order  By x',
  ],
  [
    'another number of rows',
    'qryfldexe',
    page([[1]]),
    page([]),
    { path: 'response.items.length', left: '1' },
    'select 1',
  ],
  [
    'entries in another order',
    'getall',
    success([{ key: 1 }, { key: 2 }]),
    success([{ key: 2 }, { key: 1 }]),
    undefined,
  ],
  ['metrics', 'cache', success({ hits: 1 }), success({ hits: 9 }), undefined],
  ['metrics that are none', 'cache', success({ hits: 1 }), success('null'), { path: 'response' }],
  ['the id of a task', 'exe', success({ id: 'a', result: 1 }), success({ id: 'b', result: 1 }), undefined],
  [
    'the result of a task',
    'exe',
    success({ id: 'a', result: 1 }),
    success({ id: 'a', result: 2 }),
    { kind: 'response' },
  ],
  ['the version', 'version', success('"1"'), success('"2"'), undefined],
  ['the same failure', 'get', failure('no'), failure('no'), undefined],
  ['another text', 'get', failure('no'), failure('never'), { kind: 'text', left: 'no', right: 'never' }],
  ['the same error object', 'get', failure({ code: 'SQL' }), failure({ code: 'SQL' }), undefined],
  [
    'another error object',
    'get',
    failure({ code: 'SQL' }),
    failure({ code: 'INACTIVE' }),
    { kind: 'text', left: '{"code":"SQL"}', right: '{"code":"INACTIVE"}' },
  ],
  ['a failure of one', 'get', failure('no'), success('1'), { kind: 'failure', left: 'no', right: 'success' }],
  ['no envelope', 'get', '<html>', success('1'), { kind: 'form' }],
];

describe('compareAnswers', () => {
  for (const [title, name, left, right, found, sql] of CASES) {
    test(title, () => {
      const difference = compareAnswers(
        findCommand(name),
        sql,
        { status: 200, text: left },
        { status: 200, text: right },
      );
      if (found === undefined) expect(difference).toBeUndefined();
      else expect(difference).toMatchObject(found);
    });
  }

  test('another HTTP status of a failure', () => {
    const text = failure('no');
    const difference = compareAnswers(undefined, undefined, { status: 200, text }, { status: 401, text });
    expect(difference).toEqual({ kind: 'form', path: 'HTTP status', left: '200', right: '401' });
  });
});

test('numbers of the same value have the same text', () => {
  const groups = [
    ['0', '-0', '0.000', '0e99'],
    ['1', '1.0', '1e0', '10E-1', '0.1e1'],
    ['-100', '-1e2', '-100.00'],
    ['9007199254740993', '9007199254740993.0'],
    ['1e999999999', '10e999999998'],
  ];
  const texts = groups.map((group) => new Set(group.map(canonicalNumber)));
  expect(texts.map(({ size }) => size)).toEqual(groups.map(() => 1));
  expect(new Set(texts.flatMap((group) => [...group])).size).toBe(groups.length);
});
