/** The field in a cell while its value is changed: text in the grid's form, or a choice. */
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

export interface ValueEditorProps {
  /** The name of its column. */
  readonly name: string;
  /** The type of its values, as arguments have it. */
  readonly argument: string;
  /** Null means NULL. */
  readonly text: string | null;
  readonly onText: (text: string | null) => void;
  readonly onSave: () => void;
  readonly onCancel: () => void;
}

export function ValueEditor({ name, argument, text, onText, onSave, onCancel }: ValueEditorProps) {
  const field = useRef<HTMLElement>(null);
  // The grid scrolls to it: the page stays where it is.
  useLayoutEffect(() => field.current?.focus({ preventScroll: true }), []);
  const attributes = {
    class: 'value-editor',
    'aria-label': `New value of ${name}`,
    value: text ?? '',
    onKeyDown(event: KeyboardEvent): void {
      if (event.key === 'Enter') onSave();
      else if (event.key === 'Escape') onCancel();
      else return;
      event.preventDefault();
    },
  };
  if (argument === 'boolean') {
    return (
      <select
        {...attributes}
        ref={field as RefObject<HTMLSelectElement>}
        onChange={({ currentTarget }) => onText(currentTarget.value)}
      >
        {text === null && <option value="">NULL</option>}
        <option>true</option>
        <option>false</option>
      </select>
    );
  }
  return (
    <input
      {...attributes}
      ref={field as RefObject<HTMLInputElement>}
      type="text"
      spellcheck={false}
      autocomplete="off"
      placeholder={text === null ? 'NULL' : ''}
      onInput={({ currentTarget }) => onText(currentTarget.value)}
    />
  );
}
