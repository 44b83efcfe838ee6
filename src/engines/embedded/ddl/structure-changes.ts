/** Changes of definitions and of the cluster's state, as plain data that is sent between threads. */
import type { DefinitionChange } from '../../../grid/definition-changes.ts';
import type { CacheDefinition, CacheRequest, ClusterState } from '../../../grid/grid.ts';
import type { DdlStatement } from '../../../sql/syntax/ast.ts';

/** The request and the response of a change. */
export type Change<Req, Res> = { readonly request: Req; readonly response: Res };

/** A DDL statement that is sent to the writer. */
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
  /** Of an index on a path: the definition with it and with its column, which is filled first. */
  readonly entries?: Pick<PlannedConversion, 'cache' | 'version' | 'definition'>;
}

/** An index that no definition names. */
export interface RemovedIndex extends Pick<PlannedIndex, 'database' | 'name'> {
  /** Of an index on a path: the column with what it has stored. */
  readonly values?: { readonly table: string; readonly column: string };
}

/** Columns to add before a statement changes the definition of a cache. */
export interface PlannedColumns {
  readonly database: number;
  /** Columns of an entry table, from one number up to another one, which is not among them. */
  readonly table: string;
  readonly from: number;
  readonly to: number;
  /** Fields for which the change feed is to have columns. */
  readonly feedFields: number;
  /** The entries that are to be converted to rows with the columns; absent: there are none. */
  readonly conversion?: PlannedConversion;
}

/** The change of the definition of a cache with entries, which is made in the transaction that converts them. */
export interface PlannedConversion {
  readonly cache: string;
  /** The version of its definition, which must still be the same. */
  readonly version: number;
  /** The value type of the entity that is new or has new fields. */
  readonly valueType: string;
  /** The new definition as the data file stores it, with the names of the statement. */
  readonly definition: string;
}

/** A table in which an import stages the rows of a cache. */
export interface StagedCache {
  readonly id: number;
  /** The definition of the cache when the table was created. */
  readonly definition: string;
}

/** Changes of definitions and of the state. Each commits separately, and no other change runs meanwhile. */
export type StructureChanges = {
  /** Creates a cache if there is none of that name. `isDry`: only checks that. Returns whether it was to be created. */
  readonly createCache: Change<
    { readonly name: string; readonly request: CacheRequest; readonly isDry?: true },
    boolean
  >;
  /** Creates the cache from its whole definition. Returns false if the name exists. */
  readonly defineCache: Change<{ readonly definition: CacheDefinition }, boolean>;
  readonly destroyCache: Change<{ readonly name: string }, undefined>;
  /**
   * Runs DDL. `schema` applies to unqualified names; `builtIndex` is the index that `planIndex` named. Returns false
   * when entries are to be converted first, which {@link StructureChanges.planColumns} plans.
   */
  readonly runDdl: Change<
    { readonly statement: StructureStatement; readonly schema: string; readonly builtIndex?: string },
    boolean
  >;
  /** Returns what a DDL statement would change. Throws what it would throw, and changes nothing. */
  readonly previewDdl: Change<
    { readonly statement: StructureStatement | Extract<DdlStatement, { kind: 'dropIndex' }>; readonly schema: string },
    readonly DefinitionChange[]
  >;
  /** Plans the index of CREATE INDEX. Returns undefined when there is nothing to do. */
  readonly planIndex: Change<
    { readonly statement: Extract<StructureStatement, { kind: 'createIndex' }>; readonly schema: string },
    PlannedIndex | undefined
  >;
  /**
   * Plans the columns that CREATE TABLE or ALTER TABLE adds to the table of a cache. Returns undefined when there are
   * none, or so few in an empty table that the statement itself adds them.
   */
  readonly planColumns: Change<
    {
      readonly statement: Extract<StructureStatement, { kind: 'createTable' | 'addColumns' }>;
      readonly schema: string;
    },
    PlannedColumns | undefined
  >;
  /**
   * Removes the index of DROP INDEX from its definition. Returns what is left of it in its file; undefined when there
   * is no such index and IF EXISTS allows that.
   */
  readonly removeIndex: Change<
    { readonly statement: Extract<DdlStatement, { kind: 'dropIndex' }>; readonly schema: string },
    RemovedIndex | undefined
  >;
  /** Creates a table in which an import stages the rows of a cache. */
  readonly stageCache: Change<{ readonly name: string }, StagedCache>;
  /** Makes a staged table that of its cache, unless that has entries: returns false. */
  readonly swapCache: Change<{ readonly name: string; readonly staged: StagedCache }, boolean>;
  /** Removes a staged table, or for null all of them: the process that imports has ended. */
  readonly dropStaged: Change<{ readonly id: number | null }, undefined>;
  /** Removes a part of what destroyed caches have left. Returns false when nothing is left to do. */
  readonly removeDropped: Change<Readonly<Record<never, never>>, boolean>;
  /** Begins or ends the recording of a cache's changes. */
  readonly recordCache: Change<{ readonly name: string; readonly isRecorded: boolean }, boolean>;
  readonly setState: Change<{ readonly state: ClusterState; readonly force: boolean }, undefined>;
};
