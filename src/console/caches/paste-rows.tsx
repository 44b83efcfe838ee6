/** Shows what a block of cells would change in a grid, and sends it. Rows that have changed since stay as they are. */
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { bound, Choices, Table } from '../elements/elements.tsx';
import { FormDialog } from '../elements/form-dialog.tsx';
import { formatCount, formatNumber } from '../elements/formats.ts';
import { messageOf } from '../requests/request.ts';
import type { RowTexts } from '../rows/row.ts';
import { execute, forEachChange } from './changes.ts';
import { inverseOf, mayAdd, type PastedBlock, type PasteMode, planOf } from './paste-plan.ts';
import { noteSaved } from './saved-changes.ts';
import { SentChanges } from './sent-changes.tsx';
import type { Change, RowKind } from './stored-rows.ts';

/** Users do not read more of them before sending. */
const SHOWN_CELLS = 40;
const SHOWN_PROBLEMS = 5;
const SHOWN_CHARACTERS = 60;

function valueText(value: string | null | undefined) {
  if (value === undefined) return '';
  if (value === null) return <span class="null">NULL</span>;
  return value.length > SHOWN_CHARACTERS ? `${value.slice(0, SHOWN_CHARACTERS)} …` : value;
}

export function PasteRows(props: {
  readonly kind: RowKind;
  readonly block: PastedBlock;
  /** The rows from the active one on, as they were read. */
  readonly rows: readonly RowTexts[];
  /** The index of the active one. */
  readonly first: number;
  readonly mayChange: boolean;
  readonly mayInsert: boolean;
  /** Also called after a failure: some rows may have changed. */
  readonly onPasted: (message: string) => void;
}) {
  const { kind, block, rows, first, mayChange, mayInsert, onPasted } = props;
  const [one, several] = kind.nouns;
  const isAddable = mayInsert && mayAdd(block, kind);
  const begin = useMemo((): PasteMode => {
    if (!mayChange) return 'add';
    // Rows with other keys are new ones.
    const changing = planOf(kind, block, { mode: 'change', rows, first });
    return isAddable && changing.problems.length > 0 ? 'add' : 'change';
  }, []);
  const mode = useSignal(begin);
  const { rows: changed, problems } = useMemo(
    () => planOf(kind, block, { mode: mode.value, rows, first }),
    [mode.value],
  );
  const cells = changed.flatMap((row) => row.cells.map((cell) => ({ ...cell, number: row.number })));
  // Those that cannot be stored are always among the shown ones.
  const shown = [...cells].sort((a, b) => Number(a.problem === undefined) - Number(b.problem === undefined));
  const added = changed.filter(({ before }) => before === undefined).length;
  const mayNotAdd = added > 0 && !mayInsert;
  const send = async (): Promise<void> => {
    const byChange = new Map(changed.map((row) => [row.change, row]));
    const inverses: Change[] = [];
    let count = 0;
    try {
      await forEachChange([...byChange.keys()], async (change) => {
        if ((await execute(change)) === 0) return;
        count++;
        const row = byChange.get(change);
        inverses.push(...[row && inverseOf(kind, row)].filter((each) => each !== undefined));
      });
    } catch (problem) {
      throw new Error(`${count === 0 ? '' : `Pasted ${formatNumber(count)}, then: `}${messageOf(problem)}`);
    } finally {
      const said = `Pasted ${formatNumber(count)} of ${formatCount(changed.length, one, several)}.`;
      if (count > 0) noteSaved(kind, said, inverses);
      onPasted(count === changed.length ? said : `${said} The others have changed since they were read.`);
    }
  };
  const problem = mayNotAdd
    ? `You may not add ${several}.`
    : problems.length > SHOWN_PROBLEMS
      ? `${problems.slice(0, SHOWN_PROBLEMS).join(' ')} And ${formatNumber(problems.length - SHOWN_PROBLEMS)} more.`
      : problems.join(' ');
  return (
    <FormDialog
      title={`Paste ${formatCount(block.cells.length, 'line')} into ${kind.title}?`}
      action="Paste"
      isWide
      canSend={changed.length > 0}
      problem={problem}
      onSend={send}
    >
      {isAddable && mayChange && (
        <Choices
          label="Use of the lines"
          options={[
            ['change', `Change the ${several} from here`],
            ['add', `Add new ${several}`],
          ]}
          {...bound(mode)}
        />
      )}
      <p role="status">
        {changed.length === 0
          ? 'Nothing changes: all values are the same.'
          : `${formatCount(cells.length, 'value')} in ${formatCount(changed.length, one, several)}${
              added === 0 ? '' : `, of which ${formatNumber(added)} ${added === 1 ? 'is' : 'are'} new`
            }.`}
      </p>
      <Table
        caption="Changes"
        columns={['Row', 'Column', 'Now', 'Then']}
        empty=""
        rows={shown.slice(0, SHOWN_CELLS).map(({ number, column, before, after, problem: why }, at) => ({
          key: `${at}`,
          cells: [
            number === undefined ? 'new' : formatNumber(number),
            column,
            valueText(before),
            why === undefined ? (
              valueText(after)
            ) : (
              <span class="bad" title={why}>
                ✕ {valueText(after)}
                <span class="hidden">, which cannot be stored</span>
              </span>
            ),
          ],
        }))}
      />
      {cells.length > SHOWN_CELLS && <p class="hint">And {formatNumber(cells.length - SHOWN_CELLS)} more values.</p>}
      <SentChanges changes={changed.map(({ change }) => change)} />
    </FormDialog>
  );
}
