/** The entries of a cache in a grid, and the entries found by a key. */
import { type Signal, useSignal } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import { type Address, address, keepState, linkTo } from '../elements/address.ts';
import { Button, bound, SelectField, TextField } from '../elements/elements.tsx';
import { mayOnCache } from '../requests/access.ts';
import { parameterText } from '../rows/value-input.ts';
import { AllEntries } from './all-entries.ts';
import { useColumnHeads } from './column-heads.tsx';
import { EntryDetails } from './entry-details.tsx';
import { entryKind } from './entry-kind.ts';
import { entryFilterProblem, selectsAll } from './entry-query.ts';
import type { EntryRows } from './entry-rows.ts';
import { EntryStream } from './entry-stream.ts';
import { TYPES } from './entry-types.ts';
import { FilteredEntries } from './filtered-entries.ts';
import { FoundEntries } from './found-entries.ts';
import { StoredGrid } from './stored-grid.tsx';
import type { KeySearch } from './stored-keys.ts';
import { useOpenedRows } from './use-opened-rows.ts';

/** Stands for every type under which a key is stored. */
const ANY = '';
/** Entries whose types are tried first. */
const LOOKED_AT = 100;

/** Returns the types of the first entries that are shown. */
function knownTypesOf(rows: EntryRows | undefined): readonly string[] {
  const texts = Array.from({ length: LOOKED_AT }, (_, at) => rows?.texts(at));
  const types = texts.flatMap((row) => [row?.['Key type'] ?? '', row?.['Value type'] ?? '']);
  return [...new Set(types)].filter((type) => type !== '');
}

/** Returns the search in the address, or undefined if all entries are shown. */
function searchIn({ params }: Address, cacheName: string): KeySearch | undefined {
  const key = params.get('key');
  if (key === null) return undefined;
  const types = (params.get('types') ?? '').split(' ').filter((type) => type !== '');
  return { cacheName, key, keyType: params.get('keyType') ?? undefined, knownTypes: types };
}

function Search(props: { readonly rows: Signal<EntryRows | undefined>; readonly search: KeySearch | undefined }) {
  const { rows, search } = props;
  const key = useSignal(search?.key ?? '');
  const keyType = useSignal(search?.keyType ?? ANY);
  return (
    <form
      class="key-search"
      onSubmit={(event) => {
        event.preventDefault();
        const known = search?.knownTypes ?? knownTypesOf(rows.value);
        const of = keyType.value === ANY ? undefined : keyType.value;
        if (search?.key === key.value && search.keyType === of) rows.value?.refresh();
        else keepState({ key: key.value, keyType: of, types: known.join(' '), row: undefined });
      }}
    >
      <div class="form-row">
        <TextField label="Search by key" {...bound(key)} />
        <SelectField label="Type of the key" {...bound(keyType)} options={[[ANY, 'as it is stored'], ...TYPES]} />
        <p class="actions">
          <button type="submit" disabled={key.value === ''}>
            Search
          </button>
          {search !== undefined && (
            <Button
              onClick={() => {
                keepState({ key: undefined, keyType: undefined, types: undefined, row: undefined });
                key.value = '';
              }}
            >
              Show all entries
            </Button>
          )}
        </p>
      </div>
    </form>
  );
}

export function Entries({ cacheName }: { readonly cacheName: string }) {
  const kind = useMemo(() => entryKind(cacheName), [cacheName]);
  const sought = searchIn(address.value, cacheName);
  const heads = useColumnHeads();
  const query = { filters: heads.filters, order: heads.order };
  const problem = entryFilterProblem(query);
  const sent = useRef(query);
  // Invalid times are not searched for: the previous entries stay.
  if (problem === undefined) sent.current = query;
  const create = (): EntryRows => {
    if (sought !== undefined) return new FoundEntries(sought, sent.current);
    const stream = new EntryStream(cacheName);
    return selectsAll(sent.current) ? new AllEntries(stream) : new FilteredEntries(stream, sent.current);
  };
  const opened = useOpenedRows(create, JSON.stringify([cacheName, sought, sent.current]));
  return (
    <>
      <Search rows={opened.rows} search={sought} />
      <StoredGrid
        kind={kind}
        may={{
          add: mayOnCache(cacheName, ['put']),
          change: mayOnCache(cacheName, ['read', 'put']),
          remove: mayOnCache(cacheName, ['read', 'remove']),
          follow: mayOnCache(cacheName, ['read']),
        }}
        cacheName={cacheName}
        opened={opened}
        heads={heads}
        problem={problem}
        empty={
          heads.isFiltered ? (
            'No entry matches the filters.'
          ) : sought === undefined ? (
            <>
              The cache has no entries. Add one, or{' '}
              <a href={linkTo('caches', { name: cacheName, tab: 'transfer' })}>import a file</a>.
            </>
          ) : (
            `The cache has no entry with this key${sought.keyType === undefined ? ', of any type' : ''}.`
          )
        }
        details={({ Key: text, 'Key type': keyType }) =>
          text && keyType && mayOnCache(cacheName, ['read', 'put']) ? (
            <EntryDetails
              cacheName={cacheName}
              text={parameterText(keyType, text)}
              keyType={keyType}
              onChanged={() => opened.rows.peek()?.refresh()}
            />
          ) : null
        }
      />
    </>
  );
}
