/** An in-memory store for tests: entry tables, their catalog, and statements that run to completion. */

import { Database } from 'bun:sqlite';
import type { CacheDefinition, Column, QueryEntity } from '../../../grid/grid.ts';
import type { CatalogEntry, SqlCatalog, SqlView, VirtualTable } from '../../../sql/binding/catalog.ts';
import type { DdlStatement } from '../../../sql/syntax/ast.ts';
import { RandomSource } from '../../../sql/types/random-source.ts';
import { sqlFailure } from '../../../sql/types/sql-errors.ts';
import { describeFailure, SqlFailure } from '../../../sql/types/sql-failure.ts';
import type { SqlType } from '../../../sql/types/sql-types.ts';
import { sqlTypeOfField, typeOfValue } from '../../../sql/types/sql-values.ts';
import { writeJson } from '../../../values/json.ts';
import type { Value } from '../../../values/value.ts';
import { createTable, dropTable } from '../ddl/cache-table.ts';
import { columnSqlName, indexSqlName, tableSqlName } from '../ddl/sql-names.ts';
import { entityOf, fieldOf, readOptions } from '../ddl/table-declarations.ts';
import { place, type StoredCache, tableName } from '../storage/definitions.ts';
import { RowCodec } from '../storage/row-codec.ts';
import {
  type Binding,
  FIRST_OBJECT_TYPE,
  isScalarName,
  type StorageValue,
  TYPE_CODES,
  type TypeNames,
} from '../storage/value-storage.ts';
import { type EntryColumn, type EntryTable, entryTable, hiddenKeyOf, wholeOf } from './entry-table.ts';
import { runChange } from './run-change.ts';
import {
  bindArguments,
  FunctionRegister,
  type Prepared,
  prepareStatement,
  prepareTypeQuery,
  rowValues,
} from './statement.ts';
import { dataOf } from './storage-values.ts';

interface StoredTable {
  readonly stored: StoredCache;
  readonly table: EntryTable;
}

export interface Answer {
  /** JSON of the rows. */
  readonly rows: string;
  readonly columns: readonly Column[];
}

class Names implements TypeNames {
  readonly #names: string[] = [];

  idOf(typeName: string): number {
    if (!this.#names.includes(typeName)) this.#names.push(typeName);
    return FIRST_OBJECT_TYPE + this.#names.indexOf(typeName);
  }

  nameOf(id: number): string {
    return this.#names[id - FIRST_OBJECT_TYPE] ?? `unknown ${id}`;
  }
}

export class SqlStore implements SqlCatalog {
  readonly database = new Database(':memory:', { strict: true, safeIntegers: true });
  readonly names = (schema: string): readonly string[] =>
    [...this.#entries.keys()].filter((key) => key.startsWith(`${schema}\0`)).map((key) => key.slice(schema.length + 1));
  readonly typeNames = new Names();
  readonly #register: FunctionRegister;
  readonly #entries = new Map<string, CatalogEntry>();
  readonly #stored = new Map<string, StoredTable>();
  #nextId = 1;
  version = 1;
  asIgnite = false;
  nowMs = 1_600_000_000_000;
  polls = 0;
  pollLimit = Number.POSITIVE_INFINITY;
  readonly schemaNames = new Set(['PUBLIC', 'INFORMATION_SCHEMA', 'SYS']);

  constructor() {
    this.database.run('CREATE TABLE entry_counts (cache INTEGER PRIMARY KEY, entries INTEGER NOT NULL) STRICT');
    this.#register = new FunctionRegister(this.database, {
      environment: { nowMs: this.nowMs, user: 'SVC', schema: 'PUBLIC', random: () => 0.5, seed: () => {} },
      poll: () => {
        this.polls += 1;
        if (this.polls > this.pollLimit) throw new Error('cancelled');
      },
      replacedRows: 0,
      duplicates: undefined,
    });
  }

  schemas(): readonly string[] {
    return [...this.schemaNames];
  }

  find(schema: string, name: string): CatalogEntry | undefined {
    return this.#entries.get(`${schema}\0${name}`);
  }

  table(name: string, schema = 'PUBLIC'): EntryTable {
    const entry = this.find(schema, name);
    if (entry?.kind !== 'table') throw new Error(`no table ${name}`);
    return entryTable(entry.table);
  }

  /** Returns the table whose rows are values of a type. */
  tableOfType(valueType: string, schema: string): EntryTable | undefined {
    const simple = (name: string): string => name.split(/[.$]/).at(-1) ?? name;
    return [...this.#stored.values()].find(
      ({ table }) => table.schema === schema && simple(table.valueType) === valueType,
    )?.table;
  }

  addVirtual(table: VirtualTable): void {
    this.#entries.set(`${table.schema}\0${table.name}`, { kind: 'virtual', table });
  }

  /** Defines the table of an entity and the entry table behind it. */
  define(entity: QueryEntity, schema: string, cache: string): void {
    const definition: CacheDefinition = {
      name: cache,
      mode: 'PARTITIONED',
      backups: 0,
      region: 'default',
      group: undefined,
      writeMode: 'FULL_SYNC',
      atomicity: 'ATOMIC',
      schema,
      entities: [entity],
      persistent: true,
    };
    const stored = place(this.#nextId, this.#nextId, this.nowMs, definition);
    this.#nextId += 1;
    createTable(this.database, stored);
    const codec = new RowCodec(definition, stored.fields, this.typeNames);
    const table = describeTable(stored, entity, schema, codec, this.typeNames);
    this.schemaNames.add(schema);
    this.#entries.set(`${schema}\0${table.name}`, { kind: 'table', table });
    this.#stored.set(`${schema}\0${table.name}`, { stored, table });
    this.version += 1;
  }

  /** Stores an entry as the data commands do. */
  put(tableName: string, key: Value, value: Value, options: { schema?: string; exp?: bigint } = {}): void {
    const found = this.#stored.get(`${options.schema ?? 'PUBLIC'}\0${tableName}`);
    if (found === undefined) throw new Error(`no table ${tableName}`);
    const { definition, fields } = found.stored;
    const codec = new RowCodec(definition, fields, this.typeNames);
    const { type, storageValue } = codec.key(key);
    const [vt, v, ...columns] = codec.bind(key, value);
    const names = codec.columns.map((column) => `f${column}`);
    const bindings: Binding[] = [type, storageValue, vt ?? null, v ?? null, options.exp ?? null, ...columns];
    this.database
      .query(
        `INSERT OR REPLACE INTO ${found.table.physical} (${['kt', 'k', 'vt', 'v', 'exp', ...names].join(', ')})
         VALUES (${bindings.map(() => '?').join(', ')})`,
      )
      .run(...bindings);
  }

  prepare(text: string, schema = 'PUBLIC'): Prepared {
    return prepareStatement(text, schema, this);
  }

  /** Runs a statement. Arguments that are strings become values of the type string. */
  run(text: string, args: ReadonlyArray<string | Value> = [], schema = 'PUBLIC'): Answer {
    return this.execute(this.prepare(text, schema), args);
  }

  runType(condition: string, table: EntryTable, args: readonly string[] = []): Answer {
    return this.execute(prepareTypeQuery(condition, table, this), args);
  }

  execute(prepared: Prepared, args: ReadonlyArray<string | Value> = []): Answer {
    const values = args.map((arg): Value => (typeof arg === 'string' ? { type: 'string', data: arg } : arg));
    const random = new RandomSource(() => 0.5);
    this.#register.context.environment = {
      nowMs: this.nowMs,
      user: 'SVC',
      schema: prepared.schema,
      random: () => random.next(),
      seed: (seed) => random.seed(seed),
    };
    switch (prepared.kind) {
      case 'query': {
        this.#register.ensure(prepared.functions);
        const bindings = bindArguments(prepared, values, this.nowMs, undefined);
        using statement = this.database.prepare<unknown, Binding[]>(prepared.sql);
        const rows = statement.values(...bindings.slice(0, statement.paramsCount)) as StorageValue[][];
        const json = rows.map((columns) => `[${rowValues(prepared, columns).map(writeJson).join(',')}]`);
        return { rows: `[${json.join(',')}]`, columns: prepared.columns };
      }
      case 'explain': {
        this.#register.ensure(prepared.functions);
        const bindings = bindArguments(prepared, values, this.nowMs, undefined);
        using statement = this.database.prepare<{ detail: string }, Binding[]>(`EXPLAIN QUERY PLAN ${prepared.sql}`);
        const plan = statement.all(...bindings.slice(0, statement.paramsCount)).map((row) => row.detail);
        return { rows: JSON.stringify([[plan.join('\n')]]), columns: prepared.columns };
      }
      case 'change': {
        const change = this.database.transaction(() =>
          runChange(prepared, values, this.nowMs, undefined, {
            register: this.#register,
            statement: (sql) => this.database.prepare<unknown, Binding[]>(sql),
          }),
        );
        const { updated, failure } = change();
        if (failure !== undefined) throw failure;
        return { rows: `[[${updated}]]`, columns: prepared.columns };
      }
      case 'ddl':
        this.#define(prepared.statement, prepared.schema);
        return { rows: '[[0]]', columns: prepared.columns };
    }
  }

  /** Returns the rows, or the text of the error as a client sees it. */
  answer(text: string, args: ReadonlyArray<string | Value> = [], schema = 'PUBLIC'): string {
    try {
      return this.run(text, args, schema).rows;
    } catch (failure) {
      if (failure instanceof SqlFailure) return describeFailure(failure, text);
      throw failure;
    }
  }

  /** Appends physical columns for new columns; those of dropped columns remain. */
  #alter(statement: Extract<DdlStatement, { kind: 'addColumns' | 'dropColumns' }>, schema: string): void {
    const key = `${schema}\0${statement.table.name.text}`;
    const found = this.#stored.get(key);
    const [entity] = found?.stored.definition.entities ?? [];
    if (found === undefined || entity === undefined) throw sqlFailure('DDL_TABLE_NOT_FOUND', statement.table.name.text);
    const { stored } = found;
    const added =
      statement.kind === 'addColumns'
        ? addedFields(statement).filter((field) => !entity.fields.some((each) => each.name === field.name))
        : [];
    const dropped = statement.kind === 'dropColumns' ? statement.columns.map((column) => column.text) : [];
    const fields = [...entity.fields.filter((field) => !dropped.includes(field.name)), ...added];
    const changed: QueryEntity = { ...entity, fields };
    const places = added.map((field, at) => ({
      entity: entity.valueType,
      field: field.name,
      place: stored.nextColumn + at,
    }));
    for (const { place: number } of places)
      this.database.run(`ALTER TABLE ${found.table.physical} ADD COLUMN f${number} ANY`);
    const definition = { ...stored.definition, entities: [changed] };
    const next: StoredCache = {
      ...stored,
      definition,
      fields: [...stored.fields.filter((field) => !dropped.includes(field.field)), ...places],
      nextColumn: stored.nextColumn + added.length,
    };
    const table = describeTable(
      next,
      changed,
      schema,
      new RowCodec(definition, next.fields, this.typeNames),
      this.typeNames,
    );
    this.#stored.set(key, { stored: next, table });
    this.#entries.set(key, { kind: 'table', table });
  }

  #define(statement: DdlStatement, schema: string): void {
    this.version += 1;
    switch (statement.kind) {
      case 'createTable': {
        const name = statement.table.name.text;
        const options = readOptions(statement.parameters);
        this.define(
          entityOf(statement, schema, name, options),
          schema,
          options.get('CACHE_NAME') ?? `SQL_${schema}_${name}`,
        );
        return;
      }
      case 'dropTable':
        for (const { name } of statement.tables) {
          const key = `${schema}\0${name.text}`;
          const stored = this.#stored.get(key);
          if (stored !== undefined) dropTable(this.database, stored.stored.id);
          this.#entries.delete(key);
        }
        return;
      case 'createIndex': {
        const table = this.table(statement.table.name.text, schema);
        const columns = statement.columns.map(({ name, descending }) => {
          const column = table.columns.find((column) => column.name === name.text)?.physical;
          if (column === undefined) throw sqlFailure('DDL_COLUMN_NOT_FOUND', name.text);
          return `${column}${descending ? ' DESC' : ''}`;
        });
        const index = {
          name: statement.name?.name.text ?? '',
          unique: false,
          columns: statement.columns.map(({ name, descending }) => ({ name: name.text, descending })),
        };
        this.#entries.set(`${schema}\0${table.name}`, {
          kind: 'table',
          table: { ...table, indexes: [...table.indexes, index] },
        });
        this.database.run(`CREATE INDEX x${this.#nextId++} ON ${table.physical} (${columns.join(', ')})`);
        return;
      }
      case 'createView': {
        const { view, columns, text } = statement;
        const entry: SqlView = {
          schema,
          name: view.name.text,
          columns: columns.map((column) => column.text),
          query: text,
        };
        this.#entries.set(`${schema}\0${view.name.text}`, { kind: 'view', view: entry });
        return;
      }
      case 'addColumns':
      case 'dropColumns':
        this.#alter(statement, schema);
        return;
      case 'dropIndex':
        return;
      case 'dropView':
        this.#entries.delete(`${schema}\0${statement.view.name.text}`);
        return;
      default:
        throw new Error(`the test store does not define ${statement.kind}`);
    }
  }
}

/** Returns the fields for the columns of ALTER TABLE. */
function addedFields(statement: Extract<DdlStatement, { kind: 'addColumns' }>): QueryEntity['fields'] {
  return statement.columns.map((column) => fieldOf(column, false));
}

function describeTable(
  stored: StoredCache,
  entity: QueryEntity,
  schema: string,
  codec: RowCodec,
  names: TypeNames,
): EntryTable {
  const code = (typeName: string): number => (isScalarName(typeName) ? TYPE_CODES[typeName] : names.idOf(typeName));
  const whole = (typeName: string): SqlType =>
    isScalarName(typeName)
      ? sqlTypeOfField({ kind: 'scalar', type: typeName })
      : { name: 'OTHER', className: 'java.lang.Object' };
  const physicalColumn = (field: string): string => {
    const found = stored.fields.find((each) => each.field === field)?.place;
    return found === 'key' ? 'k' : found === 'value' ? 'v' : `f${found}`;
  };
  const valueColumns = codec.columns.map((column) => `f${column}`);
  const columns = entity.fields.map(
    (field): EntryColumn => ({
      name: columnSqlName(entity, field),
      field: field.name,
      type: sqlTypeOfField(field.type),
      fieldType: field.type,
      physical: physicalColumn(field.name),
      whole: wholeOf(physicalColumn(field.name)),
      isKey: entity.keyFields?.includes(field.name) ?? false,
      notNull: field.notNull ?? false,
      defaultValue: field.defaultValue,
      defaultData: field.defaultValue && { type: typeOfValue(field.defaultValue), data: dataOf(field.defaultValue) },
    }),
  );
  return {
    schema,
    name: tableSqlName(entity),
    cache: stored.definition.name,
    physical: tableName(stored.id),
    region: 'default',
    ttlMs: undefined,
    kt: code(entity.keyType),
    vt: code(entity.valueType),
    keyType: entity.keyType,
    valueType: entity.valueType,
    keySqlType: whole(entity.keyType),
    valueSqlType: whole(entity.valueType),
    columns,
    hiddenKey: hiddenKeyOf(entity.keyType, columns),
    indexes: (entity.indexes ?? []).map((index) => ({
      name: indexSqlName(entity, index),
      unique: index.unique ?? false,
      columns: index.fields.map((field) => ({ name: field.name, descending: field.descending ?? false })),
    })),
    affinityColumn: undefined,
    valueColumns,
    valueOf(vt, v, columns) {
      const row: Record<string, StorageValue> = {};
      valueColumns.forEach((name, at) => {
        row[name] = columns[at] ?? null;
      });
      return codec.value({ ...row, vt, v, exp: null });
    },
  };
}
