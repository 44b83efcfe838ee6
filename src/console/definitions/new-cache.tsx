/** The form that creates a cache, beside its command. */
import { useSignal } from '@preact/signals';
import { Checkboxes, TextField } from '../elements/elements.tsx';
import { writeJson } from '../elements/formats.ts';
import { call } from '../requests/request.ts';
import { DurationField } from './duration-field.tsx';
import { StatementDialog } from './statement-dialog.tsx';
import { cacheParameters, type DurationUnit, durationMs } from './statements.ts';

export interface NewCacheProps {
  readonly onCreated: (cacheName: string) => Promise<void>;
  readonly onClose: () => void;
}

const FEED = 'Record changes for the feed';
const SLIDING = 'Reads extend the time to live, too';

export function NewCache({ onCreated, onClose }: NewCacheProps) {
  const texts = useSignal({ cacheName: '', templateName: '', dataRegion: '', backups: '' });
  const amount = useSignal('');
  const unit = useSignal<DurationUnit>('hours');
  const chosen = useSignal<readonly string[]>([]);
  const ttlMs = durationMs(amount.value, unit.value);
  const params = cacheParameters({
    ...texts.value,
    ttlMs: ttlMs ?? '',
    isSliding: chosen.value.includes(SLIDING),
    hasFeed: chosen.value.includes(FEED),
  });
  const field = (name: keyof typeof texts.value, label: string, hint?: string) => (
    <TextField
      label={label}
      hint={hint}
      value={texts.value[name]}
      required={name === 'cacheName'}
      onValue={(text) => (texts.value = { ...texts.value, [name]: text })}
    />
  );
  const nameProblem = texts.value.cacheName === '' ? 'Name the cache.' : '';
  return (
    <StatementDialog
      title="Create a cache"
      language="Command"
      statement={writeJson({ cmd: 'getorcreate', ...params }, 2)}
      action="Create cache"
      problem={ttlMs === undefined ? 'The time to live is a number above 0.' : nameProblem}
      onSend={async () => {
        await call('getorcreate', params);
        await onCreated(texts.value.cacheName);
      }}
      onClose={onClose}
    >
      {field('cacheName', 'Name')}
      <p class="hint">A cache has entries: a key and a value each. An existing one of this name stays as it is.</p>
      <DurationField
        label="Time to live of entries"
        hint="Empty: entries stay until they are removed."
        amount={amount.value}
        unit={unit.value}
        onChange={(text, of) => {
          amount.value = text;
          unit.value = of;
        }}
      />
      <Checkboxes
        label="Options"
        options={[FEED, SLIDING]}
        chosen={chosen.value}
        onChosen={(options) => (chosen.value = options)}
      />
      <div class="form-row">
        {field('templateName', 'Template', 'Such as PARTITIONED or REPLICATED, or a configured one.')}
        {field('dataRegion', 'Region', 'Empty: the default region.')}
        {field('backups', 'Backups', 'Copies on other nodes of a cluster.')}
      </div>
    </StatementDialog>
  );
}
