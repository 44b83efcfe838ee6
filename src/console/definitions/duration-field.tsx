/** A duration with its unit. */
import { useSignal } from '@preact/signals';
import { Field } from '../elements/elements.tsx';
import { DURATION_UNITS, type DurationUnit, durationMs } from './statements.ts';

function isUnit(text: string): text is DurationUnit {
  return Object.hasOwn(DURATION_UNITS, text);
}

/** Returns the typed duration, as {@link durationMs} returns it, and its field. */
export function useDuration(firstUnit: DurationUnit) {
  const amount = useSignal('');
  const unit = useSignal(firstUnit);
  const field = (label: string, hint?: string) => (
    <Field label={label} hint={hint}>
      {(attributes) => (
        <div class="duration">
          <input
            {...attributes}
            type="text"
            inputMode="decimal"
            value={amount.value}
            onInput={({ currentTarget }) => (amount.value = currentTarget.value)}
          />
          <select
            aria-label={`Unit of ${label}`}
            value={unit.value}
            onChange={({ currentTarget: { value } }) => {
              if (isUnit(value)) unit.value = value;
            }}
          >
            {Object.keys(DURATION_UNITS).map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </div>
      )}
    </Field>
  );
  return { ms: durationMs(amount.value, unit.value), field };
}
