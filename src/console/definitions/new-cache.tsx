/** The form that creates a cache, next to its command. */
import { useSignal } from '@preact/signals';
import { boundText, TextField } from '../elements/elements.tsx';
import { writeJson } from '../elements/formats.ts';
import { call } from '../requests/request.ts';
import { useCacheOptions } from './cache-options.tsx';
import { StatementDialog } from './statement-dialog.tsx';
import { cacheParameters } from './statements.ts';

export interface NewCacheProps {
  readonly onCreated: (cacheName: string) => Promise<void>;
}

export function NewCache({ onCreated }: NewCacheProps) {
  const texts = useSignal({ cacheName: '', templateName: '', dataRegion: '', backups: '' });
  const options = useCacheOptions();
  const params = cacheParameters({ ...texts.value, ...options.values });
  const field = (name: keyof typeof texts.value, label: string, hint?: string) => (
    <TextField label={label} hint={hint} required={name === 'cacheName'} {...boundText(texts, name)} />
  );
  const nameProblem = texts.value.cacheName === '' ? 'Name the cache.' : '';
  return (
    <StatementDialog
      title="Create a cache"
      language="Command"
      statement={writeJson({ cmd: 'getorcreate', ...params }, 2)}
      action="Create cache"
      problem={options.problem || nameProblem}
      onSend={async () => {
        await call('getorcreate', params);
        await onCreated(texts.value.cacheName);
      }}
    >
      {field(
        'cacheName',
        'Name',
        'A cache holds entries, each with a key and a value. An existing cache stays as it is.',
      )}
      {options.fields('entries', 'Empty: entries stay until they are removed.')}
      <div class="form-row">
        {field('templateName', 'Template', 'PARTITIONED, REPLICATED or a configured template.')}
        {field('dataRegion', 'Region', 'Empty: the default region.')}
        {field('backups', 'Backups', 'Copies on other nodes of a cluster.')}
      </div>
    </StatementDialog>
  );
}
