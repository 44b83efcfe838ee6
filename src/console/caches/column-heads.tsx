/** The column heads of a grid, where users set the order and filters. */

import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { address, keepState } from '../elements/address.ts';
import { Button } from '../elements/elements.tsx';
import type { Order } from '../rows/column-filter.ts';
import { ColumnHead, HEAD_PIXELS, type Sort } from '../rows/column-head.tsx';
import type { Column } from '../rows/row.ts';
import type { RowGridProps } from '../rows/row-grid.tsx';

/** Names of the address parameters with the filters. */
const FILTER = 'filter.';

/** The scroll position is noted once it rests. */
const SETTLED_MS = 300;

/** A grid's state in the address, and functions that change it. */
export interface ColumnHeads {
  /** The text typed into the filters, by column. */
  readonly filters: Readonly<Record<string, string>>;
  readonly order: Order | undefined;
  readonly isFiltered: boolean;
  readonly filter: (column: string, text: string) => void;
  readonly place: NonNullable<RowGridProps['place']>;
  readonly head: NonNullable<RowGridProps['head']>;
  /** The button that clears the filters; null if there are none. */
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
  // Different rows are shown from the first one.
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
        <ColumnHead
          column={column}
          isMovable
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
