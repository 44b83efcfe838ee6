/** Imports and exports of a cache or table, with their progress. */
import { useSignal } from '@preact/signals';
import { FileField, RunButtons, useImportRun } from '../definitions/import-run.tsx';
import { Downloads } from '../elements/downloads.tsx';
import { bound, SelectField } from '../elements/elements.tsx';
import { CHANGE, mayOn } from '../requests/access.ts';
import type { CacheDescription } from './cache-list.ts';

type Format = 'csv' | 'ndjson';
const MEDIA_TYPES: Readonly<Record<Format, string>> = { csv: 'text/csv', ndjson: 'application/x-ndjson' };

/** Returns the parameters that name a table or cache in commands. */
function targetOf({ name, table }: CacheDescription): Readonly<Record<string, string>> {
  return table === undefined ? { cacheName: name } : { table: `"${table.schema}"."${table.name}"` };
}

function Import({ cache, onDone }: { readonly cache: CacheDescription; readonly onDone: () => void }) {
  const file = useSignal<File | undefined>(undefined);
  const onDuplicate = useSignal('');
  const run = useImportRun();
  const start = async (event: Event): Promise<void> => {
    event.preventDefault();
    const { value: source } = file;
    if (source === undefined) return;
    const params = { ...targetOf(cache), ...(onDuplicate.value !== '' && { onDuplicate: onDuplicate.value }) };
    if (await run.start(params, source)) onDone();
  };
  return (
    <form onSubmit={start}>
      <h3>Import</h3>
      <div class="form-row">
        <FileField file={file.value} onFile={(chosen) => (file.value = chosen)} />
        <SelectField
          label="If a key exists"
          {...bound(onDuplicate)}
          options={[
            ['', cache.table === undefined ? 'replace (default)' : 'error (default)'],
            'error',
            'replace',
            'skip',
          ]}
        />
      </div>
      <RunButtons run={run} disabled={file.value === undefined} />
    </form>
  );
}

function Export({ cache }: { readonly cache: CacheDescription }) {
  const downloads = (['csv', 'ndjson'] as const).map((format) => ({
    format: format.toUpperCase(),
    fileName: `${cache.name}.${format}`,
    command: 'export',
    parameters: { ...targetOf(cache), format },
    accept: MEDIA_TYPES[format],
  }));
  return (
    <>
      <h3>Export</h3>
      <Downloads downloads={downloads} />
    </>
  );
}

export function Transfer({ cache, onImported }: { readonly cache: CacheDescription; readonly onImported: () => void }) {
  return (
    <section aria-labelledby="transfer">
      <h2 id="transfer" class="hidden">
        Import and export
      </h2>
      {mayOn(cache, cache.table === undefined ? ['put'] : CHANGE) && <Import cache={cache} onDone={onImported} />}
      <Export cache={cache} />
    </section>
  );
}
