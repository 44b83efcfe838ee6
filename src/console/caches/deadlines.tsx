/** The tab Deadlines: when entries or rows expire, which do so next, and what sets and removes a deadline. */
import { useSignal } from '@preact/signals';
import { useDuration } from '../definitions/duration-field.tsx';
import { useAttempt } from '../elements/attempt.ts';
import { Button, bound, boundText, Failure, SelectField, Status, Table, TextField } from '../elements/elements.tsx';
import { formatDuration, formatNumber, formatValue } from '../elements/formats.ts';
import { formatInstant } from '../elements/times.ts';
import { useLoaded } from '../requests/polling.ts';
import { call } from '../requests/request.ts';
import type { CacheDescription } from './cache-list.ts';
import { type CacheSettings, readSettings } from './cache-settings.ts';
import { TYPES, typeTitle } from './entry-types.ts';
import { LOOKED_AT, readNextDeadlines } from './next-deadlines.ts';
import { type EntryTarget, readKeyType, targetsOf } from './stored-keys.ts';
import { keyOfRow } from './table-key.ts';

/** Returns what the settings of a cache mean for the deadlines of its entries. */
function policyText({ expiry, policy, hasDeadlines }: CacheSettings, things: string): string {
  if (expiry !== undefined) {
    const after = expiry.isSliding ? 'written or read' : 'written';
    const when = `${formatDuration(expiry.ttlMs)} after they were last ${after}`;
    return `${things} expire ${when}. The time to live was set when the cache was created.`;
  }
  if (policy !== '') return `${things} expire as the policy of the cache says: ${policy}.`;
  const set = hasDeadlines ? ' Some have a deadline that a write has set.' : '';
  const stay = `${things.toLowerCase()} stay until they are removed, unless a write sets a time to live`;
  return `The cache has no time to live: ${stay}.${set}`;
}

export function Deadlines({ cache }: { readonly cache: CacheDescription }) {
  const settings = useLoaded((signal) => readSettings(cache.name, signal), cache.name);
  const next = useLoaded((signal) => readNextDeadlines(cache.name, signal), cache.name);
  const things = cache.table === undefined ? 'Entries' : 'Rows';
  const { value: known } = settings.value;
  const { value: found } = next.value;
  return (
    <>
      <h2 class="hidden">Deadlines</h2>
      <Failure text={settings.error.value} />
      {known !== undefined && <p>{policyText(known, things)}</p>}
      <Failure text={next.error.value} />
      {found === undefined && next.error.value === '' && <p class="hint">Loading …</p>}
      {found !== undefined && (
        <>
          <Table
            caption="What expires next"
            columns={['Key', 'Expires in', 'At']}
            empty={
              found.isComplete
                ? `No ${cache.table === undefined ? 'entry' : 'row'} has a deadline.`
                : `None of the first ${formatNumber(LOOKED_AT)} has a deadline.`
            }
            rows={found.next.map(({ key, expires }, at) => ({
              key: `${at}`,
              cells: [
                <code key="key">{formatValue(key)}</code>,
                formatDuration(Math.max(0, expires - found.readAtMs)),
                formatInstant(expires),
              ],
            }))}
          />
          <Status
            text={
              found.next.length === 0
                ? ''
                : `${things} with a deadline: ${formatNumber(found.withDeadline)} of ` +
                  `${found.isComplete ? '' : 'the first '}${formatNumber(found.lookedAt)}.`
            }
          />
        </>
      )}
      <p class="actions">
        <Button onClick={() => Promise.all([settings.reload(), next.reload()])}>Read again</Button>
      </p>
      <OneDeadline cache={cache} keyTypes={found?.keyTypes ?? []} onChanged={next.reload} />
    </>
  );
}

interface OneDeadlineProps {
  readonly cache: CacheDescription;
  /** Types of keys that are known to be stored. */
  readonly keyTypes: readonly string[];
  readonly onChanged: () => Promise<void>;
}

/** What stands for the types under which a key is stored. */
const ANY = '';

/** Returns the key that is typed: of a row, by its columns; of an entry, under the type that it is stored with. */
function useTypedKey({ cache, keyTypes }: OneDeadlineProps) {
  const values = useSignal<Readonly<Record<string, string>>>({});
  const key = useSignal('');
  const keyType = useSignal(ANY);
  const { name: cacheName, table } = cache;
  const typeOfRows = useLoaded(async (signal) => (table ? readKeyType(cacheName, signal) : undefined), cacheName);
  const keys = cache.columns.filter(({ isKey }) => isKey);
  if (table !== undefined && keys.length > 0) {
    const named = keyOfRow(keys, values.value, typeOfRows.value.value);
    return {
      isComplete: named !== undefined,
      async target(): Promise<EntryTarget | undefined> {
        return named && { cacheName, ...named };
      },
      fields: keys.map(({ name, sqlType }) => (
        <TextField key={name} label={`${name}, ${sqlType}`} {...boundText(values, name)} />
      )),
    };
  }
  return {
    isComplete: key.value !== '',
    async target(): Promise<EntryTarget | undefined> {
      const of = keyType.value === ANY ? undefined : keyType.value;
      const found = await targetsOf({ cacheName, key: key.value, keyType: of, knownTypes: keyTypes });
      if (found.length <= 1) return found[0];
      const types = found.map((each) => typeTitle(each.keyType)).join(', ');
      throw new Error(`The cache has several entries with this key. Choose the type: ${types}.`);
    },
    fields: (
      <>
        <TextField label="Key" {...bound(key)} />
        <SelectField label="Type of the key" {...bound(keyType)} options={[[ANY, 'as it is stored'], ...TYPES]} />
      </>
    ),
  };
}

/** Reads, sets and removes the deadline of one entry. */
function OneDeadline(props: OneDeadlineProps) {
  const { ms: ttlMs, field } = useDuration('minutes');
  const status = useSignal('');
  const { error, attempt } = useAttempt();
  const typed = useTypedKey(props);
  const thing = props.cache.table === undefined ? 'entry' : 'row';
  const gone = `There is no such ${thing}.`;
  const ofTarget = (work: (target: EntryTarget) => Promise<string>): Promise<void> =>
    attempt(async () => {
      status.value = '';
      const target = await typed.target();
      status.value = target === undefined ? gone : await work(target);
    });
  const read = (): Promise<void> =>
    ofTarget(async (target) => {
      if ((await call('conkey', { ...target })) !== true) return gone;
      const left = await call('ttl', { ...target });
      return left === null ? 'It has no deadline.' : `It expires in ${formatDuration(Number(left))}.`;
    });
  const change = (cmd: 'updatettl' | 'persist'): Promise<void> =>
    ofTarget(async (target) => {
      const isThere = await call(cmd, { ...target, ...(cmd === 'updatettl' && { ttlMs }) });
      if (isThere !== true) return gone;
      await props.onChanged();
      return cmd === 'persist' ? 'The deadline is removed.' : 'The deadline is set.';
    });
  return (
    <section aria-labelledby="one-deadline">
      <h2 id="one-deadline">Deadline of one {thing}</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void read();
        }}
      >
        <div class="form-row">
          {typed.fields}
          {field('New time to live')}
        </div>
        <p class="actions">
          <button type="submit" disabled={!typed.isComplete}>
            Read the deadline
          </button>
          <Button
            disabled={!typed.isComplete || ttlMs === undefined || ttlMs === ''}
            onClick={() => change('updatettl')}
          >
            Set it
          </Button>
          <Button disabled={!typed.isComplete} onClick={() => change('persist')}>
            Remove it
          </Button>
        </p>
      </form>
      <Status text={status.value} />
      <Failure text={error.value} />
    </section>
  );
}
