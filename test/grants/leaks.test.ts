/** No statement shows a user the rows of a table that the user may not read, whatever its names hide. */
import { expect, test } from 'bun:test';
import { findLeaks, passesEntries, passesHiddenNames } from './leaks.ts';

const NOTHING = { leaks: [], differences: [] };

for (const seed of [1, 2, 3]) {
  test(`generated statements with the seed ${seed}`, () => {
    const found = findLeaks(seed, 2_000);
    expect(found).toMatchObject(NOTHING);
    expect(Math.min(found.denied, found.succeeded)).toBeGreaterThan(300);
  });
}

test.each([
  ['names of common tables', passesHiddenNames],
  ['entries', passesEntries],
])('both the search for values and the grant find a planted mistake: %s', (_, passes) => {
  const { leaks, differences } = findLeaks(2, 2_000, passes);
  expect(leaks.length).toBeGreaterThan(2);
  expect(differences.length).toBeGreaterThanOrEqual(leaks.length);
});
