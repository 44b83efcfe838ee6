import { describe, expect, test } from 'bun:test';
import { DEFAULT_LIMITS } from '../base/limits.ts';
import { completeAtOnce } from '../base/slices.ts';
import { parseBatch } from './batch-commands.ts';

const VALUES = 20_000;
/** A step reads at most so many values. */
const STEP_VALUES = 256;

/** Returns the number of steps of parsing a batch. */
function stepsOf(commands: readonly unknown[]): number {
  const steps = parseBatch(JSON.stringify(commands), DEFAULT_LIMITS);
  let count = 1;
  while (steps.next().done !== true) count++;
  return count;
}

const texts = Array.from({ length: VALUES }, (_, at) => `a${at}`);

describe('parsing a batch', () => {
  test.each([
    ['members', Object.fromEntries(texts.map((each) => [each, '1']))],
    ['items of a list', { keys: texts }],
    ['nested values', { val: texts.map((each) => [[each]]) }],
  ])('pauses among many %s of one command', (_, members) => {
    expect(stepsOf([{ cmd: 'put', ...members }])).toBeGreaterThan(VALUES / STEP_VALUES);
  });

  test('continues after a pause where it was', () => {
    const [command] = completeAtOnce(parseBatch(JSON.stringify([{ cmd: 'getall', keys: texts }]), DEFAULT_LIMITS));
    expect([...(command?.params ?? [])]).toEqual([
      ['cmd', 'getall'],
      ...texts.map((each, at): [string, string] => [`k${at + 1}`, each]),
    ]);
  });
});
