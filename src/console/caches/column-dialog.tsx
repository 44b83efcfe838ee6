/** Which columns a grid shows, in which order and how wide. The browser stores this for each table and cache. */

import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { Button, Dialog, Status } from '../elements/elements.tsx';
import { keep } from '../requests/browser-storage.ts';
import {
  type ColumnLayout,
  moveColumn,
  orderedNames,
  parseLayout,
  showColumn,
  shownColumns,
  USUAL_LAYOUT,
} from '../rows/column-layout.ts';
import type { Arrangement } from '../rows/grid-columns.ts';
import type { RowKind } from './stored-rows.ts';

const STORED = 'svc-columns:';

export interface Layout {
  readonly value: ColumnLayout;
  readonly change: (layout: ColumnLayout) => void;
  readonly arrangement: Arrangement;
}

/** Returns the layout of the columns, which the browser stores when it changes. */
export function useLayout({ layoutName, columns }: RowKind): Layout {
  const key = `${STORED}${layoutName}`;
  const names = useMemo(() => columns.map(({ name }) => name), [columns]);
  const layout = useSignal(useMemo(() => parseLayout(localStorage.getItem(key)), [key]));
  const change = (next: ColumnLayout): void => {
    layout.value = next;
    if (next === USUAL_LAYOUT) localStorage.removeItem(key);
    else keep(key, next);
  };
  const widths = useMemo(() => {
    const set = Object.entries(layout.value.widths).map(([name, width]) => [names.indexOf(name), width] as const);
    return new Map(set.filter(([at]) => at >= 0));
  }, [names, layout.value.widths]);
  const shown = useMemo(() => shownColumns(names, layout.value), [names, layout.value.order, layout.value.hidden]);
  return {
    get value() {
      return layout.value;
    },
    change,
    arrangement: {
      shown,
      widths,
      setWidths: (set) =>
        change({ ...layout.peek(), widths: Object.fromEntries([...set].map(([at, width]) => [names[at], width])) }),
      move: (column, to) => {
        const [name = '', target = ''] = [names[column], names[to]];
        change(moveColumn(names, layout.value, { name, to: target }));
      },
    },
  };
}

export function ColumnDialog(props: { readonly kind: RowKind; readonly layout: Layout }) {
  const { kind, layout } = props;
  const status = useSignal('');
  const names = kind.columns.map(({ name }) => name);
  const ordered = orderedNames(names, layout.value);
  const isShown = (name: string): boolean => !layout.value.hidden.includes(name);
  const shownCount = ordered.filter(isShown).length;
  const move = (name: string, to: number): void => {
    layout.change(moveColumn(names, layout.value, { name, to: ordered[to] ?? name }));
    status.value = `${name} is column ${to + 1} of ${ordered.length}.`;
  };
  return (
    <Dialog title="Columns">
      <p class="hint">This browser remembers the columns. You can also drag their headings and edges.</p>
      <ul class="column-list">
        {ordered.map((name, at) => (
          <li key={name}>
            <label class="checkbox">
              <input
                type="checkbox"
                checked={isShown(name)}
                disabled={isShown(name) && shownCount === 1}
                onChange={({ currentTarget }) => layout.change(showColumn(layout.value, name, currentTarget.checked))}
              />
              {name} <span class="hint">{kind.columns.find((each) => each.name === name)?.sqlType}</span>
            </label>
            <Button class="plain" disabled={at === 0} onClick={() => move(name, at - 1)}>
              <span aria-hidden="true">↑</span>
              <span class="hidden">Move {name} before</span>
            </Button>
            <Button class="plain" disabled={at === ordered.length - 1} onClick={() => move(name, at + 1)}>
              <span aria-hidden="true">↓</span>
              <span class="hidden">Move {name} behind</span>
            </Button>
          </li>
        ))}
      </ul>
      <Status text={status.value} />
      <p class="actions">
        <Button
          onClick={() => {
            layout.change(USUAL_LAYOUT);
            status.value = 'All columns are shown as at first.';
          }}
        >
          Reset order, widths and hidden columns
        </Button>
      </p>
    </Dialog>
  );
}
