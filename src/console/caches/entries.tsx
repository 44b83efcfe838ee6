/** The entries of a cache, page by page, and one by its key. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Failure, SelectField, Status, Table, TextField } from '../elements/elements.tsx';
import { formatValue } from '../elements/formats.ts';
import { call, callToShow, type Json, messageOf } from '../requests/request.ts';
import { type Entry, EntryDialog } from './entry-dialog.tsx';
import { keyTypeOf, keyTypesOf, storedTypesOf, TYPES, typeTitle } from './entry-types.ts';

/** What fits on a screen or two. */
const PAGE_ENTRIES = 50;
/** Characters of a key or a value in the list. The dialog has all of them. */
const SHOWN_CHARACTERS = 200;

interface Page {
  readonly items: readonly Entry[];
  readonly last: boolean;
  readonly queryId: Json;
}

/** Returns the pages of a cache that were read, and what reads more. */
function usePages(cacheName: string) {
  const pages = useSignal<readonly Page[]>([]);
  const at = useSignal(0);
  const error = useSignal('');
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
      error.value = '';
    } catch (problem) {
      error.value = messageOf(problem);
    }
  };
  const first = (): Promise<void> =>
    attempt(async () => {
      pages.value = [
        (await callToShow('qryscanexe', { cacheName, pageSize: PAGE_ENTRIES })).response as unknown as Page,
      ];
      at.value = 0;
    });
  const next = (): Promise<void> =>
    attempt(async () => {
      const { value: known } = pages;
      if (at.value === known.length - 1) {
        const qryId = known.at(-1)?.queryId;
        const { response } = await callToShow('qryfetch', { qryId, pageSize: PAGE_ENTRIES });
        pages.value = [...known, response as unknown as Page];
      }
      at.value++;
    });
  useEffect(() => {
    void first();
    return () => {
      const open = pages.peek().at(-1);
      if (open?.last === false) call('qrycls', { qryId: open.queryId }).catch(() => {});
    };
  }, [cacheName]);
  return { pages, at, error, first, next };
}

/** What stands for the types under which a key is stored. */
const ANY = '';

/** Finds an entry by its key, whose type is that of the stored keys unless the user chooses one. */
function Search(props: {
  readonly cacheName: string;
  /** A key of the cache, whose type the others probably have. */
  readonly someKey: Json | undefined;
  readonly onFound: (entry: Entry) => void;
}) {
  const { cacheName, someKey, onFound } = props;
  const key = useSignal('');
  const keyType = useSignal(ANY);
  const error = useSignal('');
  const others = useSignal<readonly string[]>([]);
  const open = async (type: string): Promise<void> => {
    const params = { cacheName, key: key.value, keyType: type };
    const { response: value } = await callToShow('get', params);
    onFound({ key: key.value, value, keyType: type });
  };
  const search = async (event: Event): Promise<void> => {
    event.preventDefault();
    [error.value, others.value] = ['', []];
    try {
      const stored = someKey === undefined ? undefined : await keyTypeOf(cacheName, someKey);
      const types = keyTypesOf(key.value, stored === undefined ? [] : [stored]);
      const found = await storedTypesOf(cacheName, key.value, keyType.value === ANY ? types : [keyType.value]);
      if (found.length === 1) await open(found[0] ?? '');
      else if (found.length > 1) others.value = found;
      else error.value = `The cache has no entry with this key${keyType.value === ANY ? ', of any type.' : '.'}`;
    } catch (problem) {
      error.value = messageOf(problem);
    }
  };
  return (
    <form onSubmit={search}>
      <div class="form-row">
        <TextField label="Search by key" value={key.value} onValue={(text) => (key.value = text)} />
        <SelectField
          label="Type of the key"
          value={keyType.value}
          options={[[ANY, 'as it is stored'], ...TYPES]}
          onValue={(chosen) => (keyType.value = chosen)}
        />
        <p class="actions">
          <button type="submit" disabled={key.value === ''}>
            Search
          </button>
        </p>
      </div>
      <Failure text={error.value} />
      {others.value.length > 0 && (
        <p class="actions" role="status">
          The cache has entries with this key of several types:
          {others.value.map((type) => (
            <button key={type} type="button" onClick={() => open(type)}>
              {typeTitle(type)}
            </button>
          ))}
        </p>
      )}
    </form>
  );
}

export function Entries({ cacheName }: { readonly cacheName: string }) {
  const { pages, at, error, first, next } = usePages(cacheName);
  const opened = useSignal<Entry | 'new' | undefined>(undefined);
  const page = pages.value[at.value];
  const shown = page?.items ?? [];
  const from = at.value * PAGE_ENTRIES;
  return (
    <section aria-labelledby="entries">
      <h2 id="entries" class="hidden">
        Entries
      </h2>
      <Search cacheName={cacheName} someKey={shown[0]?.key} onFound={(entry) => (opened.value = entry)} />
      <p class="actions">
        <button type="button" onClick={() => (opened.value = 'new')}>
          New entry
        </button>
        <button type="button" onClick={first}>
          Read again
        </button>
        <button type="button" disabled={at.value === 0} onClick={() => (at.value -= 1)}>
          Previous page
        </button>
        <button
          type="button"
          disabled={page === undefined || (page.last && at.value === pages.value.length - 1)}
          onClick={next}
        >
          Next page
        </button>
      </p>
      <Failure text={error.value} />
      <Status text={shown.length === 0 ? '' : `Entries ${from + 1} to ${from + shown.length}, in no order.`} />
      {page !== undefined && (
        <Table
          caption={`Entries of ${cacheName}`}
          columns={['Key', 'Value']}
          empty="The cache has no entries."
          rows={shown.map((entry, index) => ({
            key: `${from + index}`,
            cells: [
              <button key="key" type="button" class="link mono" onClick={() => (opened.value = entry)}>
                {formatValue(entry.key).slice(0, SHOWN_CHARACTERS) || '(empty)'}
              </button>,
              <code key="value">{formatValue(entry.value).slice(0, SHOWN_CHARACTERS)}</code>,
            ],
          }))}
        />
      )}
      {opened.value !== undefined && (
        <EntryDialog
          cacheName={cacheName}
          entry={opened.value === 'new' ? undefined : opened.value}
          onClose={() => (opened.value = undefined)}
          onChanged={() => void first()}
        />
      )}
    </section>
  );
}
