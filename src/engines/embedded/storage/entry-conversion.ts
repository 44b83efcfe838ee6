/**
 * Converts a cache's entries to rows of a table declared after them: the fields of objects to its columns, by the rules
 * of a put, and the keys to the form that table keys have.
 */
import type { Database } from 'bun:sqlite';
import { GridError } from '../../../base/errors.ts';
import type { Misfit } from '../../../base/sql-errors.ts';
import type { CacheDefinition, EntityField, QueryEntity } from '../../../grid/grid.ts';
import { ConversionFailure } from '../../../values/conversion-failure.ts';
import { columnFinder } from '../../../values/field-names.ts';
import { formatText } from '../../../values/json.ts';
import type { Value } from '../../../values/value.ts';
import { limitsOf } from './column-limits.ts';
import { convertFields } from './declared-fields.ts';
import { type PlacedField, placesOf, type StoredCache, tableName } from './definitions.ts';
import { pathColumns } from './path-columns.ts';
import { codecOf } from './row-codec.ts';
import { isConstraint } from './storage-failures.ts';
import {
  type Binding,
  decodeText,
  decodeValue,
  encodeValue,
  isScalarName,
  type Row,
  type StorageValue,
  TYPE_CODES,
  type TypeNames,
} from './value-storage.ts';

/** Maximum number of rows read in one step. */
const PAGE_ROWS = 500;
const SEVERAL_NAMES = 'it has several names of one field';
/** Maximum number of entries that an error names. */
const MAX_SHOWN = 10;

export interface ConvertedCache {
  readonly database: Database;
  /** The file's name in its connection, followed by a dot; '' for the main one. */
  readonly prefix: string;
  readonly before: StoredCache;
  readonly after: StoredCache;
  /** The entity of `after` that is new or has new fields. */
  readonly entity: QueryEntity;
  readonly names: TypeNames;
  /** Whether entries that do not fit stay unchanged. Otherwise the caller rolls back. */
  readonly keepsMisfits: boolean;
  /** Called repeatedly with the number of converted rows and the total. If it throws, the conversion ends. */
  readonly poll: (converted: number, total: number) => void;
}

export interface Conversion {
  /** The cache with fields named as the objects name them. */
  readonly stored: StoredCache;
  /** The first entries that do not fit and were left unchanged. */
  readonly misfits: readonly Misfit[];
  /** Their number. */
  readonly count: number;
  /** Fields that the objects of a type name in more than one way. */
  readonly variants: readonly Variants[];
}

/** A cache during its conversion, with a function that counts its rows. */
interface Converted extends Omit<ConvertedCache, 'poll'> {
  readonly poll: () => void;
}

interface Variants {
  readonly type: string;
  readonly names: readonly string[];
}

interface EntryRow extends Row {
  readonly kt: bigint;
  readonly k: StorageValue;
}

/** Converts the entries for a new entity, or for one with new fields, inside the caller's transaction. */
export function convertEntries(converted: ConvertedCache): Conversion {
  const { before, after, entity, keepsMisfits } = converted;
  const former = before.definition.entities.find(({ valueType }) => valueType === entity.valueType);
  const cache = counting(converted, former === undefined && needsKeys(entity) ? 2 : 1);
  const known = new Set(former?.fields.map(({ name }) => name));
  const isKey = new Set(entity.keyFields);
  const added = entity.fields.filter(({ name }) => !known.has(name));
  const variants: Variants[] = [];
  const renamed = new Map<string, string>();
  const rename = (fields: readonly EntityField[], type: string, column: 'k' | 'v'): void => {
    for (const [name, found] of givenNames(cache, fields, type, column)) {
      if (found.length > 1) variants.push({ type, names: found });
      else if (found[0] !== undefined) renamed.set(name, found[0]);
    }
  };
  rename(
    added.filter(({ name }) => !isKey.has(name)),
    entity.valueType,
    'v',
  );
  if (former === undefined && !isScalarName(entity.keyType)) {
    rename(
      added.filter(({ name }) => isKey.has(name)),
      entity.keyType,
      'k',
    );
  }
  const stored = withNames(after, entity, renamed);
  if (variants.length > 0 && !keepsMisfits) return { stored, misfits: [], count: 0, variants };
  const misfits = new Misfits();
  // No object has a field that ALTER TABLE adds, so there is nothing to convert.
  if (former === undefined) convertKeys(cache, stored, misfits);
  if (former === undefined || renamed.size + variants.length > 0) convertValues(cache, stored, former, misfits);
  return { stored, misfits: misfits.shown, count: misfits.count, variants };
}

/**
 * Converts what earlier versions, or earlier startups, have left of objects that were stored before their fields were
 * declared. A column's value takes precedence, and values that do not fit stay unchanged.
 */
export function convertLeftFields(cache: Omit<ConvertedCache, 'after' | 'keepsMisfits'>): Conversion {
  const { before, entity } = cache;
  const all = counting({ ...cache, after: before, keepsMisfits: true }, 1);
  const fields = entity.fields.filter(({ name }) => entity.keyFields?.includes(name) !== true);
  const given = givenNames(all, fields, entity.valueType, 'v');
  const renamed = new Map<string, string>();
  for (const [name, found] of given) if (found.length === 1) renamed.set(name, found[0] ?? name);
  const stored = withNames(before, entity, renamed);
  const misfits = new Misfits();
  const former = { ...entity, fields: entity.fields.filter(({ name }) => !given.has(name)) };
  const isUnfit = before.unfit?.[entity.valueType] !== undefined;
  if (given.size > 0 || isUnfit) convertValues(all, stored, former, misfits);
  return { stored, misfits: misfits.shown, count: misfits.count, variants: [] };
}

/** Counts the rows of a cache that is read this many times. */
function counting(cache: ConvertedCache, passes: number): Converted {
  const { database, prefix, before, poll } = cache;
  const counted = database
    .query<{ entries: bigint }, [number]>(`SELECT entries FROM ${prefix}entry_counts WHERE cache = ?`)
    .get(before.id);
  const total = Number(counted?.entries ?? 0) * passes;
  let converted = 0;
  return { ...cache, poll: () => poll(converted++, total) };
}

/** A cache whose path columns are filled; `poll` is called repeatedly. */
type FilledCache = Pick<ConvertedCache, 'database' | 'prefix' | 'before' | 'after' | 'names'> & {
  readonly poll: () => void;
};

/** Fills the columns of the paths that only `after` has, inside the caller's transaction. */
export function fillPathColumns(cache: FilledCache): void {
  const { database, prefix, before, after, names, poll } = cache;
  const codec = codecOf(before.definition, before.fields, names);
  const known = new Set(codec.paths.map(({ column }) => column));
  const paths = pathColumns(after.fields).filter(({ column }) => !known.has(column));
  const sets = paths.map(({ column }) => `f${column} = ?`).join(', ');
  const update = database.query<unknown, Binding[]>(
    `UPDATE ${prefix}${tableName(before.id)} SET ${sets} WHERE k = ? AND kt = ?`,
  );
  const columns = codec.valueColumns.map((column) => `f${column}`);
  for (const row of pages(cache, ['vt', 'v', 'exp', ...columns], '1')) {
    poll();
    const value = codec.value(row);
    update.run(...paths.map((path) => path.storageValueOf(value)), row.k as Binding, row.kt);
  }
}

class Misfits {
  readonly shown: Misfit[] = [];
  count = 0;

  add(key: Value, reason: string): void {
    this.count++;
    if (this.shown.length < MAX_SHOWN) this.shown.push({ key: formatText(key), reason });
  }
}

/** Returns how the objects name the fields that they have. */
function givenNames(
  { database, prefix, before, names, poll }: Converted,
  fields: readonly EntityField[],
  type: string,
  column: 'k' | 'v',
): ReadonlyMap<string, string[]> {
  const given = new Map<string, string[]>();
  const id = names.idOf(type);
  if (isScalarName(type) || fields.length === 0) return given;
  const columnOf = columnFinder(fields.map(({ name }) => name));
  const add = (name: string): void => {
    const field = columnOf(name);
    if (field === undefined || given.get(field)?.includes(name) === true) return;
    given.set(field, [...(given.get(field) ?? []), name].sort());
  };
  if (column === 'v') for (const { field } of droppedFields(before, type)) add(field);
  const found = database.query<{ name: StorageValue }, [number]>(
    `SELECT DISTINCT f.value AS name FROM ${prefix}${tableName(before.id)} AS e, json_each(e.${column}) AS f
    WHERE e.${column}t = ? AND e.${column} IS NOT NULL AND f.key % 2 = 0`,
  );
  for (const { name } of found.iterate(id)) {
    poll();
    add(decodeText(name));
  }
  return given;
}

function droppedFields({ fields }: StoredCache, valueType: string): readonly PlacedField[] {
  return fields.filter(({ entity, dropped }) => entity === valueType && dropped !== undefined);
}

/** Returns the columns of dropped fields that are declared again, and whose values must be converted or checked. */
function formerColumns(before: StoredCache, after: StoredCache, entity: QueryEntity): string[] {
  const dropped = new Set(droppedFields(after, entity.valueType).map(({ place }) => place));
  const places = placesOf(after.fields, entity);
  const unlimited = new Set(
    entity.fields.filter((each) => limitsOf(entity, each) === undefined).map(({ name }) => name),
  );
  const kept = new Set([...places].flatMap(([name, place]) => (unlimited.has(name) ? place : [])));
  return droppedFields(before, entity.valueType).flatMap(({ place }) =>
    typeof place !== 'number' || dropped.has(place) || kept.has(place) ? [] : `f${place}`,
  );
}

/** Returns the cache with fields under other names, which were previously the names of their columns. */
function withNames(cache: StoredCache, entity: QueryEntity, renamed: ReadonlyMap<string, string>): StoredCache {
  const nameOf = (name: string): string => renamed.get(name) ?? name;
  const renamedField = (field: EntityField): EntityField => {
    const name = nameOf(field.name);
    return name === field.name ? field : { ...field, name, alias: field.alias ?? field.name };
  };
  const { keyFields, affinityField, indexes } = entity;
  const changed: QueryEntity = {
    ...entity,
    fields: entity.fields.map(renamedField),
    ...(keyFields && { keyFields: keyFields.map(nameOf) }),
    ...(affinityField !== undefined && { affinityField: nameOf(affinityField) }),
    ...(indexes && {
      indexes: indexes.map((index) => ({
        ...index,
        fields: index.fields.map((field) => ({ ...field, name: nameOf(field.name) })),
      })),
    }),
  };
  const entities = cache.definition.entities.map((each) => (each === entity ? changed : each));
  const fields = cache.fields.map((each) =>
    each.entity === entity.valueType ? { ...each, field: nameOf(each.field) } : each,
  );
  return { ...cache, definition: { ...cache.definition, entities }, fields };
}

function entityOf({ definition }: StoredCache, valueType: string): QueryEntity {
  const entity = definition.entities.find((each) => each.valueType === valueType);
  if (entity === undefined) throw new Error(`the cache ${definition.name} has no entity ${valueType}`);
  return entity;
}

function typeCode(name: string, names: TypeNames): number {
  return isScalarName(name) ? TYPE_CODES[name] : names.idOf(name);
}

/** Whether keys of a type can have a different form in a table. */
function needsKeys({ keyType }: Pick<QueryEntity, 'keyType'>): boolean {
  return !isScalarName(keyType) || keyType === 'decimal';
}

/** Converts the keys of a new table to their form in the table. */
function convertKeys(cache: Converted, stored: StoredCache, misfits: Misfits): void {
  const { database, prefix, names, poll } = cache;
  const { keyType, keyFields, fields } = entityOf(stored, cache.entity.valueType);
  if (!needsKeys({ keyType })) return;
  const table = `${prefix}${tableName(stored.id)}`;
  const codec = codecOf(stored.definition, stored.fields, names);
  const kt = typeCode(keyType, names);
  const declared = fields.filter(({ name }) => keyFields?.includes(name));
  const update = database.query<unknown, [StorageValue, StorageValue, number]>(
    `UPDATE ${table} SET k = ? WHERE k = ? AND kt = ?`,
  );
  const find = database.query<unknown, [StorageValue, number]>(`SELECT 1 FROM ${table} WHERE k = ? AND kt = ?`);
  for (const row of pages(cache, [], `kt = ${kt}`)) {
    poll();
    const key = decodeValue(Number(row.kt), row.k, names);
    attempt(
      () => {
        const converted = key.type === 'object' ? { ...key, fields: convertFields(key.fields, declared) } : key;
        const form = encodeValue(codec.canonical(converted), names).storageValue as StorageValue;
        if (form === row.k) return;
        if (find.get(form, kt) === null) update.run(form, row.k, kt);
        else misfits.add(key, `equals the key ${formatText(decodeValue(kt, form, names))}`);
      },
      (reason) => misfits.add(key, reason),
    );
  }
}

/**
 * Writes the fields of objects to their columns. With a `former` entity, only of objects that have fields without a
 * column, and only the limits of new columns apply, because others may be newer than the stored data. New columns are
 * NULL in rows without a value for them, even if they are NOT NULL, as in Ignite.
 */
function convertValues(cache: Converted, stored: StoredCache, former: QueryEntity | undefined, misfits: Misfits): void {
  const { database, prefix, before, names, poll } = cache;
  const entity = entityOf(stored, cache.entity.valueType);
  const table = `${prefix}${tableName(stored.id)}`;
  const from = codecOf(before.definition, before.fields, names);
  const known = new Set(former?.fields.map(({ name }) => name));
  const checked = former === undefined ? stored.definition : withoutNotNull(stored.definition, entity, known);
  const to = codecOf(checked, stored.fields, names, ({ name }) => !known.has(name));
  const kt = typeCode(entity.keyType, names);
  const columns = to.columns.map((column) => `f${column}`);
  const sets = ['v', ...columns].map((column) => `${column} = ?`).join(', ');
  const update = database.query<unknown, Binding[]>(`UPDATE ${table} SET ${sets} WHERE k = ? AND kt = ?`);
  const again = formerColumns(before, stored, entity);
  const hasFields = ['v', ...again].map((column) => `${column} IS NOT NULL`).join(' OR ');
  const condition = `vt = ${typeCode(entity.valueType, names)}${former === undefined ? '' : ` AND (${hasFields})`}`;
  const read = ['vt', 'v', 'exp', ...from.columns.map((column) => `f${column}`)];
  const declared = entity.fields.filter(({ name }) => entity.keyFields?.includes(name) !== true);
  for (const row of pages(cache, read, condition)) {
    poll();
    const key = decodeValue(Number(row.kt), row.k, names);
    if (Number(row.kt) !== kt) {
      misfits.add(key, `the key has type ${key.type === 'object' ? key.typeName : key.type}, not ${entity.keyType}`);
      continue;
    }
    const value = from.value(row);
    attempt(
      () => {
        if (value.type !== 'object') {
          to.check(key, value);
          return;
        }
        const converted = { ...value, fields: convertFields(value.fields, declared) };
        if (converted.fields.length < value.fields.length) throw new ConversionFailure(SEVERAL_NAMES, SEVERAL_NAMES);
        const [, v, ...storageValues] = to.bind(key, converted);
        if (former !== undefined && v === row.v && again.every((column) => row[column] === null)) return;
        update.run(v ?? null, ...storageValues, row.k as Binding, row.kt);
      },
      (reason) => misfits.add(key, reason),
    );
  }
}

/** Returns a definition in which new columns permit NULL, because existing rows have no value for them. */
function withoutNotNull(definition: CacheDefinition, entity: QueryEntity, known: ReadonlySet<string>): CacheDefinition {
  const fields = entity.fields.map(({ notNull, ...field }): EntityField => {
    return notNull === true && known.has(field.name) ? { ...field, notNull } : field;
  });
  const entities = definition.entities.map((each) => (each === entity ? { ...entity, fields } : each));
  return { ...definition, entities };
}

/** Runs `action`; calls `onMisfit` with the reason if a value does not fit. */
function attempt(action: () => void, onMisfit: (reason: string) => void): void {
  try {
    action();
  } catch (error) {
    if (error instanceof ConversionFailure) onMisfit(error.reason);
    else if (error instanceof GridError) onMisfit(error.message);
    else if (isConstraint(error)) onMisfit('another entry has the same values of a unique index');
    else throw error;
  }
}

/** Reads a cache's rows a page at a time: the rows of one page are changed before the next one is read. */
function* pages(
  { database, prefix, before }: Pick<ConvertedCache, 'database' | 'prefix' | 'before'>,
  columns: readonly string[],
  condition: string,
): Generator<EntryRow> {
  const select = (after: string) =>
    database.query<EntryRow, Binding[]>(
      `SELECT ${['kt', 'k', ...columns].join(', ')} FROM ${prefix}${tableName(before.id)} WHERE ${condition}${after}
      ORDER BY k, kt LIMIT ${PAGE_ROWS}`,
    );
  const next = select(' AND (k, kt) > (?, ?)');
  let page = select('').all();
  for (;;) {
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_ROWS) return;
    page = next.all(last.k as Binding, last.kt);
  }
}
