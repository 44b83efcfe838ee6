/** Changes to definitions and the cluster's state, as plain data that is sent between threads. */
import type { DefinitionChange } from '../../../grid/definition-changes.ts';
import type { CacheDefinition, CacheRequest, ClusterState } from '../../../grid/grid.ts';
import type { DdlStatement } from '../../../sql/syntax/ast.ts';

/** The request and the response of a change. */
export type Change<Req, Res> = { readonly request: Req; readonly response: Res };

/** A DDL statement sent to the writer. */
export type StructureStatement = Extract<
  DdlStatement,
  {
    kind: 'createTable' | 'dropTable' | 'addColumns' | 'dropColumns' | 'createIndex' | 'createView' | 'dropView';
  }
>;

/** An index to build. */
export interface PlannedIndex {
  readonly database: number;
  /** Its name, which is unique in the file, and its entry table. */
  readonly name: string;
  readonly table: string;
  readonly sql: string;
  /** For an index on a path: the definition with it and with its column, which is filled first. */
  readonly entries?: Pick<PlannedConversion, 'cache' | 'version' | 'definition'>;
}

/** An index that no definition names. */
export interface RemovedIndex extends Pick<PlannedIndex, 'database' | 'name'> {
  /** For an index on a path: the column with its stored values. */
  readonly values?: { readonly table: string; readonly column: string };
}

/** Columns to add before a statement changes the definition of a cache. */
export interface PlannedColumns {
  readonly database: number;
  /** Columns of an entry table, from one number up to but not including another. */
  readonly table: string;
  readonly from: number;
  readonly to: number;
  /** Fields for which the change feed needs columns. */
  readonly feedFields: number;
  /** The entries to convert to rows with the columns, or undefined if there are none. */
  readonly conversion?: PlannedConversion;
}

/** The change to the definition of a cache with entries, made in the transaction that converts them. */
export interface PlannedConversion {
  readonly cache: string;
  /** The version of its definition, which must still be the same. */
  readonly version: number;
  /** The value type of the entity that is new or has new fields. */
  readonly valueType: string;
  /** The new definition as stored in the data file, with the statement's names. */
  readonly definition: string;
}

/** A table in which an import stages a cache's rows. */
export interface StagedCache {
  readonly id: number;
  /** The cache's definition when the table was created. */
  readonly definition: string;
}

/** Changes to definitions and the state. Each commits separately, and no other change runs in the meantime. */
export type StructureChanges = {
  /**
   * Creates a cache unless one with that name exists. `isDry`: only checks that. Returns whether it had to be created.
   */
  readonly createCache: Change<
    { readonly name: string; readonly request: CacheRequest; readonly isDry?: true },
    boolean
  >;
  /** Creates the cache from its complete definition. Returns false if the name exists. */
  readonly defineCache: Change<{ readonly definition: CacheDefinition }, boolean>;
  readonly destroyCache: Change<{ readonly name: string }, undefined>;
  /**
   * Runs DDL. `schema` applies to unqualified names; `builtIndex` is the index that `planIndex` named. Returns false if
   * entries must be converted first, which {@link StructureChanges.planColumns} plans.
   */
  readonly runDdl: Change<
    { readonly statement: StructureStatement; readonly schema: string; readonly builtIndex?: string },
    boolean
  >;
  /** Predicts the changes of a DDL statement. Throws its errors, and changes nothing. */
  readonly previewDdl: Change<
    { readonly statement: StructureStatement | Extract<DdlStatement, { kind: 'dropIndex' }>; readonly schema: string },
    readonly DefinitionChange[]
  >;
  /** Plans the index of CREATE INDEX. Returns undefined if there is nothing to do. */
  readonly planIndex: Change<
    { readonly statement: Extract<StructureStatement, { kind: 'createIndex' }>; readonly schema: string },
    PlannedIndex | undefined
  >;
  /**
   * Plans the columns that CREATE TABLE or ALTER TABLE adds to a cache's table. Returns undefined if there are none, or
   * few enough in an empty table that the statement adds them itself.
   */
  readonly planColumns: Change<
    {
      readonly statement: Extract<StructureStatement, { kind: 'createTable' | 'addColumns' }>;
      readonly schema: string;
    },
    PlannedColumns | undefined
  >;
  /**
   * Removes the index of DROP INDEX from its definition. Returns the rest of it in its file, or undefined if there is
   * no such index and IF EXISTS allows that.
   */
  readonly removeIndex: Change<
    { readonly statement: Extract<DdlStatement, { kind: 'dropIndex' }>; readonly schema: string },
    RemovedIndex | undefined
  >;
  /** Creates a table in which an import stages a cache's rows. */
  readonly stageCache: Change<{ readonly name: string }, StagedCache>;
  /** Makes a staged table its cache's table. Returns false if the cache has entries. */
  readonly swapCache: Change<{ readonly name: string; readonly staged: StagedCache }, boolean>;
  /** Removes a staged table, or all of them if null: the importing process has ended. */
  readonly dropStaged: Change<{ readonly id: number | null }, undefined>;
  /** Removes some of the remains of destroyed caches. Returns false if nothing is left to do. */
  readonly removeDropped: Change<Readonly<Record<never, never>>, boolean>;
  /** Starts or stops recording a cache's changes. */
  readonly recordCache: Change<{ readonly name: string; readonly isRecorded: boolean }, boolean>;
  readonly setState: Change<{ readonly state: ClusterState; readonly force: boolean }, undefined>;
};
