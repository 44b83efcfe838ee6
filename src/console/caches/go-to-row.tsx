/** Asks for a row by its key or its position in the current order, and finds it. */
import { useSignal } from '@preact/signals';
import { useAttempt } from '../elements/attempt.ts';
import { bound, boundText, Dialog, Failure, TextField } from '../elements/elements.tsx';
import { formatNumber } from '../elements/formats.ts';
import { useClosing } from '../elements/opened-dialog.tsx';
import type { KeysetRows } from './keyset-rows.ts';
import { hasKeyset } from './row-query.ts';

export function GoToRow(props: { readonly rows: KeysetRows; readonly onFound: (index: number) => void }) {
  const { rows, onFound } = props;
  const close = useClosing();
  const keys = rows.query.columns.filter(({ isKey }) => isKey);
  const values = useSignal<Readonly<Record<string, string>>>({});
  const place = useSignal('');
  const { error, attempt } = useAttempt();
  const isFiltered = Object.values(rows.query.filters).some((text) => text.trim() !== '');
  const count = rows.rowCount.value;
  const go = (index: number): void => {
    onFound(index);
    close();
  };
  const goToKey = async (event: Event): Promise<void> => {
    event.preventDefault();
    await attempt(async () => {
      const index = await rows.indexOf(values.value);
      if (index !== undefined) go(index);
      else error.value = isFiltered ? 'No row with this key matches the filters.' : 'No row has this key.';
    });
  };
  const goToPlace = (event: Event): void => {
    event.preventDefault();
    const wanted = Number(place.value.replace(/[\s,.'’]/g, ''));
    if (Number.isInteger(wanted) && wanted >= 1 && wanted <= count) go(wanted - 1);
    else error.value = `The number of a row is between 1 and ${formatNumber(count)}.`;
  };
  return (
    <Dialog title="Go to row">
      {hasKeyset(rows.query) && (
        <form onSubmit={goToKey}>
          {keys.map(({ name, sqlType }) => (
            <TextField key={name} label={`${name}, ${sqlType}`} {...boundText(values, name)} />
          ))}
          <p class="actions">
            <button type="submit" class="primary" disabled={keys.some(({ name }) => (values.value[name] ?? '') === '')}>
              Go to key
            </button>
          </p>
        </form>
      )}
      <form onSubmit={goToPlace}>
        <TextField
          label="Number of the row, in the order shown"
          hint={`1 to ${formatNumber(count)}${rows.isComplete.value ? '' : ' so far'}.`}
          {...bound(place)}
        />
        <p class="actions">
          <button type="submit" disabled={place.value === ''}>
            Go to number
          </button>
        </p>
      </form>
      <Failure text={error.value} />
    </Dialog>
  );
}
