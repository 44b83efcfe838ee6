/** The head of a column that can be sorted and filtered. */
import { Button } from '../elements/elements.tsx';
import type { Column } from './row.ts';
import { typeText } from './sql-types.ts';

/** The height of the name of a column and its filter, with the space around them. */
export const HEAD_PIXELS = 64;

export type Sort = 'ascending' | 'descending' | undefined;

export interface ColumnHeadProps {
  readonly column: Column;
  /** Whether it can be dragged to another place. Default: false. */
  readonly isMovable?: boolean;
  readonly sort: Sort;
  readonly onSort: () => void;
  readonly filter: string;
  readonly onFilter: (text: string) => void;
}

/** The name of a column, its type, its order and its filter. */
export function ColumnHead({ column, isMovable = false, sort, onSort, filter, onFilter }: ColumnHeadProps) {
  const { name, type, sqlType = typeText(type) } = column;
  return (
    <>
      <Button class="plain column-name" draggable={isMovable} onClick={onSort}>
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
        title="Text, a comparison such as >= 5, a range such as 5..10, null or !null"
        value={filter}
        onInput={({ currentTarget }) => onFilter(currentTarget.value)}
      />
    </>
  );
}
