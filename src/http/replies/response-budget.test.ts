import { describe, expect, test } from 'bun:test';
import { ManualClock } from '../../../test/fixtures/base/manual-clock.ts';
import { type ResponseAccount, ResponseBudget, responseMemory } from './response-budget.ts';

const KIB = 1_024;

/** Opens threads with one budget of ten KiB, whose clock advances by a millisecond with each change. */
function openThreads(count: number) {
  const clock = new ManualClock();
  const memory = responseMemory(count);
  const closed: string[] = [];
  const threads = Array.from({ length: count }, (_, at) => new ResponseBudget(10 * KIB, clock, memory, at));
  const accounts = new Map<string, ResponseAccount>();
  const hold = (name: string, kib: number, thread = 0): void => {
    clock.advance(1);
    const account = accounts.get(name) ?? threads[thread]?.open(() => void closed.push(name));
    if (account === undefined) throw new Error('no such thread');
    accounts.set(name, account);
    account.hold(kib * KIB);
  };
  return { threads, closed, hold, used: () => (threads[0]?.usedBytes ?? 0) / KIB };
}

describe('a budget of responses', () => {
  test('closes the connection that has read nothing for the longest time', () => {
    const { closed, hold, used } = openThreads(1);
    hold('first', 4);
    hold('second', 4);
    // Its client has read some of it.
    hold('first', 3);
    hold('third', 4);
    expect([closed, used()]).toEqual([['second'], 7]);
    hold('fourth', 9);
    expect([closed, used()]).toEqual([['second', 'first', 'third'], 9]);
  });

  test('holds a single response of any length', () => {
    const { closed, hold, used } = openThreads(1);
    hold('first', 4);
    hold('second', 30);
    expect([closed, used()]).toEqual([['first'], 30]);
    hold('second', 40);
    expect([closed, used()]).toEqual([['first'], 40]);
  });

  test('is one of all threads, and the thread with the most stalled connection closes it', () => {
    const { threads, closed, hold, used } = openThreads(2);
    hold('stalled', 6, 0);
    hold('other', 2, 1);
    // A little beyond the limit waits for the other thread.
    hold('new', 3, 1);
    expect([closed, used()]).toEqual([[], 11]);
    for (const thread of threads.toReversed()) thread.closeStalled();
    expect([closed, used()]).toEqual([['stalled'], 5]);
  });

  test('closes a connection of its own thread when the limit is exceeded by far', () => {
    const { closed, hold, used } = openThreads(2);
    hold('stalled', 6, 0);
    hold('other', 4, 1);
    hold('new', 12, 1);
    expect([closed, used()]).toEqual([['other'], 18]);
  });

  test('closes no connection that has just begun because of those of other threads', () => {
    const { threads, closed, hold, used } = openThreads(2);
    hold('stalled', 9, 0);
    hold('new', 9, 1);
    expect([closed, used()]).toEqual([[], 18]);
    threads[0]?.closeStalled();
    expect([closed, used()]).toEqual([['stalled'], 9]);
  });

  test('forgets what a thread held that is started again', () => {
    const clock = new ManualClock();
    const memory = responseMemory(2);
    new ResponseBudget(10 * KIB, clock, memory, 1).open(() => {}).hold(8 * KIB);
    new ResponseBudget(10 * KIB, clock, memory, 1);
    expect(new ResponseBudget(10 * KIB, clock, memory, 0).usedBytes).toBe(0);
  });
});
