/** Rows in a grid. Only those in view are elements of the page. */
import { type Signal, useSignal, useSignalEffect } from '@preact/signals';
import { Component, type ComponentChildren } from 'preact';
import { useEffect, useId, useMemo, useRef } from 'preact/hooks';
import { formatValue } from '../elements/formats.ts';
import { useVirtualRows, type VirtualRows } from '../elements/virtual-rows.ts';
import { healed } from '../requests/connection.ts';
import type { Json } from '../requests/request.ts';
import { ColumnEdge } from './column-edge.tsx';
import { columnWidths, NARROWEST_PIXELS, WIDTH_STEP_PIXELS, widthOfText } from './column-widths.ts';
import type { PagedRows } from './paged-rows.ts';
import type { Column, Row } from './row.ts';
import { isNumeric, sqlTypeOf, typeText } from './sql-types.ts';

/** Fast scrolling shows no empty rows, and the page stays below 200 of them. */
const OVERSCAN_ROWS = 12;
const ROW_PIXELS = 28;
const MIN_PIXELS = 64;
/** A filter of a few characters has room. */
const MIN_WITH_HEAD_PIXELS = 112;
/** The first rows say how wide a column is; more would take noticeable time. */
const MEASURED_ROWS = 50;
/** A cell shows no more of a text. */
const SHOWN_CHARACTERS = 500;
const TITLE_CHARACTERS = 2_000;

/** Returns what the first rows need as widths of the columns, in pixels. */
function contentWidths(columns: readonly Column[], result: PagedRows, least: number, withType: boolean): number[] {
  const pixelsOf = measureTexts();
  return columns.map((each, column) => {
    const { name, sqlType = '' } = each;
    const head = pixelsOf(`${name} ${withType ? `  ${sqlType}` : ''}`, 'bold');
    let longest = each.widest ?? '';
    for (let row = 0; row < MEASURED_ROWS; row++) {
      const values = result.row(row);
      if (values === undefined) break;
      const text = textOf(values[column], each);
      if (text.length > longest.length) longest = text;
    }
    return widthOfText(Math.max(head, pixelsOf(longest.slice(0, SHOWN_CHARACTERS))), least);
  });
}

/** Returns what measures texts in the font of the page: digits of some fonts are wide. */
function measureTexts(): (text: string, weight?: 'bold') => number {
  const context = document.createElement('canvas').getContext('2d');
  const { font } = getComputedStyle(document.body);
  return (text, weight) => {
    if (context === null) return 0;
    context.font = weight === undefined ? font : `${weight} ${font}`;
    return context.measureText(text).width;
  };
}

/** Widths of columns in pixels that the user has set, by column. */
type SetWidths = ReadonlyMap<number, number>;

/** Which cell: a row, and a column. */
export type GridPlace = readonly [row: number, column: number];

interface RowProps {
  readonly id: string;
  readonly index: number;
  readonly top: number;
  readonly values: Row | undefined;
  readonly columns: readonly Column[];
  /** The columns to show, and their widths. */
  readonly shown: readonly number[];
  readonly widths: readonly number[];
  /** Undefined: no cell of the row is. */
  readonly activeColumn: number | undefined;
  /** Undefined: rows cannot be selected. */
  readonly isSelected: boolean | undefined;
  /** Grows when the row has just changed; undefined for other rows. */
  readonly mark: number | undefined;
  /** What stands in for the active cell, such as a field. */
  readonly editor: ComponentChildren;
  readonly onPress: (place: GridPlace, event: MouseEvent) => void;
  readonly onOpen: (place: GridPlace) => void;
}

/** A row, which is drawn again only when something of it changes. */
class GridRow extends Component<RowProps> {
  override shouldComponentUpdate(next: RowProps): boolean {
    const { props } = this;
    return (Object.keys(next) as (keyof RowProps)[]).some((name) => next[name] !== props[name]);
  }

  override render() {
    const { id, index, top, values, columns, shown, widths, activeColumn, isSelected, editor, mark } = this.props;
    const { onPress, onOpen } = this.props;
    // Two names in turn, so that the marking of a row that changes again begins anew.
    const marked = mark === undefined ? '' : mark % 2 === 0 ? ' changed' : ' changed-again';
    return (
      // biome-ignore lint/a11y/useSemanticElements: rows of a <table> cannot be positioned
      // biome-ignore lint/a11y/useFocusableInteractive: the grid keeps the focus
      <div
        class={`grid-row${isSelected === true ? ' selected' : ''}${marked}`}
        role="row"
        aria-rowindex={index + 2}
        {...(isSelected !== undefined && { 'aria-selected': isSelected })}
        style={{ transform: `translateY(${top}px)` }}
      >
        {shown.map((column, at) => {
          const isActive = activeColumn === column;
          const isEdited = isActive && editor !== undefined;
          return (
            // biome-ignore lint/a11y/useSemanticElements: as above
            // biome-ignore lint/a11y/useFocusableInteractive: as above
            <div
              key={column}
              id={`${id}-${index}-${column}`}
              role="gridcell"
              class={`${kindOf(values?.[column], columns[column])}${isActive ? ' active' : ''}`}
              style={{ width: `${widths[at]}px` }}
              title={isEdited ? undefined : titleOf(values?.[column], columns[column])}
              onMouseDown={(event) => isEdited || onPress([index, column], event)}
              onDblClick={() => isEdited || onOpen([index, column])}
            >
              {isEdited ? editor : textOf(values?.[column], columns[column]).slice(0, SHOWN_CHARACTERS)}
            </div>
          );
        })}
      </div>
    );
  }
}

function textOf(value: Json | undefined, column: Column | undefined): string {
  if (value === undefined) return '…';
  return column?.format?.(value) ?? (value === null ? 'NULL' : shownText(value));
}

/** Texts of drawn objects and lists: a row is drawn again at every key of a change, and these take long to write. */
const drawn = new WeakMap<object, string>();

function shownText(value: NonNullable<Json>): string {
  if (typeof value !== 'object') return formatValue(value);
  const text = drawn.get(value) ?? formatValue(value).slice(0, TITLE_CHARACTERS);
  drawn.set(value, text);
  return text;
}

function titleOf(value: Json | undefined, column: Column | undefined): string | undefined {
  const text = textOf(value, column);
  return text.length > 40 ? text.slice(0, TITLE_CHARACTERS) : undefined;
}

function kindOf(value: Json | undefined, column: Column | undefined): string {
  const side = isNumeric(sqlTypeOf(column?.type ?? '').argument) ? 'number' : '';
  return value === null ? `null ${side}` : side;
}

/** Keeps the widths of the columns: those that the user has set, others stretched over the width of the grid. */
function useWidths(
  { result, shown, least }: { readonly result: PagedRows; readonly shown: readonly number[]; readonly least: number },
  scrolled: { readonly current: HTMLElement | null },
  arrangement: Arrangement | undefined,
) {
  const own = useSignal<SetWidths>(new Map());
  const set = arrangement?.widths ?? own.value;
  const change = arrangement?.setWidths ?? ((next: SetWidths) => (own.value = next));
  const gridPixels = useSignal(0);
  const columns = result.columns.value;
  const hasRows = result.rowCount.value > 0;
  const contents = useMemo(
    () => contentWidths(columns, result, least, least === MIN_WITH_HEAD_PIXELS),
    [columns, hasRows],
  );
  useEffect(() => {
    const { current: element } = scrolled;
    if (element === null) return;
    const observer = new ResizeObserver(() => {
      gridPixels.value = element.clientWidth;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const widths = useMemo(
    () =>
      columnWidths({
        contents: shown.map((column) => contents[column] ?? least),
        isText: shown.map((column) => sqlTypeOf(columns[column]?.type ?? '').argument === 'string'),
        set: new Map(shown.flatMap((column, at) => (set.has(column) ? [[at, set.get(column) ?? 0]] : []))),
        gridPixels: gridPixels.value,
      }),
    [contents, columns, shown, set, gridPixels.value],
  );
  return {
    widths,
    resize(column: number, width: number): void {
      change(new Map(set).set(column, Math.max(NARROWEST_PIXELS, Math.round(width))));
    },
    reset(column: number): void {
      change(new Map([...set].filter(([each]) => each !== column)));
    },
  };
}

/** The columns of a grid that somebody arranges. */
export interface Arrangement {
  readonly shown: readonly number[];
  readonly widths: SetWidths;
  readonly setWidths: (widths: SetWidths) => void;
  /** Moves a column to the place of another one. */
  readonly move: (column: number, to: number) => void;
}

export interface RowGridProps {
  readonly label: string;
  readonly result: PagedRows;
  /** What is shown as the name of a column and below it, such as a filter. */
  readonly head?: {
    readonly pixels: number;
    readonly sortOf: (column: Column) => 'ascending' | 'descending' | undefined;
    readonly of: (column: Column) => ComponentChildren;
  };
  /** Opens a cell. Undefined: cells cannot be opened. */
  readonly onOpen?: (row: number, column: number) => void;
  /** Undefined: all columns as they are. */
  readonly arrangement?: Arrangement;
  /** The active cell, for those who move it. */
  readonly active?: Signal<GridPlace | undefined>;
  /** The rows that are selected. Undefined: none can be. */
  readonly selected?: ReadonlySet<number>;
  /** Handles what was pressed on a cell; the grid has made it the active one. */
  readonly onPress?: (place: GridPlace, event: MouseEvent) => void;
  /** Handles keys that the grid does not know, and returns whether it did. */
  readonly onKey?: (event: KeyboardEvent, place: GridPlace) => boolean;
  /** What stands in for the active cell, such as a field. */
  readonly editor?: ComponentChildren;
  /** Returns a number that grows when a row has just changed, to mark it; undefined for other rows. */
  readonly markOf?: (row: Row) => number | undefined;
  /** The first row in view as it was left, and what notes another one. */
  readonly place?: { readonly row: number; readonly onRow: (row: number) => void };
  /** The row that is to be active, and in the middle. */
  readonly goTo?: Signal<number | undefined>;
}

/** Returns the rows and columns by which a key moves the active cell; undefined for other keys. */
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

/** Scrolls to the row at which the grid was left, as soon as it is known, and notes where it is scrolled to. */
function usePlace(
  place: RowGridProps['place'],
  { top, scrollTo }: Pick<VirtualRows<HTMLElement>, 'top' | 'scrollTo'>,
  { rowCount, isComplete }: PagedRows,
) {
  const wanted = place?.row ?? 0;
  const sought = useRef(wanted);
  const given = useRef(wanted);
  const noted = useRef(wanted);
  // Another place in the address that is not the one noted last: the user went back.
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

const EVERY = (_: Column, at: number): number => at;

/**
 * A grid with one active cell, which the arrow keys, Page up and down, Home and End move, and Enter opens. Alt with the
 * left or the right arrow resizes its column.
 */
export function RowGrid(props: RowGridProps) {
  const { label, result, head, onOpen, arrangement, selected, onPress, onKey, editor, goTo, markOf } = props;
  const id = useId();
  const ownActive = useSignal<GridPlace | undefined>(undefined);
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
  const least = head === undefined ? MIN_PIXELS : MIN_WITH_HEAD_PIXELS;
  const { widths, resize, reset } = useWidths({ result, shown, least }, scrolled, arrangement);
  const dragged = useRef<number | undefined>(undefined);
  const latest = useRef({ onPress, onOpen });
  latest.current = { onPress, onOpen };
  const press = useRef((place: GridPlace, event: MouseEvent): void => {
    latest.current.onPress?.(place, event);
    active.value = place;
  });
  const open = useRef(([row, column]: GridPlace): void => latest.current.onOpen?.(row, column));
  const onKeyDown = (event: KeyboardEvent): void => {
    // Fields in the head have keys of their own.
    if (event.target !== scrolled.current) return;
    const viewRows = Math.floor(((scrolled.current?.clientHeight ?? 0) - headPixels) / ROW_PIXELS);
    const move = moveOf(event, viewRows);
    const [row, column] = active.peek() ?? [0, shown[0] ?? 0];
    const at = Math.max(0, shown.indexOf(column));
    if (event.altKey && move !== undefined) {
      if (active.peek() === undefined || Math.abs(move[1]) !== 1) return;
      resize(column, (widths[at] ?? 0) + move[1] * WIDTH_STEP_PIXELS);
    } else if (active.peek() !== undefined && onKey?.(event, [row, column]) === true) {
      // Handled.
    } else if (move !== undefined) {
      const bound = (value: number, count: number) => Math.max(0, Math.min(count - 1, value));
      // The first arrow key makes the first cell the active one; keys that lead farther count from it.
      const isStep = event.key.startsWith('Arrow');
      const [down, right] = active.peek() === undefined && isStep ? [0, 0] : move;
      const rowTo = bound(row + down, result.rowCount.peek());
      active.value = [rowTo, shown[bound(at + right, shown.length)] ?? 0];
      rows.scrollTo(rowTo);
    } else if (event.key === 'Enter' && active.peek() !== undefined) onOpen?.(row, column);
    else return;
    event.preventDefault();
  };
  useEffect(() => {
    result.view(first, Math.max(first, end - 1));
    // A read that was left out because another one ran is made up for when that ends.
  }, [result, first, end, result.version.value, result.isReading.value, result.rowCount.value]);
  useEffect(() => result.resume(), [result, healed.value]);
  const place = usePlace(props.place, rows, result);
  useEffect(() => {
    active.value = undefined;
    if (!place.isSought()) rows.scrollTo(0);
  }, [result]);
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
    // A dialog that closes returns the focus before.
    requestAnimationFrame(() => scrolled.current?.focus({ preventScroll: true }));
  });
  useEffect(() => {
    // The cell that the keyboard moved to may be to the left or to the right of what is in view.
    if (active.value === undefined) return;
    document.getElementById(`${id}-${active.value.join('-')}`)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [active.value]);
  const total = widths.reduce((sum, width) => sum + width, 0);
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows of a <table> cannot be positioned
    <div
      class="grid"
      ref={scrolled}
      role="grid"
      aria-label={label}
      aria-rowcount={result.isComplete.value ? result.rowCount.value + 1 : -1}
      aria-colcount={shown.length}
      {...(selected !== undefined && { 'aria-multiselectable': true })}
      {...(active.value !== undefined && { 'aria-activedescendant': `${id}-${active.value.join('-')}` })}
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      <div class="grid-body" role="rowgroup" style={{ height: `${rows.height}px`, width: `${total}px` }}>
        {/* biome-ignore lint/a11y/useSemanticElements: as above */}
        {/* biome-ignore lint/a11y/useFocusableInteractive: the whole table has the focus */}
        <div
          class="grid-row grid-head"
          role="row"
          aria-rowindex={1}
          style={{ position: 'sticky', height: `${headPixels}px` }}
        >
          {shown.map((index, at) => {
            const column = columns[index];
            if (column === undefined) return undefined;
            return (
              // biome-ignore lint/a11y/useSemanticElements: as above
              // biome-ignore lint/a11y/useFocusableInteractive: as above
              <div
                key={index}
                role="columnheader"
                class={`${head === undefined ? '' : 'with-filter'} ${kindOf(undefined, column)}`.trim()}
                title={column.sqlType ?? typeText(column.type)}
                aria-sort={head?.sortOf(column)}
                style={{ width: `${widths[at]}px` }}
                onDragStart={() => (dragged.current = index)}
                onDragOver={(event) => dragged.current !== undefined && event.preventDefault()}
                onDrop={() => dragged.current !== undefined && arrangement?.move(dragged.current, index)}
                onDragEnd={() => (dragged.current = undefined)}
              >
                {head === undefined ? column.name : head.of(column)}
                <ColumnEdge
                  width={widths[at] ?? 0}
                  onWidth={(width) => resize(index, width)}
                  onReset={() => reset(index)}
                />
              </div>
            );
          })}
        </div>
        {Array.from({ length: Math.max(0, end - first) }, (_, at) => first + at).map((index) => {
          const isActive = active.value?.[0] === index;
          const values = result.row(index);
          return (
            <GridRow
              key={index}
              id={id}
              index={index}
              top={rows.topOf(index)}
              values={values}
              columns={columns}
              shown={shown}
              widths={widths}
              activeColumn={isActive ? active.value?.[1] : undefined}
              isSelected={selected?.has(index)}
              mark={values && markOf?.(values)}
              editor={isActive ? editor : undefined}
              onPress={press.current}
              onOpen={open.current}
            />
          );
        })}
      </div>
    </div>
  );
}
