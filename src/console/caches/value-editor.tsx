/** The field that stands in a cell while its value is changed. */
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { inputOf, textOfInput } from '../rows/value-input.ts';

export interface ValueEditorProps {
  /** The name of its column. */
  readonly name: string;
  /** The type of its values, as arguments have it. */
  readonly argument: string;
  /** Null: NULL. */
  readonly text: string | null;
  readonly onText: (text: string | null) => void;
  readonly onSave: () => void;
  readonly onCancel: () => void;
}

export function ValueEditor({ name, argument, text, onText, onSave, onCancel }: ValueEditorProps) {
  const field = useRef<HTMLElement>(null);
  useLayoutEffect(() => field.current?.focus(), []);
  const { type, value } = inputOf(argument, text);
  const attributes = {
    class: 'value-editor',
    'aria-label': `New value of ${name}`,
    value,
    onKeyDown(event: KeyboardEvent): void {
      // A date of which a part is missing is no date, which the browser says.
      if (event.key === 'Enter') {
        const { currentTarget } = event;
        if (!(currentTarget instanceof HTMLInputElement) || currentTarget.reportValidity()) onSave();
      } else if (event.key === 'Escape') onCancel();
      else return;
      event.preventDefault();
    },
  };
  if (type === 'boolean') {
    return (
      <select
        {...attributes}
        ref={field as RefObject<HTMLSelectElement>}
        onChange={({ currentTarget }) => onText(textOfInput(argument, currentTarget.value))}
      >
        {text === null && <option value="">NULL</option>}
        <option>true</option>
        <option>false</option>
      </select>
    );
  }
  const usual = {
    ...attributes,
    ref: field as RefObject<HTMLInputElement>,
    spellcheck: false,
    autocomplete: 'off' as const,
    onInput({ currentTarget }: { readonly currentTarget: HTMLInputElement }): void {
      // While a part of a date is missing, its field has no value, which must not become NULL.
      if (!currentTarget.validity.badInput) onText(textOfInput(argument, currentTarget.value));
    },
  };
  if (type === 'text') return <input {...usual} type="text" placeholder={text === null ? 'NULL' : ''} />;
  return <input {...usual} type={type} step={type === 'date' ? '1' : '0.001'} />;
}
