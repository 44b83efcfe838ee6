/** The rest of an entry's or row's dialog: its time to live, and how curl reads it. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useDuration } from '../definitions/duration-field.tsx';
import { AsCurl } from '../elements/as-curl.tsx';
import { useAttempt } from '../elements/attempt.ts';
import { Button, Failure, Status } from '../elements/elements.tsx';
import { formatDuration } from '../elements/formats.ts';
import { entryCurl } from '../elements/resource-curl.ts';
import { useLoaded } from '../requests/polling.ts';
import { call, isNotSupported, messageOf } from '../requests/request.ts';
import { needsLogin } from '../requests/session.ts';
import type { RowTexts } from '../rows/row.ts';
import type { TableColumn } from './row-query.ts';
import { readKeyType } from './stored-keys.ts';
import { keyOfRow } from './table-key.ts';

interface EntryDetailsProps {
  readonly cacheName: string;
  readonly text: string;
  readonly keyType: string;
  /** Called when the time to live has changed. */
  readonly onChanged: () => void;
}

export function EntryDetails(props: EntryDetailsProps) {
  const { cacheName, text, keyType } = props;
  return (
    <>
      <TimeToLive {...props} />
      <AsCurl
        summary="Read it with curl"
        textOf={(endpoint) => entryCurl({ endpoint, cacheName, key: text, keyType }, needsLogin)}
      />
    </>
  );
}

interface RowDetailsProps {
  readonly cacheName: string;
  readonly keys: readonly TableColumn[];
  readonly row: RowTexts;
  readonly onChanged: () => void;
}

export function RowDetails({ cacheName, keys, row, onChanged }: RowDetailsProps) {
  // A single-column key needs no type, so users who may not know the type can still use it.
  const loaded = useLoaded(async (signal) => ({ keyType: await readKeyType(cacheName, signal) }), cacheName);
  const { value: read } = loaded.value;
  const named = read && keyOfRow(keys, row, read.keyType);
  return named && <TimeToLive cacheName={cacheName} text={named.key} keyType={named.keyType} onChanged={onChanged} />;
}

function TimeToLive({ cacheName, keyType, text, onChanged }: EntryDetailsProps) {
  const shown = useSignal('…');
  const { ms: ttlMs, field } = useDuration('minutes');
  const { error, attempt } = useAttempt();
  const status = useSignal('');
  const params = { cacheName, key: text, keyType };
  const read = async (): Promise<void> => {
    try {
      const ttl = await call('ttl', params);
      shown.value = ttl === null || Number(ttl) < 0 ? 'none' : formatDuration(Number(ttl));
    } catch (problem) {
      // A cluster can set and remove a time to live, but cannot report it.
      shown.value = isNotSupported(problem) ? 'unknown: this engine does not report it' : 'unknown';
      if (!isNotSupported(problem)) error.value = messageOf(problem);
    }
  };
  const change = (cmd: string, values: Readonly<Record<string, string>>, done: string): Promise<void> =>
    attempt(async () => {
      status.value = '';
      if ((await call(cmd, { ...params, ...values })) !== true) {
        throw new Error('The entry no longer exists.');
      }
      status.value = done;
      onChanged();
      await read();
    });
  useEffect(() => {
    void read();
  }, [cacheName, keyType, text]);
  return (
    <section aria-label="Time to live">
      <h3>Time to live: {shown.value}</h3>
      {field('New time to live', ttlMs === undefined ? 'A number, such as 1.5.' : undefined)}
      <p class="actions">
        <Button
          disabled={ttlMs === undefined || ttlMs === ''}
          onClick={() => ttlMs !== undefined && change('updatettl', { ttlMs }, 'The time to live is set.')}
        >
          Set time to live
        </Button>
        <Button onClick={() => change('persist', {}, 'The time to live is removed.')}>Remove time to live</Button>
      </p>
      <Failure text={error.value} />
      <Status text={status.value} />
    </section>
  );
}
