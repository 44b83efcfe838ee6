/** The panel that shows, adds, changes and duplicates a row. It never overwrites changes made since then. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId, useMemo } from 'preact/hooks';
import { useAttempt } from '../elements/attempt.ts';
import { Button, Dialog, Failure, SelectField, type Tile, Tiles } from '../elements/elements.tsx';
import { formatBytes } from '../elements/formats.ts';
import { useClosing } from '../elements/opened-dialog.tsx';
import type { RowTexts } from '../rows/row.ts';
import { BYTES } from '../rows/value-input.ts';
import { execute } from './changes.ts';
import { editedRow, problemsOf, storedRow } from './edited-row.ts';
import { noteSaved } from './saved-changes.ts';
import {
  type Change,
  capitalized,
  mayBeNull,
  mayNotChange,
  placeholderOf,
  type RowKind,
  type RowRights,
  type StoredColumn,
} from './stored-rows.ts';

interface RowDialogProps {
  readonly kind: RowKind;
  readonly may: Pick<RowRights, 'add' | 'change' | 'remove'>;
  /** The row as read; undefined if it is new. */
  readonly row: RowTexts | undefined;
  /** The column whose field gets the focus. */
  readonly column: string | undefined;
  /** Additional information about the row as read. */
  readonly details?: ((row: RowTexts) => ComponentChildren) | undefined;
  /** Asks whether to delete the row. */
  readonly onDelete: (row: RowTexts) => void;
  readonly onChanged: () => void;
}

/** Longer values get a multi-line field. */
const LINE_CHARACTERS = 60;

function FieldOfColumn(props: {
  readonly column: StoredColumn;
  /** The type of its values, as arguments have it. */
  readonly argument: string;
  /** Why it cannot be changed; undefined if it can. */
  readonly whyFixed: string | undefined;
  readonly hasFocus: boolean;
  /** Undefined if there is none yet. */
  readonly value: string | null | undefined;
  readonly onValue: (value: string | null) => void;
}) {
  const { column, argument, whyFixed, hasFocus, value, onValue } = props;
  const isFixed = whyFixed !== undefined;
  const { name, sqlType, isKey, choices, format } = column;
  const typeText = [sqlType, isKey && sqlType !== '' ? 'key' : '', argument === BYTES ? 'in hexadecimal digits' : ''];
  const type = typeText.filter(Boolean).join(', ');
  const id = useId();
  const attributes = {
    id,
    // An opening dialog focuses it.
    autofocus: hasFocus,
    readOnly: isFixed,
    title: whyFixed === '' ? undefined : whyFixed,
    spellcheck: false,
    value: (isFixed ? format?.(value ?? null, []) : undefined) ?? value ?? '',
    placeholder: placeholderOf(column, value),
    onInput: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      onValue(currentTarget.value),
  };
  const isNull = value === null || placeholderOf(column, value) === 'NULL';
  // Independent of the typed text: replacing the field would lose the focus.
  const isLong = useMemo(
    () =>
      column.isLong === true || (typeof value === 'string' && (value.length > LINE_CHARACTERS || value.includes('\n'))),
    [],
  );
  if (choices !== undefined && !isFixed) {
    const isOther = typeof value === 'string' && !choices.some(([each]) => each === value);
    const options = isOther ? [...choices, [value, format?.(value, []) ?? value] as const] : choices;
    return <SelectField label={name} value={value ?? ''} options={options} onValue={onValue} />;
  }
  return (
    <div class="field row-field">
      <label for={id}>
        {name}
        {type !== '' && <span class="hint"> {type}</span>}
      </label>
      {isLong ? <textarea {...attributes} rows={5} /> : <input {...attributes} type="text" autocomplete="off" />}
      {!isFixed && mayBeNull(column) && !isNull && (
        <Button class="plain" onClick={() => onValue(null)}>
          Set to NULL<span class="hidden">: {name}</span>
        </Button>
      )}
    </div>
  );
}

/** Returns whether the page knows the key's columns: users with few rights may not read which these are. */
function hasKey({ columns }: RowKind): boolean {
  return columns.some(({ isKey }) => isKey);
}

/** Returns why no value of a row other than its key can be changed, or undefined if one can. */
function whyValueIsFixed(kind: RowKind, row: RowTexts): string | undefined {
  const reasons = kind.columns
    .filter(({ isKey, isDerived, choices }) => !isKey && isDerived !== true && choices === undefined)
    .map((column) => kind.whyFixed(column, row));
  return reasons.includes(undefined) ? undefined : reasons[0];
}

/** Returns the size of a value's text, or of the bytes that it represents. */
function sizeOf(argument: string, text: string | null | undefined): number {
  if (typeof text !== 'string') return 0;
  return argument === BYTES ? Math.floor((text.replace(/=+$/, '').length * 3) / 4) : new Blob([text]).size;
}

/** The facts about a row besides its values: their size, and the columns shown only in the grid. */
function RowFacts({ kind, row }: { readonly kind: RowKind; readonly row: RowTexts }) {
  const facts = useMemo((): readonly Tile[] => {
    const { columns } = kind;
    const sizes = (isKey: boolean) =>
      columns
        .filter((column) => column.isKey === isKey && column.isDerived !== true && column.choices === undefined)
        .reduce((sum, column) => sum + sizeOf(kind.typeOf(column, row).argument, row[column.name]), 0);
    const derived = columns.filter(({ isDerived }) => isDerived === true);
    const keySize: readonly Tile[] = hasKey(kind) ? [['Size of the key', formatBytes(sizes(true))]] : [];
    return [
      ...keySize,
      ['Size of the values', formatBytes(sizes(false))],
      ...derived.map(({ name }): Tile => [name, row[name] ?? '']),
    ];
  }, [kind, row]);
  return <Tiles tiles={facts} />;
}

export function RowDialog({ kind, may, row, column, details, onDelete, onChanged }: RowDialogProps) {
  const close = useClosing();
  const before = useSignal(row);
  const texts = useSignal<RowTexts>(useMemo(() => editedRow(kind, row ?? kind.newRow), []));
  const { error, attempt } = useAttempt();
  const { value: read } = before;
  const isNew = read === undefined;
  const [noun] = kind.nouns;
  const mayChange = isNew ? may.add : may.change;
  // Writing bytes as digits takes long, and a keystroke must not wait for it.
  const readTexts = useMemo(() => read && editedRow(kind, read), [read]);
  const problems = problemsOf(kind, texts.value, readTexts);
  const after = storedRow(kind, texts.value);
  const wanted = read === undefined ? kind.insertOf(after) : kind.updateOf(read, after);
  const change = problems.length === 0 ? wanted : undefined;
  const send = (sent: Change): Promise<void> =>
    attempt(async () => {
      if ((await execute(sent)) === 0) throw new Error(sent.nothingChanged);
      const inverses = read === undefined ? kind.deletionsOf([after]) : [kind.updateOf(after, read)];
      noteSaved(
        kind,
        `${capitalized(noun)} ${read === undefined ? 'added' : 'changed'}.`,
        inverses.filter((each) => each !== undefined),
      );
      onChanged();
      close();
    });
  const id = useId();
  const fields = (columns: readonly StoredColumn[]) =>
    columns.map((each) => (
      <FieldOfColumn
        key={each.name}
        column={each}
        argument={kind.typeOf(each, texts.value).argument}
        whyFixed={mayChange ? kind.whyFixed(each, read) : ''}
        hasFocus={each.name === column}
        value={isNew ? texts.value[each.name] : (texts.value[each.name] ?? null)}
        onValue={(value) => (texts.value = { ...texts.value, [each.name]: value })}
      />
    ));
  const given = kind.columns.filter(({ isDerived }) => isDerived !== true);
  return (
    <Dialog title={isNew ? `New ${noun} of ${kind.title}` : `${capitalized(noun)} of ${kind.title}`} isPanel>
      <form
        id={id}
        onSubmit={(event) => {
          event.preventDefault();
          if (change !== undefined) void send(change);
        }}
      >
        {!mayChange && <p class="hint">{mayNotChange(kind)}</p>}
        {hasKey(kind) && (
          <section aria-label={`Key of the ${noun}`}>
            <h3>Key</h3>
            {fields(given.filter(({ isKey }) => isKey))}
          </section>
        )}
        <section aria-label={`Values of the ${noun}`}>
          <h3>Values</h3>
          {fields(given.filter(({ isKey }) => !isKey))}
        </section>
        {problems.length > 0 && (
          <p class="hint" role="status">
            {problems.join(' ')}
          </p>
        )}
        {read !== undefined && mayChange && whyValueIsFixed(kind, read) !== undefined && (
          <p class="hint">{whyValueIsFixed(kind, read)}</p>
        )}
        {change !== undefined && (
          <details open>
            <summary>What is sent</summary>
            <pre>{change.text}</pre>
          </details>
        )}
      </form>
      {read !== undefined && (
        <section aria-label={`Details of the ${noun}`}>
          <h3>Details</h3>
          <RowFacts kind={kind} row={read} />
          {details?.(read)}
        </section>
      )}
      <Failure text={error.value} />
      <p class="actions dialog-actions">
        {mayChange && (
          <button type="submit" form={id} class="primary" disabled={change === undefined}>
            {isNew ? `Add ${noun}` : 'Save'}
          </button>
        )}
        {read !== undefined && (
          <>
            {may.add && <Button onClick={() => (before.value = undefined)}>Duplicate</Button>}
            {may.remove && (
              <Button class="danger" disabled={kind.deletionsOf([read]).length === 0} onClick={() => onDelete(read)}>
                Delete …
              </Button>
            )}
          </>
        )}
      </p>
    </Dialog>
  );
}
