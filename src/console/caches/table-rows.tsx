/** The rows of a table in a grid of its columns: sorted, filtered, added, changed and removed. */
import { type Signal, useSignal } from '@preact/signals';
import { useCallback, useEffect, useMemo, useRef } from 'preact/hooks';
import { linkTo } from '../elements/address.ts';
import { Failure, Status } from '../elements/elements.tsx';
import { formatMs, formatNumber } from '../elements/formats.ts';
import { ChangedRows } from '../live/changed-rows.ts';
import { LiveRows } from '../live/live-rows.tsx';
import { messageOf } from '../requests/request.ts';
import { type GridPlace, RowGrid } from '../rows/row-grid.tsx';
import { MOST_SELECTED, rowsAsText, type Selection } from '../rows/row-selection.ts';
import type { Column } from '../rows/row-source.ts';
import { ValueDialog } from '../rows/value-dialog.tsx';
import { ColumnDialog, useLayout } from './column-dialog.tsx';
import { DeleteRows } from './delete-rows.tsx';
import { GoToRow } from './go-to-row.tsx';
import { KeysetRows } from './keyset-rows.ts';
import type { TableShape } from './row-change.ts';
import { RowDialog } from './row-dialog.tsx';
import { type Order, type RowTexts, statementOf } from './row-query.ts';
import { shownStatement } from './shown-statement.ts';
import { useSelection } from './use-selection.ts';
import { useValueEdit } from './use-value-edit.tsx';

/** The name of a column and its filter, with room around them. */
const HEAD_PIXELS = 68;
/** Filters are sent when nothing was typed for this long. */
const PAUSE_MS = 300;

/** Returns the rows that filters and an order select, which are read again when these change. */
function useTableRows({ table, columns }: TableShape) {
  const rows = useSignal<KeysetRows | undefined>(undefined);
  const filters = useSignal<Readonly<Record<string, string>>>({});
  const order = useSignal<Order | undefined>(undefined);
  const error = useSignal('');
  const query = { table, columns, filters: filters.value, order: order.value };
  const { sql, args } = statementOf(query);
  useEffect(() => {
    const next = new KeysetRows(query);
    const open = async (): Promise<void> => {
      try {
        await next.open();
        error.value = '';
      } catch (problem) {
        if (problem instanceof DOMException) return;
        // Without rows, but with its columns, so that its filters can still be corrected.
        next.isComplete.value = true;
        error.value = messageOf(problem);
      }
      rows.peek()?.close();
      rows.value = next;
    };
    const timer = setTimeout(open, rows.peek() === undefined ? 0 : PAUSE_MS);
    return () => {
      clearTimeout(timer);
      if (rows.peek() !== next) next.close();
    };
  }, [sql, JSON.stringify(args)]);
  useEffect(() => () => rows.peek()?.close(), []);
  return { rows, filters, order, error, sql, args };
}

/**
 * Returns what reads the rows again, later while they are held: what is selected or changed in its cell must not get
 * another row in its place.
 */
function useHeldRefresh(rows: Signal<KeysetRows | undefined>, isHeld: boolean): () => void {
  const state = useRef({ isHeld, isDue: false });
  state.current.isHeld = isHeld;
  const refresh = useCallback((): void => {
    state.current.isDue = state.current.isHeld;
    if (!state.current.isHeld) rows.peek()?.refresh();
  }, []);
  useEffect(() => {
    if (!isHeld && state.current.isDue) refresh();
  }, [isHeld]);
  return refresh;
}

/** Returns where the columns of the key are in a row, in the order of their names. */
function keyColumnsOf(columns: TableShape['columns']): readonly number[] {
  const keys = columns.flatMap(({ isKey, name }, at) => (isKey ? [{ name, at }] : []));
  return keys.sort((a, b) => (a.name < b.name ? -1 : 1)).map(({ at }) => at);
}

/** The name of a column, its type, its order and its filter. */
function Head(props: {
  readonly column: Column;
  readonly sort: 'ascending' | 'descending' | undefined;
  readonly onSort: () => void;
  readonly filters: Signal<Readonly<Record<string, string>>>;
}) {
  const { column, sort, onSort, filters } = props;
  const { name, sqlType = '' } = column;
  return (
    <>
      <button type="button" class="plain column-name" draggable onClick={onSort}>
        {name}
        {sort !== undefined && <span aria-hidden="true">{sort === 'ascending' ? ' ↑' : ' ↓'}</span>}
        <span class="column-type" aria-hidden="true">
          {sqlType}
        </span>
      </button>
      <input
        type="text"
        aria-label={`Filter ${name}`}
        placeholder="Filter"
        title="A text, a comparison such as >= 5, null or !null"
        value={filters.value[name] ?? ''}
        onInput={({ currentTarget }) => (filters.value = { ...filters.value, [name]: currentTarget.value })}
      />
    </>
  );
}

function countText({ rowCount, isComplete, timeMs }: KeysetRows): string {
  if (hasNoRows({ rowCount, isComplete })) return '';
  const rows = `${formatNumber(rowCount.value)} ${rowCount.value === 1 ? 'row' : 'rows'}`;
  const time = timeMs.value === undefined ? '' : `, the first in ${formatMs(timeMs.value)}`;
  return `${rows}${isComplete.value ? '' : ' so far'}${time}.`;
}

function hasNoRows({ rowCount, isComplete }: Pick<KeysetRows, 'rowCount' | 'isComplete'>): boolean {
  return isComplete.value && rowCount.value === 0;
}

function selectionText({ size }: Selection): string {
  if (size === 0) return '';
  const most = size === MOST_SELECTED ? ', which are all that can be' : '';
  return `${formatNumber(size)} ${size === 1 ? 'row is' : 'rows are'} selected${most}.`;
}

export function TableRows({ cacheName, ...shape }: TableShape & { readonly cacheName: string }) {
  const { rows, filters, order, error, sql, args } = useTableRows(shape);
  const layout = useLayout(shape);
  const opened = useSignal<{ readonly row: RowTexts | undefined; readonly column: string | undefined } | undefined>(
    undefined,
  );
  const dialog = useSignal<'columns' | 'go' | 'value' | undefined>(undefined);
  const deleted = useSignal<readonly RowTexts[] | undefined>(undefined);
  const message = useSignal('');
  const active = useSignal<GridPlace | undefined>(undefined);
  const goTo = useSignal<number | undefined>(undefined);
  const shown = rows.value;
  const changed = useMemo(() => new ChangedRows(), [cacheName]);
  const keys = useMemo(() => keyColumnsOf(shape.columns), [shape.columns]);
  void changed.version.value;
  const { selected, select, onPress, onKey: onSelectionKey } = useSelection(shown, active);
  // The active row may have been read again.
  void shown?.version.value;
  /** Reads the rows again. Other ones may then be in the places of those that were selected. */
  const readAgain = (): void => {
    select(new Set());
    edit.noteReadAgain();
    shown?.refresh();
  };
  const edit = useValueEdit({
    shape,
    rows: shown,
    active,
    async onSaved(text, [index]) {
      select(new Set());
      await shown?.refreshAround(index);
      message.value = text;
    },
    onOpen(row, column) {
      opened.value = { row, column };
    },
  });
  const refresh = useHeldRefresh(rows, selected.value.size > 0 || edit.editor !== undefined);
  const activeRow = active.value === undefined ? undefined : shown?.texts(active.value[0]);
  const activeColumn = active.value === undefined ? undefined : shape.columns[active.value[1]];
  const chosenRows = (): readonly number[] =>
    selected.value.size > 0
      ? [...selected.value].sort((a, b) => a - b)
      : active.value === undefined
        ? []
        : [active.value[0]];
  const askDelete = async (): Promise<void> => {
    message.value = '';
    try {
      deleted.value = await shown?.load(chosenRows());
    } catch (problem) {
      error.value = messageOf(problem);
    }
  };
  const copy = (event: ClipboardEvent): void => {
    if (shown === undefined || event.clipboardData === null || event.target instanceof HTMLInputElement) return;
    const texts = chosenRows()
      .map((index) => shown.texts(index))
      .filter((each) => each !== undefined);
    if (texts.length === 0 || getSelection()?.isCollapsed === false) return;
    const names = layout.arrangement.shown.map((at) => shape.columns[at]?.name ?? '');
    const [only] = texts;
    const text =
      selected.value.size === 0 && only !== undefined && activeColumn !== undefined
        ? (only[activeColumn.name] ?? '')
        : rowsAsText(names, texts);
    event.clipboardData.setData('text/plain', text);
    event.preventDefault();
    message.value = selected.value.size === 0 ? 'The value is copied.' : `Copied ${formatNumber(texts.length)} rows.`;
  };
  const onKey = (event: KeyboardEvent, place: GridPlace): boolean => {
    if (event.key === 'Delete') void askDelete();
    else return onSelectionKey(event, place) || edit.onKey(event);
    return true;
  };
  const sortOf = ({ name }: Column) => {
    const { value: now } = order;
    return now?.column !== name ? undefined : now.isDescending ? ('descending' as const) : ('ascending' as const);
  };
  const sort = (name: string): void => {
    const { value: now } = order;
    if (now?.column !== name) order.value = { column: name, isDescending: false };
    else order.value = now.isDescending ? undefined : { column: name, isDescending: true };
  };
  const isFiltered = Object.values(filters.value).some((text) => text.trim() !== '');
  return (
    <section aria-labelledby="rows">
      <h2 id="rows" class="hidden">
        Rows
      </h2>
      <p class="actions">
        <button type="button" class="primary" onClick={() => (opened.value = { row: undefined, column: undefined })}>
          Add row
        </button>
        <button type="button" disabled={shown === undefined} onClick={() => (dialog.value = 'go')}>
          Go to row …
        </button>
        <button type="button" onClick={() => (dialog.value = 'columns')}>
          Columns …
        </button>
        <button type="button" onClick={readAgain}>
          Read again
        </button>
        <LiveRows cacheName={cacheName} rows={changed} onRefresh={refresh} />
        {isFiltered && (
          <button type="button" onClick={() => (filters.value = {})}>
            Clear filters
          </button>
        )}
        <a href={linkTo('query', { sql: args.length === 0 ? sql : shownStatement(sql, args) })}>Open as a query</a>
      </p>
      <Failure text={error.value || (shown?.failure.value ?? '')} />
      {shown === undefined && <p class="hint">Loading …</p>}
      {shown !== undefined && (
        <div onCopy={copy} class={hasNoRows(shown) ? 'without-rows' : ''}>
          <RowGrid
            label="Rows"
            selected={selected.value}
            onPress={(place, event) => {
              edit.cancel();
              onPress(place, event);
            }}
            onKey={onKey}
            editor={edit.editor}
            result={shown}
            arrangement={layout.arrangement}
            active={active}
            goTo={goTo}
            markOf={(row) => changed.markOf(keys.map((at) => row[at]))}
            head={{
              pixels: HEAD_PIXELS,
              sortOf,
              of: (column) => (
                <Head column={column} sort={sortOf(column)} onSort={() => sort(column.name)} filters={filters} />
              ),
            }}
            onOpen={(index, at) => {
              const row = shown.texts(index);
              if (row !== undefined) opened.value = { row, column: shape.columns[at]?.name };
            }}
          />
          <Status text={[countText(shown), selectionText(selected.value), message.value].filter(Boolean).join(' ')} />
          {hasNoRows(shown) && error.value === '' && (
            <p class="hint" role="status">
              {isFiltered ? (
                'No row matches the filters.'
              ) : (
                <>
                  The table has no rows. Add one, or{' '}
                  <a href={linkTo('caches', { name: cacheName, tab: 'transfer' })}>import a file</a>.
                </>
              )}
            </p>
          )}
          {edit.change}
          {activeRow !== undefined && activeColumn !== undefined && edit.editor === undefined && (
            <p class="actions">
              <button type="button" disabled={!edit.mayEdit} onClick={edit.begin}>
                Edit cell
              </button>
              <button type="button" onClick={() => (dialog.value = 'value')}>
                Show whole value
              </button>
              <button type="button" onClick={() => (opened.value = { row: activeRow, column: activeColumn.name })}>
                Open row
              </button>
              <button type="button" class="danger" onClick={askDelete}>
                {selected.value.size > 1 ? `Delete ${formatNumber(selected.value.size)} rows …` : 'Delete row …'}
              </button>
            </p>
          )}
          <details>
            <summary>Keys</summary>
            <p class="hint">
              Enter or a double click opens the row, F2 or typing changes the cell, Space selects the row, Shift with
              the arrows or a click selects several, Control+C copies, Delete deletes. Double clicks on the edge of a
              head fit the column.
            </p>
          </details>
          <details>
            <summary>Statement</summary>
            <pre>{shownStatement(sql, args)}</pre>
          </details>
        </div>
      )}
      {opened.value !== undefined && (
        <RowDialog
          shape={shape}
          row={opened.value.row}
          column={opened.value.column}
          onClose={() => (opened.value = undefined)}
          onChanged={readAgain}
        />
      )}
      {dialog.value === 'value' && activeRow !== undefined && activeColumn !== undefined && (
        <ValueDialog
          name={activeColumn.name}
          type={activeColumn.type}
          sqlType={activeColumn.sqlType}
          value={activeRow[activeColumn.name] ?? null}
          onClose={() => (dialog.value = undefined)}
        />
      )}
      {deleted.value !== undefined && deleted.value.length > 0 && (
        <DeleteRows
          shape={shape}
          rows={deleted.value}
          onClose={() => (deleted.value = undefined)}
          onDeleted={(text) => {
            message.value = text;
            readAgain();
          }}
        />
      )}
      {dialog.value === 'columns' && (
        <ColumnDialog shape={shape} layout={layout} onClose={() => (dialog.value = undefined)} />
      )}
      {dialog.value === 'go' && shown !== undefined && (
        <GoToRow
          rows={shown}
          onClose={() => (dialog.value = undefined)}
          onFound={(index) => {
            active.value = [index, layout.arrangement.shown[0] ?? 0];
            goTo.value = undefined;
            goTo.value = index;
          }}
        />
      )}
    </section>
  );
}
