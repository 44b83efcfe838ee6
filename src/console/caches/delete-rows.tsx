/** Deletes rows that were selected, unless they have changed since, and says before how many it would delete. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Dialog, Failure } from '../elements/elements.tsx';
import { formatNumber } from '../elements/formats.ts';
import { call, isNotSupported, messageOf } from '../requests/request.ts';
import { parametersOf } from '../rows/result.ts';
import { deleteRowsOf, type TableShape } from './row-change.ts';
import type { RowTexts, Statement } from './row-query.ts';
import { shownStatement } from './shown-statement.ts';

/** Statements with more conditions would take the service long to parse. */
const ROWS_A_STATEMENT = 50;
/** What is shown of a long statement. */
const SHOWN_CHARACTERS = 2_000;

function chunksOf(rows: readonly RowTexts[]): ReadonlyArray<readonly RowTexts[]> {
  const count = Math.ceil(rows.length / ROWS_A_STATEMENT);
  return Array.from({ length: count }, (_, at) => rows.slice(at * ROWS_A_STATEMENT, (at + 1) * ROWS_A_STATEMENT));
}

const parameters = ({ sql, args }: Statement) => ({ ...parametersOf({ sql, args, schema: '' }), pageSize: 1 });

interface Updated {
  readonly items: ReadonlyArray<readonly [number]>;
}

/** Returns how many rows a statement would delete; undefined where the engine cannot tell. */
async function wouldDelete(statement: Statement): Promise<number | undefined> {
  try {
    const { response } = (await call('dryrun', { of: 'qryfldexe', ...parameters(statement) })) as unknown as {
      readonly response: Updated;
    };
    return Number(response.items[0]?.[0] ?? 0);
  } catch (problem) {
    if (isNotSupported(problem)) return undefined;
    throw problem;
  }
}

export function DeleteRows(props: {
  readonly shape: TableShape;
  readonly rows: readonly RowTexts[];
  readonly onClose: () => void;
  /** Called after a failure, too: some rows may be gone. */
  readonly onDeleted: (message: string) => void;
}) {
  const { shape, rows, onClose, onDeleted } = props;
  const statements = chunksOf(rows).map((chunk) => deleteRowsOf(shape, chunk));
  const preview = useSignal('Asking the service what this would delete …');
  const error = useSignal('');
  const isBusy = useSignal(false);
  const title = rows.length === 1 ? 'Delete 1 row' : `Delete ${formatNumber(rows.length)} rows`;
  const ask = async (): Promise<void> => {
    try {
      const counts: (number | undefined)[] = [];
      for (const statement of statements) counts.push(await wouldDelete(statement));
      const known = counts.filter((each) => each !== undefined);
      const sum = known.reduce((total, each) => total + each, 0);
      const changed = rows.length - sum;
      if (known.length < counts.length) preview.value = 'This engine cannot tell what a statement would delete.';
      else {
        preview.value = `The service would delete ${formatNumber(sum)} of ${formatNumber(rows.length)}${
          changed === 0 ? '' : '; the others have changed since they were read'
        }. This cannot be undone.`;
      }
    } catch (problem) {
      preview.value = '';
      error.value = messageOf(problem);
    }
  };
  useEffect(() => void ask(), []);
  const execute = async (event: Event): Promise<void> => {
    event.preventDefault();
    [isBusy.value, error.value] = [true, ''];
    let deleted = 0;
    try {
      for (const statement of statements) {
        const { items } = (await call('qryfldexe', parameters(statement))) as unknown as Updated;
        deleted += Number(items[0]?.[0] ?? 0);
      }
      onClose();
    } catch (problem) {
      error.value = `${deleted === 0 ? '' : `Deleted ${formatNumber(deleted)}, then: `}${messageOf(problem)}`;
    } finally {
      isBusy.value = false;
      onDeleted(`Deleted ${formatNumber(deleted)} of ${formatNumber(rows.length)}.`);
    }
  };
  const [first] = statements;
  const text = first === undefined ? '' : shownStatement(first.sql, first.args);
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={execute}>
        <p role="status">{preview.value}</p>
        <details open>
          <summary>What is sent</summary>
          <pre>
            {text.slice(0, SHOWN_CHARACTERS)}
            {text.length > SHOWN_CHARACTERS && ' …'}
          </pre>
          {statements.length > 1 && <p class="hint">And {statements.length - 1} more such statements.</p>}
        </details>
        <Failure text={error.value} />
        <p class="actions">
          <button type="submit" class="danger" disabled={isBusy.value}>
            {isBusy.value ? 'Deleting …' : 'Delete if unchanged'}
          </button>
        </p>
      </form>
    </Dialog>
  );
}
