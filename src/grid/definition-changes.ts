/** What statements that define tables, indexes and views would change. Their names begin with the schema. */

export type DefinitionChange =
  | { readonly view: string; readonly change: 'created' | 'changed' | 'removed' }
  | DefinitionOfCache;

/** A change of the definition of a table, and the cache of its rows. */
export type DefinitionOfCache = { readonly table: string; readonly cacheName: string } & (
  | { readonly change: 'created' | 'destroyed' }
  | { readonly column: string; readonly change: 'added' | 'removed' }
  | { readonly index: string; readonly change: 'added' | 'removed' }
);

/** A statement and the cache whose schema applies to unqualified names. */
export interface DefinitionStatement {
  readonly sql: string;
  readonly cache: string;
  /** Whether definitions succeed that Ignite accepts without following them. */
  readonly definesAsIgnite?: boolean;
}

export interface DefinitionPreviews {
  /**
   * Returns what a statement would change if it defines a table, an index or a view; undefined for other statements.
   * Throws what it would throw, and changes nothing. Absent where only the statement itself tells.
   */
  previewDefinition?(statement: DefinitionStatement): Promise<readonly DefinitionChange[] | undefined>;
}
