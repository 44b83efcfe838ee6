/** The whole value of a cell: as text, JSON and bytes. */
import { useSignal } from '@preact/signals';
import { Choices, Dialog } from '../elements/elements.tsx';
import { formatNumber } from '../elements/formats.ts';
import { asHex, asJson, bytesOf, MOST_BYTES } from '../rows/value-text.ts';
import type { TableColumn } from './row-query.ts';

export function ValuePanel(props: {
  readonly column: TableColumn;
  readonly value: string | null;
  readonly onClose: () => void;
}) {
  const { column, value, onClose } = props;
  const isBinary = column.sqlType.startsWith('VARBINARY');
  const json = value === null || isBinary ? undefined : asJson(value);
  const view = useSignal<'json' | 'text' | 'hex'>(isBinary ? 'hex' : json === undefined ? 'text' : 'json');
  const bytes = value === null ? undefined : bytesOf(value, isBinary);
  const shown = view.value === 'json' ? json : view.value === 'hex' && bytes !== undefined ? asHex(bytes) : value;
  return (
    <Dialog title={`${column.name}, ${column.sqlType}`} onClose={onClose}>
      {value === null || bytes === undefined ? (
        <p class="null">NULL</p>
      ) : (
        <>
          <Choices
            label="Show as"
            options={[
              ...(json === undefined ? [] : [['json', 'JSON'] as const]),
              ['text', isBinary ? 'Base64' : 'Text'],
              ['hex', 'Hex'],
            ]}
            value={view.value}
            onValue={(chosen) => (view.value = chosen)}
          />
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it */}
          <pre class={view.value === 'hex' ? 'value-whole hex' : 'value-whole'} tabIndex={0}>
            {shown}
          </pre>
          <p class="hint">
            {isBinary ? '' : `${formatNumber(value.length)} characters, `}
            {formatNumber(bytes.length)} bytes
            {view.value === 'hex' && bytes.length > MOST_BYTES
              ? `, of which ${formatNumber(MOST_BYTES)} are shown`
              : ''}
            .
          </p>
        </>
      )}
    </Dialog>
  );
}
