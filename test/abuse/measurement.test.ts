/** The measurement of attacks detects delays of the service, but not those of a busy machine. */
import { expect, test } from 'bun:test';
import { delayedAnswers, delaysOf, isHarmful } from './attacks/run-attack.ts';

const ATTACK = { limitMs: 1_000, leaves: false };
const ANSWERED = { answers: [{ status: 200, body: '' }], invalid: undefined, unanswered: false };

test.each([
  [2_900, 0],
  // A statement whose time limit is ignored.
  [13_000, 1],
])('an answer after %i ms with a limit of a second', (elapsedMs, harms) => {
  expect(delayedAnswers([{ ...ANSWERED, elapsedMs }], ATTACK)).toHaveLength(harms);
});

test('a request without an answer, unless its client leaves', () => {
  const exchange = { answers: [], invalid: undefined, unanswered: true, elapsedMs: 10 };
  expect(delayedAnswers([exchange], ATTACK)).toEqual(['a request was not answered']);
  expect(delayedAnswers([exchange], { ...ATTACK, leaves: true })).toEqual([]);
});

test.each([
  [190, 100, [], 0],
  [210, 100, [], 1],
  [0, 0, [], 1],
  [10, 100, ['status 500'], 1],
])('a 99th percentile of %i ms, %i requests, failures %j', (p99Ms, requests, failures, harms) => {
  expect(delaysOf('get', { p99Ms, requests, failures })).toHaveLength(harms);
});

const OK = { harms: [], isCertain: false, isBusy: false };
const SLOW = { harms: ['slow'], isCertain: false, isBusy: false };
const BUSY = { ...SLOW, isBusy: true };

test.each([
  ['no harm', [OK], false],
  ['slow once', [SLOW, OK, OK], false],
  ['slow mostly', [SLOW, OK, SLOW], true],
  ['slow on a busy machine', [BUSY, BUSY, SLOW], false],
  ['a wrong answer', [{ ...BUSY, isCertain: true }], true],
])('%s is harmful or not', (_, runs, expected) => {
  expect(isHarmful(runs)).toBe(expected);
});
