/** A dialog with the whole value of one column of a row. */
import { useSignal } from '@preact/signals';
import { Choices, Dialog } from '../elements/elements.tsx';
import type { Json } from '../requests/request.ts';
import { sqlTypeOf } from './sql-types.ts';
import { type ValueView, viewsOf } from './value-views.ts';

const TITLES: Readonly<Record<ValueView, string>> = { text: 'Text', json: 'JSON', hex: 'Hex' };

interface ValueDialogProps {
  readonly name: string;
  /** The class of the values, as the interface names it. */
  readonly type: string;
  readonly value: Json;
  readonly onClose: () => void;
}

export function ValueDialog({ name, type, value, onClose }: ValueDialogProps) {
  const views = viewsOf(value, type);
  const chosen = useSignal<ValueView | undefined>(views[0]?.[0]);
  const text = views.find(([view]) => view === chosen.value)?.[1];
  return (
    <Dialog title={name} onClose={onClose}>
      <p class="hint">{sqlTypeOf(type).name}</p>
      {text === undefined ? (
        <p class="null">NULL</p>
      ) : (
        <>
          <Choices
            label="View"
            options={views.map(([view]) => [view, TITLES[view]] as const)}
            value={chosen.value ?? 'text'}
            onValue={(view) => {
              chosen.value = view;
            }}
          />
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it */}
          <pre tabIndex={0}>{text}</pre>
        </>
      )}
    </Dialog>
  );
}
