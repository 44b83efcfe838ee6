import { expect, test } from 'bun:test';
import { outsidersOf } from './membership.ts';

/** Views as `node: members`, and the nodes that are outside. */
const CASES: ReadonlyArray<readonly [string, Readonly<Record<string, string>>, string, string]> = [
  ['all nodes agree', { a: 'abc', b: 'abc', c: 'abc' }, 'abc', ''],
  ['an excluded node still reports the others', { a: 'abc', b: 'bc', c: 'bc' }, 'abc', 'a'],
  ['an excluded node reports itself alone', { a: 'a', b: 'bc', c: 'bc' }, 'abc', 'a'],
  ['one of two excludes the other one, which does not know', { a: 'ab', b: 'b' }, 'ab', 'a'],
  ['two nodes exclude each other: the first stays', { a: 'a', b: 'b' }, 'ab', 'b'],
  ['the larger of two clusters stays', { a: 'a', b: 'bc' }, 'ab', 'a'],
  ['an excluded node does not answer', { b: 'bc', c: 'bc' }, 'abc', 'a'],
  ['a member does not answer', { b: 'abc', c: 'abc' }, 'abc', ''],
  ['no node answers', {}, 'abc', ''],
  ['only one node answers', { a: 'abc' }, 'abc', ''],
  ['a node has joined that one other node does not know yet', { a: 'abc', b: 'ab', c: 'abc' }, 'abc', ''],
];

for (const [title, views, connected, outside] of CASES) {
  test(title, () => {
    const sets = new Map(Object.entries(views).map(([id, members]) => [id, new Set(members)]));
    expect([...outsidersOf(sets, connected)].join('')).toBe(outside);
  });
}
