import { describe, expect, test } from 'bun:test';
import { text, type Value } from '../values/value.ts';
import type { Entry, TransactionStep } from './grid.ts';
import { arePlain, haveLongLists, packResult, packSteps, unpackResults, unpackSteps } from './packed-calls.ts';

function result<T>(steps: Generator<undefined, T>): T {
  for (;;) {
    const next = steps.next();
    if (next.done === true) return next.value;
  }
}

const COUNT = 1_000;
const keys: readonly Value[] = Array.from({ length: COUNT }, (_, at) => ({ type: 'long', data: BigInt(at) }));
const entries: Entry[] = keys.map((key, at) => ({ key, value: text(`value ${at}`) }));

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
  ];

  test('are the same afterwards, in the same order', () => {
    const sent = structuredClone(result(packSteps(steps)));
    expect(sent.map(({ call }) => call.kind)).toEqual(['packed', 'packed', 'entries', 'entries', 'counter']);
    expect(unpackSteps(sent)).toEqual(steps);
  });

  test('are those with long lists', () => {
    expect(haveLongLists(steps)).toBe(true);
    expect(haveLongLists(steps.slice(2))).toBe(false);
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
