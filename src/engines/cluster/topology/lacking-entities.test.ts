import { expect, test } from 'bun:test';
import type { QueryEntity } from '../../../grid/grid.ts';
import { lackingEntities } from './lacking-entities.ts';

const int = { kind: 'scalar', type: 'integer' } as const;
const entity = (
  valueType: string,
  names: readonly string[],
  indexes: ReadonlyArray<readonly string[]> = [],
): QueryEntity => ({
  keyType: 'int',
  valueType,
  fields: names.map((name) => ({ name, type: int })),
  indexes: indexes.map((fields) => ({ fields: fields.map((name) => ({ name })) })),
});

const CASES: ReadonlyArray<
  readonly [what: string, stored: readonly QueryEntity[], declared: readonly QueryEntity[], lacking: readonly string[]]
> = [
  ['no entity', [], [], []],
  ['an entity that the cache has alone', [entity('A', ['n'])], [], []],
  ['the same entity', [entity('A', ['id', 'n'], [['n']])], [entity('A', ['id', 'n'], [['n']])], []],
  ['names of SQL', [entity('A', ['ID', 'N'], [['N']])], [entity('A', ['id', 'n'], [['n']])], []],
  ['a new entity', [entity('A', ['n'])], [entity('A', ['n']), entity('B', ['n'])], ['B']],
  ['a new field', [entity('A', ['id'])], [entity('A', ['id', 'n', 'm'])], ['A.n', 'A.m']],
  ['a new index', [entity('A', ['n', 'm'], [['n']])], [entity('A', ['n', 'm'], [['n'], ['m', 'n']])], ['A(m, n)']],
];

test.each(CASES)('%s', (_what, stored, declared, lacking) => {
  expect(lackingEntities({ entities: stored }, { entities: declared })).toEqual(lacking);
});
