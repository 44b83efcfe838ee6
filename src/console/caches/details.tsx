/** One cache or table, with a tab for each view of it. */
import type { JSX } from 'preact';
import { address, linkHere } from '../elements/address.ts';
import { Tabs } from '../elements/tabs.tsx';
import { Feed } from '../live/feed.tsx';
import { mayOnCache } from '../requests/access.ts';
import { isPartial, tableTitle } from '../requests/catalog.ts';
import type { CacheDescription } from './cache-list.ts';
import { Deadlines } from './deadlines.tsx';
import { Entries } from './entries.tsx';
import { Indexes } from './indexes.tsx';
import { SampleRequests } from './sample-requests.tsx';
import { Structure } from './structure.tsx';
import { TableRows } from './table-rows.tsx';
import { Transfer } from './transfer.tsx';

export interface DetailsProps {
  readonly cache: CacheDescription;
  readonly reload: () => Promise<void>;
}

interface Tab {
  readonly name: string;
  readonly title: string;
  readonly view: (props: DetailsProps) => JSX.Element | null;
}

/** The tabs of tables and caches; the first one is shown unless the address names another. */
const TABS: readonly Tab[] = [
  {
    name: 'rows',
    title: 'Rows',
    view: ({ cache: { name, table, columns } }) =>
      table === undefined ? null : <TableRows cacheName={name} table={table} columns={columns} />,
  },
  { name: 'entries', title: 'Entries', view: ({ cache: { name } }) => <Entries cacheName={name} /> },
  { name: 'structure', title: 'Structure', view: Structure },
  {
    name: 'indexes',
    title: 'Indexes',
    view: ({ cache, reload }) =>
      cache.table === undefined ? null : <Indexes cache={cache} table={cache.table} reload={reload} />,
  },
  { name: 'deadlines', title: 'Expiry', view: Deadlines },
  { name: 'feed', title: 'Feed', view: ({ cache: { name } }) => <Feed cacheName={name} /> },
  {
    name: 'transfer',
    title: 'Import and export',
    view: ({ cache, reload }) => <Transfer cache={cache} onImported={reload} />,
  },
  { name: 'samples', title: 'Samples', view: SampleRequests },
];

/** Views filled by commands on the cache, for which a right on its table does not suffice. */
const OF_CACHE_COMMANDS: ReadonlySet<string> = new Set(['deadlines', 'feed', 'samples']);

/** Returns whether the signed-in user may see a view. */
function mayShow({ name }: Tab, cache: CacheDescription): boolean {
  if (OF_CACHE_COMMANDS.has(name)) return mayOnCache(cache.name, ['read']);
  return name !== 'indexes' || !isPartial.value;
}

const OF_TABLES: ReadonlySet<string> = new Set(['rows', 'indexes']);
const OF_CACHES: ReadonlySet<string> = new Set(['entries']);

export function Details(props: DetailsProps) {
  const { name, table } = props.cache;
  const foreign = table === undefined ? OF_TABLES : OF_CACHES;
  const tabs = TABS.filter((tab) => !foreign.has(tab.name) && mayShow(tab, props.cache));
  const wanted = address.value.params.get('tab');
  const shown = tabs.find((tab) => tab.name === wanted) ?? tabs[0];
  if (shown === undefined) return null;
  const View = shown.view;
  return (
    <>
      <h1>{table === undefined ? name || '(empty name)' : tableTitle(table.schema, table.name)}</h1>
      <Tabs
        label={table === undefined ? 'Views of the cache' : 'Views of the table'}
        chosen={shown.name}
        tabs={tabs.map((tab, at) => ({
          name: tab.name,
          title: tab.title,
          href: linkHere({ tab: at > 0 ? tab.name : undefined }),
        }))}
      />
      <View key={shown.name} {...props} />
    </>
  );
}
