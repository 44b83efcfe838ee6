import { describe, expect, test } from 'bun:test';
import { text, type Value } from '../values/value.ts';
import type { Entry, StatementQuery, TransactionStep } from './grid.ts';
import {
  arePlain,
  hasManyArguments,
  haveLongLists,
  packArguments,
  packResult,
  packSteps,
  unpackArguments,
  unpackResults,
  unpackSteps,
} from './packed-calls.ts';

function result<T>(steps: Generator<undefined, T>): T {
  for (;;) {
    const next = steps.next();
    if (next.done === true) return next.value;
  }
}

const COUNT = 1_000;
const keys: readonly Value[] = Array.from({ length: COUNT }, (_, at) => ({ type: 'long', data: BigInt(at) }));
const entries: Entry[] = keys.map((key, at) => ({ key, value: text(`value ${at}`) }));

function statement(args: readonly Value[]): StatementQuery {
  return { kind: 'fields', sql: 'select ?', args, cache: 'a', owner: '', pageSize: 1, format: 'json' };
}

test('many arguments of a statement are the same afterwards', () => {
  const query = statement(keys);
  expect(hasManyArguments(query)).toBe(true);
  expect(unpackArguments(structuredClone(result(packArguments(query))))).toEqual(query);
  const few = statement(keys.slice(0, 100));
  expect(hasManyArguments(few)).toBe(false);
  expect(unpackArguments(few)).toBe(few);
  expect(hasManyArguments({ kind: 'scan' })).toBe(false);
});

describe('packed calls', () => {
  const steps: readonly TransactionStep[] = [
    { call: { kind: 'entries', name: 'putAll', args: ['a', entries, 60_000n] } },
    { call: { kind: 'entries', name: 'getAll', args: ['a', keys] } },
    { call: { kind: 'entries', name: 'getAll', args: ['a', keys.slice(0, 3)] } },
    {
      call: { kind: 'entries', name: 'putIfAbsent', args: ['a', text('k'), text('v')] },
      condition: { kind: 'notFalse' },
    },
    { call: { kind: 'counter', args: ['hits', 1n, 0n] } },
    { call: { kind: 'statement', query: statement(keys) }, condition: { kind: 'rows', count: 1n } },
    { call: { kind: 'statement', query: statement(keys.slice(0, 3)) } },
  ];

  test('are the same afterwards, in the same order', () => {
    const sent = structuredClone(result(packSteps(steps)));
    expect(sent.map(({ call }) => call.kind)).toEqual([
      'packed',
      'packed',
      'entries',
      'entries',
      'counter',
      'packedStatement',
      'statement',
    ]);
    expect(unpackSteps(sent)).toEqual(steps);
  });

  test('are those with long lists', () => {
    expect(haveLongLists(steps)).toBe(true);
    expect(haveLongLists(steps.slice(2, 5))).toBe(false);
    expect(haveLongLists(steps.slice(2, 6))).toBe(true);
    // Many short lists take as long to be copied as a long one.
    const short: TransactionStep = { call: { kind: 'statement', query: statement(keys.slice(0, 100)) } };
    expect(haveLongLists(Array(5).fill(short))).toBe(false);
    expect(haveLongLists(Array(6).fill(short))).toBe(true);
  });

  test('return packed entries, which are the same afterwards', () => {
    const results = [true, entries, undefined, entries.slice(0, 2), []];
    const sent = structuredClone(results.map((each) => packResult(each)));
    expect(sent.map((each) => typeof each === 'object' && 'packed' in each)).toEqual([
      false,
      true,
      false,
      false,
      false,
    ]);
    expect(arePlain(sent)).toBe(false);
    expect(result(unpackResults(sent))).toEqual(results);
    expect(arePlain(results)).toBe(true);
  });
});
