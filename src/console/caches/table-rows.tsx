/** The rows of a table in a grid of its columns: sorted, filtered, added, changed and removed. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { linkTo } from '../elements/address.ts';
import { Failure, Status } from '../elements/elements.tsx';
import { formatMs, formatNumber, formatValue } from '../elements/formats.ts';
import { messageOf } from '../requests/request.ts';
import { type Column, Result } from '../rows/result.ts';
import { RowGrid } from '../rows/row-grid.tsx';
import type { RowTexts, TableShape } from './row-change.ts';
import { RowDialog } from './row-dialog.tsx';
import { type Order, statementOf } from './row-query.ts';
import { shownStatement } from './shown-statement.ts';

/** The name of a column and its filter, with room around them. */
const HEAD_PIXELS = 68;
/** Filters are sent when nothing was typed for this long. */
const PAUSE_MS = 300;

/** Returns a result without rows that has the columns of another one, so that its filters can still be corrected. */
function emptyLike({ statement, columns }: Result): Result {
  const empty = new Result(statement);
  empty.columns.value = columns.value;
  empty.isComplete.value = true;
  return empty;
}

/** Returns the rows that filters and an order select, which are read again when these change. */
function useTableRows({ table, columns }: TableShape) {
  const result = useSignal<Result | undefined>(undefined);
  const filters = useSignal<Readonly<Record<string, string>>>({});
  const order = useSignal<Order | undefined>(undefined);
  const error = useSignal('');
  const version = useSignal(0);
  const { sql, args } = statementOf({ table, columns, filters: filters.value, order: order.value });
  useEffect(() => {
    const next = new Result({ sql, args, schema: '' });
    const open = async (): Promise<void> => {
      try {
        await next.open();
        result.peek()?.close();
        result.value = next;
        error.value = '';
      } catch (problem) {
        if (problem instanceof DOMException) return;
        const before = result.peek();
        before?.close();
        if (before !== undefined) result.value = emptyLike(before);
        error.value = messageOf(problem);
      }
    };
    const timer = setTimeout(open, result.peek() === undefined ? 0 : PAUSE_MS);
    return () => {
      clearTimeout(timer);
      if (result.peek() !== next) next.close();
    };
  }, [sql, JSON.stringify(args), version.value]);
  useEffect(() => () => result.peek()?.close(), []);
  return { result, filters, order, error, sql, args, reload: () => version.value++ };
}

/** Returns the row at an index as texts by column; undefined if it is not kept. */
function textsOf(result: Result, index: number): RowTexts | undefined {
  const row = result.row(index);
  if (row === undefined) return undefined;
  return Object.fromEntries(
    result.columns.value.map(({ name }, at) => [name, row[at] === null ? null : formatValue(row[at])]),
  );
}

export function TableRows(shape: TableShape) {
  const { result, filters, order, error, sql, args, reload } = useTableRows(shape);
  const opened = useSignal<{ readonly row: RowTexts | undefined; readonly column: string | undefined } | undefined>(
    undefined,
  );
  const shown = result.value;
  const sortOf = ({ name }: Column) =>
    order.value?.column !== name ? undefined : order.value.isDescending ? 'descending' : 'ascending';
  const sort = (name: string): void => {
    const { value: now } = order;
    if (now?.column !== name) order.value = { column: name, isDescending: false };
    else order.value = now.isDescending ? undefined : { column: name, isDescending: true };
  };
  const isFiltered = Object.values(filters.value).some((text) => text.trim() !== '');
  const count = shown === undefined ? '' : formatNumber(shown.rowCount.value);
  const more = shown?.isComplete.value === false ? ' so far; scroll for more' : '';
  return (
    <section aria-labelledby="rows">
      <h2 id="rows" class="hidden">
        Rows
      </h2>
      <p class="actions">
        <button type="button" class="primary" onClick={() => (opened.value = { row: undefined, column: undefined })}>
          Add row
        </button>
        <button type="button" onClick={reload}>
          Read again
        </button>
        {isFiltered && (
          <button type="button" onClick={() => (filters.value = {})}>
            Clear filters
          </button>
        )}
        <a href={linkTo('query', { sql: args.length === 0 ? sql : shownStatement(sql, args) })}>Open as a query</a>
      </p>
      <Failure text={error.value || (shown?.failure.value ?? '')} />
      {shown === undefined && error.value === '' && <p class="hint">Loading …</p>}
      {shown !== undefined && (
        <>
          <RowGrid
            label="Rows"
            result={shown}
            head={{
              pixels: HEAD_PIXELS,
              sortOf,
              of: (column) => (
                <>
                  <button type="button" class="plain column-name" onClick={() => sort(column.name)}>
                    {column.name}
                    {sortOf(column) !== undefined && (
                      <span aria-hidden="true">{sortOf(column) === 'ascending' ? ' ↑' : ' ↓'}</span>
                    )}
                  </button>
                  <input
                    type="text"
                    aria-label={`Filter ${column.name}`}
                    placeholder="Filter"
                    title="A text, a comparison such as >= 5, null or !null"
                    value={filters.value[column.name] ?? ''}
                    onInput={({ currentTarget }) =>
                      (filters.value = { ...filters.value, [column.name]: currentTarget.value })
                    }
                  />
                </>
              ),
            }}
            onOpen={(index, at) => {
              const row = textsOf(shown, index);
              if (row !== undefined) opened.value = { row, column: shown.columns.value[at]?.name };
            }}
          />
          <Status
            text={`${count} ${shown.rowCount.value === 1 ? 'row' : 'rows'}${more}${
              shown.timeMs.value === undefined ? '' : `, first page in ${formatMs(shown.timeMs.value)}`
            }. Enter or a double click opens a row.`}
          />
          <details>
            <summary>Statement</summary>
            <pre>{shownStatement(sql, args)}</pre>
          </details>
        </>
      )}
      {opened.value !== undefined && (
        <RowDialog
          shape={shape}
          row={opened.value.row}
          column={opened.value.column}
          onClose={() => (opened.value = undefined)}
          onChanged={reload}
        />
      )}
    </section>
  );
}
