/** The measurement of attacks allows for delays of the machine, and finds those of the service. */
import { expect, test } from 'bun:test';
import { delaysOf, harmsOfExchanges, type Machine } from './attacks/run-attack.ts';

const QUIET: Machine = { delayMs: 5, slowdown: 1 };
const STALLED: Machine = { delayMs: 300, slowdown: 1 };
const BUSY: Machine = { delayMs: 50, slowdown: 3 };
const ATTACK = { limitMs: 1_000, leaves: false };

const EXCHANGES: ReadonlyArray<readonly [elapsedMs: number, machine: Machine, isHarm: boolean]> = [
  [1_400, QUIET, false],
  [1_600, QUIET, true],
  [2_000, STALLED, false],
  [2_200, STALLED, true],
  [2_500, BUSY, false],
  // A statement whose time limit is ignored.
  [13_000, BUSY, true],
  [13_000, { delayMs: 60_000, slowdown: 2 }, true],
];

for (const [elapsedMs, machine, isHarm] of EXCHANGES) {
  const { delayMs, slowdown } = machine;
  test(`${elapsedMs} ms on a machine that delays by ${delayMs} ms and is slowed ${slowdown}x: ${isHarm}`, () => {
    const exchange = { answers: [{ status: 200, body: '' }], invalid: undefined, unanswered: false, elapsedMs };
    expect(harmsOfExchanges([exchange], ATTACK, machine).length > 0).toBe(isHarm);
  });
}

const DELAYS: ReadonlyArray<readonly [p99Ms: number, bareMs: number, machine: Machine, isHarm: boolean]> = [
  [190, 1, QUIET, false],
  [210, 1, QUIET, true],
  [300, 70, QUIET, false],
  [590, 10, BUSY, false],
  // One thread that does nothing else for a second.
  [1_000, 10, BUSY, true],
  [1_000, 30, STALLED, true],
];

for (const [p99Ms, bareMs, machine, isHarm] of DELAYS) {
  test(`a p99 of ${p99Ms} ms beside ${bareMs} ms of the bare server, slowed ${machine.slowdown}x: ${isHarm}`, () => {
    expect(delaysOf('get', { p99Ms }, { p99Ms: bareMs }, machine, false).length > 0).toBe(isHarm);
  });
}

test('a request without a response is a harm on any machine', () => {
  const exchange = { answers: [], invalid: undefined, unanswered: true, elapsedMs: 10 };
  expect(harmsOfExchanges([exchange], ATTACK, BUSY)).toEqual(['a request was not answered']);
});
