/** Changes a cell's value in place, unless the row has changed since it was read. */
import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useAttempt } from '../elements/attempt.ts';
import { Button, Failure } from '../elements/elements.tsx';
import type { GridLocation } from '../rows/grid-row.tsx';
import type { PagedRows } from '../rows/paged-rows.ts';
import type { RowTexts } from '../rows/row.ts';
import { unfit } from '../rows/value-check.ts';
import { editedText, storedText } from '../rows/value-input.ts';
import { execute } from './changes.ts';
import { hasSameKey } from './row-change.ts';
import { noteSaved } from './saved-changes.ts';
import type { RowKind, StoredColumn } from './stored-rows.ts';
import { ValueEditor } from './value-editor.tsx';

interface ValueEdit {
  readonly mayEdit: boolean;
  /** Why the active value cannot be changed in its cell; undefined if it can, or if no cell is active. */
  readonly whyFixed: string | undefined;
  /** The field in the cell; undefined while none is changed. */
  readonly editor: ComponentChildren;
  /** Functions that send and end the change; undefined while there is none. */
  readonly actions: ComponentChildren;
  /** The change that would be sent, or why it cannot be. */
  readonly change: ComponentChildren;
  readonly begin: () => void;
  /** Begins a change with pasted text or NULL in place of the value. */
  readonly beginWith: (text: string | null) => void;
  readonly cancel: () => void;
  /** From now on compares with the reread row. */
  readonly noteReadAgain: () => void;
  /** Handles a key that begins a change, and returns whether it did. */
  readonly onKey: (event: KeyboardEvent) => boolean;
}

/** Longer values are changed in the dialog of their row. */
const CELL_CHARACTERS = 500;

function whyNotInCell(kind: RowKind, column: StoredColumn, row: RowTexts): string | undefined {
  const why = kind.whyFixed(column, row);
  return why ?? (column.choices === undefined ? undefined : 'Open the row to choose another value.');
}

/** Returns the text with which a typed character replaces a value; undefined if the value stays until one is chosen. */
function typedText(argument: string, typed: string): string | undefined {
  if (argument !== 'boolean') return typed;
  return ['true', 'false'].find((each) => each.startsWith(typed.toLowerCase()));
}

interface BegunEdit {
  readonly place: GridLocation;
  /** The row as it was when the change began: rereading may put a different row in its place. */
  readonly row: RowTexts;
  /** Whether the user has reread it since, and so knows what has changed. */
  readonly isReadAgain: boolean;
  /** As the field has it. */
  readonly text: string | null;
}

export function useValueEdit(props: {
  readonly kind: RowKind;
  /** Whether the user may change no row. */
  readonly isReadOnly: boolean;
  readonly rows: PagedRows | undefined;
  readonly active: Signal<GridLocation | undefined>;
  /** Reads the row again. The next change begins with the reread row. */
  readonly onSaved: (message: string, place: GridLocation) => Promise<void>;
  /** Opens the row of a value that does not fit in its cell. */
  readonly onOpen: (row: RowTexts, column: string) => void;
}): ValueEdit {
  const { kind, isReadOnly, rows, active, onSaved, onOpen } = props;
  const begun = useSignal<BegunEdit | undefined>(undefined);
  const { error, isRunning: isSaving, attempt } = useAttempt();
  const column = active.value === undefined ? undefined : kind.columns[active.value[1]];
  const edited = begun.value?.place === active.value ? begun.value : undefined;
  const shown = active.value === undefined ? undefined : rows?.texts(active.value[0]);
  const isReadAgain = shown !== undefined && edited?.isReadAgain === true && hasSameKey(kind, shown, edited.row);
  const row = edited === undefined || isReadAgain ? shown : edited.row;
  const isPlace = column !== undefined && row !== undefined && !isReadOnly;
  const whyFixed = isPlace ? whyNotInCell(kind, column, row) : undefined;
  const mayEdit = isPlace && whyFixed === undefined;
  const begin = (typed?: string | null): void => {
    if (!mayEdit || active.value === undefined) return;
    const text = editedText(kind.typeOf(column, row).argument, row[column.name] ?? null);
    // The field in a cell has one line, and would drop line ends.
    if (/[\r\n]/.test(text ?? '') || (text?.length ?? 0) > CELL_CHARACTERS) {
      onOpen(row, column.name);
      return;
    }
    error.value = '';
    begun.value = { place: active.value, row, isReadAgain: false, text: typed === undefined ? text : typed };
  };
  const noteReadAgain = (): void => {
    if (begun.value !== undefined) begun.value = { ...begun.value, isReadAgain: true };
  };
  const cancel = (): void => {
    [error.value, begun.value] = ['', undefined];
  };
  const idle: ValueEdit = {
    mayEdit,
    whyFixed,
    editor: undefined,
    actions: undefined,
    change: undefined,
    begin: () => begin(),
    beginWith: begin,
    cancel,
    noteReadAgain,
    onKey(event) {
      const isTyped = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey;
      if (!mayEdit || (event.key !== 'F2' && !isTyped)) return false;
      begin(isTyped ? typedText(kind.typeOf(column, row).argument, event.key) : undefined);
      return true;
    },
  };
  if (!mayEdit || edited === undefined) return idle;
  const { text: value } = edited;
  const change = (next: string | null): void => {
    error.value = '';
    begun.value = { ...edited, text: next };
  };
  const { argument } = kind.typeOf(column, row);
  const problem = value === null ? undefined : unfit(column, argument, value);
  const stored = value === null ? null : storedText(argument, value);
  const update = problem === undefined ? kind.updateOf(row, { ...row, [column.name]: stored }) : undefined;
  const save = async (): Promise<void> => {
    if (problem !== undefined) {
      error.value = problem;
      return;
    }
    if (update === undefined) return cancel();
    if (isSaving.value) return;
    await attempt(async () => {
      if ((await execute(update)) === 0) throw new Error(`${update.nothingChanged} Refresh.`);
      const inverse = kind.updateOf({ ...row, [column.name]: stored }, row);
      noteSaved(kind, `${column.name} is saved.`, inverse === undefined ? [] : [inverse]);
      await onSaved(`${column.name} is saved.`, edited.place);
      cancel();
    });
  };
  return {
    ...idle,
    editor: (
      <ValueEditor
        name={column.name}
        argument={argument}
        text={value}
        onText={change}
        onSave={save}
        onCancel={cancel}
      />
    ),
    actions: (
      <>
        <Button class="primary" disabled={update === undefined || isSaving.value} onClick={save}>
          Save
        </Button>
        {column.isNullable && value !== null && <Button onClick={() => change(null)}>Set to NULL</Button>}
        <Button onClick={cancel}>Cancel</Button>
      </>
    ),
    change: (
      <>
        <Failure text={error.value} />
        {problem !== undefined && error.value === '' && <p class="hint">{problem}</p>}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it */}
        {update !== undefined && <pre tabIndex={0}>{update.text}</pre>}
      </>
    ),
    onKey: () => false,
  };
}
