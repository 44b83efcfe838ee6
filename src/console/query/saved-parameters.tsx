/** The fields of a saved query's form: a label, a type and a default for each of its parameters. */
import type { Signal } from '@preact/signals';
import { SelectField, TextField } from '../elements/elements.tsx';
import { PARAMETER_TYPES } from './parameter-form.tsx';
import { keysOf, parametersIn, titleOfKey } from './parameters.ts';
import type { SavedParameter } from './saved-queries.ts';
import type { QueryTab } from './stored.ts';

/** Returns the parameters of a tab's SQL: as its saved query describes them, or with their values' types. */
export function parametersOf({ sql, values, saved }: QueryTab): readonly SavedParameter[] {
  const known = new Map(saved?.parameters.map((each) => [each.name, each]));
  return keysOf(parametersIn(sql)).map(
    (name) => known.get(name) ?? { name, label: null, type: values[name]?.type ?? 'string', default: null },
  );
}

export function SavedParameters({ parameters }: { readonly parameters: Signal<readonly SavedParameter[]> }) {
  if (parameters.value.length === 0) return null;
  const change = (name: string, part: Partial<SavedParameter>): void => {
    parameters.value = parameters.value.map((each) => (each.name === name ? { ...each, ...part } : each));
  };
  return (
    <fieldset class="saved-parameters">
      <legend>Parameters</legend>
      {parameters.value.map(({ name, label, type, default: value }) => {
        const title = titleOfKey(name);
        return (
          <div class="form-row" key={name}>
            <TextField
              label={`Label of ${title}`}
              placeholder={title}
              value={label ?? ''}
              onValue={(text) => change(name, { label: text === '' ? null : text })}
            />
            <SelectField
              label={`Type of ${title}`}
              value={type}
              options={PARAMETER_TYPES}
              onValue={(chosen) => change(name, { type: chosen })}
            />
            <TextField
              label={`Default of ${title}`}
              placeholder="none"
              value={value ?? ''}
              onValue={(text) => change(name, { default: text === '' ? null : text })}
            />
          </div>
        );
      })}
    </fieldset>
  );
}
