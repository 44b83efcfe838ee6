/** The tab Deadlines: when entries or rows expire, which do so next, and what sets and removes a deadline. */
import { useSignal } from '@preact/signals';
import { DurationField } from '../definitions/duration-field.tsx';
import { type DurationUnit, durationMs } from '../definitions/statements.ts';
import { Failure, SelectField, Status, Table, TextField } from '../elements/elements.tsx';
import { formatDuration, formatNumber, formatValue } from '../elements/formats.ts';
import { formatInstant } from '../elements/times.ts';
import { useLoaded } from '../requests/polling.ts';
import { call, messageOf } from '../requests/request.ts';
import type { CacheDescription } from './cache-list.ts';
import { type CacheSettings, readSettings } from './cache-settings.ts';
import { TYPES } from './entry-types.ts';
import { LOOKED_AT, readNextDeadlines } from './next-deadlines.ts';

/** Returns what the settings of a cache mean for the deadlines of its entries. */
function policyText({ expiry, policy, hasDeadlines }: CacheSettings, things: string): string {
  if (expiry !== undefined) {
    const after = expiry.isSliding ? 'written or read' : 'written';
    const when = `${formatDuration(expiry.ttlMs).replace(/ 0 \w+$/, '')} after they were last ${after}`;
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
                : `With a deadline: ${formatNumber(found.withDeadline)} of ${found.isComplete ? 'all' : 'the first'} ` +
                  `${formatNumber(found.lookedAt)}.`
            }
          />
        </>
      )}
      <p class="actions">
        <button type="button" onClick={() => Promise.all([settings.reload(), next.reload()])}>
          Read again
        </button>
      </p>
      <OneDeadline cacheName={cache.name} onChanged={next.reload} />
    </>
  );
}

interface OneDeadlineProps {
  readonly cacheName: string;
  readonly onChanged: () => Promise<void>;
}

/** Reads, sets and removes the deadline of one entry. */
function OneDeadline({ cacheName, onChanged }: OneDeadlineProps) {
  const key = useSignal('');
  const keyType = useSignal('string');
  const amount = useSignal('');
  const unit = useSignal<DurationUnit>('minutes');
  const status = useSignal('');
  const error = useSignal('');
  const target = { cacheName, key: key.value, keyType: keyType.value };
  const ttlMs = durationMs(amount.value, unit.value);
  const attempt = async (work: () => Promise<string>): Promise<void> => {
    try {
      error.value = '';
      status.value = '';
      status.value = await work();
    } catch (problem) {
      error.value = messageOf(problem);
    }
  };
  const read = (): Promise<void> =>
    attempt(async () => {
      const left = await call('ttl', target);
      return left === null ? 'It has no deadline.' : `It expires in ${formatDuration(Number(left))}.`;
    });
  const change = (cmd: 'updatettl' | 'persist'): Promise<void> =>
    attempt(async () => {
      const isThere = await call(cmd, { ...target, ...(cmd === 'updatettl' && { ttlMs }) });
      if (isThere !== true) return 'There is no such entry.';
      await onChanged();
      return cmd === 'persist' ? 'The deadline is removed.' : 'The deadline is set.';
    });
  return (
    <section aria-labelledby="one-deadline">
      <h2 id="one-deadline">Deadline of one entry</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void read();
        }}
      >
        <div class="form-row">
          <TextField label="Key" value={key.value} onValue={(text) => (key.value = text)} />
          <SelectField
            label="Type of the key"
            value={keyType.value}
            options={TYPES}
            onValue={(chosen) => (keyType.value = chosen)}
          />
          <DurationField
            label="New time to live"
            amount={amount.value}
            unit={unit.value}
            onChange={(text, of) => {
              amount.value = text;
              unit.value = of;
            }}
          />
        </div>
        <p class="actions">
          <button type="submit" disabled={key.value === ''}>
            Read the deadline
          </button>
          <button
            type="button"
            disabled={key.value === '' || ttlMs === undefined || ttlMs === ''}
            onClick={() => change('updatettl')}
          >
            Set it
          </button>
          <button type="button" disabled={key.value === ''} onClick={() => change('persist')}>
            Remove it
          </button>
        </p>
      </form>
      <Status text={status.value} />
      <Failure text={error.value} />
    </section>
  );
}
