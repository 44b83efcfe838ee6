/** Stores an import's records as rows of a table, with the statement INSERT or MERGE. */
import { gridError } from '../../../../base/errors.ts';
import { SqlFailure } from '../../../../base/sql-failure.ts';
import type { ColumnKind, SourceField, TargetColumns } from '../../../../bulk/records.ts';
import type { ImportRequest, OnDuplicate } from '../../../../grid/bulk.ts';
import { quoted, quotedTable } from '../../../../grid/table-names.ts';
import type { SqlCatalog } from '../../../../sql/binding/catalog.ts';
import { isNumericType, isTextType } from '../../../../sql/types/type-order.ts';
import type { Value } from '../../../../values/value.ts';
import type { EngineCatalog } from '../../catalog/engine-catalog.ts';
import { type EntryColumn, type EntryTable, entryTable } from '../../sql/entry-table.ts';
import { prepareStatement } from '../../sql/prepare-statement.ts';
import type { PreparedChange } from '../../sql/statement.ts';
import { checkDiskSpace } from '../../storage/disk-space.ts';
import { checkRegionSize } from '../../storage/region-space.ts';
import { type Binding, isScalarName } from '../../storage/value-storage.ts';
import type { EngineThread } from '../../thread/engine-thread.ts';
import type { ImportConnection } from './import-connection.ts';
import { rowBinder } from './row-binder.ts';
import type { Staging } from './staging.ts';
import type { Stored, TransactionTarget } from './transaction-target.ts';

export interface TableTargetOptions {
  readonly thread: EngineThread;
  readonly catalog: EngineCatalog;
  readonly connect: (database: number) => ImportConnection;
  /** The table in which the rows are staged; the table itself if undefined. */
  readonly staging: Staging | undefined;
  /** Converts every received value (the configured message interceptor). */
  readonly onReceive: ((value: Value) => Value) | undefined;
}

/** Returns the columns of a row in a source: the table's, plus the key if it is not among them. */
export function importedColumns({ columns, hiddenKey }: EntryTable): readonly EntryColumn[] {
  return hiddenKey === undefined ? columns : [hiddenKey, ...columns];
}

/** Throws NOT_SUPPORTED for a table whose rows have no columns for their whole keys and values. */
function checkWhole({ name, columns, hiddenKey, valueType, cache }: EntryTable): void {
  const values = columns.filter(({ isKey }) => !isKey);
  const missing =
    hiddenKey === undefined && values.length === columns.length
      ? 'keys'
      : values.length === 0 && isScalarName(valueType)
        ? 'values'
        : undefined;
  if (missing === undefined) return;
  throw gridError(
    'NOT_SUPPORTED',
    `an import into ${name}`,
    `its columns lack the ${missing}; import into the cache ${cache}`,
  );
}

/** The columns of a table, by name in any case. */
export function tableColumns(table: EntryTable): TargetColumns {
  const columns = importedColumns(table);
  const names = columns.map(({ name }) => name);
  const exact = new Map(names.map((name, index) => [name, index]));
  const folded = new Map(names.map((name, index) => [name.toUpperCase(), index]));
  return {
    names,
    indexOf: (name) => exact.get(name) ?? folded.get(name.trim().toUpperCase()) ?? -1,
    kinds: columns.map(kindOf),
  };
}

function kindOf({ type: { name } }: EntryColumn): ColumnKind {
  if (isTextType(name)) return 'text';
  if (isNumericType(name)) return 'number';
  return name === 'DATE' || name === 'TIMESTAMP' ? 'moment' : 'other';
}

export class TableTarget implements TransactionTarget<Binding[]> {
  readonly columns: TargetColumns;
  readonly database: number;
  readonly #options: TableTargetOptions;
  readonly #request: ImportRequest;
  readonly #table: EntryTable;
  readonly #connection: ImportConnection;
  readonly #definition: string;
  #catalogVersion: number;
  #prepared: PreparedChange;
  #bind: ReturnType<typeof rowBinder>;
  #addedRows = 0;
  #storedRows = 0;

  constructor(options: TableTargetOptions, request: ImportRequest, table: EntryTable) {
    const { catalog, connect } = options;
    checkWhole(table);
    this.#options = options;
    this.#request = request;
    this.#table = table;
    this.columns = tableColumns(table);
    this.database = table.database;
    this.#connection = connect(this.database);
    this.#definition = definitionOf(table);
    this.#catalogVersion = catalog.version;
    this.#prepared = this.#prepare();
    this.#bind = rowBinder(this.#prepared, importedColumns(table), options.onReceive);
  }

  checkColumns(names: readonly string[]): void {
    const given = new Set(names.map((name) => this.columns.indexOf(name)));
    const missing = importedColumns(this.#table).find(
      ({ notNull, isKey, defaultData }, at) => (isKey || notNull) && defaultData === undefined && !given.has(at),
    );
    if (missing !== undefined) throw gridError('IMPORT_COLUMN_REQUIRED', missing.name);
  }

  prepare(fields: readonly SourceField[]): Binding[] {
    return this.#bind(fields, this.#options.thread.clock.nowMs());
  }

  begin(): void {
    const { thread, catalog } = this.#options;
    const { shared } = thread;
    if (shared.isInactive()) throw gridError('INACTIVE');
    if (!shared.isActive()) throw gridError('READ_ONLY', 'cache operation', this.#table.cache);
    checkDiskSpace(shared, this.database);
    checkRegionSize(this.#connection.database, thread.regions.get(this.#table.region));
    if (catalog.version !== this.#catalogVersion) this.#checkDefinition();
  }

  store(bindings: Binding[]): Stored {
    const { statements } = this.#connection;
    const { context } = statements.register;
    const { functions, steps } = this.#prepared;
    const [step] = steps;
    if (step === undefined) throw new TypeError('the statement of an import has no step');
    context.replacedRows = 0;
    try {
      statements.get(step.sql, functions).run(...bindings);
    } catch (error) {
      // The only conflict of a row is that its key exists.
      if (this.#request.onDuplicate === 'skip' && error instanceof SqlFailure && error.kind === 'conflict') {
        return 'skipped';
      }
      throw error;
    }
    this.#addedRows += 1 - context.replacedRows;
    this.#storedRows++;
    return 'stored';
  }

  end(): void {
    const { statements } = this.#connection;
    const { functions, steps } = this.#prepared;
    for (const { sql } of steps.slice(1)) statements.get(sql, functions).run();
    const handle = this.#options.thread.registry.require(this.#table.cache);
    this.#connection.addEntries(this.#options.staging?.id ?? handle.id, this.#addedRows);
  }

  committed(): void {
    const { thread } = this.#options;
    const handle = thread.registry.find(this.#table.cache);
    const isVisible = this.#options.staging === undefined;
    if (handle !== undefined && isVisible)
      thread.metrics.countWrites(handle.slot, this.#storedRows, thread.clock.nowMs());
    this.rolledBack();
  }

  rolledBack(): void {
    this.#addedRows = 0;
    this.#storedRows = 0;
  }

  close(): void {}

  #prepare(): PreparedChange {
    const { onDuplicate } = this.#request;
    const { schema, name } = this.#table;
    const columns = importedColumns(this.#table);
    const names = columns.map((column) => quoted(column.name)).join(', ');
    const places = columns.map(() => '?').join(', ');
    const text = `${VERBS[onDuplicate]} INTO ${quotedTable({ schema, name })}(${names}) VALUES(${places})`;
    const prepared = prepareStatement(text, schema, this.#catalog());
    if (prepared.kind !== 'change') throw new TypeError('the statement of an import changes nothing');
    return prepared;
  }

  /** Returns the catalog, in which the table is the staged one. */
  #catalog(): SqlCatalog {
    const { catalog, staging } = this.#options;
    const { schema, name } = this.#table;
    const table: EntryTable = staging === undefined ? this.#table : { ...this.#table, physical: staging.table };
    return {
      version: catalog.version,
      schemas: () => catalog.schemas(),
      names: (each) => catalog.names(each),
      find: (inSchema, named) =>
        inSchema === schema && named === name ? { kind: 'table', table } : catalog.find(inSchema, named),
    };
  }

  /** Throws IMPORT_TABLE_CHANGED unless the rows are still stored in the same way. */
  #checkDefinition(): void {
    const { catalog } = this.#options;
    const { schema, name } = this.#table;
    const found = catalog.find(schema, name);
    if (found?.kind !== 'table' || definitionOf(entryTable(found.table)) !== this.#definition) {
      throw gridError('IMPORT_TABLE_CHANGED', name);
    }
    this.#catalogVersion = catalog.version;
    this.#prepared = this.#prepare();
    this.#bind = rowBinder(this.#prepared, importedColumns(this.#table), this.#options.onReceive);
  }
}

const VERBS: Readonly<Record<OnDuplicate, string>> = { error: 'INSERT', skip: 'INSERT', replace: 'MERGE' };

/** Describes how a table's rows are stored. */
function definitionOf({ physical, kt, vt, columns }: EntryTable): string {
  return JSON.stringify([
    physical,
    kt,
    vt,
    columns.map(({ name, physical: place, type, isKey, notNull }) => [name, place, type, isKey, notNull]),
  ]);
}
