/** Copies values and rows of a grid, and pastes blocks of cells into it. */
import type { Signal } from '@preact/signals';
import { copyText } from '../elements/copied.tsx';
import { formatCount } from '../elements/formats.ts';
import { openDialog } from '../elements/opened-dialog.tsx';
import { messageOf } from '../requests/request.ts';
import type { GridLocation } from '../rows/grid-row.tsx';
import type { PagedRows } from '../rows/paged-rows.ts';
import { pastedCells } from '../rows/pasted-cells.ts';
import type { RowTexts } from '../rows/row.ts';
import { MAX_SELECTED, rowsAsText } from '../rows/row-selection.ts';
import { COPY_FORMATS, type CopyFormat } from '../rows/row-texts.ts';
import { editedRow } from './edited-row.ts';
import { blockOf } from './paste-plan.ts';
import { PasteRows } from './paste-rows.tsx';
import type { RowKind, RowRights } from './stored-rows.ts';

interface ClipboardOptions {
  readonly kind: RowKind;
  readonly may: RowRights;
  readonly rows: PagedRows | undefined;
  readonly active: Signal<GridLocation | undefined>;
  /** The columns that are shown, in their order. */
  readonly shown: readonly number[];
  /** The selected rows; the active one if none are. */
  readonly chosenRows: () => readonly number[];
  readonly hasSelection: boolean;
  readonly message: Signal<string>;
  readonly error: Signal<string>;
  /** Begins to change the active value to a text. */
  readonly onText: (text: string) => void;
  /** Reads the rows again. */
  readonly onPasted: () => void;
}

function isField({ target }: Event): boolean {
  return target instanceof HTMLInputElement || target instanceof HTMLSelectElement;
}

export function useClipboard(options: ClipboardOptions) {
  const { kind, may, rows, active, shown, chosenRows, hasSelection, message, error, onText, onPasted } = options;
  const [one, several] = kind.nouns;
  const columns = shown.flatMap((at) => kind.columns[at] ?? []);
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    [message.value, error.value] = ['', ''];
    try {
      await work();
    } catch (problem) {
      error.value = messageOf(problem);
    }
  };
  /** Returns the text of the active value, in the form in which it is edited. */
  const activeText = (): string | undefined => {
    const [row, column] = active.peek() ?? [0, -1];
    const name = kind.columns[column]?.name;
    const texts = rows?.texts(row);
    return name === undefined || texts === undefined ? undefined : (editedRow(kind, texts)[name] ?? '');
  };
  const open = async (cells: readonly (readonly string[])[]): Promise<void> => {
    if (rows === undefined) return;
    const [first, column] = active.peek() ?? [rows.rowCount.peek(), shown[0] ?? 0];
    if (cells.length > MAX_SELECTED + 1) {
      throw new Error(
        `At most ${formatCount(MAX_SELECTED, one, several)} can be pasted at once. Import larger blocks as a file.`,
      );
    }
    const block = blockOf(cells, kind.columns, columns.slice(Math.max(0, shown.indexOf(column))));
    const end = first + block.cells.length;
    if (end > rows.rowCount.peek() && !rows.isComplete.peek()) {
      throw new Error(`The block is longer than the ${several} read so far. Scroll to the last one first.`);
    }
    const last = Math.min(end, rows.rowCount.peek());
    const indices = Array.from({ length: Math.max(0, last - first) }, (_, at) => first + at);
    await rows.load(indices);
    const known: RowTexts[] = [];
    for (const index of indices) {
      const texts = rows.texts(index);
      if (texts === undefined) throw new Error(`The ${several} have changed meanwhile. Refresh.`);
      known.push(texts);
    }
    openDialog(
      <PasteRows
        kind={kind}
        block={block}
        rows={known}
        first={first}
        mayChange={may.change}
        mayInsert={may.add}
        onPasted={(said) => {
          onPasted();
          message.value = said;
        }}
      />,
    );
  };
  return {
    /** Handles the event `copy`: the active value, or the selected rows. */
    onCopy(event: ClipboardEvent): void {
      if (rows === undefined || event.clipboardData === null || isField(event)) return;
      const texts = chosenRows()
        .map((index) => rows.texts(index))
        .filter((each) => each !== undefined);
      if (texts.length === 0 || getSelection()?.isCollapsed === false) return;
      const names = columns.map(({ name }) => name);
      const text = hasSelection
        ? rowsAsText(
            names,
            texts.map((each) => editedRow(kind, each)),
          )
        : (activeText() ?? '');
      event.clipboardData.setData('text/plain', text);
      event.preventDefault();
      message.value = hasSelection ? `Copied ${formatCount(texts.length, one, several)}.` : 'The value is copied.';
    },
    /** Handles the event `paste`: a value into the active cell, or a block of values starting there. */
    onPaste(event: ClipboardEvent): void {
      const text = event.clipboardData?.getData('text/plain').replace(/\r?\n$/, '') ?? '';
      if (isField(event) || text === '' || !(may.change || may.add)) return;
      event.preventDefault();
      const cells = pastedCells(text);
      if (cells !== undefined) void attempt(() => open(cells));
      else if (may.change) onText(text);
    },
    copyValue: () =>
      attempt(async () => {
        await copyText(activeText() ?? '');
        message.value = 'The value is copied.';
      }),
    copyAs: (format: CopyFormat) =>
      attempt(async () => {
        const indices = chosenRows();
        await rows?.load(indices);
        const values = indices.flatMap((index) => {
          const row = rows?.row(index);
          return row === undefined ? [] : [row];
        });
        await copyText(COPY_FORMATS[format](rows?.columns.peek() ?? [], values));
        message.value = `${formatCount(values.length, one, several)} copied as ${format}.`;
      }),
  };
}
