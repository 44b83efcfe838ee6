/** A dialog with the whole value of one column of a row. */
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { Choices, Dialog } from '../elements/elements.tsx';
import { formatCount } from '../elements/formats.ts';
import type { Json } from '../requests/request.ts';
import { isBinary, type ValueView, viewsOf } from './value-views.ts';

interface ValueDialogProps {
  readonly name: string;
  /** The class of the values, as the interface names it. */
  readonly type: string;
  /** The type's label. */
  readonly sqlType: string;
  readonly value: Json;
}

export function ValueDialog({ name, type, sqlType, value }: ValueDialogProps) {
  const found = useMemo(() => viewsOf(value, type), [value, type]);
  const chosen = useSignal<ValueView | undefined>(undefined);
  const titles: Readonly<Record<ValueView, string>> = {
    text: isBinary(type) ? 'Base64' : 'Text',
    json: 'JSON',
    hex: 'Hex',
  };
  const views = found?.views ?? [];
  const shown = views.find(([view]) => view === chosen.value) ?? views[0];
  return (
    <Dialog title={name}>
      <p class="hint">
        {sqlType}
        {found !== undefined && `, ${formatCount(found.byteCount, 'byte')}`}
      </p>
      {shown === undefined ? (
        <p class="null">NULL</p>
      ) : (
        <>
          <Choices
            label="View"
            options={views.map(([view]) => [view, titles[view]] as const)}
            value={shown[0]}
            onValue={(view) => {
              chosen.value = view;
            }}
          />
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it */}
          <pre class={shown[0] === 'hex' ? 'value-whole hex' : 'value-whole'} tabIndex={0}>
            {shown[1]}
          </pre>
        </>
      )}
    </Dialog>
  );
}
