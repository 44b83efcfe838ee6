/** The rows of a result. Only those in view are elements of the page. */
import { useSignal, useSignalEffect } from '@preact/signals';
import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useMemo, useRef } from 'preact/hooks';
import { formatValue } from '../elements/formats.ts';
import type { Json } from '../requests/request.ts';
import { columnWidths, NARROWEST_PIXELS, WIDTH_STEP_PIXELS, widthOfCharacters } from './column-widths.ts';
import type { Column, Result } from './result.ts';
import { isNumeric, sqlTypeOf, typeText } from './sql-types.ts';

/** Fast scrolling shows no empty rows, and the page stays below 200 of them. */
const OVERSCAN_ROWS = 12;
const ROW_PIXELS = 28;
const LEAST_PIXELS = 64;
/** A filter of a few characters has room. */
const LEAST_WITH_HEAD_PIXELS = 120;
/** The first rows say how wide a column is; more would take noticeable time. */
const MEASURED_ROWS = 50;
/** Rows before the end of what was read at which the next page is read. */
const AHEAD_ROWS = 200;

/** Returns what the first rows need as widths of the columns, in pixels. */
function contentWidths(columns: readonly Column[], result: Result, least: number): number[] {
  return columns.map(({ name }, column) => {
    let characters = name.length + 1;
    for (let row = 0; row < MEASURED_ROWS; row++) {
      const values = result.row(row);
      if (values === undefined) break;
      characters = Math.max(characters, formatValue(values[column]).length);
    }
    return widthOfCharacters(characters, least);
  });
}

interface CellProps {
  readonly id: string;
  readonly value: Json | undefined;
  readonly column: Column;
  readonly width: number;
  readonly isActive: boolean;
  readonly onPress: () => void;
  readonly onOpen: (() => void) | undefined;
}

function Cell({ id, value, column, width, isActive, onPress, onOpen }: CellProps) {
  const text = value === undefined ? '…' : value === null ? 'NULL' : formatValue(value);
  const kind = value === null ? 'null' : isNumeric(sqlTypeOf(column.type).argument) ? 'number' : '';
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows of a <table> cannot be positioned
    // biome-ignore lint/a11y/useFocusableInteractive: the grid keeps the focus
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles the keys
    <div
      id={id}
      role="gridcell"
      class={isActive ? `${kind} active` : kind}
      aria-selected={isActive}
      style={{ width: `${width}px` }}
      title={text.length > 40 ? text.slice(0, 2000) : undefined}
      onClick={onPress}
      onDblClick={onOpen}
    >
      {text.slice(0, 500)}
    </div>
  );
}

/** Keeps a virtualizer of the rows, which changes `drawn` when other rows are in view. */
function useRows(result: Result, headPixels: number, onChange: () => void) {
  const scrolled = useRef<HTMLDivElement>(null);
  const virtualizer = useRef<Virtualizer<HTMLDivElement, Element> | undefined>(undefined);
  const options = (count: number) => ({
    count,
    getScrollElement: () => scrolled.current,
    estimateSize: () => ROW_PIXELS,
    overscan: OVERSCAN_ROWS,
    paddingStart: headPixels,
    // A row that the keyboard moves to must not be behind the head.
    scrollPaddingStart: headPixels,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange,
  });
  useEffect(() => {
    const rows = new Virtualizer<HTMLDivElement, Element>(options(result.rowCount.value));
    virtualizer.current = rows;
    const unmount = rows._didMount();
    rows._willUpdate();
    const stop = result.version.subscribe(() => {
      rows.setOptions(options(result.rowCount.value));
      rows._willUpdate();
      onChange();
    });
    return () => {
      stop();
      unmount?.();
    };
  }, [result]);
  return { scrolled, virtualizer };
}

/** Keeps the widths of the columns: those that the user has set, others stretched over the width of the grid. */
function useWidths(result: Result, least: number, scrolled: { readonly current: HTMLElement | null }) {
  const set = useSignal<ReadonlyMap<number, number>>(new Map());
  const gridPixels = useSignal(0);
  const columns = result.columns.value;
  const hasRows = result.rowCount.value > 0;
  const contents = useMemo(() => contentWidths(columns, result, least), [columns, hasRows]);
  useEffect(() => {
    const { current: element } = scrolled;
    if (element === null) return;
    const observer = new ResizeObserver(() => {
      gridPixels.value = element.clientWidth;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const isText = columns.map(({ type }) => sqlTypeOf(type).argument === 'string');
  const widths = columnWidths({ contents, isText, set: set.value, gridPixels: gridPixels.value });
  return {
    widths,
    resize(column: number, width: number): void {
      set.value = new Map(set.peek()).set(column, Math.max(NARROWEST_PIXELS, Math.round(width)));
    },
    reset(column: number): void {
      set.value = new Map([...set.peek()].filter(([each]) => each !== column));
    },
  };
}

/** The edge of a column, which is dragged to resize it. Keys do the same: see the grid. */
function Edge(props: {
  readonly width: number;
  readonly onWidth: (width: number) => void;
  readonly onReset: () => void;
}) {
  const start = (event: PointerEvent & { readonly currentTarget: HTMLElement }): void => {
    const { currentTarget: edge, pointerId, clientX } = event;
    const { width } = props;
    event.preventDefault();
    edge.setPointerCapture(pointerId);
    const move = (moved: PointerEvent): void => props.onWidth(width + moved.clientX - clientX);
    edge.addEventListener('pointermove', move);
    edge.addEventListener('lostpointercapture', () => edge.removeEventListener('pointermove', move), { once: true });
  };
  return (
    <span
      class="column-edge"
      aria-hidden="true"
      title="Drag to resize; double click to fit"
      onPointerDown={start}
      onDblClick={props.onReset}
    />
  );
}

export interface RowGridProps {
  readonly label: string;
  readonly result: Result;
  /** What is shown below the name of a column, such as a filter. */
  readonly head?: {
    readonly pixels: number;
    readonly sortOf: (column: Column) => 'ascending' | 'descending' | undefined;
    readonly of: (column: Column) => ComponentChildren;
  };
  /** Opens a cell. Undefined: cells cannot be opened. */
  readonly onOpen?: (row: number, column: number) => void;
}

const MOVES: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/**
 * A grid with one active cell, which the arrow keys move and Enter opens. Alt with the left or the right arrow resizes
 * its column.
 */
export function RowGrid({ label, result, head, onOpen }: RowGridProps) {
  const id = useId();
  const drawn = useSignal(0);
  const active = useSignal<readonly [row: number, column: number] | undefined>(undefined);
  const headPixels = head?.pixels ?? ROW_PIXELS;
  const { scrolled, virtualizer } = useRows(result, headPixels, () => drawn.value++);
  const columns = result.columns.value;
  const least = head === undefined ? LEAST_PIXELS : LEAST_WITH_HEAD_PIXELS;
  const { widths, resize, reset } = useWidths(result, least, scrolled);
  const onKeyDown = (event: KeyboardEvent): void => {
    // Fields in the head have keys of their own.
    if (event.target !== scrolled.current) return;
    const move = MOVES[event.key];
    const [row, column] = active.peek() ?? [0, 0];
    if (event.altKey && move !== undefined) {
      if (active.peek() === undefined || move[1] === 0) return;
      resize(column, (widths[column] ?? 0) + move[1] * WIDTH_STEP_PIXELS);
    } else if (move !== undefined) {
      const bound = (value: number, count: number) => Math.max(0, Math.min(count - 1, value));
      const next = active.peek() === undefined ? [0, 0] : [row + move[0], column + move[1]];
      const rowTo = bound(next[0] ?? 0, result.rowCount.peek());
      active.value = [rowTo, bound(next[1] ?? 0, result.columns.peek().length)];
      virtualizer.current?.scrollToIndex(rowTo, { align: 'auto' });
    } else if (event.key === 'Enter' && active.peek() !== undefined) onOpen?.(row, column);
    else return;
    event.preventDefault();
  };
  useSignalEffect(() => {
    void drawn.value;
    // A read that was left out because another one ran is made up for when that ends.
    void result.isReading.value;
    const items = virtualizer.current?.getVirtualItems() ?? [];
    const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0];
    result.show(first);
    if (last > result.rowCount.value - AHEAD_ROWS) void result.readNext();
    const missing = items.find(({ index }) => result.row(index) === undefined);
    if (missing !== undefined) void result.reload(missing.index);
  });
  void drawn.value;
  const total = widths.reduce((sum, width) => sum + width, 0);
  const rows = virtualizer.current;
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows of a <table> cannot be positioned
    <div
      class="grid"
      ref={scrolled}
      role="grid"
      aria-label={label}
      aria-rowcount={result.isComplete.value ? result.rowCount.value + 1 : -1}
      {...(active.value !== undefined && { 'aria-activedescendant': `${id}-${active.value[0]}-${active.value[1]}` })}
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      <div
        class="grid-body"
        role="rowgroup"
        style={{ height: `${rows?.getTotalSize() ?? headPixels}px`, width: `${total}px` }}
      >
        {/* biome-ignore lint/a11y/useSemanticElements: as above */}
        {/* biome-ignore lint/a11y/useFocusableInteractive: the whole table has the focus */}
        <div
          class="grid-row grid-head"
          role="row"
          aria-rowindex={1}
          style={{ position: 'sticky', height: `${headPixels}px` }}
        >
          {columns.map(({ name, type, schema, table }, index) => (
            // biome-ignore lint/a11y/useSemanticElements: as above
            // biome-ignore lint/a11y/useFocusableInteractive: as above
            <div
              key={`${index}`}
              role="columnheader"
              class={head && 'with-filter'}
              title={typeText(type)}
              aria-sort={head?.sortOf({ name, type, schema, table })}
              style={{ width: `${widths[index]}px` }}
            >
              {head === undefined ? name : head.of({ name, type, schema, table })}
              <Edge width={widths[index] ?? 0} onWidth={(width) => resize(index, width)} onReset={() => reset(index)} />
            </div>
          ))}
        </div>
        {(rows?.getVirtualItems() ?? []).map(({ index, start }) => {
          const values = result.row(index);
          return (
            // biome-ignore lint/a11y/useSemanticElements: as above
            // biome-ignore lint/a11y/useFocusableInteractive: as above
            <div
              key={index}
              class="grid-row"
              role="row"
              aria-rowindex={index + 2}
              style={{ transform: `translateY(${start}px)` }}
            >
              {columns.map((column, at) => (
                <Cell
                  key={`${at}`}
                  id={`${id}-${index}-${at}`}
                  value={values?.[at]}
                  column={column}
                  width={widths[at] ?? 0}
                  isActive={active.value?.[0] === index && active.value[1] === at}
                  onPress={() => (active.value = [index, at])}
                  onOpen={onOpen && (() => onOpen(index, at))}
                />
              ))}
            </div>
          );
        })}
      </div>
    </div>
  );
}
