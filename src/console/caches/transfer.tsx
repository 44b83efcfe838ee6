/** Imports and exports of a cache or table, with their progress. */
import { useSignal } from '@preact/signals';
import { Downloads } from '../elements/downloads.tsx';
import { Failure, Field, SelectField, Status } from '../elements/elements.tsx';
import { formatBytes, formatNumber } from '../elements/formats.ts';
import { messageOf } from '../requests/request.ts';
import { upload } from '../requests/upload.ts';
import type { CacheDescription } from './cache-list.ts';

type Format = 'csv' | 'ndjson';
const MEDIA_TYPES: Readonly<Record<Format, string>> = { csv: 'text/csv', ndjson: 'application/x-ndjson' };

/** Returns what names a table or a cache in commands. */
function targetOf({ name, table }: CacheDescription): Readonly<Record<string, string>> {
  return table === undefined ? { cacheName: name } : { table: `"${table.schema}"."${table.name}"` };
}

function Import({ cache, onDone }: { readonly cache: CacheDescription; readonly onDone: () => void }) {
  const file = useSignal<File | undefined>(undefined);
  const onDuplicate = useSignal('');
  const share = useSignal<number | undefined>(undefined);
  const status = useSignal('');
  const error = useSignal('');
  const running = useSignal<AbortController | undefined>(undefined);
  const start = async (event: Event): Promise<void> => {
    event.preventDefault();
    const { value: source } = file;
    if (source === undefined) return;
    const format: Format = /\.(?:nd)?jsonl?$/i.test(source.name) ? 'ndjson' : 'csv';
    const controller = new AbortController();
    running.value = controller;
    error.value = '';
    try {
      const params = { ...targetOf(cache), ...(onDuplicate.value !== '' && { onDuplicate: onDuplicate.value }) };
      const report = await upload('import', params, source, MEDIA_TYPES[format], controller.signal, (sent) => {
        share.value = source.size === 0 ? 1 : sent / source.size;
        status.value = `${formatBytes(sent)} of ${formatBytes(source.size)} sent`;
      });
      status.value = `Imported: ${describe(report)}`;
      onDone();
    } catch (problem) {
      status.value = '';
      error.value = controller.signal.aborted ? 'The import was cancelled.' : messageOf(problem);
    } finally {
      running.value = undefined;
      share.value = undefined;
    }
  };
  return (
    <form onSubmit={start}>
      <h3>Import</h3>
      <div class="form-row">
        <Field label="File, CSV or NDJSON">
          {(attributes) => (
            <input
              {...attributes}
              type="file"
              accept=".csv,.ndjson,.jsonl,.json"
              onChange={(event) => (file.value = event.currentTarget.files?.[0])}
            />
          )}
        </Field>
        <SelectField
          label="If a key exists"
          value={onDuplicate.value}
          options={[
            ['', cache.table === undefined ? 'replace (default)' : 'error (default)'],
            'error',
            'replace',
            'skip',
          ]}
          onValue={(chosen) => (onDuplicate.value = chosen)}
        />
      </div>
      <p class="actions">
        <button type="submit" class="primary" disabled={file.value === undefined || running.value !== undefined}>
          Import
        </button>
        {running.value !== undefined && (
          <button type="button" onClick={() => running.value?.abort()}>
            Cancel import
          </button>
        )}
      </p>
      {share.value !== undefined && <progress aria-label="Sent" value={share.value} />}
      <Status text={status.value} />
      <Failure text={error.value} />
    </form>
  );
}

/** Returns the numbers of a report: `stored 3, rejected 0`. */
function describe(report: object): string {
  return Object.entries(report)
    .filter(([, value]) => typeof value === 'number' || typeof value === 'bigint')
    .map(([name, value]) => `${name} ${formatNumber(Number(value))}`)
    .join(', ');
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
      <h2 id="transfer">Import and export</h2>
      <Import cache={cache} onDone={onImported} />
      <Export cache={cache} />
    </section>
  );
}
