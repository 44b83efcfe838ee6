/** The log and the audit log: the last lines, filtered, and followed. */
import { useSignal } from '@preact/signals';
import { Failure, SelectField, Status, TextField } from '../elements/elements.tsx';
import { useLoaded } from '../requests/polling.ts';
import { call } from '../requests/request.ts';

/** Often enough to follow what happens, and no load for the service. */
const FOLLOW_MS = 2_000;

const FILES: ReadonlyArray<readonly [path: string, text: string]> = [
  ['svc.log', 'Log'],
  ['audit.log', 'Audit log: changes'],
  ['audit-failures.log', 'Audit log: failures'],
];

export function LogView() {
  const path = useSignal('svc.log');
  const lines = useSignal('200');
  const filter = useSignal('');
  const follows = useSignal(true);
  const { value, error, reload } = useLoaded(
    async (signal) => {
      const read = await call('log', { path: path.value, lines: lines.value }, signal);
      return Array.isArray(read) ? read.map(String) : String(read).split('\n');
    },
    `${path.value} ${lines.value}`,
    follows.value ? FOLLOW_MS : 0,
  );
  const all = value.value ?? [];
  const shown = all.filter((line) => line.toLowerCase().includes(filter.value.toLowerCase()));
  return (
    <section aria-labelledby="log">
      <h2 id="log">Log</h2>
      <div class="form-row">
        <SelectField label="File" value={path.value} options={FILES} onValue={(chosen) => (path.value = chosen)} />
        <SelectField
          label="Last lines"
          value={lines.value}
          options={['100', '200', '1000', '5000']}
          onValue={(chosen) => (lines.value = chosen)}
        />
        <TextField label="Filter" value={filter.value} onValue={(text) => (filter.value = text)} />
        <p class="actions">
          <button type="button" aria-pressed={follows.value} onClick={() => (follows.value = !follows.value)}>
            Follow
          </button>
          <button type="button" onClick={() => void reload()}>
            Read again
          </button>
        </p>
      </div>
      <Failure text={error.value} />
      <Status
        text={
          value.value === undefined ? '' : `${shown.length} of ${all.length} lines${follows.value ? ', followed' : ''}`
        }
      />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it */}
      <pre tabIndex={0}>{shown.join('\n')}</pre>
    </section>
  );
}
