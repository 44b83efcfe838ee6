import { expect, test } from 'bun:test';
import { GeneratorWork, runAtOnce } from './slices.ts';
import { sortInSteps } from './sort-in-steps.ts';

function sorted(texts: readonly string[]): readonly string[] | undefined {
  const work = new GeneratorWork(sortInSteps(texts));
  runAtOnce(work);
  return work.result;
}

test.each([0, 1, 2, 511, 512, 513, 1_024, 1_025, 5_000])('sorts %i texts like the runtime', (count) => {
  const texts = Array.from({ length: count }, (_, at) => `${(at * 7_919) % 1_009}é${at % 3}`);
  expect(sorted(texts)).toEqual([...texts].sort());
});

test('sorts by UTF-16 code units', () => {
  const texts = ['\uffff', '\u{1f600}', 'a', '', 'B'];
  expect(sorted(texts)).toEqual(['', 'B', 'a', '\u{1f600}', '\uffff']);
});

test('pauses often', () => {
  const steps = sortInSteps(Array.from({ length: 20_000 }, (_, at) => String(at)));
  let count = 0;
  while (steps.next().done !== true) count++;
  expect(count).toBeGreaterThan(100);
});
