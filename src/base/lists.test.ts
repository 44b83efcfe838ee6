import { describe, expect, test } from 'bun:test';
import { GridError } from './errors.ts';
import { LIST_BOUNDS } from './limits.ts';
import { splitList } from './lists.ts';

const { items, characters } = LIST_BOUNDS;

describe('splitList', () => {
  test('returns the items without blanks around them', () => {
    expect(splitList('roles', ' a, b c ,,d')).toEqual(['a', 'b c', '', 'd']);
    expect(splitList('roles', '')).toEqual(['']);
  });

  test('takes the longest lists', () => {
    expect(splitList('roles', `a${',a'.repeat(items - 1)}`)).toHaveLength(items);
    expect(splitList('roles', 'a'.repeat(characters))).toEqual(['a'.repeat(characters)]);
  });

  const tooLong: ReadonlyArray<readonly [title: string, list: string, error: string]> = [
    ['items', ','.repeat(items), `Limit exceeded [what=roles items, limit=${items}, actual=more, fixed=true]`],
    [
      'characters',
      'a'.repeat(characters + 1),
      `Limit exceeded [what=roles characters, limit=${characters}, actual=${characters + 1}, fixed=true]`,
    ],
  ];
  test.each(tooLong)('rejects more %s', (_title, list, error) => {
    const split = () => splitList('roles', list);
    expect(split).toThrow(GridError);
    expect(split).toThrow(error);
  });
});
