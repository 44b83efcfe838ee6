/** The bar below a grid: which rows are in view, what is selected, and the available actions. */
import type { ComponentChildren } from 'preact';
import { Button, Status } from '../elements/elements.tsx';
import { formatNumber } from '../elements/formats.ts';
import { openShortcuts } from '../elements/shortcuts.tsx';
import type { GridView } from '../rows/row-grid.tsx';

const PAGES: ReadonlyArray<readonly [sign: string, name: string, pages: number]> = [
  ['⇤', 'First page', Number.NEGATIVE_INFINITY],
  ['‹', 'Previous page', -1],
  ['›', 'Next page', 1],
  ['⇥', 'Last page', Number.POSITIVE_INFINITY],
];

/** Which rows are in view, and buttons that lead to others. Only this is redrawn while the grid is scrolled. */
function Pages({ view }: { readonly view: GridView }) {
  const { first, end, count } = view.rows.value;
  if (end <= first) return null;
  return (
    <span class="pages">
      {PAGES.slice(0, 2).map(([sign, name, pages]) => (
        <Button key={name} class="plain" aria-label={name} disabled={first === 0} onClick={() => view.scroll(pages)}>
          {sign}
        </Button>
      ))}
      <span class="pages-rows">
        {formatNumber(first + 1)}–{formatNumber(end)}
      </span>
      {PAGES.slice(2).map(([sign, name, pages]) => (
        <Button key={name} class="plain" aria-label={name} disabled={end === count} onClick={() => view.scroll(pages)}>
          {sign}
        </Button>
      ))}
    </span>
  );
}

export interface GridFootProps {
  /** Sentences about the rows. */
  readonly status: readonly string[];
  /** The progress of reading. */
  readonly progress: string;
  readonly view: GridView;
  /** What would be sent, during a change. */
  readonly change: ComponentChildren;
  /** Why the active cell cannot be changed; empty if it can. */
  readonly whyFixed: string;
  /** The statement that reads the rows. */
  readonly statement: string | undefined;
  /** Buttons for the active cell. */
  readonly children: ComponentChildren;
}

export function GridFoot({ status, progress, view, change, whyFixed, statement, children }: GridFootProps) {
  return (
    <div class="grid-foot">
      <div class="grid-foot-line">
        <Pages view={view} />
        <Status text={status.filter(Boolean).join(' ')} />
        <p class="actions">{children}</p>
      </div>
      {progress !== '' && <p class="hint">{progress}</p>}
      {change}
      <div class="grid-foot-line">
        {statement !== undefined && (
          <details>
            <summary>Statement</summary>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it */}
            <pre tabIndex={0}>{statement}</pre>
          </details>
        )}
        <span class="hint" title={whyFixed}>
          {whyFixed}
        </span>
        <Button class="link" onClick={openShortcuts}>
          Keyboard shortcuts
        </Button>
      </div>
    </div>
  );
}
