/** The heads of the columns of a grid, with an order and filters that users give in them. */

import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Button } from '../elements/elements.tsx';
import type { Column } from '../rows/row.ts';
import type { RowGridProps } from '../rows/row-grid.tsx';
import type { Order } from './row-query.ts';

/** The name of a column and its filter, with room around them. */
const HEAD_PIXELS = 68;

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
        {name}
        {sort !== undefined && <span aria-hidden="true">{sort === 'ascending' ? ' ↑' : ' ↓'}</span>}
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

export interface ColumnHeads {
  /** What was typed into the filters, by column. */
  readonly filters: Readonly<Record<string, string>>;
  readonly order: Order | undefined;
  readonly isFiltered: boolean;
  readonly head: NonNullable<RowGridProps['head']>;
  /** The button that clears the filters; null without any. */
  readonly clear: ComponentChildren;
}

export function useColumnHeads(): ColumnHeads {
  const filters = useSignal<Readonly<Record<string, string>>>({});
  const order = useSignal<Order | undefined>(undefined);
  const isFiltered = Object.values(filters.value).some((text) => text.trim() !== '');
  const sortOf = ({ name }: Pick<Column, 'name'>): Sort => {
    const { value: now } = order;
    if (now?.column !== name) return undefined;
    return now.isDescending ? 'descending' : 'ascending';
  };
  const sort = (name: string): void => {
    const before = sortOf({ name });
    order.value = before === 'descending' ? undefined : { column: name, isDescending: before === 'ascending' };
  };
  return {
    filters: filters.value,
    order: order.value,
    isFiltered,
    head: {
      pixels: HEAD_PIXELS,
      sortOf,
      of: (column) => (
        <Head
          column={column}
          sort={sortOf(column)}
          onSort={() => sort(column.name)}
          filter={filters.value[column.name] ?? ''}
          onFilter={(text) => (filters.value = { ...filters.value, [column.name]: text })}
        />
      ),
    },
    clear: isFiltered ? <Button onClick={() => (filters.value = {})}>Clear filters</Button> : null,
  };
}
