/** What pasting a block of cells would change: which rows, which values, and why some of it is impossible. */
import { formatCount } from '../elements/formats.ts';
import type { RowTexts } from '../rows/row.ts';
import { unfit } from '../rows/value-check.ts';
import { storedText } from '../rows/value-input.ts';
import { type Change, mayBeNull, type RowKind, type StoredColumn } from './stored-rows.ts';

/** Whether a block replaces values starting at the active cell, or contains rows to add. */
export type PasteMode = 'change' | 'add';

export interface PastedBlock {
  readonly cells: readonly (readonly string[])[];
  /** The columns of its fields; undefined for fields that lie beyond the last one. */
  readonly columns: ReadonlyArray<StoredColumn | undefined>;
}

interface PastedCell {
  readonly column: string;
  /** Undefined if the row is new. */
  readonly before: string | null | undefined;
  readonly after: string | null;
  /** Why it cannot be stored; undefined if it can. */
  readonly problem?: string;
}

export interface PastedRow {
  /** Its number, as the grid shows it; undefined if it is new. */
  readonly number: number | undefined;
  readonly before: RowTexts | undefined;
  readonly after: RowTexts;
  readonly cells: readonly PastedCell[];
  readonly change: Change;
}

export interface PastePlan {
  /** The rows to change or add. */
  readonly rows: readonly PastedRow[];
  /** Sentences that say why it cannot be sent as it is. */
  readonly problems: readonly string[];
}

/** Returns the block with its columns: those named in its first line, or the columns from a position on. */
export function blockOf(
  cells: readonly (readonly string[])[],
  columns: readonly StoredColumn[],
  shown: readonly StoredColumn[],
): PastedBlock {
  const [head = [], ...others] = cells;
  const named = head.map((name) => columns.find((column) => column.name === name));
  if (others.length > 0 && named.every((column) => column !== undefined)) return { cells: others, columns: named };
  const width = Math.max(...cells.map(({ length }) => length));
  return { cells, columns: Array.from({ length: width }, (_, at) => shown[at]) };
}

/** Returns whether a block has a value for each column of the key, so its rows can be new ones. */
export function mayAdd(block: PastedBlock, kind: RowKind): boolean {
  return kind.columns.every(
    (column) => !column.isKey || column.choices !== undefined || block.columns.includes(column),
  );
}

/** Returns the stored text of a field. An empty one is NULL where its column can be. */
function storedValue(column: StoredColumn, argument: string, text: string): string | null {
  if (text === '' && mayBeNull(column)) return null;
  const choice = column.choices?.find(([value, title]) => text === value || text === title);
  if (choice !== undefined) return choice[0];
  if (argument === 'boolean') return text.trim().toLowerCase();
  return storedText(argument, argument === 'string' ? text : text.trim());
}

/** Returns what pasting would do. `rows` has the rows of the grid from the active one on. */
export function planOf(
  kind: RowKind,
  block: PastedBlock,
  { mode, rows, first }: { readonly mode: PasteMode; readonly rows: readonly RowTexts[]; readonly first: number },
): PastePlan {
  const problems = new Set<string>();
  const found: PastedRow[] = [];
  const beyond = block.columns.filter((column) => column === undefined).length;
  if (beyond > 0) problems.add(`The block is ${formatCount(beyond, 'column')} too wide.`);
  block.cells.forEach((fields, at) => {
    const before = mode === 'add' ? undefined : rows[at];
    const number = before === undefined ? undefined : first + at + 1;
    const place = number === undefined ? `Line ${at + 1}` : `Row ${number}`;
    let after: RowTexts = before ?? kind.newRow;
    const cells: PastedCell[] = [];
    block.columns.forEach((column, field) => {
      const text = fields[field];
      if (column === undefined || text === undefined || column.isDerived === true) return;
      const { argument } = kind.typeOf(column, after);
      const value = storedValue(column, argument, text);
      if (before !== undefined && value === (before[column.name] ?? null)) return;
      const why =
        kind.whyFixed(column, before) ??
        (value === null || column.choices !== undefined ? undefined : unfit(column, argument, text));
      if (why !== undefined) problems.add(`${place}: ${why}`);
      after = { ...after, [column.name]: value };
      const problem = why === undefined ? {} : { problem: why };
      cells.push({ column: column.name, before: before?.[column.name], after: value, ...problem });
    });
    if (cells.length === 0) return;
    const change = before === undefined ? kind.insertOf(after) : kind.updateOf(before, after);
    if (change !== undefined) found.push({ number, before, after, cells, change });
    else if (before === undefined) problems.add(`${place}: the row needs a value.`);
  });
  return { rows: found, problems: [...problems] };
}

/** Returns the change that undoes a row's change, or undefined if none can. */
export function inverseOf(kind: RowKind, { before, after }: PastedRow): Change | undefined {
  return before === undefined ? kind.deletionsOf([after])[0] : kind.updateOf(after, before);
}
