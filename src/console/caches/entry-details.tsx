/** What the dialog of an entry shows beside its key and value: its time to live, and how curl reads it. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { DurationField } from '../definitions/duration-field.tsx';
import { type DurationUnit, durationMs } from '../definitions/statements.ts';
import { AsCurl } from '../elements/as-curl.tsx';
import { Failure, Status } from '../elements/elements.tsx';
import { formatDuration } from '../elements/formats.ts';
import { entryCurl } from '../elements/resource-curl.ts';
import { call, isNotSupported, messageOf } from '../requests/request.ts';
import { needsLogin } from '../requests/session.ts';

interface EntryDetailsProps {
  readonly cacheName: string;
  readonly text: string;
  readonly keyType: string;
  /** Takes notice of another time to live. */
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

function TimeToLive({ cacheName, keyType, text, onChanged }: EntryDetailsProps) {
  const shown = useSignal('…');
  const amount = useSignal('');
  const unit = useSignal<DurationUnit>('minutes');
  const error = useSignal('');
  const status = useSignal('');
  const params = { cacheName, key: text, keyType };
  const ttlMs = durationMs(amount.value, unit.value);
  const read = async (): Promise<void> => {
    try {
      const ttl = await call('ttl', params);
      shown.value = ttl === null || Number(ttl) < 0 ? 'none' : formatDuration(Number(ttl));
    } catch (problem) {
      // A cluster can set and remove what it cannot tell.
      shown.value = isNotSupported(problem) ? 'not known, this engine cannot tell it' : 'not known';
      if (!isNotSupported(problem)) error.value = messageOf(problem);
    }
  };
  const change = async (cmd: string, values: Readonly<Record<string, string>>, done: string): Promise<void> => {
    error.value = '';
    status.value = '';
    try {
      if ((await call(cmd, { ...params, ...values })) !== true) {
        error.value = 'The cache has no entry with this key any more.';
        return;
      }
      status.value = done;
      onChanged();
      await read();
    } catch (problem) {
      error.value = messageOf(problem);
    }
  };
  useEffect(() => {
    void read();
  }, [cacheName, keyType, text]);
  return (
    <section aria-label="Time to live">
      <h3>Time to live: {shown.value}</h3>
      <DurationField
        label="New time to live"
        {...(ttlMs === undefined && { hint: 'A number of the unit, such as 1.5.' })}
        amount={amount.value}
        unit={unit.value}
        onChange={(typed, of) => {
          amount.value = typed;
          unit.value = of;
        }}
      />
      <p class="actions">
        <button
          type="button"
          disabled={ttlMs === undefined || ttlMs === ''}
          onClick={() => ttlMs !== undefined && change('updatettl', { ttlMs }, 'The time to live is set.')}
        >
          Set time to live
        </button>
        <button type="button" onClick={() => change('persist', {}, 'The time to live is removed.')}>
          Remove time to live
        </button>
      </p>
      <Failure text={error.value} />
      <Status text={status.value} />
    </section>
  );
}
