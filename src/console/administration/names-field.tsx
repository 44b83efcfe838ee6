/** A text field that suggests names, and accepts any text: patterns have asterisks. */
import { useId } from 'preact/hooks';
import { Field } from '../elements/elements.tsx';

export function NamesField(props: {
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  readonly names: readonly string[];
  readonly required?: boolean;
  readonly placeholder?: string;
  readonly onValue: (value: string) => void;
}) {
  const { label, hint, value, names, required = false, placeholder, onValue } = props;
  const listId = useId();
  return (
    <Field label={label} hint={hint} required={required}>
      {(attributes) => (
        <>
          <input
            {...attributes}
            type="text"
            list={listId}
            required={required}
            autocomplete="off"
            spellcheck={false}
            placeholder={placeholder}
            value={value}
            onInput={({ currentTarget }) => onValue(currentTarget.value)}
          />
          <datalist id={listId}>
            {names.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}
