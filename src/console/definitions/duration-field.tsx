/** A duration with its unit. */
import { Field } from '../elements/elements.tsx';
import { DURATION_UNITS, type DurationUnit } from './statements.ts';

export interface DurationFieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly amount: string;
  readonly unit: DurationUnit;
  readonly onChange: (amount: string, unit: DurationUnit) => void;
}

function isUnit(text: string): text is DurationUnit {
  return Object.hasOwn(DURATION_UNITS, text);
}

export function DurationField({ label, hint, amount, unit, onChange }: DurationFieldProps) {
  return (
    <Field label={label} hint={hint}>
      {(attributes) => (
        <div class="duration">
          <input
            {...attributes}
            type="text"
            inputMode="decimal"
            value={amount}
            onInput={({ currentTarget }) => onChange(currentTarget.value, unit)}
          />
          <select
            aria-label={`Unit of ${label}`}
            value={unit}
            onChange={({ currentTarget: { value } }) => isUnit(value) && onChange(amount, value)}
          >
            {Object.keys(DURATION_UNITS).map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </div>
      )}
    </Field>
  );
}
