/** The order and the filters of a result, for the rows that were read. They are kept as long as the result. */
import { type Signal, signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { Button, Failure, Status } from '../elements/elements.tsx';
import { formatCount, formatNumber } from '../elements/formats.ts';
import {
  ArrangedRows,
  arrangementProblem,
  isUnarranged,
  type RowArrangement,
  UNARRANGED,
} from '../rows/arranged-rows.ts';
import { ColumnHead, HEAD_PIXELS, type Sort } from '../rows/column-head.tsx';
import type { PagedRows } from '../rows/paged-rows.ts';
import type { Result } from '../rows/result.ts';
import type { Column } from '../rows/row.ts';
import type { RowGridProps } from '../rows/row-grid.tsx';

const arrangements = new WeakMap<Result, Signal<RowArrangement>>();

function arrangementOf(result: Result): Signal<RowArrangement> {
  const known = arrangements.get(result) ?? signal(UNARRANGED);
  arrangements.set(result, known);
  return known;
}

export interface Arranged {
  /** The rows as they are shown. */
  readonly rows: PagedRows;
  /** The rows that the order and the filters were applied to; undefined if there is neither. */
  readonly of: ArrangedRows | undefined;
  /** Filters by a column, given by its position. */
  readonly filter: (column: number, text: string) => void;
  readonly head: NonNullable<RowGridProps['head']>;
  /** Why the filters were not applied. */
  readonly problem: string | undefined;
  readonly clear: () => void;
}

/** Returns the rows of a result in the order and with the filters set in its column heads. */
export function useArrangement(result: Result): Arranged {
  const arrangement = arrangementOf(result);
  const { value: asked } = arrangement;
  const columns = result.columns.value;
  const version = result.version.value;
  const problem = arrangementProblem(columns, asked);
  const isPlain = isUnarranged(asked) || problem !== undefined;
  const of = useMemo(
    () => (isPlain ? undefined : new ArrangedRows(result, asked)),
    [result, asked, isPlain, isPlain ? 0 : version],
  );
  const at = (column: Column): number => columns.indexOf(column);
  const sortOf = (column: Column): Sort => {
    if (asked.order === undefined || asked.order.column !== at(column)) return undefined;
    return asked.order.isDescending ? 'descending' : 'ascending';
  };
  const sort = (column: Column): void => {
    const before = sortOf(column);
    const order = before === 'descending' ? undefined : { column: at(column), isDescending: before === 'ascending' };
    arrangement.value = { ...asked, order };
  };
  const filter = (column: number, text: string): void => {
    arrangement.value = { ...asked, filters: new Map(asked.filters).set(column, text) };
  };
  return {
    rows: of ?? result,
    of,
    problem,
    filter,
    clear: () => {
      arrangement.value = UNARRANGED;
    },
    head: {
      pixels: HEAD_PIXELS,
      sortOf,
      of: (column) => (
        <ColumnHead
          column={column}
          sort={sortOf(column)}
          onSort={() => sort(column)}
          filter={asked.filters.get(at(column)) ?? ''}
          onFilter={(text) => filter(at(column), text)}
        />
      ),
    },
  };
}

/** Says which rows the order and the filters apply to, and reads more of them. */
export function ArrangedStatus({ result, arranged }: { readonly result: Result; readonly arranged: Arranged }) {
  const { of, problem, clear } = arranged;
  if (of === undefined && problem === undefined) return null;
  const readAll = result.isComplete.value;
  const shown = formatNumber(of?.rowCount.value ?? 0);
  const count = formatCount(of?.sourceCount ?? 0, 'row');
  const isWhole = readAll && of?.sourceCount === result.rowCount.value;
  const rowsRead = result.rowCount.value;
  return (
    <div class="actions arranged">
      {of !== undefined && (
        <Status text={`${shown} of ${count}${isWhole ? '' : readAll ? ' kept' : ' read so far'}.`} />
      )}
      <Failure text={problem ?? ''} />
      {of !== undefined && !readAll && (
        <Button disabled={result.isReading.value} onClick={() => result.view(rowsRead, rowsRead)}>
          Read more rows
        </Button>
      )}
      <Button onClick={clear}>Clear order and filters</Button>
    </div>
  );
}
