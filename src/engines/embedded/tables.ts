/**
 * DDL: what CREATE, ALTER and DROP do to the definitions of caches. Runs in the writer as a change of structure.
 * Texts are the reference's (behaviour-cluster.md 6.4; asked of a node where that is silent).
 */
import type { Database } from 'bun:sqlite';
import { randomUuid } from '../../base/clock.ts';
import { fail, GridError } from '../../base/errors.ts';
import {
  type CacheDefinition,
  type EntityField,
  type EntityIndex,
  type QueryEntity,
  WRITE_SYNCHRONIZATION_MODES,
} from '../../grid/grid.ts';
import type { CacheHandle } from './catalogue.ts';
import { DATA_DATABASE } from './databases.ts';
import { encodeDefinition, type PlacedField, type PlacedIndex, type StoredCache } from './definitions.ts';
import { dataValue, fieldTypeOf, scalarOf } from './queries/sql-values.ts';
import type { ColumnDefinition, DdlStatement, Expression, QualifiedName } from './sql/ast.ts';
import { convert } from './sql/convert.ts';
import type { SqlType } from './sql/sql-types.ts';
import { columnSqlName, indexSqlName, PUBLIC_SCHEMA, schemaOf, tableSqlName } from './sql-names.ts';
import type { StructureParts } from './structure.ts';

type Ddl<K extends DdlStatement['kind']> = Extract<DdlStatement, { kind: K }>;
/** A statement of DDL as it travels to the writer. */
export type StructureStatement = Ddl<
  'createTable' | 'dropTable' | 'addColumns' | 'dropColumns' | 'createIndex' | 'dropIndex' | 'createView' | 'dropView'
>;

export interface FoundTable {
  readonly handle: CacheHandle;
  readonly entity: QueryEntity;
}

/** An index that has its place in the definition but is still to be made. */
export interface PlannedIndex {
  readonly database: number;
  readonly sql: string;
}

const conflict = (text: string): GridError => new GridError('SQL_CONFLICT', text);
const absent = (text: string): GridError => new GridError('SQL_OBJECT_NOT_FOUND', text);
const wrong = (text: string): GridError => new GridError('SQL', text);

/** The table of that name in the schema; undefined when there is none. */
export function findTable(caches: readonly CacheHandle[], schema: string, name: string): FoundTable | undefined {
  for (const handle of caches) {
    if (schemaOf(handle.definition) !== schema) continue;
    const entity = handle.definition.entities.find((each) => tableSqlName(each) === name);
    if (entity) return { handle, entity };
  }
  return undefined;
}

/** How caches begin and end; {@link Tables} decides only which. */
export interface CacheLife {
  create(definition: CacheDefinition): void;
  drop(handle: CacheHandle): void;
}

export class Tables {
  readonly #parts: StructureParts;
  readonly #caches: CacheLife;

  constructor(parts: StructureParts, caches: CacheLife) {
    this.#parts = parts;
    this.#caches = caches;
  }

  /** `schema` stands for names without one; `text` is the statement, for views. */
  run(statement: StructureStatement, schema: string): undefined {
    this.#checkState(statement);
    switch (statement.kind) {
      case 'createTable':
        return this.#createTable(statement, schema);
      case 'dropTable':
        return this.#dropTable(statement, schema);
      case 'addColumns':
        return this.#addColumns(statement, schema);
      case 'dropColumns':
        return this.#dropColumns(statement, schema);
      case 'createIndex':
        return this.#createIndex(statement, schema);
      case 'dropIndex':
        return this.#dropIndex(statement, schema);
      case 'createView':
        return this.#createView(statement, schema);
      case 'dropView':
        return this.#dropView(statement, schema);
    }
  }

  /**
   * The index that CREATE INDEX asks for, before it is made: building it takes long, so another thread does that first.
   * Undefined when it exists and may.
   */
  planIndex(statement: Ddl<'createIndex'>, schema: string): PlannedIndex | undefined {
    this.#checkState(statement);
    const { handle, entity, index } = this.#resolveIndex(statement, schema);
    if (!index) return undefined;
    const columns = index.fields.map(
      (field) => `${columnOf(handle, entity, field.name)}${field.descending ? ' DESC' : ''}`,
    );
    const name = `x${handle.id}_${handle.nextIndex}`;
    return {
      database: handle.database,
      sql: `DROP INDEX IF EXISTS ${name}; CREATE INDEX ${name} ON ${handle.table} (${columns.join(', ')})`,
    };
  }

  #checkState({ kind }: StructureStatement): void {
    const { shared } = this.#parts;
    if (shared.isInactive()) throw fail('INACTIVE');
    if (!shared.isActive())
      throw fail('READ_ONLY', kind === 'createTable' ? 'start cache operation' : 'cache operation', 'null');
  }

  #schema(name: QualifiedName, fallback: string): string {
    const schema = name.schema?.text ?? fallback;
    const known =
      schema === PUBLIC_SCHEMA || this.#parts.catalogue.all().some(({ definition }) => schemaOf(definition) === schema);
    if (!known) throw absent(`Schema "${schema}" not found`);
    return schema;
  }

  #find(name: QualifiedName, fallback: string): FoundTable | undefined {
    return findTable(this.#parts.catalogue.all(), this.#schema(name, fallback), name.name.text);
  }

  #createTable(statement: Ddl<'createTable'>, fallback: string): undefined {
    const { catalogue, rules, defaultCache } = this.#parts;
    const schema = this.#schema(statement.table, fallback);
    const name = statement.table.name.text;
    const options = readOptions(statement.parameters);
    const entity = entityOf(statement, schema, name, options);
    if (findTable(catalogue.all(), schema, name) || this.#viewExists(schema, name)) {
      if (statement.ifNotExists) return undefined;
      throw conflict(`Table already exists: ${name}`);
    }
    const cacheName = options.get('CACHE_NAME') ?? `SQL_${schema}_${name}`;
    const existing = catalogue.find(cacheName);
    if (existing) {
      if (existing.definition.entities.length > 0) throw conflict(`Cache is already indexed: ${cacheName}`);
      if (cacheName === defaultCache) throw conflict(`The default cache cannot become a table: ${cacheName}`);
      this.#redefine(existing, withEntity(existing, entity, schema), (database, stored) => {
        for (const { place } of stored.fields) {
          if (typeof place === 'number') database.run(`ALTER TABLE ${existing.table} ADD COLUMN f${place} ANY`);
        }
      });
      return undefined;
    }
    const template = options.get('TEMPLATE');
    const writeMode = enumOption(
      options,
      'WRITE_SYNCHRONIZATION_MODE',
      WRITE_SYNCHRONIZATION_MODES,
      'should be FULL_SYNC, FULL_ASYNC, or PRIMARY_SYNC',
    );
    const atomicity = enumOption(
      options,
      'ATOMICITY',
      ['TRANSACTIONAL', 'ATOMIC'] as const,
      'should be either TRANSACTIONAL, ATOMIC',
    );
    const backups = backupsOption(options);
    const region = options.get('DATA_REGION');
    const group = options.get('CACHE_GROUP');
    const declaration = {
      name: cacheName,
      schema,
      entities: [entity],
      ...(template !== undefined && { template }),
      ...(backups !== undefined && { backups }),
      ...(region !== undefined && { region }),
      ...(group !== undefined && { group }),
      ...(writeMode !== undefined && { writeMode }),
      ...(atomicity !== undefined && { atomicity }),
    };
    let definition: CacheDefinition;
    try {
      definition = rules.fromDeclaration(declaration, catalogue.definitions());
    } catch (error) {
      if (error instanceof GridError && error.code === 'TEMPLATE_NOT_FOUND')
        throw absent(`Cache doesn't exist: ${template}`);
      throw error instanceof GridError ? wrong(error.message) : error;
    }
    this.#caches.create(definition);
    return undefined;
  }

  #dropTable(statement: Ddl<'dropTable'>, fallback: string): undefined {
    for (const name of statement.tables) {
      const found = this.#find(name, fallback);
      if (!found) {
        if (statement.ifExists) continue;
        throw absent(`Table doesn't exist: ${name.name.text}`);
      }
      const { handle, entity } = found;
      if (!entity.fromSql) {
        throw wrong(
          `Only cache created with CREATE TABLE may be removed with DROP TABLE [cacheName=${handle.definition.name}]`,
        );
      }
      this.#caches.drop(handle);
      this.#dropViewsOf(schemaOf(handle.definition), tableSqlName(entity));
    }
    return undefined;
  }

  #addColumns(statement: Ddl<'addColumns'>, fallback: string): undefined {
    const found = this.#find(statement.table, fallback);
    if (!found) {
      if (statement.ifTableExists) return undefined;
      throw absent(`Table doesn't exist: ${statement.table.name.text}`);
    }
    const { handle, entity } = found;
    if (scalarName(entity.valueType)) {
      throw wrong('Cannot add column(s) because table was created with WRAP_VALUE=false option.');
    }
    const added: EntityField[] = [];
    for (const column of statement.columns) {
      if (column.default)
        throw wrong(`ALTER TABLE ADD COLUMN with DEFAULT value is not supported [col=${column.name.text}]`);
      const known = entity.fields.some((field) => columnSqlName(entity, field) === column.name.text);
      if (known && statement.ifNotExists && statement.columns.length === 1) return undefined;
      if (known || added.some((field) => field.name === column.name.text)) {
        throw conflict(`Column already exists: ${column.name.text}`);
      }
      added.push(fieldOf(column, false));
    }
    let next = handle.nextColumn;
    const placed = added.map((field): PlacedField => ({ entity: entity.valueType, field: field.name, place: next++ }));
    const changed = { ...entity, fields: [...entity.fields, ...added] };
    const stored = {
      ...replaceEntity(handle, entity, changed),
      fields: [...handle.fields, ...placed],
      nextColumn: next,
    };
    this.#redefine(handle, stored, (database) => {
      for (const { place } of placed) database.run(`ALTER TABLE ${handle.table} ADD COLUMN f${place} ANY`);
    });
    return undefined;
  }

  /** The column's cells stay in the file until the table is dropped; its number is not used again. */
  #dropColumns(statement: Ddl<'dropColumns'>, fallback: string): undefined {
    const found = this.#find(statement.table, fallback);
    if (!found) {
      if (statement.ifTableExists) return undefined;
      throw absent(`Table "${statement.table.name.text}" not found`);
    }
    const { handle, entity } = found;
    if (scalarName(entity.valueType)) {
      throw wrong('Cannot drop column(s) because table was created with WRAP_VALUE=false option.');
    }
    const dropped = new Set<string>();
    for (const { text } of statement.columns) {
      const field = entity.fields.find((each) => columnSqlName(entity, each) === text);
      if (!field) {
        if (statement.ifExists) continue;
        throw absent(`Column "${text}" not found`);
      }
      if (entity.keyFields?.includes(field.name)) {
        const whole = entity.keyFields.length === 1 && scalarName(entity.keyType);
        throw wrong(
          `Cannot drop column "${text}" because it ${whole ? 'represents an entire cache key' : 'is a part of a cache key'}`,
        );
      }
      const index = entity.indexes?.find((each) => each.fields.some((one) => one.name === field.name));
      if (index)
        throw wrong(
          `Cannot drop column "${text}" because an index exists ("${indexSqlName(entity, index)}") that uses the column.`,
        );
      dropped.add(field.name);
    }
    const remaining = entity.fields.filter((field) => !dropped.has(field.name));
    if (remaining.length === (entity.keyFields?.length ?? 0)) throw wrong('Cannot drop all columns of a table.');
    const stored = {
      ...replaceEntity(handle, entity, { ...entity, fields: remaining }),
      fields: handle.fields.filter((each) => each.entity !== entity.valueType || !dropped.has(each.field)),
    };
    this.#redefine(handle, stored, () => {});
    return undefined;
  }

  /** The index itself has been made by then ({@link planIndex}). */
  #createIndex(statement: Ddl<'createIndex'>, fallback: string): undefined {
    const { handle, entity, index } = this.#resolveIndex(statement, fallback);
    if (!index) return undefined;
    const placed: PlacedIndex = {
      entity: entity.valueType,
      name: index.name ?? '',
      sqliteName: `x${handle.id}_${handle.nextIndex}`,
    };
    const changed = { ...entity, indexes: [...(entity.indexes ?? []), index] };
    this.#redefine(
      handle,
      {
        ...replaceEntity(handle, entity, changed),
        indexes: [...handle.indexes, placed],
        nextIndex: handle.nextIndex + 1,
      },
      () => {},
    );
    return undefined;
  }

  #resolveIndex(
    statement: Ddl<'createIndex'>,
    fallback: string,
  ): FoundTable & { readonly index: EntityIndex | undefined } {
    const found = this.#find(statement.table, fallback);
    if (!found) throw absent(`Table doesn't exist: ${statement.table.name.text}`);
    const { handle, entity } = found;
    const fields = statement.columns.map(({ name, descending }) => {
      const field = entity.fields.find((each) => columnSqlName(entity, each) === name.text);
      if (!field && name.text !== '_KEY' && name.text !== '_VAL') throw absent(`Column doesn't exist: ${name.text}`);
      return { name: field?.name ?? name.text, descending };
    });
    const made =
      `${tableSqlName(entity)}_${statement.columns.map((each) => `${each.name.text}_${each.descending ? 'DESC' : 'ASC'}`).join('_')}_IDX`.toLowerCase();
    const name = statement.name?.name.text ?? made;
    if (this.#findIndex(schemaOf(handle.definition), name)) {
      if (statement.ifNotExists) return { handle, entity, index: undefined };
      throw conflict(`Index already exists: ${name}`);
    }
    return { handle, entity, index: { name, fields } };
  }

  #findIndex(schema: string, name: string): (FoundTable & { readonly index: EntityIndex }) | undefined {
    for (const handle of this.#parts.catalogue.all()) {
      if (schemaOf(handle.definition) !== schema) continue;
      for (const entity of handle.definition.entities) {
        const index = entity.indexes?.find((each) => indexSqlName(entity, each) === name);
        if (index) return { handle, entity, index };
      }
    }
    return undefined;
  }

  #dropIndex(statement: Ddl<'dropIndex'>, fallback: string): undefined {
    const { name } = statement.name;
    const found = this.#findIndex(this.#schema(statement.name, fallback), name.text);
    if (!found) {
      if (statement.ifExists) return undefined;
      throw absent(`Index doesn't exist: ${name.text}`);
    }
    const { handle, entity, index } = found;
    const placed = handle.indexes.find(
      (each) => each.entity === entity.valueType && (each.name === index.name || each.name.toUpperCase() === name.text),
    );
    const changed = { ...entity, indexes: (entity.indexes ?? []).filter((each) => each !== index) };
    const stored = {
      ...replaceEntity(handle, entity, changed),
      indexes: handle.indexes.filter((each) => each !== placed),
    };
    this.#redefine(handle, stored, (database) => {
      if (placed) database.run(`DROP INDEX IF EXISTS ${placed.sqliteName}`);
    });
    return undefined;
  }

  #createView(statement: Ddl<'createView'>, fallback: string): undefined {
    const schema = this.#schema(statement.view, fallback);
    const name = statement.view.name.text;
    if (findTable(this.#parts.catalogue.all(), schema, name)) throw conflict(`Table already exists: ${name}`);
    if (this.#viewExists(schema, name) && !statement.orReplace) {
      if (statement.ifNotExists) return undefined;
      throw conflict(`View already exists: ${name}`);
    }
    this.#changeViews((database) =>
      database
        .query('INSERT OR REPLACE INTO views VALUES (?, ?, ?, ?)')
        .run(schema, name, JSON.stringify(statement.columns.map((column) => column.text)), statement.text),
    );
    return undefined;
  }

  #dropView(statement: Ddl<'dropView'>, fallback: string): undefined {
    const schema = this.#schema(statement.view, fallback);
    const name = statement.view.name.text;
    if (!this.#viewExists(schema, name)) {
      if (statement.ifExists) return undefined;
      throw absent(`View doesn't exist: ${name}`);
    }
    this.#changeViews((database) =>
      database.query('DELETE FROM views WHERE schema = ? AND name = ?').run(schema, name),
    );
    return undefined;
  }

  #viewExists(schema: string, name: string): boolean {
    const { database } = this.#parts.connections.data;
    return database.query('SELECT 1 FROM views WHERE schema = ? AND name = ?').get(schema, name) !== null;
  }

  #changeViews(change: (database: Database) => void): void {
    const { connections, shared } = this.#parts;
    connections.data.transact(change);
    shared.committed(DATA_DATABASE);
    shared.definitionsChanged();
  }

  /** The reference drops the views of a dropped table; only those that name it plainly are recognised. */
  #dropViewsOf(schema: string, table: string): void {
    const pattern = new RegExp(`(?<![\\w"])"?${RegExp.escape(table)}"?(?![\\w"])`, 'i');
    const { database } = this.#parts.connections.data;
    const views = database
      .query<{ name: string; query: string }, [string]>('SELECT name, query FROM views WHERE schema = ?')
      .all(schema)
      .filter((view) => pattern.test(view.query));
    for (const view of views) {
      this.#changeViews((each) => each.query('DELETE FROM views WHERE schema = ? AND name = ?').run(schema, view.name));
    }
  }

  /** Changes the table and the definition together, where both stand in the data file. */
  #redefine(handle: CacheHandle, stored: StoredCache, alter: (database: Database, stored: StoredCache) => void): void {
    const { connections, shared, entries } = this.#parts;
    entries.release();
    connections.data.transact((database) => {
      database
        .query('UPDATE caches SET definition = ?, version = (SELECT max(version) + 1 FROM caches) WHERE id = ?')
        .run(encodeDefinition(stored), handle.id);
      if (handle.database === DATA_DATABASE) alter(database, stored);
      else connections.get(handle.database).transact((region) => alter(region, stored));
    });
    if (handle.database !== DATA_DATABASE) shared.committed(handle.database);
    shared.committed(DATA_DATABASE);
    shared.definitionsChanged();
  }
}

function scalarName(typeName: string): boolean {
  return /^[a-z]/.test(typeName) && !typeName.includes('.') && SCALAR_NAMES.has(typeName);
}

const SCALAR_NAMES: ReadonlySet<string> = new Set(
  (
    [
      'BOOLEAN',
      'TINYINT',
      'SMALLINT',
      'INTEGER',
      'BIGINT',
      'REAL',
      'DOUBLE',
      'DECIMAL',
      'VARCHAR',
      'DATE',
      'TIME',
      'TIMESTAMP',
      'UUID',
      'BINARY',
    ] as const
  ).flatMap((name) => scalarOf({ name }) ?? []),
);

function columnOf(handle: CacheHandle, entity: QueryEntity, field: string): string {
  const place = handle.fields.find((each) => each.entity === entity.valueType && each.field === field)?.place;
  if (field === '_KEY' || place === 'key') return 'k';
  if (field === '_VAL' || place === 'value') return 'v';
  if (place === undefined) throw new Error(`field ${field} has no place`);
  return `f${place}`;
}

function replaceEntity(handle: CacheHandle, entity: QueryEntity, changed: QueryEntity): StoredCache {
  const entities = handle.definition.entities.map((each) => (each === entity ? changed : each));
  return { ...storedOf(handle), definition: { ...handle.definition, entities } };
}

function storedOf({
  id,
  slot,
  createdMs,
  definition,
  fields,
  indexes,
  nextColumn,
  nextIndex,
}: CacheHandle): StoredCache {
  return { id, slot, createdMs, definition, fields, indexes, nextColumn, nextIndex };
}

/** An entity for a cache that had none; its entries stay, rows are those of the value type. */
function withEntity(handle: CacheHandle, entity: QueryEntity, schema: string): StoredCache {
  let next = handle.nextColumn;
  const keyFields = entity.keyFields ?? [];
  const valueFields = entity.fields.length - keyFields.length;
  const fields = entity.fields.map((field): PlacedField => {
    const isKey = keyFields.includes(field.name);
    if (isKey && keyFields.length === 1 && scalarName(entity.keyType)) {
      return { entity: entity.valueType, field: field.name, place: 'key' };
    }
    if (!isKey && valueFields === 1 && scalarName(entity.valueType)) {
      return { entity: entity.valueType, field: field.name, place: 'value' };
    }
    return { entity: entity.valueType, field: field.name, place: next++ };
  });
  return {
    ...storedOf(handle),
    definition: { ...handle.definition, schema, entities: [entity] },
    fields,
    nextColumn: next,
  };
}

const OPTION_NAMES = new Set([
  'TEMPLATE',
  'BACKUPS',
  'CACHE_NAME',
  'KEY_TYPE',
  'VALUE_TYPE',
  'WRAP_KEY',
  'WRAP_VALUE',
  'AFFINITY_KEY',
  'DATA_REGION',
  'CACHE_GROUP',
  'ATOMICITY',
  'WRITE_SYNCHRONIZATION_MODE',
  'PARALLELISM',
  'ENCRYPTED',
  'PK_INLINE_SIZE',
  'AFFINITY_INDEX_INLINE_SIZE',
]);

/** `name=value` pairs behind WITH; names in upper case. */
function readOptions(parameters: readonly string[]): ReadonlyMap<string, string> {
  const options = new Map<string, string>();
  for (const pair of parameters.flatMap((text) => text.split(','))) {
    if (pair.trim() === '') continue;
    const at = pair.indexOf('=');
    const name = (at < 0 ? pair : pair.slice(0, at)).trim().toUpperCase();
    const value = at < 0 ? '' : pair.slice(at + 1).trim();
    if (!OPTION_NAMES.has(name)) throw wrong(`Unsupported parameter: ${name}`);
    if (value === '') throw wrong(`Parameter value cannot be empty: ${name}`);
    if (options.has(name)) throw wrong(`Duplicate parameter: ${name}`);
    options.set(name, value);
  }
  return options;
}

function enumOption<W extends string>(
  options: ReadonlyMap<string, string>,
  name: string,
  words: readonly W[],
  hint: string,
): W | undefined {
  const text = options.get(name);
  if (text === undefined) return undefined;
  const word = words.find((each) => each === text.toUpperCase());
  if (word === undefined) throw wrong(`Invalid value of "${name}" parameter (${hint}): ${text}`);
  return word;
}

function backupsOption(options: ReadonlyMap<string, string>): number | undefined {
  const text = options.get('BACKUPS');
  if (text === undefined) return undefined;
  if (!/^[+-]?\d{1,9}$/.test(text)) throw wrong(`Parameter value must be an integer [name=BACKUPS, value=${text}]`);
  if (Number(text) < 0) throw wrong(`"BACKUPS" cannot be negative: ${text}`);
  return Number(text);
}

function booleanOption(options: ReadonlyMap<string, string>, name: string): boolean | undefined {
  const text = options.get(name)?.toLowerCase();
  if (text === undefined) return undefined;
  if (text !== 'true' && text !== 'false')
    throw wrong(`Parameter value must be a boolean [name=${name}, value=${text}]`);
  return text === 'true';
}

/** The query entity of CREATE TABLE; refuses what the reference refuses, in its order. */
function entityOf(
  statement: Ddl<'createTable'>,
  schema: string,
  name: string,
  options: ReadonlyMap<string, string>,
): QueryEntity {
  const { columns } = statement;
  const keys =
    statement.primaryKey.length > 0
      ? statement.primaryKey.map((each) => each.text)
      : columns.filter((each) => each.primaryKey).map((each) => each.name.text);
  if (keys.length === 0) throw wrong('No PRIMARY KEY defined for CREATE TABLE');
  const names = new Set<string>();
  for (const column of columns) {
    const text = column.name.text;
    if (text.toUpperCase() === '_KEY' || text.toUpperCase() === '_VAL') {
      throw wrong('Direct specification of _KEY and _VAL columns is forbidden');
    }
    if (names.has(text)) throw wrong(`Duplicate column name: ${text}`);
    names.add(text);
  }
  for (const key of keys) {
    if (!names.has(key)) throw wrong(`PRIMARY KEY column is not defined: ${key}`);
  }
  const values = columns.filter((column) => !keys.includes(column.name.text));
  if (values.length === 0) throw wrong('Table must have at least one non PRIMARY KEY column.');
  checkAffinityKey(options, keys, names);
  const keyType = keyTypeOf(columns, keys, options, schema, name);
  const only = values.length === 1 ? values[0] : undefined;
  const wrapValue = booleanOption(options, 'WRAP_VALUE');
  if (wrapValue === false && !only)
    throw wrong('WRAP_VALUE cannot be false when multiple non-primary key columns exist.');
  if (wrapValue === false && options.has('VALUE_TYPE'))
    throw wrong('WRAP_VALUE cannot be false when VALUE_TYPE is set.');
  const bare = wrapValue === false && only ? scalarOf(only.type) : undefined;
  return {
    keyType,
    valueType: bare ?? options.get('VALUE_TYPE') ?? typeName(schema, name),
    tableName: name,
    keyFields: keys,
    fields: columns.map((column) => fieldOf(column, keys.includes(column.name.text))),
    indexes: [],
    fromSql: true,
  };
}

function keyTypeOf(
  columns: readonly ColumnDefinition[],
  keys: readonly string[],
  options: ReadonlyMap<string, string>,
  schema: string,
  name: string,
): string {
  const wrapKey = booleanOption(options, 'WRAP_KEY');
  if (wrapKey === false && options.has('KEY_TYPE')) throw wrong('WRAP_KEY cannot be false when KEY_TYPE is set.');
  if (wrapKey === false && keys.length > 1) throw wrong('WRAP_KEY cannot be false when composite primary key exists.');
  const single = keys.length === 1 ? columns.find((column) => column.name.text === keys[0]) : undefined;
  const scalar = single ? scalarOf(single.type) : undefined;
  const wrapped = wrapKey ?? (keys.length > 1 || options.has('KEY_TYPE'));
  if (!wrapped && scalar !== undefined) return scalar;
  return options.get('KEY_TYPE') ?? `${typeName(schema, name)}_KEY`;
}

function checkAffinityKey(
  options: ReadonlyMap<string, string>,
  keys: readonly string[],
  names: ReadonlySet<string>,
): void {
  const affinity = options.get('AFFINITY_KEY');
  if (affinity === undefined) return;
  const column = affinity.startsWith("'") || affinity.startsWith('"') ? affinity.slice(1, -1) : affinity.toUpperCase();
  if (!names.has(column)) throw wrong(`Affinity key column with given name not found: ${affinity}`);
  if (!keys.includes(column)) throw wrong(`Affinity key column must be one of key columns: ${column}`);
}

/** The name that the reference makes up for a type of a table. */
function typeName(schema: string, table: string): string {
  return `SQL_${schema}_${table}_${randomUuid().replaceAll('-', '_')}`;
}

function fieldOf(column: ColumnDefinition, isKey: boolean): EntityField {
  return {
    name: column.name.text,
    type: fieldTypeOf(column.type),
    ...((column.notNull || isKey) && { notNull: true }),
    ...(column.default && {
      defaultValue: dataValue(column.type, literalOf(column.name.text, column.type, column.default)),
    }),
  };
}

function literalOf(column: string, type: SqlType, expression: Expression) {
  const negative = expression.kind === 'negate' ? expression.operand : undefined;
  const literal = negative ?? expression;
  if (literal.kind !== 'literal') throw wrong(`Non-constant DEFAULT expressions are not supported [colName=${column}]`);
  const data =
    negative && typeof literal.data === 'bigint'
      ? -literal.data
      : negative && typeof literal.data === 'number'
        ? -literal.data
        : literal.data;
  try {
    return convert(data, literal.type, type);
  } catch {
    throw wrong(
      `Invalid default value for column. [colName=${column}, colType=${type.name}, dfltValueType=${literal.type.name}]`,
    );
  }
}
