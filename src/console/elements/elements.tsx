/** Elements that all screens use. */
import type { Signal } from '@preact/signals';
import type { ButtonHTMLAttributes, ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { useClosing } from './opened-dialog.tsx';

/** A button that sends no form. */
export function Button(props: ButtonHTMLAttributes) {
  return <button type="button" {...props} />;
}

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

/** The value of a field of any kind, and the function that changes it. */
interface Bound<T> {
  readonly value: T;
  readonly onValue: (value: T) => void;
}

/** Returns the properties that bind a field to a signal: `<TextField label="Name" {...bound(name)} />`. */
export function bound<T>(signal: Signal<T>): Bound<T> {
  return {
    value: signal.value,
    onValue: (value) => {
      signal.value = value;
    },
  };
}

/** Returns the properties that bind a field to one of the texts of a signal; a missing one is empty. */
export function boundText(texts: Signal<Readonly<Record<string, string>>>, name: string): Bound<string> {
  return {
    value: texts.value[name] ?? '',
    onValue: (text) => {
      texts.value = { ...texts.value, [name]: text };
    },
  };
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

export interface TextFieldProps extends Bound<string> {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly type?: 'text' | 'password';
  readonly required?: boolean;
  readonly placeholder?: string;
  readonly autocomplete?: 'username' | 'current-password' | 'new-password' | 'off';
  /** Suggestions. Any text is accepted. */
  readonly names?: readonly string[];
  /** Lines of the field; one if undefined. */
  readonly rows?: number;
}

export function TextField({
  label,
  value,
  onValue,
  hint,
  type = 'text',
  required = false,
  placeholder,
  autocomplete = 'off',
  names,
  rows,
}: TextFieldProps) {
  const listId = useId();
  const own = {
    value,
    required,
    placeholder,
    autocomplete,
    spellcheck: false,
    onInput: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      onValue(currentTarget.value),
  };
  return (
    <Field label={label} hint={hint} required={required}>
      {(attributes) => {
        const all = { ...attributes, ...own };
        if (rows !== undefined) return <textarea {...all} rows={rows} />;
        if (type === 'password') return <input {...all} type="password" />;
        return (
          <>
            <input {...all} type="text" list={names && listId} />
            {names !== undefined && (
              <datalist id={listId}>
                {names.map((name) => (
                  <option key={name} value={name} />
                ))}
              </datalist>
            )}
          </>
        );
      }}
    </Field>
  );
}

/** The values of a choice, each with its label if that differs. */
type Options<T extends string> = ReadonlyArray<T | readonly [value: T, text: string]>;

export interface SelectFieldProps<T extends string> extends Bound<T> {
  readonly label: string;
  readonly options: Options<T>;
  readonly hint?: string;
}

export function SelectField<T extends string>({ label, value, options, onValue, hint }: SelectFieldProps<T>) {
  const all = options.map((option) => (typeof option === 'string' ? ([option, option] as const) : option));
  const choose = ({ currentTarget }: { readonly currentTarget: HTMLSelectElement }): void => {
    const [chosen] = all[currentTarget.selectedIndex] ?? [];
    if (chosen !== undefined) onValue(chosen);
  };
  return (
    <Field label={label} hint={hint}>
      {(attributes) => (
        <select {...attributes} value={value} onChange={choose}>
          {all.map(([key, text]) => (
            <option key={key} value={key}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export interface DialogProps {
  readonly title: string;
  /** Whether there is room for two columns. */
  readonly isWide?: boolean;
  /** Whether it is a panel at the side, which leaves most of the page in view. */
  readonly isPanel?: boolean;
  readonly children: ComponentChildren;
}

/**
 * A modal dialog: its first field, or else its first safe button, gets the focus. Escape closes it, and the focus
 * returns to where it was.
 */
export function Dialog({ title, isWide = false, isPanel = false, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const closing = useRef<HTMLButtonElement>(null);
  const id = useId();
  // Before the next key is handled, so that text typed immediately is not lost.
  useLayoutEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    // The browser has chosen the button that closes it, unless a field asks for the focus.
    if (document.activeElement === closing.current) {
      const field = dialog?.querySelector<HTMLElement>(':is(input, select, textarea):not([readonly], :disabled)');
      // Without a field, the first button that destroys nothing.
      const button = dialog?.querySelector<HTMLElement>('.dialog-actions button:not(.danger, :disabled)');
      (field ?? button)?.focus();
    }
    // The next typed text replaces the field's text, as after Tab.
    if (document.activeElement instanceof HTMLInputElement) document.activeElement.select();
    // The browser returns the focus.
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={element}
      class={isPanel ? 'side-panel' : isWide ? 'wide' : ''}
      aria-labelledby={id}
      onClose={useClosing()}
    >
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

/** Check boxes, any number of which can be checked. */
export function Checkboxes(
  props: Bound<readonly string[]> & { readonly label: string; readonly options: readonly string[] },
) {
  const { label, options, value: chosen, onValue } = props;
  return (
    <fieldset class="choices">
      <legend>{label}</legend>
      {options.map((option) => (
        <label key={option} class="checkbox">
          <input
            type="checkbox"
            checked={chosen.includes(option)}
            onChange={({ currentTarget }) =>
              onValue(currentTarget.checked ? [...chosen, option] : chosen.filter((each) => each !== option))
            }
          />
          {option}
        </label>
      ))}
    </fieldset>
  );
}

/** Buttons that choose a view; one of them is pressed. */
export function Choices<T extends string>(
  props: Bound<T> & { readonly label: string; readonly options: ReadonlyArray<readonly [value: T, text: string]> },
) {
  return (
    <fieldset class="choices">
      <legend class="hidden">{props.label}</legend>
      {props.options.map(([value, text]) => (
        <Button key={value} aria-pressed={value === props.value} onClick={() => props.onValue(value)}>
          {text}
        </Button>
      ))}
    </fieldset>
  );
}

/** A figure with its name and a note. */
export type Tile = readonly [name: string, text: string, detail?: string];

export function Tiles({ tiles }: { readonly tiles: readonly Tile[] }) {
  return (
    <dl class="tiles">
      {tiles.map(([name, text, detail = '']) => (
        <div class="tile" key={name}>
          <dt>{name}</dt>
          <dd>{text}</dd>
          {detail !== '' && <dd class="tile-detail">{detail}</dd>}
        </div>
      ))}
    </dl>
  );
}
