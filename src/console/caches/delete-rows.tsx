/** Deletes selected rows, unless they have changed since, and first says how many it would delete. */
import { useMemo } from 'preact/hooks';
import { Failure } from '../elements/elements.tsx';
import { FormDialog } from '../elements/form-dialog.tsx';
import { formatNumber } from '../elements/formats.ts';
import { useLoaded } from '../requests/polling.ts';
import { messageOf } from '../requests/request.ts';
import type { RowTexts } from '../rows/row.ts';
import { execute, forEachChange, wouldChange } from './changes.ts';
import { noteSaved } from './saved-changes.ts';
import { SentChanges } from './sent-changes.tsx';
import { type Change, isRestorable, type RowKind } from './stored-rows.ts';

const LOST = 'Times to live are not restored.';

/** Returns the changes that store rows again. A row that was not deleted keeps its key, and stays. */
function insertionsOf(kind: RowKind, rows: readonly RowTexts[]): readonly Change[] {
  return rows.flatMap((row) => kind.insertOf(row) ?? []);
}

export function DeleteRows(props: {
  readonly kind: RowKind;
  readonly rows: readonly RowTexts[];
  /** Also called after a failure: some rows may be gone. */
  readonly onDeleted: (message: string) => void;
}) {
  const { kind, rows, onDeleted } = props;
  const changes = useMemo(() => kind.deletionsOf(rows), [rows]);
  const all = formatNumber(rows.length);
  const sendable = rows.filter((row) => kind.canChange(row)).length;
  const preview = useLoaded(async () => {
    let sum = 0;
    let isKnown = true;
    await forEachChange(changes, async (change) => {
      const count = await wouldChange(change);
      sum += count ?? 0;
      isKnown &&= count !== undefined;
    });
    if (!isKnown) return 'This engine cannot count what this would delete.';
    const others = sum === sendable ? '' : '; the others have changed since they were read';
    const undone = isRestorable(kind) ? 'Control+Z undoes it while this page is open.' : 'This cannot be undone.';
    return `The service would delete ${formatNumber(sum)} of ${all}${others}. ${undone}`;
  }, '');
  const { value: said = preview.error.value === '' ? 'Counting what this would delete …' : '' } = preview.value;
  const send = async (): Promise<void> => {
    let deleted = 0;
    try {
      await forEachChange(changes, async (change) => {
        // Changes run concurrently: the sum must be read only after one of them has ended.
        const count = await execute(change);
        deleted += count;
      });
    } catch (problem) {
      throw new Error(`${deleted === 0 ? '' : `Deleted ${formatNumber(deleted)}, then: `}${messageOf(problem)}`);
    } finally {
      const said = `Deleted ${formatNumber(deleted)} of ${all}.`;
      if (deleted > 0) noteSaved(kind, said, isRestorable(kind) ? insertionsOf(kind, rows) : [], LOST);
      onDeleted(said);
    }
  };
  return (
    <FormDialog
      title={`Delete ${all} ${kind.nouns[rows.length === 1 ? 0 : 1]}?`}
      action="Delete"
      isDangerous
      canSend={changes.length > 0}
      onSend={send}
    >
      <p role="status">{said}</p>
      <Failure text={preview.error.value} />
      {sendable < rows.length && (
        <p class="hint">
          {formatNumber(rows.length - sendable)} of {all} have types that the console cannot send, and stay.
        </p>
      )}
      <SentChanges changes={changes} />
    </FormDialog>
  );
}
