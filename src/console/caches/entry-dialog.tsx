/** Views, changes and removes an entry. Nothing is overwritten that has changed since it was read. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { AsCurl } from '../elements/as-curl.tsx';
import { Dialog, Failure, SelectField, Status, TextArea, TextField } from '../elements/elements.tsx';
import { formatDuration, formatValue, writeJson } from '../elements/formats.ts';
import { entryCurl } from '../elements/resource-curl.ts';
import { call, isNotSupported, type Json, messageOf } from '../requests/request.ts';
import { needsLogin } from '../requests/session.ts';
import { keyTypeOf, TYPES, typesOf, valueTypeOf } from './entry-types.ts';

export interface Entry {
  readonly key: Json;
  readonly value: Json;
  /** Undefined: what is asked of the cache. */
  readonly keyType?: string;
}

export interface EntryDialogProps {
  readonly cacheName: string;
  /** Undefined: a new entry. */
  readonly entry: Entry | undefined;
  readonly onClose: () => void;
  readonly onChanged: () => void;
}

/** The text that a value is edited as: JSON for objects. */
function textOf(value: Json): string {
  return value !== null && typeof value === 'object' ? writeJson(value, 2) : formatValue(value);
}

function TimeToLive({
  cacheName,
  keyType,
  text,
}: {
  readonly cacheName: string;
  readonly keyType: string;
  readonly text: string;
}) {
  const shown = useSignal('…');
  const wanted = useSignal('');
  const error = useSignal('');
  const status = useSignal('');
  const params = { cacheName, key: text, keyType };
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
      <TextField
        label="New time to live in milliseconds"
        value={wanted.value}
        onValue={(value) => {
          wanted.value = value;
        }}
      />
      <p class="actions">
        <button
          type="button"
          disabled={wanted.value === ''}
          onClick={() => change('updatettl', { ttlMs: wanted.value }, 'The time to live is set.')}
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

export function EntryDialog({ cacheName, entry, onClose, onChanged }: EntryDialogProps) {
  const key = useSignal(entry === undefined ? '' : formatValue(entry.key));
  const keyType = useSignal('string');
  const isKeyKnown = useSignal(entry === undefined);
  const before = entry === undefined ? '' : textOf(entry.value);
  const text = useSignal(before);
  const valueType = useSignal(entry === undefined ? 'string' : (typesOf(entry.value)[0] ?? 'string'));
  const error = useSignal('');
  const status = useSignal('');
  useEffect(() => {
    if (entry === undefined) return;
    void findTypes(entry);
  }, []);
  const findTypes = async (shown: Entry): Promise<void> => {
    const found = shown.keyType ?? (await keyTypeOf(cacheName, shown.key));
    if (found === undefined) {
      error.value = 'The type of this key is not one that the console can send. Use SQL.';
      return;
    }
    keyType.value = found;
    const known = await valueTypeOf({ cacheName, key: key.value, keyType: found }, shown.value, before);
    if (known !== undefined) valueType.value = known;
    isKeyKnown.value = true;
  };
  const params = { cacheName, key: key.value, keyType: keyType.value, valueType: valueType.value };
  const change = async (cmd: string, values: Readonly<Record<string, string>>, done: string): Promise<void> => {
    error.value = '';
    try {
      if ((await call(cmd, { ...params, ...values })) !== true) {
        error.value =
          entry === undefined
            ? 'The cache has an entry with this key already. Nothing was changed.'
            : 'Nothing was changed: the entry has changed since it was read, or its value has another type.';
        return;
      }
      status.value = done;
      onChanged();
      onClose();
    } catch (problem) {
      error.value = messageOf(problem);
    }
  };
  const save = (event: Event): void => {
    event.preventDefault();
    if (entry === undefined) void change('putifabs', { val: text.value }, 'Created.');
    else void change('cas', { val: text.value, val2: before }, 'Saved.');
  };
  return (
    <Dialog title={entry === undefined ? 'New entry' : `Entry ${key.value}`} onClose={onClose}>
      <form onSubmit={save}>
        {entry === undefined && (
          <TextField label="Key" required value={key.value} onValue={(value) => (key.value = value)} />
        )}
        <div class="form-row">
          <SelectField
            label="Key type"
            value={keyType.value}
            options={TYPES}
            onValue={(chosen) => (keyType.value = chosen)}
          />
          <SelectField
            label="Value type"
            value={valueType.value}
            options={TYPES}
            onValue={(chosen) => (valueType.value = chosen)}
          />
        </div>
        <TextArea
          label="Value"
          rows={8}
          hint="Objects and lists as JSON. Numbers keep all their digits."
          value={text.value}
          onValue={(value) => (text.value = value)}
        />
        <Failure text={error.value} />
        <Status text={status.value} />
        <p class="actions">
          <button type="submit" class="primary" disabled={!isKeyKnown.value}>
            {entry === undefined ? 'Create entry' : 'Save if unchanged'}
          </button>
          {entry !== undefined && (
            <button
              type="button"
              class="danger"
              disabled={!isKeyKnown.value}
              onClick={() => change('rmvval', { val: before }, 'Removed.')}
            >
              Remove if unchanged
            </button>
          )}
        </p>
      </form>
      {entry !== undefined && isKeyKnown.value && (
        <>
          <TimeToLive cacheName={cacheName} keyType={keyType.value} text={key.value} />
          <AsCurl
            summary="Read it with curl"
            textOf={(endpoint) =>
              entryCurl({ endpoint, cacheName, key: key.value, keyType: keyType.value }, needsLogin)
            }
          />
        </>
      )}
    </Dialog>
  );
}
