/** The kind of the rows that a grid changes: rows of a table, or entries of a cache. */
import type { Json } from '../../client/exact-json.ts';
import type { Row, RowTexts } from '../rows/row.ts';
import type { TableColumn } from './row-query.ts';

/** A page is parsed in a few milliseconds, so scrolling stays smooth. */
export const PAGE_ROWS = 300;
/** A page is reread in milliseconds, so keeping more would only take memory. */
export const KEPT_BYTES = 16 * 1024 * 1024;

export interface StoredColumn extends TableColumn {
  /** The only values that it can have in a form, with their labels; undefined means any. */
  readonly choices?: ReadonlyArray<readonly [value: string, text: string]>;
  /** Whether its values are usually long. */
  readonly isLong?: boolean;
  /** Whether it is only shown in the grid, and changed by other means. */
  readonly isDerived?: boolean;
  /** A text that fits into it, whatever its first values are. */
  readonly widest?: string;
  /** Returns the displayed text of a value in a row, or undefined if the value is shown as it is. */
  readonly format?: (value: Json, row: Row) => string | undefined;
  /** Whether it stays in view when others are scrolled. */
  readonly isPinned?: boolean;
}

/** The type of a value. */
export interface ValueType {
  /** The class of the value, as the interface names it. */
  readonly type: string;
  /** Its label. */
  readonly title: string;
  /** The type of arguments. */
  readonly argument: string;
}

/** A statement or command that changes rows, unless they have changed since they were read. */
export interface Change {
  readonly cmd: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Its label. */
  readonly text: string;
  /** The meaning of a response that nothing was changed. */
  readonly nothingChanged: string;
}

/** The rights of the signed-in user on the rows. */
export interface RowRights {
  readonly add: boolean;
  readonly change: boolean;
  readonly remove: boolean;
  /** Whether changes by others can be followed. */
  readonly follow: boolean;
}

/** How stored rows are named, identified and changed. Names of their columns are those of {@link RowTexts}. */
export interface RowKind {
  /** The singular and plural noun. */
  readonly nouns: readonly [one: string, several: string];
  /** The table or cache that they belong to, as shown to users. */
  readonly title: string;
  /** Whether they are rows of a table, which statements change. */
  readonly isTable: boolean;
  /** The name under which the browser stores their columns. */
  readonly layoutName: string;
  readonly columns: readonly StoredColumn[];
  /** The texts of a new row before anything is filled in. */
  readonly newRow: RowTexts;
  typeOf(column: StoredColumn, row: RowTexts): ValueType;
  /** Returns why the value of a row cannot be changed, or undefined if it can. A row that is undefined is a new one. */
  whyFixed(column: StoredColumn, before: RowTexts | undefined): string | undefined;
  /** Returns whether the console can name the row in a change. */
  canChange(row: RowTexts): boolean;
  /** Returns the change to the values of another row with the same key, or undefined if none differs. */
  updateOf(before: RowTexts, after: RowTexts): Change | undefined;
  /** Returns the change that adds a row, or undefined while something is missing. */
  insertOf(row: RowTexts): Change | undefined;
  deletionsOf(rows: readonly RowTexts[]): readonly Change[];
  /** Returns the key of a row, as the change feed identifies it. */
  identityOf(row: readonly Json[]): readonly unknown[];
}

/** Returns whether rows that were deleted can be stored again as they were: the console can send all their values. */
export function isRestorable({ columns, whyFixed }: RowKind): boolean {
  return columns.every((column) => column.isDerived === true || whyFixed(column, undefined) === undefined);
}

/** Returns whether a column can be NULL: a key never is, whatever its table declares. */
export function mayBeNull({ isKey, isNullable }: StoredColumn): boolean {
  return isNullable && !isKey;
}

/** The text in an empty field that needs a value. */
export const REQUIRED = 'required';

/** Returns the placeholder of an empty field: undefined means no value yet, and a new row gets the default. */
export function placeholderOf(column: StoredColumn, value: string | null | undefined): string {
  if (typeof value === 'string') return '';
  if (value === undefined && column.defaultValue !== null) return column.defaultValue;
  return mayBeNull(column) ? 'NULL' : REQUIRED;
}

/** Returns the sentence for users who may only read the rows. */
export function mayNotChange({ nouns: [, several] }: Pick<RowKind, 'nouns'>): string {
  return `You may read these ${several}, but not change them.`;
}

/** Returns a noun as it begins a title. */
export function capitalized(noun: string): string {
  return `${noun.charAt(0).toUpperCase()}${noun.slice(1)}`;
}
