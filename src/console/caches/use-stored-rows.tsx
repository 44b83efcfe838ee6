/** The selection in a grid of stored rows and its actions: open, change, copy, paste, delete and undo. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import { openDialog } from '../elements/opened-dialog.tsx';
import { messageOf } from '../requests/request.ts';
import type { GridLocation } from '../rows/grid-row.tsx';
import type { PagedRows } from '../rows/paged-rows.ts';
import type { RowTexts } from '../rows/row.ts';
import { ValueDialog } from '../rows/value-dialog.tsx';
import { DeleteRows } from './delete-rows.tsx';
import { RowDialog } from './row-dialog.tsx';
import { lastSaved } from './saved-changes.ts';
import type { RowKind, RowRights } from './stored-rows.ts';
import { UndoChange } from './undo-change.tsx';
import { useClipboard } from './use-clipboard.tsx';
import type { OpenedRows } from './use-opened-rows.ts';
import { useSelection } from './use-selection.ts';
import { useValueEdit } from './use-value-edit.tsx';

interface StoredRowsOptions {
  readonly kind: RowKind;
  readonly may: RowRights;
  readonly opened: OpenedRows<PagedRows>;
  /** The columns that are shown, in their order. */
  readonly columns: readonly number[];
  /** Additional information in a row's dialog. */
  readonly details: ((row: RowTexts) => ComponentChildren) | undefined;
}

export function useStoredRows({ kind, may, opened: { rows, error }, columns, details }: StoredRowsOptions) {
  const active = useSignal<GridLocation | undefined>(undefined);
  const message = useSignal('');
  const shown = rows.value;
  useEffect(() => {
    // It referred to the previous rows.
    message.value = '';
  }, [shown]);
  const selection = useSelection(shown, active);
  const { selected, select } = selection;
  // The active row may have been read again.
  void shown?.version.value;
  /** Rereads the rows. Different ones may then take the places of the selected ones. */
  const readAgain = (): void => {
    select(new Set());
    edit.noteReadAgain();
    // The rows behind a dialog may have been replaced since, for example when filters were cleared.
    rows.peek()?.readAgain();
  };
  /** Rereads the rows, and reports the action. */
  const readAgainAfter = (text: string): void => {
    readAgain();
    message.value = text;
  };
  const remove = (removed: readonly RowTexts[]): void => {
    if (removed.length === 0 || !may.remove) return;
    openDialog(<DeleteRows kind={kind} rows={removed} onDeleted={readAgainAfter} />);
  };
  const open = (row: RowTexts | undefined, column: string | undefined): void =>
    openDialog(
      <RowDialog
        kind={kind}
        may={may}
        row={row}
        column={column}
        details={details}
        onDelete={(removed) => remove([removed])}
        onChanged={readAgain}
      />,
    );
  const edit = useValueEdit({
    kind,
    isReadOnly: !may.change,
    rows: shown,
    active,
    async onSaved(text, [index]) {
      select(new Set());
      await shown?.refreshAround(index);
      message.value = text;
    },
    onOpen: open,
  });
  const isHeld = selected.value.size > 0 || edit.editor !== undefined;
  useLayoutEffect(() => shown?.hold(isHeld, selected.value), [shown, isHeld, selected.value]);
  const chosenRows = (): readonly number[] => {
    if (selected.value.size > 0) return [...selected.value].sort((a, b) => a - b);
    return active.value === undefined ? [] : [active.value[0]];
  };
  const askDelete = async (): Promise<void> => {
    message.value = '';
    try {
      remove((await shown?.load(chosenRows())) ?? []);
    } catch (problem) {
      error.value = messageOf(problem);
    }
  };
  const undoable = lastSaved(kind);
  const undo = (): void => {
    message.value = undoable === undefined ? 'There is nothing to undo: this page has saved no change here.' : '';
    if (undoable !== undefined) openDialog(<UndoChange change={undoable} onUndone={readAgainAfter} />);
  };
  const clipboard = useClipboard({
    ...{ kind, may, active, chosenRows, message, error },
    rows: shown,
    shown: columns,
    hasSelection: selected.value.size > 0,
    onText: edit.beginWith,
    onPasted: readAgain,
  });
  const [index = -1, at = -1] = active.value ?? [];
  const row = shown?.texts(index);
  const values = shown?.row(index);
  const column = kind.columns[at];
  return {
    ...{ active, message, selection, edit, clipboard, readAgain, open, askDelete, undo },
    isUndoable: undoable !== undefined,
    /** The active cell; undefined while there is none. */
    cell: row === undefined || values === undefined || column === undefined ? undefined : { at, row, values, column },
    showValue(): void {
      if (row === undefined || column === undefined) return;
      const { type, title } = kind.typeOf(column, row);
      // The texts of objects have line ends that their values lack.
      const isText = column.choices !== undefined || column.isDerived === true;
      const value = (isText ? row[column.name] : values?.[at]) ?? null;
      openDialog(<ValueDialog name={column.name} type={type} sqlType={title} value={value} />);
    },
    /** Handles a key, and returns whether it was consumed. */
    onKey(event: KeyboardEvent, place: GridLocation): boolean {
      const isUndo = event.key.toLowerCase() === 'z' && (event.ctrlKey || event.metaKey) && !event.shiftKey;
      if (event.key === 'Delete' && may.remove) void askDelete();
      else if (isUndo) undo();
      else return selection.onKey(event, place) || edit.onKey(event);
      return true;
    },
  };
}
