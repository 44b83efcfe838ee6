/** A row while a form changes it: its fields have texts that users edit, which can differ from what is stored. */
import type { RowTexts } from '../rows/row.ts';
import { unfit } from '../rows/value-check.ts';
import { editedText, storedText } from '../rows/value-input.ts';
import type { RowKind } from './stored-rows.ts';

type Kind = Pick<RowKind, 'columns' | 'typeOf'>;

function mapped(
  { columns, typeOf }: Kind,
  row: RowTexts,
  map: (argument: string, text: string) => string | null,
): RowTexts {
  const changed = columns.flatMap((column) => {
    const text = row[column.name];
    return typeof text === 'string' ? [[column.name, map(typeOf(column, row).argument, text)] as const] : [];
  });
  return { ...row, ...Object.fromEntries(changed) };
}

/** Returns the field texts for a stored row. */
export function editedRow(kind: Kind, row: RowTexts): RowTexts {
  return mapped(kind, row, editedText);
}

/** Returns the row that the fields represent. */
export function storedRow(kind: Kind, row: RowTexts): RowTexts {
  return mapped(kind, row, storedText);
}

/**
 * Returns why the typed values do not make a row: they do not fit their columns. `before` is undefined for a new row.
 */
export function problemsOf(kind: Kind, row: RowTexts, before: RowTexts | undefined): readonly string[] {
  return kind.columns.flatMap((column) => {
    const text = row[column.name];
    const isTyped = typeof text === 'string' && text !== before?.[column.name] && !(column.isKey && text === '');
    return isTyped && column.isDerived !== true ? (unfit(column, kind.typeOf(column, row).argument, text) ?? []) : [];
  });
}
