/** The tab Expiry: when entries or rows expire, and which do so next. */
import { Button, Failure, Status, Table } from '../elements/elements.tsx';
import { formatDuration, formatNumber, formatValue } from '../elements/formats.ts';
import { Loading } from '../elements/loading.tsx';
import { formatInstant } from '../elements/times.ts';
import { useLoaded } from '../requests/polling.ts';
import type { CacheDescription } from './cache-list.ts';
import { type CacheSettings, readSettings } from './cache-settings.ts';
import { LOOKED_AT, readNextDeadlines } from './next-deadlines.ts';

/** Returns how the settings of a cache affect the deadlines of its entries. */
function policyText({ expiry, policy, hasDeadlines }: CacheSettings, things: string): string {
  if (expiry !== undefined) {
    const after = expiry.isSliding ? 'written or read' : 'written';
    const when = `${formatDuration(expiry.ttlMs)} after they were last ${after}`;
    return `${things} expire ${when}. The time to live was set when the cache was created.`;
  }
  if (policy !== '') return `${things} expire by the cache's policy: ${policy}.`;
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
      <h2 class="hidden">Expiry</h2>
      <Failure text={settings.error.value} />
      {known !== undefined && <p>{policyText(known, things)}</p>}
      <Failure text={next.error.value} />
      {found === undefined && next.error.value === '' && <Loading />}
      {found !== undefined && (
        <>
          <Table
            caption="Next to expire"
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
        <Button onClick={() => Promise.all([settings.reload(), next.reload()])}>Refresh</Button>
      </p>
      <p class="hint">Open {cache.table === undefined ? 'an entry' : 'a row'} to set or remove its deadline.</p>
    </>
  );
}
