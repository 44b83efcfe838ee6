/** Lists API keys, creates and rotates them, and removes them. A secret is shown once. */
import { useSignal } from '@preact/signals';
import { Failure, Table, TextField } from '../elements/elements.tsx';
import { useLoaded } from '../requests/polling.ts';
import { call, messageOf } from '../requests/request.ts';

interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly user: string;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
  readonly expired: boolean;
}

interface IssuedKey {
  readonly key: string;
}

export function ApiKeys() {
  const keys = useLoaded(
    async (signal) => (await call('apikeylist', {}, signal)) as unknown as readonly ApiKey[],
    'apikeys',
  );
  const name = useSignal('');
  const scope = useSignal('');
  const secret = useSignal('');
  const error = useSignal('');
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
      error.value = '';
      await keys.reload();
    } catch (problem) {
      error.value = messageOf(problem);
    }
  };
  const issue = (cmd: string, params: Readonly<Record<string, string>>): Promise<void> =>
    attempt(async () => {
      secret.value = ((await call(cmd, params)) as unknown as IssuedKey).key;
    });
  const remove = (id: string): Promise<void> =>
    attempt(async () => {
      await call('apikeyrmv', { id });
    });
  return (
    <section aria-labelledby="keys">
      <h2 id="keys">API keys</h2>
      <Failure text={error.value || keys.error.value} />
      {keys.value.value !== undefined && (
        <Table
          caption="Keys, without their secrets"
          columns={['Name', 'User', 'Created', 'Expires', 'Last used', 'Actions']}
          empty="There are no API keys."
          rows={keys.value.value.map((key) => ({
            key: key.id,
            cells: [
              key.name,
              key.user,
              key.createdAt,
              key.expired ? 'has expired' : (key.expiresAt ?? 'never'),
              key.lastUsedAt ?? 'never',
              <span key="actions" class="actions">
                <button type="button" onClick={() => issue('apikeyrotate', { id: key.id })}>
                  Rotate<span class="hidden"> {key.name}</span>
                </button>
                <button type="button" class="danger" onClick={() => remove(key.id)}>
                  Remove<span class="hidden"> {key.name}</span>
                </button>
              </span>,
            ],
          }))}
        />
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void issue('apikeyadd', { name: name.value, ...(scope.value !== '' && { scope: scope.value }) });
        }}
      >
        <div class="form-row">
          <TextField label="Name of the new key" value={name.value} onValue={(text) => (name.value = text)} />
          <TextField
            label="Scope"
            hint="JSON; empty: everything that you may do, except administration."
            value={scope.value}
            onValue={(text) => (scope.value = text)}
          />
          <p class="actions">
            <button type="submit" class="primary" disabled={name.value === ''}>
              Create key
            </button>
          </p>
        </div>
      </form>
      <div role="status">
        {secret.value !== '' && (
          <p>
            The key, which is shown only now: <code>{secret.value}</code>
          </p>
        )}
      </div>
    </section>
  );
}
