/** Undoes the page's last save, unless it has been changed since, and first shows what is sent. */
import { FormDialog } from '../elements/form-dialog.tsx';
import { formatNumber } from '../elements/formats.ts';
import { messageOf } from '../requests/request.ts';
import { execute, forEachChange } from './changes.ts';
import { forgetSaved, type SavedChange } from './saved-changes.ts';
import { SentChanges } from './sent-changes.tsx';

export function UndoChange(props: {
  readonly change: SavedChange;
  /** Also called after a failure: part of it may be undone. */
  readonly onUndone: (message: string) => void;
}) {
  const { change, onUndone } = props;
  const { done, inverses, lost } = change;
  const all = formatNumber(inverses.length);
  const send = async (): Promise<void> => {
    let undone = 0;
    let problem = '';
    await forEachChange(inverses, async (inverse) => {
      try {
        const count = await execute(inverse);
        undone += Math.min(1, count);
      } catch (error) {
        // The others are undone anyway.
        problem ||= messageOf(error);
      }
    });
    if (undone === 0) throw new Error(problem === '' ? 'Nothing was undone: the data has changed since.' : problem);
    forgetSaved(change);
    const others = undone === inverses.length ? '' : ` ${problem || 'The others have changed since.'}`;
    onUndone(inverses.length === 1 ? 'The change is undone.' : `Undone ${formatNumber(undone)} of ${all}.${others}`);
  };
  return (
    <FormDialog title="Undo the last change?" action="Undo" onSend={send}>
      <p>
        {done} This undoes it. Values that have changed since stay as they are.
        {lost !== '' && ` ${lost}`}
      </p>
      <SentChanges changes={inverses} />
    </FormDialog>
  );
}
