/** The screen Caches and tables: what there is, its entries, and its creation and end. */
import { useSignal } from '@preact/signals';
import { address, goTo, linkTo } from '../elements/address.ts';
import { Choices, Confirmation, Dialog, Failure, Table, TextField, Tiles } from '../elements/elements.tsx';
import { formatNumber } from '../elements/formats.ts';
import { refreshCatalog, tableTitle, titleOf } from '../requests/catalog.ts';
import { type Loaded, useLoaded } from '../requests/polling.ts';
import { call, isForbidden, messageOf } from '../requests/request.ts';
import { markRepeated } from '../requests/sent-requests.ts';
import { type CacheDescription, readCaches, viewsProblem } from './cache-list.ts';
import { Entries } from './entries.tsx';
import { ImportTable } from './import-table.tsx';
import { tableNameOf } from './row-query.ts';
import { TableRows } from './table-rows.tsx';
import { Transfer } from './transfer.tsx';

interface CacheMetrics {
  readonly hits: number;
  readonly misses: number;
  readonly reads: number;
  readonly writes: number;
}

/** The ratios of more caches would take too long to read; each cache shows its own. */
const MOST_RATIOS = 100;

function ratioOf({ hits, misses }: Pick<CacheMetrics, 'hits' | 'misses'>): string {
  return hits + misses === 0 ? '–' : `${formatNumber((hits / (hits + misses)) * 100)} %`;
}

/** Reads the hit ratios of caches by name. Those that the user may not read are absent. */
async function readRatios(names: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  markRepeated(signal);
  const ratios = new Map<string, string>();
  for (const cacheName of names.slice(0, MOST_RATIOS)) {
    try {
      ratios.set(cacheName, ratioOf((await call('cache', { cacheName }, signal)) as unknown as CacheMetrics));
    } catch (problem) {
      if (isForbidden(problem) || signal.aborted) break;
    }
  }
  return ratios;
}

function Create({ onClose, onCreated }: { readonly onClose: () => void; readonly onCreated: () => void }) {
  const values = useSignal<Readonly<Record<string, string>>>({});
  const error = useSignal('');
  const field = (name: string, label: string, hint?: string, required = false) => (
    <TextField
      label={label}
      hint={hint}
      required={required}
      value={values.value[name] ?? ''}
      onValue={(text) => (values.value = { ...values.value, [name]: text })}
    />
  );
  const create = async (event: Event): Promise<void> => {
    event.preventDefault();
    try {
      await call('getorcreate', Object.fromEntries(Object.entries(values.value).filter(([, text]) => text !== '')));
      onCreated();
      onClose();
    } catch (problem) {
      error.value = messageOf(problem);
    }
  };
  return (
    <Dialog title="Create a cache" onClose={onClose}>
      <form onSubmit={create}>
        {field('cacheName', 'Name', undefined, true)}
        {field('templateName', 'Template', 'Such as PARTITIONED or REPLICATED, or a configured one.')}
        {field('dataRegion', 'Region', 'Empty: the default region.')}
        {field('ttlMs', 'Time to live of entries in milliseconds', 'Empty: entries stay until they are removed.')}
        <p class="hint">
          An existing cache of this name stays as it is. Tables are created with SQL:{' '}
          <a href={linkTo('query')}>CREATE TABLE …</a>
        </p>
        <Failure text={error.value} />
        <p class="actions">
          <button type="submit" class="primary">
            Create cache
          </button>
        </p>
      </form>
    </Dialog>
  );
}

function End({ cache, onChanged }: { readonly cache: CacheDescription; readonly onChanged: () => Promise<void> }) {
  const action = useSignal<'clear' | 'destroy' | undefined>(undefined);
  const typed = useSignal('');
  const error = useSignal('');
  const open = (chosen: 'clear' | 'destroy'): void => {
    typed.value = '';
    error.value = '';
    action.value = chosen;
  };
  const confirm = async (): Promise<void> => {
    try {
      if (action.value === 'clear') await call('clear', { cacheName: [cache.name] });
      else if (cache.table === undefined) await call('destcache', { cacheName: cache.name });
      else await call('qryfldexe', { qry: `DROP TABLE ${tableNameOf(cache.table)}`, pageSize: 1 });
      // The list is read before it is shown, so that nothing is asked of a cache that is gone.
      await onChanged();
      if (action.value === 'destroy') goTo('caches');
      action.value = undefined;
    } catch (problem) {
      error.value = messageOf(problem);
    }
  };
  const count = cache.size === null ? 'All' : `All ${formatNumber(cache.size)}`;
  return (
    <section aria-labelledby="end">
      <h2 id="end">Remove</h2>
      <p class="actions">
        <button type="button" class="danger" onClick={() => open('clear')}>
          Remove all entries …
        </button>
        <button type="button" class="danger" onClick={() => open('destroy')}>
          {cache.table === undefined ? 'Destroy the cache …' : 'Drop the table …'}
        </button>
      </p>
      {action.value !== undefined && (
        <Confirmation
          title={action.value === 'clear' ? `Remove all entries of ${cache.name}` : `Destroy ${cache.name}`}
          text={
            action.value === 'clear'
              ? `${count} entries are removed. This cannot be undone.`
              : `${count} entries, and the definition of the cache, are removed. This cannot be undone.`
          }
          name={cache.name}
          action={action.value === 'clear' ? 'Remove all entries' : 'Destroy'}
          typed={typed.value}
          onTyped={(text) => (typed.value = text)}
          error={error.value}
          onConfirm={confirm}
          onClose={() => (action.value = undefined)}
        />
      )}
    </section>
  );
}

function Details({ cache, reload }: { readonly cache: CacheDescription; readonly reload: () => Promise<void> }) {
  const metrics = useLoaded(
    async (signal) => (await call('cache', { cacheName: cache.name }, signal)) as unknown as CacheMetrics,
    cache.name,
  );
  const { hits = 0, misses = 0, reads = 0, writes = 0 } = metrics.value.value ?? {};
  const details: ReadonlyArray<readonly [string, string]> = [
    ['Entries', cache.size === null ? '–' : formatNumber(cache.size)],
    ['Region', cache.region],
    ['Mode', cache.mode],
    ['Backups', cache.backups === null ? '–' : formatNumber(cache.backups)],
    ['Hit ratio', ratioOf({ hits, misses })],
    ['Reads', formatNumber(reads)],
    ['Writes', formatNumber(writes)],
  ];
  const { table } = cache;
  const head = (
    <>
      <p>
        <a href={linkTo('caches')}>All caches and tables</a>
      </p>
      <h1>{table === undefined ? cache.name : tableTitle(table.schema, table.name)}</h1>
      <Failure text={metrics.error.value} />
    </>
  );
  if (table === undefined) {
    return (
      <>
        {head}
        <Tiles tiles={details} />
        <Entries cacheName={cache.name} />
        <Transfer cache={cache} onImported={reload} />
        <End cache={cache} onChanged={reload} />
      </>
    );
  }
  const tab = address.value.params.get('tab') === 'structure' ? 'structure' : 'rows';
  return (
    <>
      {head}
      <Choices
        label="View"
        options={[
          ['rows', 'Rows'],
          ['structure', 'Structure'],
        ]}
        value={tab}
        onValue={(chosen) => goTo('caches', { name: cache.name, ...(chosen === 'structure' && { tab: chosen }) })}
      />
      {tab === 'rows' ? (
        <>
          <TableRows table={table} columns={cache.columns} />
          <Transfer cache={cache} onImported={reload} />
        </>
      ) : (
        <>
          <Tiles tiles={details} />
          <p>
            The rows are the entries of the cache <code>{cache.name}</code>.
          </p>
          <Structure cache={cache} />
          <End cache={cache} onChanged={reload} />
        </>
      )}
    </>
  );
}

function Structure({ cache }: { readonly cache: CacheDescription }) {
  return (
    <>
      <Table
        caption="Columns"
        columns={['Column', 'Type', 'Key']}
        empty="The columns cannot be read."
        rows={cache.columns.map(({ name, sqlType, isKey }) => ({
          key: name,
          cells: [name, sqlType, isKey ? 'yes' : ''],
        }))}
      />
      <Table
        caption="Indexes"
        columns={['Index', 'Columns', 'Unique']}
        empty="There are no indexes."
        rows={cache.indexes.map(({ name, columns, isUnique }) => ({
          key: name,
          cells: [name, columns, isUnique ? 'yes' : ''],
        }))}
      />
    </>
  );
}

function List(props: { readonly caches: readonly CacheDescription[]; readonly reload: () => void }) {
  const { caches, reload } = props;
  const search = useSignal('');
  const isCreating = useSignal(false);
  const isImporting = useSignal(false);
  const names = caches.map(({ name }) => name);
  const ratios = useLoaded((signal) => readRatios(names, signal), names.join('\n'));
  const shown = caches.filter((each) => titleOf(each).toLowerCase().includes(search.value.toLowerCase()));
  return (
    <>
      <div class="form-row">
        <TextField label="Search by name" value={search.value} onValue={(text) => (search.value = text)} />
        <p class="actions">
          <button type="button" class="primary" onClick={() => (isCreating.value = true)}>
            Create a cache …
          </button>
          <button type="button" onClick={() => (isImporting.value = true)}>
            Import a file …
          </button>
          <button type="button" onClick={reload}>
            Read again
          </button>
        </p>
      </div>
      <Table
        caption={`${shown.length} of ${caches.length} caches and tables`}
        columns={['Name', 'Entries', 'Hit ratio', 'Kind', 'Columns', 'Indexes', 'Region', 'Mode']}
        empty="No cache has such a name."
        rows={shown.map(({ name, size, table, columns, indexes, region, mode }) => ({
          key: name,
          cells: [
            <a key="name" href={linkTo('caches', { name })}>
              {titleOf({ name, table })}
            </a>,
            size === null ? '–' : formatNumber(size),
            ratios.value.value?.get(name) ?? '–',
            table === undefined ? 'cache' : 'table',
            table === undefined ? '' : columns.length,
            table === undefined ? '' : indexes.length,
            region,
            mode,
          ],
        }))}
      />
      {isImporting.value && <ImportTable onClose={() => (isImporting.value = false)} onDone={reload} />}
      {isCreating.value && <Create onClose={() => (isCreating.value = false)} onCreated={reload} />}
    </>
  );
}

/** What is shown of a cache whose user may not list the caches. */
function undescribed(name: string): CacheDescription {
  return { name, mode: '–', backups: null, size: null, region: '–', table: undefined, columns: [], indexes: [] };
}

/** Opens a cache by its name, for users who may not list the caches. */
function OpenByName() {
  const name = useSignal('');
  return (
    <form
      class="form-row"
      onSubmit={(event) => {
        event.preventDefault();
        goTo('caches', { name: name.value });
      }}
    >
      <TextField
        label="Name of a cache that you may read"
        required
        value={name.value}
        onValue={(text) => (name.value = text)}
      />
      <p class="actions">
        <button type="submit" class="primary" disabled={name.value === ''}>
          Open cache
        </button>
      </p>
    </form>
  );
}

export function Caches() {
  const loaded: Loaded<readonly CacheDescription[]> = useLoaded(readCaches, 'caches');
  const name = address.value.params.get('name');
  const caches = loaded.value.value;
  const reload = async (): Promise<void> => {
    await Promise.all([loaded.reload(), refreshCatalog()]);
  };
  const chosen = name === null ? undefined : caches?.find((each) => each.name === name);
  if (loaded.isDenied.value && name !== null) return <Details key={name} cache={undescribed(name)} reload={reload} />;
  if (chosen !== undefined) return <Details key={chosen.name} cache={chosen} reload={reload} />;
  return (
    <>
      <h1>Caches and tables</h1>
      <Failure text={loaded.error.value || viewsProblem.value} />
      {name !== null && caches !== undefined && <p role="status">There is no cache {name}.</p>}
      {loaded.isDenied.value && <OpenByName />}
      {caches !== undefined && <List caches={caches} reload={reload} />}
      {caches === undefined && loaded.error.value === '' && <p class="hint">Loading …</p>}
    </>
  );
}
