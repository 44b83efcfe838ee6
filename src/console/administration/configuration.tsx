/** Shows every option with its value, where that comes from, and what it means. */

import { useSignal } from '@preact/signals';
import type { ConfigResult } from '../../client/commands.ts';
import { bound, Status, TextField } from '../elements/elements.tsx';
import { formatNumber } from '../elements/formats.ts';
import { Marked } from '../elements/marked.tsx';
import { ReadProblem } from '../elements/read-problem.tsx';
import { useLoaded } from '../requests/polling.ts';
import { call } from '../requests/request.ts';
import { byPart, matchingOptions, optionText, sourceKind } from './options.ts';

function Option({ option }: { readonly option: ConfigResult }) {
  const { path, value, source, help, environment, flag } = option;
  const kind = sourceKind(option);
  const names = [environment, ...(flag === null ? [] : [flag])].join(' or ');
  return (
    <li class="option">
      <div class="option-head">
        <code class="option-name">{path}</code>
        <code class="option-value">{optionText(value)}</code>
        <span class={`tag tag-${kind}`} title={source}>
          {kind}
        </span>
      </div>
      <p class="hint">
        <Marked text={help} />{' '}
        {kind === 'default' ? `Set it with ${names}.` : `Set by ${source}. Default: ${option.default}.`}
      </p>
    </li>
  );
}

export function Configuration() {
  const options = useLoaded((abort) => call('config', {}, abort), 'config');
  const text = useSignal('');
  const onlyChanged = useSignal(false);
  const all = options.value.value;
  const shown = all === undefined ? [] : matchingOptions(all, text.value, onlyChanged.value);
  return (
    <section aria-labelledby="configuration">
      <h2 id="configuration">Configuration</h2>
      <p class="hint">
        The options that the service was started with, as <code>svc config show</code> prints them. Flags override the
        environment, which overrides the file. Secrets are hidden. Changes need a restart.
      </p>
      <ReadProblem of={options} what="the options" />
      {all !== undefined && (
        <>
          <div class="toolbar">
            <TextField label="Find options by any word of them" {...bound(text)} />
            <p class="actions">
              <label class="checkbox">
                <input
                  type="checkbox"
                  checked={onlyChanged.value}
                  onChange={({ currentTarget }) => (onlyChanged.value = currentTarget.checked)}
                />
                Only those that are set
              </label>
            </p>
          </div>
          <Status text={`${formatNumber(shown.length)} of ${formatNumber(all.length)} options`} />
          {shown.length === 0 && (
            <p class="hint">
              {onlyChanged.value && text.value === '' ? 'All options have their defaults.' : 'No option matches.'}
            </p>
          )}
          {[...byPart(shown)].map(([part, each]) => (
            <section key={part} aria-label={part === '' ? 'General' : part}>
              <h3>{part === '' ? 'General' : part}</h3>
              <ul class="options">
                {each.map((option) => (
                  <Option key={option.path} option={option} />
                ))}
              </ul>
            </section>
          ))}
        </>
      )}
    </section>
  );
}
