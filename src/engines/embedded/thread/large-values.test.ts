import { expect, test } from 'bun:test';
import { ManualClock } from '../../../../test/fixtures/base/manual-clock.ts';
import { LargeValues } from './large-values.ts';

/** One thread, of which `waits` says how often it looks whether another one still holds large values. */
function openLarge(waits = 0) {
  const clock = new ManualClock();
  let log = '';
  const large = new LargeValues({
    clock,
    queryState: {
      memoryLocks: {
        beginLarge(_thread, _nowMs, poll) {
          for (let wait = 0; wait < waits; wait++) poll();
          log += 'begin ';
        },
        endLarge() {
          log += 'end ';
        },
      },
    },
    index: 0,
    collect: () => {
      log += 'collect ';
    },
    collectHolding: () => {
      log += 'collect holding ';
    },
    trim: () => {
      log += 'trim ';
    },
    residentBytes: () => 0,
  });
  return { clock, large, log: () => log.trim() };
}

test('garbage is collected before the next thread holds large values', () => {
  const { clock, large, log } = openLarge();
  large.begin(() => {});
  large.begin(() => {});
  expect(log()).toBe('begin');
  clock.advance(0);
  expect(log()).toBe('begin collect trim end');
});

test('a thread that waits collects its garbage once', () => {
  const { large, log } = openLarge(3);
  large.begin(() => {});
  expect(log()).toBe('collect begin');
});

test('kept texts are held until the last is released; few characters are not collected', () => {
  const { clock, large, log } = openLarge();
  large.beginRow(() => {});
  large.keep(1024 * 1024);
  clock.advance(0);
  expect(log()).toBe('begin');
  large.release();
  clock.advance(0);
  expect(log()).toBe('begin end');
  large.beginRow(() => {});
  large.keep(7 * 1024 * 1024);
  large.release();
  clock.advance(0);
  expect(log()).toBe('begin end begin collect trim end');
});

test('garbage of texts that follow one another is collected while they are held', () => {
  const { clock, large, log } = openLarge();
  large.beginRow(() => {});
  large.keep(7 * 1024 * 1024);
  clock.advance(0);
  large.keepNext(1024 * 1024);
  expect([large.isKeeping, log()]).toEqual([true, 'begin collect holding']);
  large.release();
  clock.advance(0);
  expect([large.isKeeping, log()]).toEqual([false, 'begin collect holding end']);
});

test('it counts how often large values were held, and large rows', () => {
  const { large } = openLarge();
  large.begin(() => {});
  large.begin(() => {});
  large.noteRow();
  expect(large.counts).toEqual({ begun: 2, rows: 1 });
});
