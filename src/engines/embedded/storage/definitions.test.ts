import { expect, test } from 'bun:test';
import type { CacheDefinition, EntityField } from '../../../grid/grid.ts';
import { decodeDefinition, encodeDefinition, place } from './definitions.ts';

const SCALAR = { kind: 'scalar', type: 'long' } as const;
const PLAIN: readonly EntityField[] = [
  { name: 'ID', type: SCALAR },
  { name: '{"$long":"1"}', type: SCALAR, notNull: true },
];

function stored(fields: readonly EntityField[]) {
  const entity = { keyType: 'long', valueType: 'T', keyFields: ['ID'], fields, fromSql: true };
  const definition: CacheDefinition = {
    name: 'c',
    mode: 'PARTITIONED',
    backups: 0,
    region: 'default',
    group: undefined,
    writeMode: 'FULL_SYNC',
    atomicity: 'ATOMIC',
    schema: 'PUBLIC',
    entities: [entity],
    persistent: true,
  };
  return place(1, 2, 3, definition);
}

test.each([
  ['without default values', PLAIN],
  ['with a long as default value', [...PLAIN, { name: 'N', type: SCALAR, defaultValue: { type: 'long', data: 5n } }]],
] as const)('a definition %s is read as it was written', (_, fields) => {
  const { id: __, slot: ___, createdMs: ____, ...text } = stored(fields);
  expect(decodeDefinition(encodeDefinition(stored(fields)))).toEqual(text);
});
