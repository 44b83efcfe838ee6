/** Finds which of many rows of equal height are in view: only those become elements of the page. */
import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Browsers bound the height of an element, Firefox at about 17.8 million pixels. Longer contents scroll faster. */
const MAX_PIXELS = 16_000_000;

export interface VirtualRowsOptions {
  readonly count: number;
  readonly rowPixels: number;
  /** The height of the sticky header. */
  readonly headPixels?: number;
  /** Rows before and after those in view, so fast scrolling shows no gaps. */
  readonly overscanRows: number;
}

export interface VirtualRows<E extends HTMLElement> {
  /** The element that scrolls. */
  readonly scrolled: RefObject<E | null>;
  readonly first: number;
  /** The first row that is in view. */
  readonly top: number;
  /** How many whole rows are in view. */
  readonly viewRows: number;
  /** The row after the last one that is at least partly in view. */
  readonly viewEnd: number;
  /** The row after the last one. */
  readonly end: number;
  /** The height of all rows and the head. */
  readonly height: number;
  /** Returns where a row begins, in pixels from the top of the scrolled contents. */
  readonly topOf: (index: number) => number;
  /** Scrolls as far as needed to show a row, or so that it is in the middle or at the top. */
  readonly scrollTo: (index: number, place?: 'nearest' | 'middle' | 'top') => void;
}

export function useVirtualRows<E extends HTMLElement>(options: VirtualRowsOptions): VirtualRows<E> {
  const { count, rowPixels, headPixels = 0, overscanRows } = options;
  const scrolled = useRef<E>(null);
  const view = useSignal({ top: 0, pixels: 0 });
  const content = headPixels + count * rowPixels;
  const height = Math.min(content, MAX_PIXELS);
  const scaleFor = (pixels: number) => (height === content ? 1 : (content - pixels) / (height - pixels));
  const isScaled = useRef(false);
  isScaled.current = height !== content;
  useEffect(() => {
    const { current: element } = scrolled;
    if (element === null) return;
    const update = (): void => {
      const { scrollTop, clientHeight: pixels } = element;
      // Within a row nothing changes, unless rows have to follow the faster scrolling.
      const top = isScaled.current ? scrollTop : Math.floor(scrollTop / rowPixels) * rowPixels;
      const before = view.peek();
      if (before.top !== top || before.pixels !== pixels) view.value = { top, pixels };
    };
    const observer = new ResizeObserver(update);
    observer.observe(element);
    element.addEventListener('scroll', update, { passive: true });
    update();
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', update);
    };
  }, [rowPixels]);
  const { top, pixels } = view.value;
  const offset = Math.min(top * scaleFor(pixels), Math.max(0, content - pixels));
  return {
    scrolled,
    top: Math.floor(offset / rowPixels),
    viewEnd: Math.min(count, Math.max(0, Math.ceil((offset + pixels - headPixels) / rowPixels))),
    viewRows: Math.max(0, Math.floor((pixels - headPixels) / rowPixels)),
    first: Math.max(0, Math.floor(offset / rowPixels) - overscanRows),
    end: Math.min(count, Math.ceil((offset + pixels) / rowPixels) + overscanRows),
    height,
    topOf: (index) => headPixels + index * rowPixels - offset + (isScaled.current ? top : offset),
    scrollTo(index, place = 'nearest') {
      const { current: element } = scrolled;
      if (element === null) return;
      const { clientHeight, scrollTop } = element;
      const scale = scaleFor(clientHeight);
      const start = index * rowPixels;
      const lowest = start + rowPixels + headPixels - clientHeight;
      const now = scrollTop * scale;
      const places = { nearest: Math.max(lowest, Math.min(start, now)), middle: (start + lowest) / 2, top: start };
      const next = places[place];
      if (next !== now) element.scrollTop = next / scale;
    },
  };
}
