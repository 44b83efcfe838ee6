/** A list of any length; only the rows in view are elements of the page. */
import type { ComponentChildren } from 'preact';
import { useVirtualRows } from './virtual-rows.ts';

/** Fast scrolling shows no gaps, and Tab reaches the next rows. */
const OVERSCAN_ROWS = 8;

export interface VirtualListProps {
  readonly label: string;
  readonly count: number;
  readonly rowPixels: number;
  readonly row: (index: number) => ComponentChildren;
}

export function VirtualList({ label, count, rowPixels, row }: VirtualListProps) {
  const rows = useVirtualRows<HTMLDivElement>({ count, rowPixels, overscanRows: OVERSCAN_ROWS });
  const shown = Array.from({ length: rows.end - rows.first }, (_, at) => rows.first + at);
  return (
    <div class="virtual-list" ref={rows.scrolled}>
      <ul aria-label={label} style={{ height: `${rows.height}px` }}>
        {shown.map((index) => (
          <li
            key={index}
            aria-setsize={count}
            aria-posinset={index + 1}
            style={{ transform: `translateY(${rows.topOf(index)}px)`, height: `${rowPixels}px` }}
          >
            {row(index)}
          </li>
        ))}
      </ul>
    </div>
  );
}
