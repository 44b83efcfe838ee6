/** The changes that statements defining tables, indexes and views would make. Names include the schema. */

export type DefinitionChange =
  | { readonly view: string; readonly change: 'created' | 'changed' | 'removed' }
  | DefinitionOfCache;

/** A change to a table's definition, and the cache with its rows. */
export type DefinitionOfCache = { readonly table: string; readonly cacheName: string } & (
  | { readonly change: 'created' | 'destroyed' }
  | { readonly column: string; readonly change: 'added' | 'removed' }
  | { readonly index: string; readonly change: 'added' | 'removed' }
);

/** A statement and the cache whose schema applies to unqualified names. */
export interface DefinitionStatement {
  readonly sql: string;
  readonly cache: string;
  /** Whether definitions succeed that Ignite accepts but ignores. */
  readonly definesAsIgnite?: boolean;
}

export interface DefinitionPreviews {
  /**
   * Returns the changes that a statement would make if it defines a table, an index or a view, or undefined for other
   * statements. Throws the errors that it would throw, and changes nothing. Undefined if only running the statement can
   * tell.
   */
  previewDefinition?(statement: DefinitionStatement): Promise<readonly DefinitionChange[] | undefined>;
}
