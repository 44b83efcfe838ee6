/** The Caches and tables screen: lists, shows, creates and destroys them. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ImportTable } from '../definitions/import-table.tsx';
import { NewCache } from '../definitions/new-cache.tsx';
import { NewTable } from '../definitions/new-table.tsx';
import { address, goTo, linkTo, stateField } from '../elements/address.ts';
import { Button, bound, Failure, Table, TextField } from '../elements/elements.tsx';
import { formatNumber } from '../elements/formats.ts';
import { Loading } from '../elements/loading.tsx';
import { openDialog } from '../elements/opened-dialog.tsx';
import { ReadProblem } from '../elements/read-problem.tsx';
import { EmptyService } from '../first-minute/empty-service.tsx';
import { isEmpty } from '../first-minute/is-empty.ts';
import { DEFINE, mayAnywhere, mayEverywhere } from '../requests/access.ts';
import { catalog, isPartial, refreshCatalog, titleOf } from '../requests/catalog.ts';
import { type Loaded, useLoaded } from '../requests/polling.ts';
import { type CacheDescription, readCaches, viewsProblem } from './cache-list.ts';
import { Details } from './details.tsx';
import { readRatios } from './hit-ratios.ts';

function List(props: { readonly caches: readonly CacheDescription[]; readonly reload: () => Promise<void> }) {
  const { caches, reload } = props;
  const show = async (name: string): Promise<void> => {
    await reload();
    goTo('caches', { name });
  };
  const names = caches.map(({ name }) => name);
  const ratios = useLoaded((signal) => readRatios(names, signal), names.join('\n'));
  const search = stateField('search');
  const shown = caches.filter((each) => titleOf(each).toLowerCase().includes(search.value.toLowerCase()));
  return (
    <>
      <div class="toolbar">
        <TextField label="Search by name" {...search} />
        <p class="actions">
          {mayEverywhere(DEFINE) && (
            <Button class={isEmpty(caches) ? '' : 'primary'} onClick={() => openDialog(<NewTable onCreated={show} />)}>
              Create a table …
            </Button>
          )}
          {mayAnywhere('create') && (
            <Button onClick={() => openDialog(<NewCache onCreated={show} />)}>Create a cache …</Button>
          )}
          {mayEverywhere(DEFINE) && (
            <Button onClick={() => openDialog(<ImportTable onImported={show} />)}>Import a file …</Button>
          )}
          <Button onClick={reload}>Refresh</Button>
        </p>
      </div>
      <Table
        caption={
          shown.length === caches.length
            ? `${isPartial.value ? 'The' : 'All'} caches and tables${isPartial.value ? ' that you may use' : ''}`
            : `${formatNumber(shown.length)} of ${formatNumber(caches.length)} caches and tables`
        }
        columns={['Name', 'Entries', 'Hit ratio', 'Kind', 'Columns', 'Indexes', 'Region', 'Mode']}
        numeric={['Entries', 'Hit ratio', 'Columns', 'Indexes']}
        empty="No name matches."
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
            table === undefined ? '' : (indexes?.length ?? '–'),
            region,
            mode,
          ],
        }))}
      />
    </>
  );
}

/** Shows a cache to a user who may not list the caches. */
function undescribed(name: string): CacheDescription {
  const unknown = {
    mode: '–',
    backups: null,
    size: null,
    region: '–',
    table: undefined,
    columns: [],
    indexes: undefined,
  };
  return { name, ...unknown, hasDeadline: false, hasFeed: false };
}

/** Opens a cache by its name, for users who may not list the caches. */
function OpenByName() {
  const name = useSignal('');
  return (
    <form
      class="toolbar"
      onSubmit={(event) => {
        event.preventDefault();
        goTo('caches', { name: name.value });
      }}
    >
      <TextField label="Name of a cache that you may read" {...bound(name)} />
      <p class="actions">
        <button type="submit" class="primary" disabled={name.value === ''}>
          Open cache
        </button>
      </p>
    </form>
  );
}

/** Returns the names of caches as one text, to compare it. */
function namesOf(caches: ReadonlyArray<{ readonly name: string }> | undefined): string | undefined {
  return caches?.map(({ name }) => name).join('\n');
}

/** The list, and the name for which it was reread because the previous list lacked it. */
interface ReadList {
  readonly sought: string | null;
  readonly caches: readonly CacheDescription[];
}

export function Caches() {
  const name = address.value.params.get('name');
  // A name that the list lacks may be new: the list is reread before the name is reported as missing.
  const sought = useSignal<string | null>(null);
  const loaded: Loaded<ReadList> = useLoaded(
    async (signal) => ({ sought: sought.peek(), caches: await readCaches(signal) }),
    `caches ${sought.value}`,
  );
  const caches = loaded.value.value?.caches;
  const reload = async (): Promise<void> => {
    await Promise.all([loaded.reload(), refreshCatalog()]);
  };
  const isUnlisted = name !== null && caches?.every((each) => each.name !== name) === true;
  const isUnknown = isUnlisted && loaded.value.value?.sought === name;
  useEffect(() => {
    if (caches !== undefined) sought.value = isUnlisted ? name : null;
  }, [name, isUnlisted]);
  const hasChanged = namesOf(caches) !== namesOf(catalog.value);
  useEffect(() => {
    // The sidebar has read the list since.
    if (hasChanged && caches !== undefined && catalog.value !== undefined) void loaded.reload();
  }, [catalog.value, hasChanged]);
  const chosen = name === null ? undefined : caches?.find((each) => each.name === name);
  // The sidebar may know it before this screen does, above all while the service does not answer.
  const known = catalog.value?.find((each) => each.name === name);
  if (loaded.isDenied.value && name !== null) return <Details key={name} cache={undescribed(name)} reload={reload} />;
  if (chosen !== undefined) return <Details key={chosen.name} cache={chosen} reload={reload} />;
  return (
    <>
      <h1>{known === undefined ? 'Caches and tables' : titleOf(known)}</h1>
      <ReadProblem of={loaded} what="the list of caches" />
      <Failure text={viewsProblem.value} />
      {isUnknown && (
        <p role="status">
          There is no cache {name}
          {isPartial.value && ', or you may not use it'}.
        </p>
      )}
      {loaded.isDenied.value && <OpenByName />}
      <EmptyService />
      {caches !== undefined && <List caches={caches} reload={reload} />}
      {caches === undefined && loaded.error.value === '' && <Loading />}
    </>
  );
}
