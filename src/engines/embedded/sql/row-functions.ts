import type { SqlColumn } from '../../../sql/binding/catalog.ts';
import { checkColumn } from '../../../sql/types/column-checks.ts';
import { formatText } from '../../../values/json.ts';
import { NULL } from '../../../values/value.ts';
import { canonicalDecimal } from '../storage/canonical-key.ts';
import { decodeDecimal, encodeDecimal } from '../storage/decimal-storage.ts';
import { decodeField } from '../storage/field-storage.ts';
import { decodeTimestamp, encodeTimestamp } from '../storage/timestamp-storage.ts';
import {
  decodeFields,
  decodeScalar,
  encodeFields,
  encodeStructure,
  isScalarName,
  type PathColumn,
  type StorageValue,
} from '../storage/value-storage.ts';
import { type EntryColumn, type EntryOptions, type EntryTable, keyExists } from './entry-table.ts';
import { formatType, type NativeScalar, noteDuplicate, numbered, pure } from './native-function.ts';
import { decode } from './storage-values.ts';

/** Creates the function that returns the value object of a row from `vt`, `v` and the columns that the table needs. */
export function valueFunction(table: EntryTable): NativeScalar {
  return numbered(
    `value ${table.physical} ${table.vt} ${table.layout()}`,
    undefined,
    (vt = null, v = null, ...storageValues) =>
      typeof vt === 'bigint' ? encodeStructure(table.valueOf(vt, v, storageValues)) : null,
  );
}

/** Creates the function that computes the stored value of an indexed path for a row, from the same columns. */
export function pathFunction(table: EntryTable, path: PathColumn): NativeScalar {
  return numbered(
    `path ${path.type} ${path.path} ${table.physical} ${table.layout()}`,
    undefined,
    (vt = null, v = null, ...storageValues) =>
      typeof vt === 'bigint' ? path.storageValueOf(table.valueOf(vt, v, storageValues)) : null,
  );
}

/** Creates the function that returns an entry's key from `kt` and `k`, as a value of any type. */
export function entryKeyFunction(options: EntryOptions): NativeScalar {
  return pure('entry key', 2, (kt = null, k = null) => encodeStructure(options.keyOf(Number(kt), k)));
}

/** Creates the function that returns the type name of a key or a value from its code and its storage value. */
export function entryTypeFunction(options: EntryOptions): NativeScalar {
  return pure('entry type', 2, (code = null, storageValue = null) => options.typeNameOf(Number(code), storageValue));
}

/** Creates the function that checks the constraints of a column. It throws Ignite's error if the value violates one. */
export function checkFunction(column: SqlColumn): NativeScalar {
  const { name, notNull, type } = column;
  return numbered(`check ${name} ${formatType(type)}${notNull ? ' not null' : ''}`, 1, (storageValue = null) => {
    if (storageValue === null || type.precision !== undefined) checkColumn(column, decode(type, storageValue));
    return storageValue;
  });
}

/** Creates the function that returns the canonical key of a row from the storage values of the key's fields. */
export function keyFunction(columns: readonly EntryColumn[]): NativeScalar {
  const fields = columns.map(({ field, fieldType }) => `${field} ${JSON.stringify(fieldType)}`).join(', ');
  return numbered(`key ${fields}`, undefined, (...storageValues) =>
    encodeFields(
      columns.map(({ field, fieldType }, at) => ({
        name: field,
        value: decodeField(fieldType, storageValues[at] ?? null),
      })),
    ),
  );
}

/**
 * Creates the function that returns `v` of a row after the columns of these fields were set. If `v` lists the object's
 * fields in the object's own order (row-codec.ts), the list must include these fields, marked as stored in columns.
 */
export function touchFunction(fields: readonly string[]): NativeScalar {
  return numbered(`touch ${JSON.stringify(fields)}`, 1, (v = null) => {
    const rest = decodeFields(v);
    if (rest[0]?.name !== '') {
      // An object stored before its fields were declared has them there.
      const others = rest.filter(({ name }) => !fields.includes(name));
      return others.length === rest.length ? v : others.length === 0 ? null : encodeFields(others);
    }
    const kept = rest.map((field) => (fields.includes(field.name) ? { name: field.name, value: NULL } : field));
    const missing = fields.filter((name) => !rest.some((field) => field.name === name));
    return encodeFields([...kept, ...missing.map((name) => ({ name, value: NULL }))]);
  });
}

/**
 * Creates the function that throws Ignite's error for a duplicate key, which the error shows as text. With `notes`, the
 * function returns false instead, and the change throws the error after storing its other rows.
 */
export function duplicateFunction(table: EntryTable, notes: boolean): NativeScalar {
  const { keyType } = table;
  return {
    kind: 'scalar',
    name: `svc duplicate ${notes ? 'noted ' : ''}${keyType} ${table.schema}.${table.name}`,
    numbered: 'statement',
    arity: 1,
    deterministic: false,
    create:
      (context) =>
      (k = null) => {
        const key = k !== null && isScalarName(keyType) ? formatText(decodeScalar(keyType, k)) : showFields(keyType, k);
        if (!notes) throw keyExists(table, key);
        noteDuplicate(context, key);
        return 0;
      },
  };
}

function showFields(typeName: string, k: StorageValue): string {
  const fields = decodeFields(k).map(
    ({ name, value }) => `${name}=${value.type === 'null' ? 'null' : formatText(value)}`,
  );
  return `${typeName} [${fields.join(', ')}]`;
}

/** Returns its argument and counts a replaced row: an expired one, or one that MERGE replaces. */
export const REPLACED: NativeScalar = {
  kind: 'scalar',
  name: 'svc replaced',
  arity: 1,
  deterministic: false,
  create:
    (context) =>
    (storageValue = null) => {
      context.replacedRows += 1;
      return storageValue;
    },
};

/** Returns the form of a decimal in which keys are stored: one form for all equal decimals. */
export const CANONICAL_DECIMAL = pure('canonical decimal', 1, (storageValue = null) =>
  typeof storageValue === 'string' ? encodeDecimal(canonicalDecimal(decodeDecimal(storageValue))) : storageValue,
);

/** Whole values (value-storage.ts) and columns (field-storage.ts) store two types differently. */
export const INSTANT_TO_TIMESTAMP = pure('instant to timestamp', 1, (storageValue = null) =>
  typeof storageValue === 'bigint' ? encodeTimestamp(storageValue * 1_000_000n) : storageValue,
);
export const TIMESTAMP_TO_INSTANT = pure('timestamp to instant', 1, (storageValue = null) =>
  typeof storageValue === 'string' ? decodeTimestamp(storageValue) / 1_000_000n : storageValue,
);
export const BIG_INTEGER_TO_DECIMAL = pure('big integer to decimal', 1, (storageValue = null) =>
  typeof storageValue === 'bigint' ? encodeDecimal({ unscaled: storageValue, scale: 0 }) : storageValue,
);
export const DECIMAL_TO_BIG_INTEGER = pure('decimal to big integer', 1, (storageValue = null) => {
  if (typeof storageValue !== 'string') return storageValue;
  const { unscaled } = decodeDecimal(storageValue);
  return BigInt.asIntN(64, unscaled) === unscaled ? unscaled : storageValue;
});
