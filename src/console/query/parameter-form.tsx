/** The values of the parameters that a text names. */
import { SelectField, TextField } from '../elements/elements.tsx';
import { SCALARS } from '../rows/scalar-types.ts';
import { keysOf, parametersIn, titleOfKey } from './parameters.ts';
import { activeTab, changeTab, type ParameterValue } from './stored.ts';

/** The types of arguments that forms offer. */
export const PARAMETER_TYPES = [
  ...SCALARS.flatMap(({ isParameter, column }) => (isParameter ? (column?.argument ?? []) : [])),
  'null',
];

/** Enter in a field executes the same statement as Control+Enter in the editor. */
export function ParameterForm({ onRun }: { readonly onRun: () => void }) {
  const { sql, values, saved } = activeTab.value;
  const keys = keysOf(parametersIn(sql));
  if (keys.length === 0) return null;
  const declaredOf = (key: string) => saved?.parameters.find(({ name }) => name === key);
  const unsetOf = (key: string): ParameterValue => ({ type: declaredOf(key)?.type ?? 'string', value: '' });
  const change = (key: string, part: Partial<ParameterValue>): void =>
    changeTab({ values: { ...values, [key]: { ...unsetOf(key), ...values[key], ...part } } });
  return (
    <fieldset
      class="parameters"
      onKeyDown={({ key, target }) => key === 'Enter' && target instanceof HTMLInputElement && onRun()}
    >
      <legend>Parameters</legend>
      {keys.map((key) => {
        const title = titleOfKey(key);
        const name = declaredOf(key)?.label ?? title;
        const { type, value } = values[key] ?? unsetOf(key);
        return (
          <div class="parameter" key={key}>
            {type === 'null' ? (
              <p class="hint">{name} is NULL</p>
            ) : (
              <TextField
                label={declaredOf(key)?.label ?? `Value of ${title}`}
                value={value}
                onValue={(text) => change(key, { value: text })}
              />
            )}
            <SelectField
              label={`Type of ${name}`}
              value={type}
              options={PARAMETER_TYPES}
              onValue={(chosen) => change(key, { type: chosen })}
            />
          </div>
        );
      })}
    </fieldset>
  );
}
