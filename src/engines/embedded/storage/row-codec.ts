/**
 * Converts entries of one cache to rows of its table and back.
 *
 * The declared fields of a value with a query entity's type are stored in columns. `v` is NULL if the fields are
 * exactly the declared ones in order; if others follow, it holds those. Any other order (it is part of an object's
 * identity) is stored as the list of all names after an empty name, with null for fields that have a column.
 */
import { createHash } from 'node:crypto';
import { gridError } from '../../../base/errors.ts';
import type { CacheDefinition, EntityField, QueryEntity } from '../../../grid/grid.ts';
import { columnFinder } from '../../../values/field-names.ts';
import type { Field, Value } from '../../../values/value.ts';
import { canonicalKey } from './canonical-key.ts';
import { checkFields, checkValue, type LimitedColumn, limitsOf } from './column-limits.ts';
import {
  type ColumnField,
  type ColumnFinder,
  finderOf,
  readFields,
  restOfFields,
  writeFields,
  writeObject,
} from './declared-fields.ts';
import { columnsOfEntries, type PlacedField } from './definitions.ts';
import { pathColumns } from './path-columns.ts';
import {
  type Binding,
  decodeValue,
  encodeStructure,
  encodeValue,
  FIRST_OBJECT_TYPE,
  type PathColumn,
  type Row,
  type TypeNames,
  ValueCodec,
} from './value-storage.ts';

interface EntityColumns {
  readonly entity: QueryEntity;
  readonly key: readonly ColumnField[];
  readonly value: readonly ColumnField[];
  readonly columnOf: ColumnFinder;
  readonly keyLimits: readonly LimitedColumn[];
  readonly valueLimits: readonly LimitedColumn[];
  /** The columns of a value that are NOT NULL. */
  readonly required: ReadonlyArray<{ readonly name: string; readonly column: number }>;
}

/** The stored row of an entry. */
interface EntryRow {
  readonly storageValues: ReadonlyMap<number, Binding>;
  /** For an object with columns: what `v` stores. */
  readonly rest: string | null | undefined;
}

/** Converts the entries of a cache whose fields have columns. */
class RowCodec extends ValueCodec {
  readonly #entities: readonly EntityColumns[];
  readonly #ofEntries: EntriesColumns;
  #layout: string | undefined;
  override readonly columns: readonly number[];
  override readonly valueColumns: readonly number[];
  override readonly paths: readonly PathColumn[];

  constructor(entities: readonly EntityColumns[], ofEntries: EntriesColumns, names: TypeNames) {
    super(names);
    this.#entities = entities;
    this.#ofEntries = ofEntries;
    this.valueColumns = entities
      .flatMap(({ key, value }) => [...key, ...value].map(({ column }) => column))
      .sort((left, right) => left - right);
    this.columns = [...this.valueColumns, ...ofEntries.columns].sort((left, right) => left - right);
    this.paths = ofEntries.paths;
  }

  override layout(): string {
    this.#layout ??= layoutOf(this.#entities);
    return this.#layout;
  }

  override withNames(names: TypeNames): ValueCodec {
    return new RowCodec(this.#entities, this.#ofEntries, names);
  }

  /** Returns the stored form of a key. A composite key has the fields in their declared order. */
  override canonical(key: Value): Value {
    const keyType = typeName(key);
    const entity = this.#entities.find((each) => each.entity.keyType === keyType)?.entity;
    const form = canonicalKey(key, { textOf: encodeStructure, isOfTable: entity !== undefined });
    const names = entity?.keyFields ?? [];
    if (form.type !== 'object' || names.length !== form.fields.length) return form;
    const find = finderOf(form.fields);
    const fields = names.flatMap((name) => find(name) ?? []);
    return fields.length === names.length ? { ...form, fields } : form;
  }

  override keyBindings(key: Value): ReadonlyMap<number, Binding> {
    const storageValues = new Map<number, Binding>();
    if (key.type !== 'object') return storageValues;
    for (const { entity, key: columns } of this.#entities)
      if (entity.keyType === key.typeName) writeFields(key.fields, columns, storageValues);
    return storageValues;
  }

  override check(key: Value, value: Value): void {
    this.#rowOf(key, value);
  }

  override bind(key: Value, value: Value): Binding[] {
    const { storageValues, rest } = this.#rowOf(key, value);
    const { type, storageValue } =
      value.type === 'object' && rest !== undefined
        ? { type: this.names.idOf(value.typeName), storageValue: rest }
        : encodeValue(value, this.names);
    for (const path of this.paths) storageValues.set(path.column, path.storageValueOf(value));
    return [type, storageValue, ...this.columns.map((column) => storageValues.get(column) ?? null)];
  }

  /** Throws if the key or a column of the value's type cannot be stored. */
  #rowOf(given: Value, value: Value): { readonly storageValues: Map<number, Binding> } & EntryRow {
    const key = this.canonical(given);
    const storageValues = new Map<number, Binding>();
    const keyType = typeName(key);
    let rest: string | null | undefined;
    let expected: string | undefined;
    for (const each of this.#entities) {
      const { entity, keyLimits, valueLimits } = each;
      if (typeName(value) !== entity.valueType) continue;
      if (expected !== keyType) expected = entity.keyType;
      if (entity.keyType !== keyType) continue;
      if (key.type === 'object') {
        checkKey(key.fields, entity);
        const written = writeFields(key.fields, each.key, storageValues);
        // As in statements, a decimal is checked with the zeros that it loses as a key.
        if (given.type === 'object' && keyLimits.length > 0) checkFields(given.fields, keyLimits, written);
      } else for (const column of keyLimits) checkValue(given, column);
      if (value.type !== 'object') for (const column of valueLimits) checkValue(value, column);
      if (value.type !== 'object' || rest !== undefined) continue;
      const { fields, written } = writeObject(value.fields, each.value, each.columnOf, storageValues);
      for (const column of each.required) {
        if ((storageValues.get(column.column) ?? null) === null) throw gridError('NULL_NOT_ALLOWED', column.name);
      }
      rest = restOfFields(fields, each.value, written);
    }
    if (expected !== undefined && expected !== keyType) throw gridError('KEY_CLASS', expected, keyType);
    return { storageValues, rest };
  }

  protected override decode(row: Row): Value {
    const code = Number(row.vt);
    const plain = code >= FIRST_OBJECT_TYPE ? this.names.nameOf(code) : undefined;
    const columns = plain === undefined ? undefined : this.#entities.find((each) => each.entity.valueType === plain);
    if (plain === undefined || !columns || columns.value.length === 0) return decodeValue(code, row.v, this.names);
    return { type: 'object', typeName: plain, fields: readFields(row, columns.value, columns.columnOf) };
  }
}

/** Hashes what decides how values are read: names of functions contain it, and users choose how wide tables are. */
function layoutOf(entities: readonly EntityColumns[]): string {
  const columnsOf = ({ value, columnOf }: EntityColumns) =>
    value.map(({ field: { name, type }, column, isLater }) => [name, type, column, isLater, columnOf(name)]);
  const text = JSON.stringify(entities.map((each) => [each.entity.valueType, columnsOf(each)]));
  return createHash('sha256').update(text).digest('base64url');
}

/**
 * The columns that belong to all entries of a cache: columns of indexed paths, and columns that no path uses any more.
 */
interface EntriesColumns {
  readonly columns: readonly number[];
  readonly paths: readonly PathColumn[];
}

/** Converts the entries of a cache with indexed paths, which have columns that values are not read from. */
class IndexedCodec extends ValueCodec {
  override readonly columns: readonly number[];
  override readonly paths: readonly PathColumn[];

  constructor({ columns, paths }: EntriesColumns, names: TypeNames) {
    super(names);
    this.columns = columns;
    this.paths = paths;
  }

  override withNames(names: TypeNames): ValueCodec {
    return new IndexedCodec(this, names);
  }

  override bind(key: Value, value: Value): Binding[] {
    const ofColumn = (column: number): Binding =>
      this.paths.find((path) => path.column === column)?.storageValueOf(value) ?? null;
    return [...super.bind(key, value), ...this.columns.map(ofColumn)];
  }
}

/** Returns a cache's codec, whose type names `names` reads. `isChecked` selects fields whose limits it checks. */
export function codecOf(
  definition: CacheDefinition,
  fields: readonly PlacedField[],
  names: TypeNames,
  isChecked: (field: EntityField) => boolean = () => true,
): ValueCodec {
  const entities = definition.entities.map((entity) => entityColumns(entity, fields, isChecked));
  const columns = columnsOfEntries(fields).flatMap(({ place }) => (typeof place === 'number' ? [place] : []));
  const ofEntries = { columns, paths: pathColumns(fields) };
  if (entities.length > 0) return new RowCodec(entities, ofEntries, names);
  return columns.length > 0 ? new IndexedCodec(ofEntries, names) : new ValueCodec(names);
}

function typeName(value: Value): string {
  return value.type === 'object' ? value.typeName : value.type;
}

function entityColumns(
  entity: QueryEntity,
  placed: readonly PlacedField[],
  isChecked: (field: EntityField) => boolean,
): EntityColumns {
  const key: ColumnField[] = [];
  const value: ColumnField[] = [];
  const keyLimits: LimitedColumn[] = [];
  const valueLimits: LimitedColumn[] = [];
  const required: Array<{ readonly name: string; readonly column: number }> = [];
  const own = placed.filter((each) => each.entity === entity.valueType);
  const places = new Map(own.toReversed().map((each) => [each.field, each]));
  const keyFields = new Set(entity.keyFields);
  const declared: string[] = [];
  for (const field of fieldsOf(entity, own)) {
    const isKey = keyFields.has(field.name);
    const place = places.get(field.name);
    const isDropped = place?.dropped !== undefined;
    const limits = isChecked(field) && !isDropped ? limitsOf(entity, field) : undefined;
    if (limits !== undefined) (isKey ? keyLimits : valueLimits).push(limits);
    if (place === undefined || typeof place.place !== 'number') continue;
    const isLater = place.isLater === true;
    // A key's limits apply to the key as it was sent, which its canonical form may exceed.
    const bounds = !isKey && limits?.type.precision !== undefined ? limits : undefined;
    (isKey ? key : value).push({ field, column: place.place, isLater, limits: bounds });
    if (!isKey && limits?.notNull === true) required.push({ name: limits.name, column: place.place });
    if (!isKey && !isDropped) declared.push(field.name);
  }
  const columnOf = columnFinder(declared);
  return { entity, key, value, columnOf, keyLimits, valueLimits, required };
}

/** Returns an entity's fields, then those whose columns were dropped. */
function fieldsOf(entity: QueryEntity, placed: readonly PlacedField[]): readonly EntityField[] {
  const dropped = placed.flatMap(({ field: name, dropped: type }) => (type === undefined ? [] : { name, type }));
  return dropped.length === 0 ? entity.fields : [...entity.fields, ...dropped];
}

/** Throws KEY_FIELDS if a composite key has fields other than the declared ones, or NULL in one. */
function checkKey(fields: readonly Field[], { keyType, keyFields = [] }: QueryEntity): void {
  if (keyFields.length === 0) return;
  const isComplete =
    fields.length === keyFields.length &&
    keyFields.every((name) => fields.some((field) => field.name === name && field.value.type !== 'null'));
  if (isComplete) return;
  throw gridError(
    'KEY_FIELDS',
    keyType,
    keyFields,
    fields.filter(({ value }) => value.type !== 'null').map(({ name }) => name),
  );
}
