/** The heads of the columns of a grid, with an order and filters that users give in them. */

import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { address, keepState } from '../elements/address.ts';
import { Button } from '../elements/elements.tsx';
import type { Column } from '../rows/row.ts';
import type { RowGridProps } from '../rows/row-grid.tsx';
import type { Order } from './row-query.ts';

/** The name of a column and its filter, with room around them. */
const HEAD_PIXELS = 64;

/** Names of the parameters of the address that have the filters. */
const FILTER = 'filter.';

type Sort = 'ascending' | 'descending' | undefined;

interface HeadProps {
  readonly column: Column;
  readonly sort: Sort;
  readonly onSort: () => void;
  readonly filter: string;
  readonly onFilter: (text: string) => void;
}

/** The name of a column, its type, its order and its filter. */
function Head({ column: { name, sqlType = '' }, sort, onSort, filter, onFilter }: HeadProps) {
  return (
    <>
      <Button class="plain column-name" draggable onClick={onSort}>
        <span>
          {name}
          {sort !== undefined && <span aria-hidden="true">{sort === 'ascending' ? ' ↑' : ' ↓'}</span>}
        </span>
        <span class="column-type" aria-hidden="true">
          {sqlType}
        </span>
      </Button>
      <input
        type="text"
        aria-label={`Filter ${name}`}
        placeholder="Filter"
        title="A text, a comparison such as >= 5, a range such as 5..10, null or !null"
        value={filter}
        onInput={({ currentTarget }) => onFilter(currentTarget.value)}
      />
    </>
  );
}

/** Where a grid is scrolled to is noted when it stays there. */
const SETTLED_MS = 300;

/** What the address says of a grid, and what changes it. */
export interface ColumnHeads {
  /** What was typed into the filters, by column. */
  readonly filters: Readonly<Record<string, string>>;
  readonly order: Order | undefined;
  readonly isFiltered: boolean;
  readonly filter: (column: string, text: string) => void;
  readonly place: NonNullable<RowGridProps['place']>;
  readonly head: NonNullable<RowGridProps['head']>;
  /** The button that clears the filters; null without any. */
  readonly clear: ComponentChildren;
}

export function useColumnHeads(): ColumnHeads {
  const { params } = address.value;
  const filters = Object.fromEntries(
    [...params].flatMap(([name, text]) => (name.startsWith(FILTER) ? [[name.slice(FILTER.length), text]] : [])),
  );
  const [, sign, column = ''] = /^(-?)(.+)$/s.exec(params.get('order') ?? '') ?? [];
  const order: Order | undefined = column === '' ? undefined : { column, isDescending: sign === '-' };
  const isFiltered = Object.values(filters).some((text) => text.trim() !== '');
  const noting = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(noting.current), []);
  const sortOf = ({ name }: Pick<Column, 'name'>): Sort => {
    if (order?.column !== name) return undefined;
    return order.isDescending ? 'descending' : 'ascending';
  };
  // Other rows are shown from the first one.
  const sort = (name: string): void => {
    const before = sortOf({ name });
    const next = before === 'descending' ? undefined : `${before === 'ascending' ? '-' : ''}${name}`;
    keepState({ order: next, row: undefined });
  };
  const filter = (name: string, text: string): void => keepState({ [`${FILTER}${name}`]: text, row: undefined });
  const clear = (): void =>
    keepState({
      ...Object.fromEntries(Object.keys(filters).map((name) => [`${FILTER}${name}`, undefined])),
      row: undefined,
    });
  return {
    filters,
    order,
    isFiltered,
    filter,
    place: {
      row: Number(params.get('row') ?? 0),
      onRow(row) {
        clearTimeout(noting.current);
        noting.current = setTimeout(() => keepState({ row: row === 0 ? undefined : `${row}` }), SETTLED_MS);
      },
    },
    head: {
      pixels: HEAD_PIXELS,
      sortOf,
      of: (column) => (
        <Head
          column={column}
          sort={sortOf(column)}
          onSort={() => sort(column.name)}
          filter={filters[column.name] ?? ''}
          onFilter={(text) => filter(column.name, text)}
        />
      ),
    },
    clear: isFiltered ? <Button onClick={clear}>Clear filters</Button> : null,
  };
}
