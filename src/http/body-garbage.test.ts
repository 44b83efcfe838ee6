import { heapStats } from 'bun:jsc';
import { expect, test } from 'bun:test';
import { ManualClock } from '../base/manual-clock.ts';
import { BodyGarbage } from './body-garbage.ts';

const MIB = 1024 * 1024;
const LEFT_MIB = 64;

function leaveGarbage(mib: number): void {
  for (let n = 0; n < mib; n++) new Uint8Array(MIB).fill(n);
}

test('the garbage of large bodies is collected after a pause', () => {
  const clock = new ManualClock();
  const garbage = new BodyGarbage(clock);
  Bun.gc(true);
  const idle = heapStats().extraMemorySize;
  garbage.note(3 * MIB);
  clock.advance(1_000);
  garbage.note(MIB);
  leaveGarbage(LEFT_MIB);
  clock.advance(99);
  const before = heapStats().extraMemorySize;
  clock.advance(1);
  const after = heapStats().extraMemorySize;
  expect(after).toBeLessThan(before);
  expect(after - idle).toBeLessThan((LEFT_MIB * MIB) / 4);
});
