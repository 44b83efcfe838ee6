/** The table of all entries of a cache, `"people".ENTRIES`: keys and values of any type, their types and deadlines. */

import { ENTRIES_TABLE } from '../../../grid/table-names.ts';
import { KEY_COLUMN, VALUE_COLUMN } from '../../../sql/binding/bound.ts';
import type { SqlType } from '../../../sql/types/sql-types.ts';
import { typeNameOf } from '../../../values/type-names.ts';
import type { PlacedIndex } from '../storage/definitions.ts';
import { decodeValue, FIRST_OBJECT_TYPE, type TypeNames, type ValueCodec } from '../storage/value-storage.ts';
import { type EntryColumn, type EntryTable, valuesOf } from './entry-table.ts';

/** The type of a column with values of all types. */
const ANY: SqlType = { name: 'OTHER', isAny: true };

function columnOf(name: string, type: SqlType, physical: string): EntryColumn {
  return {
    name,
    field: name,
    type,
    fieldType: { kind: 'any' },
    physical,
    whole: undefined,
    isKey: false,
    notNull: false,
    defaultValue: undefined,
    defaultData: undefined,
  };
}

const COLUMNS: readonly EntryColumn[] = [
  columnOf(KEY_COLUMN, ANY, 'k'),
  columnOf(VALUE_COLUMN, ANY, 'v'),
  columnOf('KEY_TYPE', { name: 'VARCHAR' }, 'kt'),
  columnOf('VALUE_TYPE', { name: 'VARCHAR' }, 'vt'),
  columnOf('EXPIRES', { name: 'TIMESTAMP' }, 'exp'),
];

/** The part of a cache that its table of entries needs. */
export interface EntriesSource extends Pick<EntryTable, 'cache' | 'physical' | 'region' | 'database' | 'ttlMs'> {
  readonly codec: ValueCodec;
  readonly names: TypeNames;
  readonly indexes: readonly PlacedIndex[];
}

/** Returns a cache's entries table. */
export function entriesTable({ codec, names, indexes, ...place }: EntriesSource): EntryTable {
  return {
    ...place,
    schema: place.cache,
    name: ENTRIES_TABLE,
    isOfEntries: true,
    kt: undefined,
    vt: undefined,
    entries: {
      keyOf: (kt, k) => decodeValue(kt, k, names),
      typeNameOf(code, storageValue) {
        if (code >= FIRST_OBJECT_TYPE) return names.nameOf(code);
        return typeNameOf(decodeValue(code, storageValue, names));
      },
      indexes: new Map(indexes.map(({ sqliteName, name }) => [sqliteName, name])),
    },
    keyType: '',
    valueType: '',
    keySqlType: ANY,
    valueSqlType: ANY,
    columns: COLUMNS,
    hiddenKey: undefined,
    indexes: [],
    affinityColumn: undefined,
    ...valuesOf(codec),
  };
}
