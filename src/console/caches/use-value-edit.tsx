/** Changes the value of a cell in its place, unless the row has changed since it was read. */
import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Failure } from '../elements/elements.tsx';
import { call, messageOf } from '../requests/request.ts';
import { parametersOf } from '../rows/result.ts';
import type { GridPlace } from '../rows/row-grid.tsx';
import type { KeysetRows } from './keyset-rows.ts';
import { type TableShape, updateOf } from './row-change.ts';
import { argumentTypeOf } from './row-query.ts';
import { shownStatement } from './shown-statement.ts';
import { ValueEditor } from './value-editor.tsx';

interface ValueEdit {
  readonly mayEdit: boolean;
  /** The field in the cell; undefined while none is changed. */
  readonly editor: ComponentChildren;
  /** The statement that would be sent, and what sends it. */
  readonly change: ComponentChildren;
  readonly begin: () => void;
  readonly cancel: () => void;
  /** Handles a key that begins a change, and returns whether it did. */
  readonly onKey: (event: KeyboardEvent) => boolean;
}

export function useValueEdit(props: {
  readonly shape: TableShape;
  readonly rows: KeysetRows | undefined;
  readonly active: Signal<GridPlace | undefined>;
  readonly onSaved: (message: string) => void;
}): ValueEdit {
  const { shape, rows, active, onSaved } = props;
  const text = useSignal<string | null | undefined>(undefined);
  const error = useSignal('');
  const column = active.value === undefined ? undefined : shape.columns[active.value[1]];
  const row = active.value === undefined ? undefined : rows?.texts(active.value[0]);
  const mayEdit = column !== undefined && row !== undefined && !column.isKey && argumentTypeOf(column) !== undefined;
  const begin = (typed?: string): void => {
    if (!mayEdit) return;
    [error.value, text.value] = ['', typed ?? row[column.name] ?? null];
  };
  const cancel = (): void => {
    [error.value, text.value] = ['', undefined];
  };
  const { value } = text;
  if (!mayEdit || value === undefined) {
    return {
      mayEdit,
      editor: undefined,
      change: undefined,
      begin: () => begin(),
      cancel,
      onKey(event) {
        const isTyped = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey;
        if (!mayEdit || (event.key !== 'F2' && !isTyped)) return false;
        begin(isTyped && argumentTypeOf(column) === 'string' ? event.key : undefined);
        return true;
      },
    };
  }
  const statement = updateOf(shape, row, { ...row, [column.name]: value });
  const save = async (): Promise<void> => {
    if (statement === undefined) {
      cancel();
      return;
    }
    error.value = '';
    try {
      const params = { ...parametersOf({ ...statement, schema: '' }), pageSize: 1 };
      const { items } = (await call('qryfldexe', params)) as unknown as {
        readonly items: ReadonlyArray<readonly [number]>;
      };
      if (Number(items[0]?.[0] ?? 0) === 0) {
        error.value = 'Nothing was changed: the row has changed since it was read, or is gone. Read again.';
        return;
      }
      cancel();
      onSaved(`${column.name} is saved.`);
      rows?.refresh();
    } catch (problem) {
      error.value = messageOf(problem);
    }
  };
  return {
    mayEdit,
    editor: (
      <ValueEditor
        column={column}
        text={value}
        onText={(next) => {
          text.value = next;
        }}
        onSave={save}
        onCancel={cancel}
      />
    ),
    change: (
      <>
        <Failure text={error.value} />
        <p class="actions">
          <button type="button" class="primary" disabled={statement === undefined} onClick={save}>
            Save if unchanged
          </button>
          {column.isNullable && value !== null && (
            <button
              type="button"
              onClick={() => {
                text.value = null;
              }}
            >
              Set to NULL
            </button>
          )}
          <button type="button" onClick={cancel}>
            Cancel
          </button>
        </p>
        {statement !== undefined && <pre>{shownStatement(statement.sql, statement.args)}</pre>}
      </>
    ),
    begin: () => begin(),
    cancel,
    onKey: () => false,
  };
}
