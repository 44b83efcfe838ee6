/** The rows of a result. Only those in view are elements of the page. */
import { useComputed, useSignal, useSignalEffect } from '@preact/signals';
import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';
import { useEffect, useRef } from 'preact/hooks';
import { formatValue } from '../elements/formats.ts';
import type { Json } from '../requests/request.ts';
import type { Column, Result } from './result.ts';

/** Fast scrolling shows no empty rows, and the page stays below 200 of them. */
const OVERSCAN_ROWS = 12;
const ROW_PIXELS = 28;
const CHARACTER_PIXELS = 8;
/** The first rows say how wide a column is; more would take noticeable time. */
const MEASURED_ROWS = 50;
/** Rows before the end of what was read at which the next page is read. */
const AHEAD_ROWS = 200;

const NUMERIC = /\.(?:Long|Integer|Short|Byte|Double|Float|BigDecimal)$/;

/** Returns widths of the columns in pixels, by the first rows. */
function widthsOf(columns: readonly Column[], result: Result): number[] {
  return columns.map(({ name }, column) => {
    let characters = name.length + 1;
    for (let row = 0; row < MEASURED_ROWS; row++) {
      const values = result.row(row);
      if (values === undefined) break;
      characters = Math.max(characters, formatValue(values[column]).length);
    }
    return Math.min(420, Math.max(64, characters * CHARACTER_PIXELS + 20));
  });
}

function Cell({
  value,
  column,
  width,
}: {
  readonly value: Json | undefined;
  readonly column: Column;
  readonly width: number;
}) {
  const text = value === undefined ? '…' : value === null ? 'NULL' : formatValue(value);
  const kind = value === null ? 'null' : NUMERIC.test(column.type) ? 'number' : '';
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows of a <table> cannot be positioned
    <div
      role="cell"
      class={kind}
      style={{ width: `${width}px` }}
      title={text.length > 40 ? text.slice(0, 2000) : undefined}
    >
      {text.slice(0, 500)}
    </div>
  );
}

/** Keeps a virtualizer of the rows, which changes `drawn` when other rows are in view. */
function useRows(result: Result, onChange: () => void) {
  const scrolled = useRef<HTMLDivElement>(null);
  const virtualizer = useRef<Virtualizer<HTMLDivElement, Element> | undefined>(undefined);
  const options = (count: number) => ({
    count,
    getScrollElement: () => scrolled.current,
    estimateSize: () => ROW_PIXELS,
    overscan: OVERSCAN_ROWS,
    paddingStart: ROW_PIXELS,
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

export function ResultGrid({ result }: { readonly result: Result }) {
  const drawn = useSignal(0);
  const { scrolled, virtualizer } = useRows(result, () => drawn.value++);
  const widths = useComputed(() => widthsOf(result.columns.value, result));
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
  const columns = result.columns.value;
  const total = widths.value.reduce((sum, width) => sum + width, 0);
  const rows = virtualizer.current;
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows of a <table> cannot be positioned
    <div
      class="grid"
      ref={scrolled}
      role="table"
      aria-label="Result"
      aria-rowcount={result.isComplete.value ? result.rowCount.value + 1 : -1}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
      tabIndex={0}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      <div
        class="grid-body"
        role="rowgroup"
        style={{ height: `${rows?.getTotalSize() ?? ROW_PIXELS}px`, width: `${total}px` }}
      >
        {/* biome-ignore lint/a11y/useSemanticElements: as above */}
        {/* biome-ignore lint/a11y/useFocusableInteractive: the whole table has the focus */}
        <div class="grid-row grid-head" role="row" aria-rowindex={1} style={{ position: 'sticky' }}>
          {columns.map(({ name, type }, index) => (
            // biome-ignore lint/a11y/useSemanticElements: as above
            // biome-ignore lint/a11y/useFocusableInteractive: as above
            <div key={`${index}`} role="columnheader" title={type} style={{ width: `${widths.value[index]}px` }}>
              {name}
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
                <Cell key={`${at}`} value={values?.[at]} column={column} width={widths.value[at] ?? 0} />
              ))}
            </div>
          );
        })}
      </div>
    </div>
  );
}
