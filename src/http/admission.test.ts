import { expect, test } from 'bun:test';
import { ManualClock } from '../../test/fixtures/base/manual-clock.ts';
import { Admission } from './admission.ts';

const admissionOf = (inWork: number, waiting: number, clock = new ManualClock(0)) =>
  new Admission({ inWork, waiting, clock, targetMs: 100 });

const of = (key: string) => ({ key, isAdministrator: false });
const settled = () => Bun.sleep(0);

/** Fills all places, then lets claimants wait; `begun` grows with the keys of those that begin. */
function fill(admission: Admission, keys: readonly string[]) {
  while (admission.tryBegin());
  const begun: string[] = [];
  const rejected: string[] = [];
  const places: Array<string | undefined> = [];
  for (const key of keys) {
    admission.begin(of(key)).then(
      (place) => {
        begun.push(key);
        places.push(place);
      },
      (error: Error) => rejected.push(`${key}: ${error.message}`),
    );
  }
  return { begun, rejected, places };
}

test('claimants with waiting requests are served in turn', async () => {
  const admission = admissionOf(1, 100);
  const { begun } = fill(admission, ['a', 'a', 'a', 'a', 'b', 'c']);
  for (let n = 0; n < 4; n++) admission.end();
  await settled();
  expect(begun).toEqual(['a', 'b', 'c', 'a']);
});

test('a full queue rejects the newest request of the claimant with the most', async () => {
  const admission = admissionOf(1, 3);
  const { begun, rejected } = fill(admission, ['a', 'a', 'a', 'b']);
  expect(() => admission.begin(of('a'))).toThrow('Too many requests are waiting');
  for (let n = 0; n < 4; n++) admission.end();
  await settled();
  expect(begun).toEqual(['a', 'b', 'a']);
  expect(rejected).toEqual(['a: Too many requests are waiting [waiting=3]']);
  expect([admission.inWork, admission.waiting]).toEqual([0, 0]);
});

test('while requests occupy all places for long, every claimant gets places of the reserve', async () => {
  const admission = admissionOf(32, 1_000);
  // The reserve has four places, of which one claimant may use one.
  const { begun, places } = fill(admission, ['a', 'a', 'a', 'b', 'b', 'c']);
  await settled();
  expect(begun).toEqual(['a', 'b', 'c']);
  expect([admission.inWork, admission.waiting]).toEqual([35, 3]);
  admission.end(places[1]);
  await settled();
  expect(begun).toEqual(['a', 'b', 'c', 'b']);
  for (let n = 0; n < 32; n++) admission.end();
  await settled();
  expect(begun).toEqual(['a', 'b', 'c', 'b', 'a', 'a']);
  for (let n = 0; n < 2; n++) admission.end();
  for (const place of ['a', 'b', 'c']) admission.end(place);
  expect([admission.inWork, admission.waiting]).toEqual([0, 0]);
});

test('one claimant cannot use the whole reserve, however small it is', async () => {
  for (let limit = 1; limit < 100; limit++) {
    const admission = admissionOf(limit, 1_000);
    const { begun } = fill(admission, [...Array.from({ length: 50 }, () => 'a'), 'b']);
    await settled();
    expect(begun.includes('b')).toBe(limit >= 16);
  }
});

test('while requests that wait are not served, only a few more may wait, and the others are rejected at once', async () => {
  const clock = new ManualClock(0);
  const admission = admissionOf(1, 1_000, clock);
  const { begun, rejected } = fill(admission, ['a']);
  for (let n = 0; n < 200; n++) {
    clock.advance(10);
    try {
      void admission.begin(of('a')).then(() => begun.push('a'));
    } catch {
      rejected.push('a');
    }
  }
  expect([admission.waiting, rejected.length, admission.statistics().rejected]).toEqual([64, 137, 137]);
  void admission.begin(of('b')).then(() => begun.push('b'));
  for (let n = 0; n < 2; n++) admission.end();
  await settled();
  expect(begun).toEqual(['a', 'b']);
});

test('requests that are served soon enough may wait in any number', async () => {
  const clock = new ManualClock(0);
  const admission = admissionOf(1, 1_000, clock);
  fill(
    admission,
    Array.from({ length: 100 }, () => 'a'),
  );
  for (let n = 0; n < 2_000; n++) {
    if (n % 10 === 0) clock.advance(1);
    admission.end();
    void admission.begin(of('a'));
  }
  expect([admission.waiting, admission.statistics().rejected]).toEqual([100, 0]);
});
