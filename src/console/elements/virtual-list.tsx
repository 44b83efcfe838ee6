/** A list of any length, of which only the rows in view are elements of the page. */
import { useSignal } from '@preact/signals';
import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Fast scrolling shows no gaps, and Tab reaches the next rows. */
const OVERSCAN_ROWS = 8;

export interface VirtualListProps {
  readonly label: string;
  readonly count: number;
  readonly rowPixels: number;
  readonly row: (index: number) => ComponentChildren;
}

export function VirtualList({ label, count, rowPixels, row }: VirtualListProps) {
  const scrolled = useRef<HTMLDivElement>(null);
  const virtualizer = useRef<Virtualizer<HTMLDivElement, Element> | undefined>(undefined);
  const drawn = useSignal(0);
  const options = {
    count,
    getScrollElement: () => scrolled.current,
    estimateSize: () => rowPixels,
    overscan: OVERSCAN_ROWS,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => {
      drawn.value++;
    },
  };
  useEffect(() => {
    const rows = new Virtualizer<HTMLDivElement, Element>(options);
    virtualizer.current = rows;
    const unmount = rows._didMount();
    rows._willUpdate();
    drawn.value++;
    return unmount;
  }, []);
  virtualizer.current?.setOptions(options);
  void drawn.value;
  const items = virtualizer.current?.getVirtualItems() ?? [];
  return (
    <div class="virtual-list" ref={scrolled}>
      <ul aria-label={label} style={{ height: `${count * rowPixels}px` }}>
        {items.map(({ index, start }) => (
          <li
            key={index}
            aria-setsize={count}
            aria-posinset={index + 1}
            style={{ transform: `translateY(${start}px)`, height: `${rowPixels}px` }}
          >
            {row(index)}
          </li>
        ))}
      </ul>
    </div>
  );
}
