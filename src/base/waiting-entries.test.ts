import { expect, test } from 'bun:test';
import { ManualClock } from '../../test/fixtures/base/manual-clock.ts';
import { WaitingEntries } from './waiting-entries.ts';

/** A queue that nothing leaves, after the entries of `filled` tenants were let in for as long as possible. */
function fullOf(filled: readonly string[], alwaysAdmitted: number): WaitingEntries {
  const clock = new ManualClock();
  const waiting = new WaitingEntries({ clock, targetMs: 100, alwaysAdmitted });
  for (const key of filled) {
    for (let isAdmitted = true; isAdmitted; clock.advance(50)) isAdmitted = waiting.enter(key) !== undefined;
  }
  return waiting;
}

function admittedOf(waiting: WaitingEntries, key: string, attempts: number): number {
  let admitted = 0;
  for (let n = 0; n < attempts; n++) if (waiting.enter(key) !== undefined) admitted++;
  return admitted;
}

test.each([
  ['a second tenant has half', ['ann'], 12, 6],
  ['a third one has a third', ['ann', 'bob'], 12, 4],
  ["of an odd number, the rest is nobody's", ['ann', 'bob'], 11, 3],
  ['with more tenants than places, none is left', ['ann', 'bob', 'cid'], 3, 0],
  ['a tenant who filled the queue has no more', ['ann', 'zoe'], 12, 0],
] as const)('%s', (_title, filled, alwaysAdmitted, expected) => {
  expect(admittedOf(fullOf(filled, alwaysAdmitted), 'zoe', 50)).toBe(expected);
});

test('entries that leave make room for others', () => {
  const clock = new ManualClock();
  const waiting = new WaitingEntries({ clock, targetMs: 100, alwaysAdmitted: 2 });
  const first = waiting.enter('ann');
  waiting.enter('ann');
  clock.advance(60);
  expect(waiting.enter('ann')).toBe(undefined);
  clock.advance(10);
  if (first === undefined) throw new Error('the first entry was rejected');
  expect(waiting.leave(first)).toBe(70);
  expect(waiting.enter('ann')).toBeDefined();
  expect([waiting.size, waiting.statistics().rejected]).toEqual([2, 1]);
});
