/** Scans and type queries as forms, whose entries are shown page by page. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Button, bound, Choices, Failure, Status, Table, TextField } from '../elements/elements.tsx';
import { formatNumber, formatValue } from '../elements/formats.ts';
import { call, callToShow, type Json, messageOf } from '../requests/request.ts';

/** What fits on a screen or two. */
const PAGE_ENTRIES = 50;
/** Characters of a key or a value in the list. */
const SHOWN_CHARACTERS = 500;

type Kind = 'scan' | 'type';

interface Page {
  readonly queryId: Json;
  readonly items: ReadonlyArray<{ readonly key: Json; readonly value: Json }>;
  readonly last: boolean;
}

/** Closes the cursor of a page unless that was the last one. One that is gone already needs nothing. */
function close(page: Page | undefined): void {
  if (page?.last === false) call('qrycls', { qryId: page.queryId }).catch(() => {});
}

/** Keeps the page that is shown. */
function usePage() {
  const page = useSignal<Page | undefined>(undefined);
  const from = useSignal(0);
  const error = useSignal('');
  const isReading = useSignal(false);
  const isGone = useRef(false);
  useEffect(
    () => () => {
      isGone.current = true;
      close(page.peek());
    },
    [],
  );
  const read = async (cmd: string, params: Readonly<Record<string, unknown>>, before: number): Promise<void> => {
    isReading.value = true;
    try {
      const { response } = await callToShow(cmd, { ...params, pageSize: PAGE_ENTRIES });
      const next = response as unknown as Page;
      if (isGone.current) return close(next);
      from.value = before;
      page.value = next;
      error.value = '';
    } catch (problem) {
      error.value = messageOf(problem);
    } finally {
      isReading.value = false;
    }
  };
  return {
    page,
    from,
    error,
    isReading,
    first(cmd: string, params: Readonly<Record<string, unknown>>): Promise<void> {
      close(page.peek());
      page.value = undefined;
      return read(cmd, params, 0);
    },
    async next(): Promise<void> {
      const { value: shown } = page;
      if (shown !== undefined) await read('qryfetch', { qryId: shown.queryId }, from.value + shown.items.length);
    },
  };
}

/** Returns the parameters of what the form says; empty fields are left out. */
function given(fields: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(fields).filter(([, text]) => text !== ''));
}

function Entries({ page, from }: { readonly page: Page; readonly from: number }) {
  const { items, last } = page;
  const range =
    items.length === 0 ? 'No entries' : `Entries ${formatNumber(from + 1)} to ${formatNumber(from + items.length)}`;
  return (
    <>
      <Status text={`${range}${last ? ', the last ones' : ''}.`} />
      <Table
        caption="Entries found"
        columns={['Key', 'Value']}
        empty="No entry was found."
        rows={items.map(({ key, value }, index) => ({
          key: `${from + index}`,
          cells: [
            <code key="key">{formatValue(key).slice(0, SHOWN_CHARACTERS)}</code>,
            <code key="value">{formatValue(value).slice(0, SHOWN_CHARACTERS)}</code>,
          ],
        }))}
      />
    </>
  );
}

export function ScanForms() {
  const kind = useSignal<Kind>('scan');
  const cacheName = useSignal('');
  const className = useSignal('');
  const type = useSignal('');
  const condition = useSignal('');
  const { page, from, error, isReading, first, next } = usePage();
  const isScan = kind.value === 'scan';
  const start = (event: Event): void => {
    event.preventDefault();
    const cache = { cacheName: cacheName.value };
    if (isScan) void first('qryscanexe', given({ ...cache, className: className.value }));
    else void first('qryexe', given({ ...cache, type: type.value, qry: condition.value }));
  };
  return (
    <>
      <Choices
        label="Kind of query"
        options={[
          ['scan', 'Scan'],
          ['type', 'Type query'],
        ]}
        {...bound(kind)}
      />
      <form onSubmit={start}>
        <div class="form-row">
          <TextField label="Cache to query" hint="Empty: the default cache" {...bound(cacheName)} />
          {isScan ? (
            <TextField
              label="Class of the predicate"
              hint="One of the configuration; empty: all entries"
              {...bound(className)}
            />
          ) : (
            <>
              <TextField label="Type of the values" required {...bound(type)} />
              <TextField label="Condition" required hint="Such as pay > 5, or order by pay" {...bound(condition)} />
            </>
          )}
        </div>
        <p class="actions">
          <button type="submit" class="primary" disabled={isReading.value}>
            {isScan ? 'Scan' : 'Query'}
          </button>
          <Button disabled={isReading.value || page.value?.last !== false} onClick={next}>
            Next entries
          </Button>
        </p>
      </form>
      <Failure text={error.value} />
      {page.value !== undefined && <Entries page={page.value} from={from.value} />}
    </>
  );
}
