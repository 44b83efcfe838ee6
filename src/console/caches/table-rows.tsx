/** The rows of a table in a grid of its columns: sorted and filtered. */
import { type Signal, useSignal } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import { linkTo } from '../elements/address.ts';
import type { GridPlace } from '../rows/row-grid.tsx';
import type { Column } from '../rows/row-source.ts';
import { useLayout } from './column-dialog.tsx';
import { GoToRow } from './go-to-row.tsx';
import { KeysetRows } from './keyset-rows.ts';
import type { TableShape } from './row-change.ts';
import { filterProblem, type Order, statementOf } from './row-query.ts';
import { shownStatement } from './shown-statement.ts';
import { StoredGrid } from './stored-grid.tsx';
import { tableKind } from './table-kind.ts';
import { useOpenedRows } from './use-opened-rows.ts';

/** The name of a column and its filter, with room around them. */
const HEAD_PIXELS = 68;

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

export function TableRows({ cacheName, ...shape }: TableShape & { readonly cacheName: string }) {
  const { table, columns } = shape;
  const kind = useMemo(() => tableKind({ table, columns }), [table, columns]);
  const layout = useLayout(kind);
  const filters = useSignal<Readonly<Record<string, string>>>({});
  const order = useSignal<Order | undefined>(undefined);
  const query = { table, columns, filters: filters.value, order: order.value };
  const problem = filterProblem(query);
  const sent = useRef(query);
  // What does not fit its column is not sent: the rows before stay.
  if (problem === undefined) sent.current = query;
  const { sql, args } = statementOf(sent.current);
  const opened = useOpenedRows(() => new KeysetRows(sent.current), JSON.stringify([sql, args]));
  const active = useSignal<GridPlace | undefined>(undefined);
  const goTo = useSignal<number | undefined>(undefined);
  const isGoing = useSignal(false);
  const rows = opened.rows.value;
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
    <>
      <StoredGrid
        kind={kind}
        cacheName={cacheName}
        opened={opened}
        layout={layout}
        active={active}
        problem={problem}
        goTo={goTo}
        head={{
          pixels: HEAD_PIXELS,
          sortOf,
          of: (column) => (
            <Head column={column} sort={sortOf(column)} onSort={() => sort(column.name)} filters={filters} />
          ),
        }}
        firstActions={
          <button type="button" disabled={rows === undefined} onClick={() => (isGoing.value = true)}>
            Go to row …
          </button>
        }
        lastActions={
          <>
            {isFiltered && (
              <button type="button" onClick={() => (filters.value = {})}>
                Clear filters
              </button>
            )}
            <a href={linkTo('query', { sql: args.length === 0 ? sql : shownStatement(sql, args) })}>Open as a query</a>
          </>
        }
        empty={
          isFiltered ? (
            'No row matches the filters.'
          ) : (
            <>
              The table has no rows. Add one, or{' '}
              <a href={linkTo('caches', { name: cacheName, tab: 'transfer' })}>import a file</a>.
            </>
          )
        }
        footer={
          <details>
            <summary>Statement</summary>
            <pre>{shownStatement(sql, args)}</pre>
          </details>
        }
      />
      {isGoing.value && rows !== undefined && (
        <GoToRow
          rows={rows}
          onClose={() => (isGoing.value = false)}
          onFound={(index) => {
            active.value = [index, layout.arrangement.shown[0] ?? 0];
            goTo.value = undefined;
            goTo.value = index;
          }}
        />
      )}
    </>
  );
}
