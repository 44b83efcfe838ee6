/** Elements that all screens use. */
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

/** Shows what went wrong; nothing while the text is empty. Screen readers announce it. */
export function Failure({ text }: { readonly text: string }) {
  return (
    <div role="alert">
      {text !== '' && (
        <p class="failure">
          <strong>Error: </strong>
          {text}
        </p>
      )}
    </div>
  );
}

/** Announces a text to screen readers and shows it. */
export function Status({ text }: { readonly text: string }) {
  return (
    <p class="status" role="status">
      {text}
    </p>
  );
}

export interface FieldProps {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly required?: boolean;
  readonly children: (attributes: { id: string; 'aria-describedby': string | undefined }) => ComponentChildren;
}

/** A label with its control and a hint. */
export function Field({ label, hint, required, children }: FieldProps) {
  const id = useId();
  const hintId = hint === undefined || hint === '' ? undefined : `${id}-hint`;
  return (
    <div class="field">
      <label for={id}>
        {label}
        {required === true && <span class="required"> (required)</span>}
      </label>
      {children({ id, 'aria-describedby': hintId })}
      {hintId !== undefined && (
        <p class="hint" id={hintId}>
          {hint}
        </p>
      )}
    </div>
  );
}

export interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly hint?: string | undefined;
  readonly type?: 'text' | 'password';
  readonly required?: boolean;
  readonly autocomplete?: 'username' | 'current-password' | 'new-password' | 'off';
}

export function TextField({
  label,
  value,
  onValue,
  hint,
  type = 'text',
  required,
  autocomplete = 'off',
}: TextFieldProps) {
  return (
    <Field label={label} hint={hint} {...(required !== undefined && { required })}>
      {(attributes) => {
        const all = {
          ...attributes,
          value,
          required: required === true,
          autocomplete,
          spellcheck: false,
          onInput: (event: { readonly currentTarget: HTMLInputElement }) => onValue(event.currentTarget.value),
        };
        return type === 'password' ? <input {...all} type="password" /> : <input {...all} type="text" />;
      }}
    </Field>
  );
}

export interface SelectFieldProps {
  readonly label: string;
  readonly value: string;
  readonly options: ReadonlyArray<string | readonly [value: string, text: string]>;
  readonly onValue: (value: string) => void;
  readonly hint?: string;
}

export function SelectField({ label, value, options, onValue, hint }: SelectFieldProps) {
  return (
    <Field label={label} hint={hint}>
      {(attributes) => (
        <select {...attributes} value={value} onChange={(event) => onValue(event.currentTarget.value)}>
          {options.map((option) => {
            const [key, text] = typeof option === 'string' ? [option, option] : option;
            return (
              <option key={key} value={key}>
                {text}
              </option>
            );
          })}
        </select>
      )}
    </Field>
  );
}

export function TextArea({
  label,
  value,
  onValue,
  hint,
  rows = 6,
}: Omit<TextFieldProps, 'type'> & { readonly rows?: number }) {
  return (
    <Field label={label} hint={hint}>
      {(attributes) => (
        <textarea
          {...attributes}
          rows={rows}
          value={value}
          spellcheck={false}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

export interface DialogProps {
  readonly title: string;
  /** Whether there is room for two columns. */
  readonly isWide?: boolean;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A modal dialog: its first field gets the focus, Escape closes it, and the focus returns to where it was. */
export function Dialog({ title, isWide = false, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const closing = useRef<HTMLButtonElement>(null);
  const id = useId();
  // Before the next key is handled: what somebody types at once is not lost.
  useLayoutEffect(() => {
    const before = document.activeElement;
    const dialog = element.current;
    dialog?.showModal();
    // The browser has chosen the button that closes it, unless a field asks for the focus.
    if (document.activeElement === closing.current) {
      dialog?.querySelector<HTMLElement>(':is(input, select, textarea):not([readonly], :disabled)')?.focus();
    }
    return () => {
      // A dialog that the browser closes has returned the focus already, and the user may have moved it since.
      const now = document.activeElement;
      const isFree = now === null || now === document.body || dialog?.contains(now) === true;
      if (isFree && before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog ref={element} class={isWide ? 'wide' : ''} aria-labelledby={id} onClose={onClose}>
      <header class="dialog-head">
        <h2 id={id}>{title}</h2>
        <button ref={closing} type="button" class="plain" aria-label="Close" onClick={() => element.current?.close()}>
          ✕
        </button>
      </header>
      {children}
    </dialog>
  );
}

export interface ConfirmationProps {
  readonly title: string;
  readonly text: string;
  /** What to type to confirm. */
  readonly name: string;
  readonly action: string;
  readonly typed: string;
  readonly onTyped: (typed: string) => void;
  readonly error: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** A dialog that asks to type a name before something cannot be undone. */
export function Confirmation(props: ConfirmationProps) {
  const { title, text, name, action, typed, onTyped, error, onConfirm, onClose } = props;
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (typed === name) onConfirm();
        }}
      >
        <p>{text}</p>
        <TextField label={`Type ${name} to confirm`} value={typed} onValue={onTyped} />
        <Failure text={error} />
        <p class="actions">
          <button type="submit" class="danger" disabled={typed !== name}>
            {action}
          </button>
        </p>
      </form>
    </Dialog>
  );
}

export interface TableProps {
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: ReadonlyArray<{ readonly key: string; readonly cells: readonly ComponentChildren[] }>;
  readonly empty: string;
  /** Columns of numbers, which are aligned at their last digits. */
  readonly numeric?: readonly string[];
}

/** A short table. The first cell of a row names it. A narrow page scrolls it sideways. */
export function Table({ caption, columns, rows, empty, numeric = [] }: TableProps) {
  const kindOf = (column: string | undefined) =>
    column !== undefined && numeric.includes(column) ? 'number' : undefined;
  const id = useId();
  if (rows.length === 0) return <p class="hint">{empty}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
    <section class="scrolled" aria-labelledby={id} tabIndex={0}>
      <table>
        <caption id={id}>
          <span>{caption}</span>
        </caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col" class={kindOf(column)}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells }) => (
            <tr key={key}>
              {cells.map((cell, index) =>
                index === 0 ? (
                  <th key={columns[index]} scope="row">
                    {cell}
                  </th>
                ) : (
                  <td key={columns[index]} class={kindOf(columns[index])}>
                    {cell}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Boxes of which any number is checked. */
export function Checkboxes(props: {
  readonly label: string;
  readonly options: readonly string[];
  readonly chosen: readonly string[];
  readonly onChosen: (chosen: readonly string[]) => void;
}) {
  const { label, options, chosen, onChosen } = props;
  return (
    <fieldset class="choices">
      <legend>{label}</legend>
      {options.map((option) => (
        <label key={option} class="checkbox">
          <input
            type="checkbox"
            checked={chosen.includes(option)}
            onChange={({ currentTarget }) =>
              onChosen(currentTarget.checked ? [...chosen, option] : chosen.filter((each) => each !== option))
            }
          />
          {option}
        </label>
      ))}
    </fieldset>
  );
}

/** Buttons of which one is pressed, to choose a view. */
export function Choices<T extends string>(props: {
  readonly label: string;
  readonly options: ReadonlyArray<readonly [value: T, text: string]>;
  readonly value: T;
  readonly onValue: (value: T) => void;
}) {
  return (
    <fieldset class="choices">
      <legend class="hidden">{props.label}</legend>
      {props.options.map(([value, text]) => (
        <button key={value} type="button" aria-pressed={value === props.value} onClick={() => props.onValue(value)}>
          {text}
        </button>
      ))}
    </fieldset>
  );
}

/** Figures with their names. */
export function Tiles({ tiles }: { readonly tiles: ReadonlyArray<readonly [name: string, text: string]> }) {
  return (
    <dl class="tiles">
      {tiles.map(([name, text]) => (
        <div class="tile" key={name}>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}
