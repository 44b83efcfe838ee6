/** The screen Caches and tables: what there is, its entries, and its creation and end. */
import { useSignal } from '@preact/signals';
import { address, goTo, linkTo } from '../elements/address.ts';
import { Dialog, Failure, Table, TextField } from '../elements/elements.tsx';
import { formatNumber } from '../elements/formats.ts';
import { refreshCatalog, titleOf } from '../requests/catalog.ts';
import { type Loaded, useLoaded } from '../requests/polling.ts';
import { call, messageOf } from '../requests/request.ts';
import { type CacheDescription, readCaches, viewsProblem } from './cache-list.ts';
import { Details } from './details.tsx';
import { readRatios } from './hit-ratios.ts';
import { ImportTable } from './import-table.tsx';

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
  const unknown = { mode: '–', backups: null, size: null, region: '–', table: undefined, columns: [], indexes: [] };
  return { name, ...unknown, hasDeadline: false, hasFeed: false };
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
