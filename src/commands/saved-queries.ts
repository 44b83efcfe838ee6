/** The arguments and results of the commands on saved queries. */

/** A placeholder of a statement, for which a form asks. */
export interface SavedParameter {
  /** Its name, or for each `?` of the text its number: `?1`. */
  readonly name: string;
  /** If null, forms show its name. */
  readonly label: string | null;
  /** A type of statement arguments. */
  readonly type: string;
  /** The text of the value that a form begins with, or null if it has none. */
  readonly default: string | null;
}

/** The text of a query, and how it is executed. */
export interface SavedText {
  readonly qry: string;
  /** The cache whose schema is the default of the statement, or null for `PUBLIC`. */
  readonly cacheName: string | null;
  readonly parameters: readonly SavedParameter[];
}

export interface NewSavedQuery {
  readonly name: string;
  readonly qry: string;
  readonly cacheName: string | undefined;
  /** JSON text of an array. */
  readonly parameters: string | undefined;
  readonly shared: boolean;
}

/** Undefined members stay as they are. */
export interface SavedQueryChange extends Omit<NewSavedQuery, 'name' | 'qry' | 'shared'> {
  readonly name: string | undefined;
  readonly qry: string | undefined;
  readonly shared: boolean | undefined;
  /** The revision to change, or undefined for any. */
  readonly revision: number | undefined;
}

/** A saved query without its text. */
export interface SavedQueryDescription {
  readonly id: string;
  readonly name: string;
  /** The owner, or null if the query was saved without authentication. */
  readonly user: string | null;
  readonly shared: boolean;
  /** Whether the caller may change and remove it. */
  readonly changeable: boolean;
  /** 1, and one more after each change. */
  readonly revision: number;
  readonly createdAt: string;
  readonly changedAt: string;
  /** Null without authentication. */
  readonly changedBy: string | null;
}

export interface SavedQuery extends SavedQueryDescription, SavedText {}
