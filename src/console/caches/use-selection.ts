/** The rows of a grid that are selected by keys and the pointer. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { GridLocation } from '../rows/grid-row.tsx';
import type { PagedRows } from '../rows/paged-rows.ts';
import { joinSelections, type Selection, selectRange, toggleRow } from '../rows/row-selection.ts';

const NONE: Selection = new Set();

export function useSelection(rows: PagedRows | undefined, active: Signal<GridLocation | undefined>) {
  const selected = useSignal<Selection>(NONE);
  const anchor = useSignal(0);
  const extend = (from: number, to: number): void => {
    if (selected.value.size === 0) anchor.value = from;
    selected.value = selectRange(anchor.value, to);
  };
  useEffect(() => {
    selected.value = NONE;
  }, [rows]);
  return {
    selected,
    select: (next: Selection): void => {
      selected.value = next;
    },
    onPress([row]: GridLocation, event: MouseEvent): void {
      // The menu applies to all selected rows.
      if (event.button === 2 && selected.value.has(row)) return;
      if (event.shiftKey) {
        // The browser would select the text between.
        event.preventDefault();
        extend(active.peek()?.[0] ?? row, row);
      } else if (event.ctrlKey || event.metaKey) {
        anchor.value = row;
        selected.value = toggleRow(selected.value, row);
      } else selected.value = NONE;
    },
    /** Handles a press on the box of a row, and returns whether the row is selected. */
    onSelect(row: number, isRange: boolean): boolean {
      if (isRange && selected.value.size > 0) {
        selected.value = joinSelections(selected.value, selectRange(anchor.value, row));
      } else {
        anchor.value = row;
        selected.value = toggleRow(selected.value, row);
      }
      return selected.value.has(row);
    },
    onSelectAll(isSelected: boolean): void {
      selected.value = isSelected ? selectRange(0, (rows?.rowCount.peek() ?? 0) - 1) : NONE;
    },
    /** Handles a key, and returns whether it was consumed. */
    onKey(event: KeyboardEvent, [row]: GridLocation): boolean {
      const last = (rows?.rowCount.peek() ?? 0) - 1;
      if (event.key === ' ') {
        anchor.value = row;
        selected.value = toggleRow(selected.value, row);
      } else if (event.key === 'Escape') selected.value = NONE;
      else if (event.key === 'a' && (event.ctrlKey || event.metaKey)) selected.value = selectRange(0, last);
      else if (event.shiftKey && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
        extend(row, Math.max(0, Math.min(last, row + (event.key === 'ArrowDown' ? 1 : -1))));
        return false;
      } else return false;
      return true;
    },
  };
}
