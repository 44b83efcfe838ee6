import { expect, test } from 'bun:test';
import { Admission } from './admission.ts';

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
  const admission = new Admission(1, 100);
  const { begun } = fill(admission, ['a', 'a', 'a', 'a', 'b', 'c']);
  for (let n = 0; n < 4; n++) admission.end();
  await settled();
  expect(begun).toEqual(['a', 'b', 'c', 'a']);
});

test('a full queue rejects the newest request of the claimant with the most', async () => {
  const admission = new Admission(1, 3);
  const { begun, rejected } = fill(admission, ['a', 'a', 'a', 'b']);
  expect(() => admission.begin(of('a'))).toThrow('Too many requests are waiting');
  for (let n = 0; n < 4; n++) admission.end();
  await settled();
  expect(begun).toEqual(['a', 'b', 'a']);
  expect(rejected).toEqual(['a: Too many requests are waiting [waiting=3]']);
  expect([admission.inWork, admission.waiting]).toEqual([0, 0]);
});

test('while requests occupy all places for long, every claimant gets places of the reserve', async () => {
  const admission = new Admission(32, 1_000);
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
    const admission = new Admission(limit, 1_000);
    const { begun } = fill(admission, [...Array.from({ length: 50 }, () => 'a'), 'b']);
    await settled();
    expect(begun.includes('b')).toBe(limit >= 16);
  }
});
