import { expect, test } from 'bun:test';
import { entityTag, listsTag } from './entity-tag.ts';

test('equal texts have equal tags', () => {
  expect(entityTag('"a"')).toBe(entityTag('"a"'));
  expect(entityTag('"a"')).not.toBe(entityTag('"b"'));
  // The same string, in another internal representation of the runtime.
  expect(entityTag('é')).toBe(entityTag('é€'.slice(0, 1)));
  expect(entityTag('"ä"')).toMatch(/^"[\w-]{11}"$/);
});

test.each([
  ['"a"', true, true],
  ['"b", "a"', true, true],
  ['"b","a" ', true, true],
  ['W/"a"', false, true],
  ['"b"', false, false],
  ['"b" "a"', false, false],
  ['a', false, false],
  ['', false, false],
  ['*', false, false],
  ['"a"x', false, false],
])('the list %s names "a": strongly %p, weakly %p', (list, strongly, weakly) => {
  expect([listsTag(list, '"a"', false), listsTag(list, '"a"', true)]).toEqual([strongly, weakly]);
});

test('a tag is the hash in base64url', () => {
  for (let number = 0; number < 1_000; number++) {
    const hash = new BigUint64Array([BigInt(Bun.hash.xxHash3(`text ${number}`))]);
    expect(entityTag(`text ${number}`)).toBe(`"${Buffer.from(hash.buffer).toString('base64url')}"`);
  }
});
