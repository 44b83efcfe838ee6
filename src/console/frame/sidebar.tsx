/** The sidebar: the areas of the console, all caches and tables with a filter, and saved queries. */
import { useSignal } from '@preact/signals';
import { address, linkTo } from '../elements/address.ts';
import { formatCount, formatNumber, formatShort } from '../elements/formats.ts';
import { loadingText } from '../elements/loading.tsx';
import { VirtualList } from '../elements/virtual-list.tsx';
import { isMine, savedQueries } from '../query/saved-queries.ts';
import { type CatalogEntry, catalog, catalogFailure, isPartial, titleOf } from '../requests/catalog.ts';
import { environmentTitle, serviceName } from '../requests/session.ts';
import { SCREENS } from '../screens.ts';
import { Icon } from './icons.tsx';

const ROW_PIXELS = 28;

function Areas() {
  const { screen, params } = address.value;
  const current = screen === 'caches' && params.has('name') ? undefined : screen;
  return (
    <nav aria-label="Screens">
      <ul>
        {SCREENS.map(({ name, title }) => (
          <li key={name}>
            <a
              href={linkTo(name)}
              aria-current={name === current ? 'page' : name === screen ? 'true' : undefined}
              class="sidebar-link"
            >
              <Icon name={name} />
              {title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Says why there is no list: it is being read, reading it failed, or it is empty. */
function reasonOf(count: number | undefined): string {
  if (catalogFailure.value !== '') return catalogFailure.value;
  if (count === undefined) return loadingText();
  if (isPartial.value) return count === 0 ? 'You may not read any of them.' : 'Only those that you may use.';
  return count === 0 ? 'None yet.' : '';
}

/** Returns the meaning of the icons and of the short number next to a name, in words. */
function describe(entry: CatalogEntry): string {
  const { table, size, hasFeed, hasDeadline } = entry;
  return [
    `${titleOf(entry)}, a ${table === undefined ? 'cache' : 'table'}`,
    ...(size === null ? [] : [table === undefined ? formatCount(size, 'entry', 'entries') : formatCount(size, 'row')]),
    ...(hasFeed ? ['with a change feed'] : []),
    ...(hasDeadline ? ['with a time to live'] : []),
  ].join(', ');
}

/** The icons for a feed and for deadlines. */
function Marks({ entry: { hasFeed, hasDeadline } }: { readonly entry: CatalogEntry }) {
  if (!hasFeed && !hasDeadline) return null;
  return (
    <span class="marks">
      {hasFeed && <Icon name="feed" />}
      {hasDeadline && <Icon name="deadline" />}
      <span class="hidden">
        {hasFeed && ' change feed '}
        {hasDeadline && ' time to live '}
      </span>
    </span>
  );
}

function Data() {
  const filter = useSignal('');
  const { value: entries } = catalog;
  const chosen = address.value.screen === 'caches' ? address.value.params.get('name') : null;
  const wanted = filter.value.toLowerCase();
  const shown = (entries ?? []).filter((entry) => titleOf(entry).toLowerCase().includes(wanted));
  const reason = reasonOf(entries?.length);
  return (
    <section class="sidebar-data" aria-labelledby="sidebar-data">
      <h2 id="sidebar-data">
        Data{entries !== undefined && <span class="count">{formatNumber(entries.length)}</span>}
      </h2>
      {reason !== '' && <p class="hint">{reason}</p>}
      {entries !== undefined && entries.length > 0 && (
        <input
          type="search"
          aria-label="Find caches and tables"
          placeholder="Find …"
          value={filter.value}
          onInput={({ currentTarget }) => (filter.value = currentTarget.value)}
        />
      )}
      {entries !== undefined && entries.length > 0 && shown.length === 0 && <p class="hint">No name matches.</p>}
      <VirtualList
        label="Caches and tables"
        count={shown.length}
        rowPixels={ROW_PIXELS}
        row={(index) => {
          const entry = shown[index];
          if (entry === undefined) return null;
          const kind = entry.table === undefined ? 'cache' : 'table';
          return (
            <a
              href={linkTo('caches', { name: entry.name })}
              class="sidebar-link"
              aria-current={entry.name === chosen ? 'page' : undefined}
              title={describe(entry)}
            >
              <Icon name={kind} />
              <span class="sidebar-name">{titleOf(entry)}</span>
              <Marks entry={entry} />
              {entry.size !== null && <span class="count">{formatShort(entry.size)}</span>}
            </a>
          );
        }}
      />
    </section>
  );
}

/** More than these are in the palette, and on the screen Query. */
const MAX_SAVED = 100;

/** The saved queries of the user, then those that others share. */
function SavedQueries() {
  const { value: all } = savedQueries;
  if (all.length === 0) return null;
  const shown = [...all.filter(isMine), ...all.filter((each) => !isMine(each))].slice(0, MAX_SAVED);
  const current = address.value.screen === 'query' ? address.value.params.get('id') : null;
  return (
    <section aria-labelledby="sidebar-saved">
      <h2 id="sidebar-saved">
        Saved queries<span class="count">{formatNumber(all.length)}</span>
      </h2>
      <ul class="sidebar-saved">
        {shown.map((query) => (
          <li key={query.id}>
            <a
              href={linkTo('query', { id: query.id })}
              class="sidebar-link"
              aria-current={query.id === current ? 'page' : undefined}
              title={isMine(query) ? query.name : `${query.name}, shared by ${query.user ?? 'nobody'}`}
            >
              <Icon name="saved" />
              <span class="sidebar-name">{query.name}</span>
              {!isMine(query) && <span class="count">{query.user}</span>}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function Sidebar() {
  return (
    <>
      <p class="product">
        {serviceName}
        {environmentTitle !== '' && <span class="environment">{environmentTitle}</span>}
      </p>
      <Areas />
      <Data />
      <SavedQueries />
    </>
  );
}
