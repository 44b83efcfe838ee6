/** A row of a grid, and its columns. */
import type { Json } from '../../client/exact-json.ts';

export type Row = readonly Json[];

/** The values of a row as texts by column; null is SQL's NULL. */
export type RowTexts = Readonly<Record<string, string | null>>;

export interface Column {
  readonly name: string;
  /** The name of a Java class, by which the interface names types. */
  readonly type: string;
  /** The SQL type with its bounds, where they are known. */
  readonly sqlType?: string;
  /** Returns the displayed text of a value in a row, or undefined if the value is shown as it is. */
  readonly format?: ((value: Json, row: Row) => string | undefined) | undefined;
  /** Whether it stays in view when others are scrolled, as a key does. */
  readonly isPinned?: boolean;
  /** A text that fits into it, whatever its first values are. */
  readonly widest?: string;
  /** The origin of its values; empty for an expression. */
  readonly schema: string;
  readonly table: string;
}
