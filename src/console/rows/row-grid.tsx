/** Rows in a grid. Only those in view are elements of the page. */
import { type Signal, signal, useSignal, useSignalEffect } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useMemo, useRef } from 'preact/hooks';
import { formatNumber } from '../elements/formats.ts';
import { isPrinting } from '../elements/printing.ts';
import { useVirtualRows, type VirtualRows } from '../elements/virtual-rows.ts';
import { healed } from '../requests/connection.ts';
import { ColumnEdge } from './column-edge.tsx';
import { WIDTH_STEP_PIXELS } from './column-widths.ts';
import { type Arrangement, useGridColumns } from './grid-columns.ts';
import { type GridLocation, GridRow, kindOf } from './grid-row.tsx';
import type { PagedRows } from './paged-rows.ts';
import type { Column, Row } from './row.ts';
import { MAX_SELECTED } from './row-selection.ts';
import { typeText } from './sql-types.ts';

/** Fast scrolling shows no empty rows, and the page stays below 200 of them. */
const OVERSCAN_ROWS = 12;
const ROW_PIXELS = 28;
interface ViewedRows {
  readonly first: number;
  /** The row after the last one. */
  readonly end: number;
  /** All rows that are known. */
  readonly count: number;
}

/** Which rows of a grid are in view, for the display next to it. */
export class GridView {
  readonly rows = signal<ViewedRows>({ first: 0, end: 0, count: 0 });
  /** Scrolls by a number of rows in view. The grid sets it. */
  scroll: (pages: number) => void = () => {};
}

export interface RowGridProps {
  readonly label: string;
  readonly result: PagedRows;
  /** Rendered as the name of a column and below it, for example with a filter. */
  readonly head?: {
    readonly pixels: number;
    readonly sortOf: (column: Column) => 'ascending' | 'descending' | undefined;
    readonly of: (column: Column) => ComponentChildren;
  };
  /** Opens a cell. Undefined if cells cannot be opened. */
  readonly onOpen?: (row: number, column: number) => void;
  /** If undefined, all columns are shown as they are. */
  readonly arrangement?: Arrangement;
  /** The active cell, for code that moves it. */
  readonly active?: Signal<GridLocation | undefined>;
  /** The selected rows. Undefined if none can be selected. */
  readonly selected?: ReadonlySet<number>;
  /** Selects a row by its box, or all up to it, or no longer. Returns whether it is selected. */
  readonly onSelect?: (row: number, isRange: boolean) => boolean;
  /** Selects all rows that can be, or none. */
  readonly onSelectAll?: (isSelected: boolean) => void;
  /** Handles a press on a cell, which the grid has made the active one. */
  readonly onPress?: (place: GridLocation, event: MouseEvent) => void;
  /** Opens the menu of a cell, which the grid has made the active one. Undefined if there is none. */
  readonly onMenu?: (place: GridLocation, at: readonly [x: number, y: number]) => void;
  /** Handles keys that the grid does not know, and returns whether it did. */
  readonly onKey?: (event: KeyboardEvent, place: GridLocation) => boolean;
  /** Replaces the active cell, such as a field. */
  readonly editor?: ComponentChildren;
  /** Returns a number that grows when a row has just changed, to mark it, or undefined for other rows. */
  readonly markOf?: (row: Row) => number | undefined;
  /** The first row in view when the grid was left, and a function that records a new one. */
  readonly place?: { readonly row: number; readonly onRow: (row: number) => void };
  /** Shows which rows are in view, and moves to others. */
  readonly view?: GridView;
  /** The row to make active and to centre. */
  readonly goTo?: Signal<number | undefined>;
}

/** Returns the rows and columns by which a key moves the active cell, or undefined for other keys. */
function moveOf({ key, ctrlKey, metaKey }: KeyboardEvent, viewRows: number) {
  const far = ctrlKey || metaKey ? Number.POSITIVE_INFINITY : 0;
  const moves: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
    ArrowDown: [1, 0],
    ArrowUp: [-1, 0],
    ArrowLeft: [0, -1],
    ArrowRight: [0, 1],
    PageDown: [viewRows, 0],
    PageUp: [-viewRows, 0],
    Home: [-far, Number.NEGATIVE_INFINITY],
    End: [far, Number.POSITIVE_INFINITY],
  };
  return moves[key];
}

/** Scrolls to the row at which the grid was left, once it is known, and records the scroll position. */
function usePlace(
  place: RowGridProps['place'],
  { top, scrollTo }: Pick<VirtualRows<HTMLElement>, 'top' | 'scrollTo'>,
  { rowCount, isComplete }: PagedRows,
) {
  const wanted = place?.row ?? 0;
  const sought = useRef(wanted);
  const given = useRef(wanted);
  const noted = useRef(wanted);
  // The address has a place other than the last one noted: the user went back.
  if (given.current !== wanted) {
    given.current = wanted;
    if (noted.current !== wanted) sought.current = wanted;
  }
  const count = rowCount.value;
  useEffect(() => {
    if (sought.current === 0 || count === 0) return;
    scrollTo(Math.min(sought.current, count - 1), 'top');
    if (count > sought.current || isComplete.peek()) sought.current = 0;
  }, [rowCount, count, wanted]);
  useEffect(() => {
    if (sought.current > 0 || noted.current === top) return;
    noted.current = top;
    place?.onRow(top);
  }, [top]);
  return { isSought: () => sought.current > 0 };
}

/** The head of a column without sorting or filtering: the same name and type as elsewhere. */
function PlainHead({ column: { name, type, sqlType = typeText(type) } }: { readonly column: Column }) {
  return (
    <span class="column-name">
      <span>{name}</span>
      <span class="column-type" aria-hidden="true">
        {sqlType}
      </span>
    </span>
  );
}

/** The head of the numbers, with a box that selects all rows. */
function SelectAll(props: RowGridProps & { readonly width: number }) {
  const { selected, result, onSelectAll, width } = props;
  const style = { width: `${width}px`, left: 0 };
  if (selected === undefined) return <div class="pinned" style={style} aria-hidden="true" />;
  const count = Math.min(MAX_SELECTED, result.rowCount.value);
  const isAll = count > 0 && selected.size === count;
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows of a <table> cannot be positioned
    // biome-ignore lint/a11y/useFocusableInteractive: the grid keeps the focus
    <div role="columnheader" class="pinned row-numbers" style={style} aria-label="Number">
      <input
        type="checkbox"
        aria-label="Select all rows"
        checked={isAll}
        indeterminate={!isAll && selected.size > 0}
        disabled={count === 0}
        onClick={({ currentTarget }) => onSelectAll?.(currentTarget.checked)}
      />
    </div>
  );
}

/** More rows are exported rather than printed. */
const MAX_PRINTED = 1_000;

/** Returns the rows that were read and are kept, from the first one on. */
function printedRows(result: PagedRows): readonly number[] {
  const found: number[] = [];
  for (let index = 0; index < result.rowCount.value && found.length < MAX_PRINTED; index++) {
    if (result.row(index) !== undefined) found.push(index);
  }
  return found;
}

/** Says on paper how many of the rows are printed, unless all are. */
function PrintedCount({ result, count }: { readonly result: PagedRows; readonly count: number }) {
  const { rowCount, isComplete } = result;
  if (isComplete.value && count === rowCount.value) return null;
  const all = `${formatNumber(rowCount.value)}${isComplete.value ? '' : ' or more'}`;
  return <p class="printed">{`These are ${formatNumber(count)} of ${all} rows: those read so far.`}</p>;
}

const EVERY = (_: Column, at: number): number => at;

/**
 * A grid with one active cell, which the arrow keys, Page up and down, Home and End move, and Enter opens. Alt with the
 * left or the right arrow resizes its column.
 */
export function RowGrid(props: RowGridProps) {
  const { label, result, head, onOpen, arrangement, selected, onKey, editor, goTo, markOf } = props;
  const id = useId();
  const ownActive = useSignal<GridLocation | undefined>(undefined);
  const active = props.active ?? ownActive;
  const headPixels = head?.pixels ?? ROW_PIXELS;
  const columns = result.columns.value;
  const everyColumn = useMemo(() => columns.map(EVERY), [columns]);
  const shown = arrangement?.shown ?? everyColumn;
  void result.version.value;
  const rows = useVirtualRows<HTMLDivElement>({
    count: result.rowCount.value,
    rowPixels: ROW_PIXELS,
    headPixels,
    overscanRows: OVERSCAN_ROWS,
  });
  const { scrolled, first, end } = rows;
  const { widths, pins, numberPixels, resize, reset, reveal } = useGridColumns({
    ...{ result, shown, scrolled, arrangement },
    hasFilters: head !== undefined,
    hasBoxes: selected !== undefined,
  });
  const dragged = useRef<number | undefined>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const press = useRef((place: GridLocation, event: MouseEvent): void => {
    latest.current.onPress?.(place, event);
    active.value = place;
  });
  const openMenu = useRef((place: GridLocation, at: readonly [x: number, y: number]): void => {
    active.value = place;
    scrolled.current?.focus({ preventScroll: true });
    latest.current.onMenu?.(place, at);
  });
  /** Opens the menu of the active cell, at that cell. */
  const openMenuByKey = (event: Event): void => {
    const place = active.peek();
    const { left = 0, bottom = 0 } =
      document.getElementById(`${id}-${place?.join('-')}`)?.getBoundingClientRect() ?? {};
    if (place === undefined || props.onMenu === undefined) return;
    event.preventDefault();
    openMenu.current(place, [left, bottom]);
  };
  const open = useRef(([row, column]: GridLocation): void => latest.current.onOpen?.(row, column));
  const select = useRef((row: number, isRange: boolean): boolean => {
    // Keys continue from the selection.
    active.value = [row, active.peek()?.[1] ?? shown[0] ?? 0];
    scrolled.current?.focus({ preventScroll: true });
    return latest.current.onSelect?.(row, isRange) === true;
  });
  const onKeyDown = (event: KeyboardEvent): void => {
    // Fields in the head handle their own keys.
    if (event.target !== scrolled.current) return;
    if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) {
      openMenuByKey(event);
      return;
    }
    const move = moveOf(event, rows.viewRows);
    const [row, column] = active.peek() ?? [0, shown[0] ?? 0];
    const at = Math.max(0, shown.indexOf(column));
    if (event.altKey && move !== undefined) {
      if (active.peek() === undefined || Math.abs(move[1]) !== 1) return;
      resize(column, (widths[at] ?? 0) + move[1] * WIDTH_STEP_PIXELS);
    } else if (active.peek() !== undefined && onKey?.(event, [row, column]) === true) {
      // Handled.
    } else if (move !== undefined) {
      const bound = (value: number, count: number) => Math.max(0, Math.min(count - 1, value));
      // The first arrow key makes the first cell the active one; keys that move farther count from it.
      const isStep = event.key.startsWith('Arrow');
      const [down, right] = active.peek() === undefined && isStep ? [0, 0] : move;
      const rowTo = bound(row + down, result.rowCount.peek());
      const columnTo = shown[bound(at + right, shown.length)] ?? 0;
      active.value = [rowTo, columnTo];
      rows.scrollTo(rowTo);
      reveal(columnTo);
    } else if (event.key === 'Enter' && active.peek() !== undefined) onOpen?.(row, column);
    else return;
    event.preventDefault();
  };
  useEffect(() => {
    result.view(first, Math.max(first, end - 1));
    // A read skipped because another was running is made up for when that ends.
  }, [result, first, end, result.version.value, result.isReading.value, result.rowCount.value]);
  useEffect(() => result.resume(), [result, healed.value]);
  const place = usePlace(props.place, rows, result);
  useEffect(() => {
    active.value = undefined;
    if (!place.isSought()) rows.scrollTo(0);
  }, [result]);
  const { view } = props;
  useEffect(() => {
    if (view === undefined) return;
    const count = result.rowCount.peek();
    view.rows.value = { first: rows.top, end: rows.viewEnd, count };
    view.scroll = (pages) => {
      const wanted = Math.max(0, Math.min(count - 1, rows.top + pages * rows.viewRows));
      rows.scrollTo(Number.isNaN(wanted) ? 0 : wanted, 'top');
    };
  }, [view, rows.top, rows.viewEnd, rows.viewRows, result.rowCount.value]);
  const wasEdited = useRef(false);
  useEffect(() => {
    if (wasEdited.current && editor === undefined) scrolled.current?.focus({ preventScroll: true });
    wasEdited.current = editor !== undefined;
  }, [editor === undefined]);
  useSignalEffect(() => {
    const wanted = goTo?.value;
    if (wanted === undefined) return;
    active.value = [wanted, shown[0] ?? 0];
    rows.scrollTo(wanted, 'middle');
    // A closing dialog first returns the focus.
    requestAnimationFrame(() => scrolled.current?.focus({ preventScroll: true }));
  });
  useEffect(() => {
    if (editor === undefined || active.value === undefined) return;
    // The bar below the grid covers its last rows.
    const [row, column] = active.value;
    rows.scrollTo(row);
    reveal(column);
  }, [editor === undefined, rows.viewRows]);
  const printed = isPrinting.value ? printedRows(result) : undefined;
  const drawn = printed ?? Array.from({ length: Math.max(0, end - first) }, (_, at) => first + at);
  const total = widths.reduce((sum, width) => sum + width, numberPixels);
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows of a <table> cannot be positioned
    <div
      class="grid"
      ref={scrolled}
      role="grid"
      aria-label={label}
      aria-rowcount={result.isComplete.value ? result.rowCount.value + 1 : -1}
      aria-colcount={shown.length + (selected === undefined ? 0 : 1)}
      {...(selected !== undefined && { 'aria-multiselectable': true })}
      {...(active.value !== undefined && { 'aria-activedescendant': `${id}-${active.value.join('-')}` })}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onContextMenu={(event) => event.target === scrolled.current && openMenuByKey(event)}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      <div
        class="grid-body"
        role="rowgroup"
        {...(printed === undefined && { style: { height: `${rows.height}px`, width: `${total}px` } })}
      >
        {/* biome-ignore lint/a11y/useSemanticElements: as above */}
        {/* biome-ignore lint/a11y/useFocusableInteractive: the whole table has the focus */}
        <div
          class="grid-row grid-head"
          role="row"
          aria-rowindex={1}
          {...(printed === undefined && { style: { position: 'sticky', height: `${headPixels}px` } })}
        >
          <SelectAll {...props} width={numberPixels} />
          {shown.map((index, at) => {
            const column = columns[index];
            if (column === undefined) return undefined;
            const pin = pins[at];
            const kinds = [
              head === undefined ? '' : 'with-filter',
              kindOf(undefined, column),
              pin === undefined ? '' : 'pinned',
            ];
            return (
              // biome-ignore lint/a11y/useSemanticElements: as above
              // biome-ignore lint/a11y/useFocusableInteractive: as above
              <div
                key={index}
                role="columnheader"
                class={kinds.filter(Boolean).join(' ')}
                title={column.sqlType ?? typeText(column.type)}
                aria-sort={head?.sortOf(column)}
                style={{ width: `${widths[at]}px`, ...(pin !== undefined && { left: `${pin}px` }) }}
                onDragStart={() => (dragged.current = index)}
                onDragOver={(event) => dragged.current !== undefined && event.preventDefault()}
                onDrop={() => dragged.current !== undefined && arrangement?.move(dragged.current, index)}
                onDragEnd={() => (dragged.current = undefined)}
              >
                {head === undefined ? <PlainHead column={column} /> : head.of(column)}
                <ColumnEdge
                  width={widths[at] ?? 0}
                  onWidth={(width) => resize(index, width)}
                  onReset={() => reset(index)}
                />
              </div>
            );
          })}
        </div>
        {drawn.map((index) => {
          const isActive = active.value?.[0] === index;
          const values = result.row(index);
          return (
            <GridRow
              key={index}
              id={id}
              index={index}
              top={printed === undefined ? rows.topOf(index) : undefined}
              values={values}
              columns={columns}
              shown={shown}
              widths={widths}
              numberPixels={numberPixels}
              pins={pins}
              activeColumn={isActive ? active.value?.[1] : undefined}
              isSelected={selected?.has(index)}
              mark={values && markOf?.(values)}
              editor={isActive ? editor : undefined}
              onPress={press.current}
              onOpen={open.current}
              onMenu={props.onMenu === undefined ? undefined : openMenu.current}
              onSelect={select.current}
            />
          );
        })}
      </div>
      {printed !== undefined && <PrintedCount result={result} count={printed.length} />}
    </div>
  );
}
