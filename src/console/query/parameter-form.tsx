/** The values of the parameters that a text names. */
import { SelectField, TextField } from '../elements/elements.tsx';
import { SCALARS } from '../rows/scalar-types.ts';
import { keysOf, parametersIn } from './parameters.ts';
import { activeTab, changeTab, type ParameterValue } from './stored.ts';

const TYPES = [...SCALARS.flatMap(({ isParameter, column }) => (isParameter ? (column?.argument ?? []) : [])), 'null'];
const UNSET: ParameterValue = { type: 'string', value: '' };

/** Enter in a field executes what Control+Enter in the editor does. */
export function ParameterForm({ onRun }: { readonly onRun: () => void }) {
  const { sql, values } = activeTab.value;
  const keys = keysOf(parametersIn(sql));
  if (keys.length === 0) return null;
  const change = (key: string, part: Partial<ParameterValue>): void =>
    changeTab({ values: { ...values, [key]: { ...UNSET, ...values[key], ...part } } });
  return (
    <fieldset
      class="parameters"
      onKeyDown={({ key, target }) => key === 'Enter' && target instanceof HTMLInputElement && onRun()}
    >
      <legend>Parameters</legend>
      {keys.map((key) => {
        const name = key.startsWith('?') ? `argument ${key.slice(1)}` : key;
        const { type, value } = values[key] ?? UNSET;
        return (
          <div class="parameter" key={key}>
            {type === 'null' ? (
              <p class="hint">{name} is NULL</p>
            ) : (
              <TextField label={`Value of ${name}`} value={value} onValue={(text) => change(key, { value: text })} />
            )}
            <SelectField
              label={`Type of ${name}`}
              value={type}
              options={TYPES}
              onValue={(chosen) => change(key, { type: chosen })}
            />
          </div>
        );
      })}
    </fieldset>
  );
}
