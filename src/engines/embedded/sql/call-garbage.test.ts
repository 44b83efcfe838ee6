import { expect, test } from 'bun:test';
import { ManualClock } from '../../../../test/fixtures/base/manual-clock.ts';
import { CallGarbage } from './call-garbage.ts';

const MIB = 1024 * 1024;

/** A heap of which full collections leave `liveMib`. */
function openGarbage(liveMib: number) {
  const heap = { mib: liveMib, liveMib, collections: '' };
  const clock = new ManualClock();
  const garbage = new CallGarbage(
    {
      size: () => heap.mib * MIB,
      collectYoung: () => {
        heap.collections += 'y';
      },
      collectAll: () => {
        heap.mib = heap.liveMib;
        heap.collections += 'a';
      },
    },
    clock,
  );
  return { heap, clock, garbage };
}

test('everything is collected when the heap has grown by 16 MiB, and what is still in use counts from then on', () => {
  const { heap, garbage } = openGarbage(100);
  for (let call = 0; call < 4; call++) {
    garbage.freeIfGrown();
    heap.mib += 7;
  }
  expect(heap.collections).toBe('a');
  heap.mib = 180;
  heap.liveMib = 150;
  garbage.freeIfGrown();
  garbage.freeIfGrown();
  expect([heap.collections, heap.mib]).toEqual(['aa', 150]);
});

test('memory that other collections free counts from then on', () => {
  const { heap, garbage } = openGarbage(100);
  heap.mib = 400;
  garbage.freeIfGrown();
  heap.mib = 50;
  garbage.freeIfGrown();
  heap.mib = 90;
  garbage.freeIfGrown();
  expect(heap.collections).toBe('aa');
});

test('many calls are collected every 30 ms at most', () => {
  const { heap, clock, garbage } = openGarbage(100);
  const call = (count: number): void => {
    for (let at = 0; at < count; at++) garbage.noteCall();
  };
  clock.advance(1_000);
  call(2_047);
  expect(heap.collections).toBe('');
  call(1);
  expect(heap.collections).toBe('y');
  call(4_096);
  expect(heap.collections).toBe('y');
  clock.advance(30);
  call(64);
  expect(heap.collections).toBe('yy');
});
