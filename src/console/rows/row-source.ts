/** Where a grid gets its rows from. */
import type { ReadonlySignal } from '@preact/signals';
import type { Json } from '../../client/exact-json.ts';
import type { Row } from './kept-pages.ts';

export interface Column {
  readonly name: string;
  /** The name of a Java class, which the interface names types by. */
  readonly type: string;
  /** The SQL type with its bounds, where they are known. */
  readonly sqlType?: string;
  /** Returns what users read of a value; undefined: the value. */
  readonly format?: ((value: Json) => string) | undefined;
  /** A text that fits into it, whatever its first values are. */
  readonly widest?: string;
  /** Where its values are from; empty for an expression. */
  readonly schema: string;
  readonly table: string;
}

export interface RowSource {
  readonly columns: ReadonlySignal<readonly Column[]>;
  /** Rows that are known of so far. */
  readonly rowCount: ReadonlySignal<number>;
  /** Whether {@link rowCount} is the number of all rows. */
  readonly isComplete: ReadonlySignal<boolean>;
  readonly isReading: ReadonlySignal<boolean>;
  /** Changes when rows arrive or are dropped. */
  readonly version: ReadonlySignal<number>;
  /** Returns a row that is kept; undefined for one that is not. */
  row(index: number): Row | undefined;
  /** Notes which rows are in view, and begins to read what is missing of them, unless a read runs or has failed. */
  view(first: number, last: number): void;
}
