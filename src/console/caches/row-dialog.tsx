/** Shows, adds, changes, duplicates and removes a row. Nothing is overwritten that has changed since it was read. */
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { Dialog, Failure } from '../elements/elements.tsx';
import { tableTitle } from '../requests/catalog.ts';
import { call, messageOf } from '../requests/request.ts';
import { parametersOf } from '../rows/result.ts';
import { deleteRowsOf, insertOf, type TableShape, updateOf } from './row-change.ts';
import { argumentTypeOf, type RowTexts, type Statement } from './row-query.ts';
import { shownStatement } from './shown-statement.ts';

interface RowDialogProps {
  readonly shape: TableShape;
  /** The row as it was read; undefined: a new one. */
  readonly row: RowTexts | undefined;
  /** The column whose field gets the focus. */
  readonly column: string | undefined;
  readonly onClose: () => void;
  readonly onChanged: () => void;
}

/** Longer values get a field of several lines. */
const LINE_CHARACTERS = 60;

function FieldOfColumn(props: {
  readonly name: string;
  readonly type: string;
  readonly isFixed: boolean;
  readonly hasFocus: boolean;
  readonly value: string | null;
  readonly onValue: (value: string | null) => void;
}) {
  const { name, type, isFixed, hasFocus, value, onValue } = props;
  const id = `row-${name}`;
  const attributes = {
    id,
    // A dialog that opens gives it the focus.
    autofocus: hasFocus,
    readOnly: isFixed,
    spellcheck: false,
    value: value ?? '',
    placeholder: value === null ? 'NULL' : '',
    onInput: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      onValue(currentTarget.value),
  };
  // What is typed does not decide: a field that became another one would lose the focus.
  const isLong = useMemo(() => value !== null && (value.length > LINE_CHARACTERS || value.includes('\n')), []);
  return (
    <div class="field row-field">
      <label for={id}>
        {name} <span class="hint">{type}</span>
      </label>
      {isLong ? <textarea {...attributes} rows={5} /> : <input {...attributes} type="text" autocomplete="off" />}
      {!isFixed && value !== null && (
        <button type="button" class="plain" onClick={() => onValue(null)}>
          Set to NULL<span class="hidden">: {name}</span>
        </button>
      )}
    </div>
  );
}

export function RowDialog({ shape, row, column, onClose, onChanged }: RowDialogProps) {
  const before = useSignal(row);
  const texts = useSignal<RowTexts>(row ?? {});
  const error = useSignal('');
  const { value: read } = before;
  const isNew = read === undefined;
  const title = tableTitle(shape.table.schema, shape.table.name);
  const change = read === undefined ? insertOf(shape, texts.value) : updateOf(shape, read, texts.value);
  const execute = async ({ sql, args }: Statement): Promise<void> => {
    error.value = '';
    try {
      const { items } = (await call('qryfldexe', {
        ...parametersOf({ sql, args, schema: '' }),
        pageSize: 1,
      })) as unknown as {
        readonly items: ReadonlyArray<readonly [number]>;
      };
      if (Number(items[0]?.[0] ?? 0) === 0) {
        error.value = 'Nothing was changed: the row has changed since it was read, or is gone.';
        return;
      }
      onChanged();
      onClose();
    } catch (problem) {
      error.value = messageOf(problem);
    }
  };
  return (
    <Dialog title={isNew ? `New row of ${title}` : `Row of ${title}`} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (change !== undefined) void execute(change);
        }}
      >
        {shape.columns.map((each) => (
          <FieldOfColumn
            key={each.name}
            name={each.name}
            type={`${each.sqlType}${each.isKey ? ', key' : ''}`}
            isFixed={argumentTypeOf(each) === undefined || (each.isKey && !isNew)}
            hasFocus={each.name === column}
            value={texts.value[each.name] ?? null}
            onValue={(value) => (texts.value = { ...texts.value, [each.name]: value })}
          />
        ))}
        {change !== undefined && change.args.length > 0 && (
          <details open>
            <summary>What is sent</summary>
            <pre>{shownStatement(change.sql, change.args)}</pre>
          </details>
        )}
        <Failure text={error.value} />
        <p class="actions">
          <button type="submit" class="primary" disabled={change === undefined}>
            {isNew ? 'Add row' : 'Save if unchanged'}
          </button>
          {read !== undefined && (
            <>
              <button type="button" onClick={() => (before.value = undefined)}>
                Duplicate
              </button>
              <button type="button" class="danger" onClick={() => execute(deleteRowsOf(shape, [read]))}>
                Delete if unchanged
              </button>
            </>
          )}
        </p>
      </form>
    </Dialog>
  );
}
