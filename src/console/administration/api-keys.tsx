/** Lists API keys, creates and rotates them, and deletes them. A secret is shown once. */
import { useSignal } from '@preact/signals';
import type { ApikeylistResult } from '../../client/commands.ts';
import { Button, Status, Table } from '../elements/elements.tsx';
import { openDialog } from '../elements/opened-dialog.tsx';
import { ReadProblem } from '../elements/read-problem.tsx';
import { useLoaded } from '../requests/polling.ts';
import { call } from '../requests/request.ts';
import { accessVersion, missingFor } from './access.ts';
import { CreateKey, type IssuedKey, RotateKey } from './api-key-dialogs.tsx';
import { Deletion, Permitted, SecretDialog } from './controls.tsx';
import { Instant } from './instant.tsx';
import { RightsList } from './roles.tsx';

function Limits({ apiKey }: { readonly apiKey: ApikeylistResult }) {
  const { scope, addresses, rate, overlapUntil } = apiKey;
  return (
    <>
      {scope === null ? 'as the user, without administration' : <RightsList rights={scope} />}
      {addresses !== null && <div class="hint">only from {addresses.join(', ')}</div>}
      {rate !== null && <div class="hint">{rate}</div>}
      {overlapUntil !== null && (
        <div class="hint">
          the old secret is accepted until <Instant at={overlapUntil} />
        </div>
      )}
    </>
  );
}

export function ApiKeys() {
  const keys = useLoaded((signal) => call('apikeylist', {}, signal), `keys ${accessVersion.value}`);
  const status = useSignal('');
  const onIssued = (text: string) => (key: IssuedKey) => {
    status.value = `${text} ${key.name}`;
    void keys.reload();
    openDialog(
      <SecretDialog
        title={`The key ${key.name}`}
        text="It is shown only once: the service stores just its hash."
        secret={key.key}
        label="Copy the key"
      />,
    );
  };
  const remove = async ({ id, name }: ApikeylistResult): Promise<void> => {
    await call('apikeyrmv', { id });
    status.value = `Deleted the key ${name}`;
    await keys.reload();
  };
  const askRotation = ({ id, name }: ApikeylistResult): void =>
    openDialog(<RotateKey id={id} name={name} onIssued={onIssued('Rotated the key')} />);
  const askRemoval = (key: ApikeylistResult): void =>
    openDialog(
      <Deletion
        kind="key"
        name={key.name}
        text="Programs that use it are rejected at once, and everything they are running ends."
        onConfirm={() => remove(key)}
      />,
    );
  const mayRotate = missingFor('apikeyrotate') === undefined;
  const mayRemove = missingFor('apikeyrmv') === undefined;
  return (
    <section aria-labelledby="keys">
      <div class="part-head">
        <h2 id="keys">API keys</h2>
        {keys.value.value !== undefined && (
          <Permitted command="apikeyadd" to="create keys">
            <Button class="primary" onClick={() => openDialog(<CreateKey onIssued={onIssued('Created the key')} />)}>
              Create key …
            </Button>
          </Permitted>
        )}
      </div>
      <p class="hint">Programs send a key instead of a password, in the header Authorization: Bearer KEY.</p>
      <ReadProblem of={keys} what="the API keys" />
      <Status text={status.value} />
      {keys.value.value !== undefined && (
        <Table
          caption="Keys, without their secrets"
          columns={['Name', 'User', 'Permissions', 'Created', 'Expires', 'Last used', 'Actions']}
          empty="There are no API keys."
          rows={keys.value.value.map((key) => ({
            key: key.id,
            cells: [
              key.name,
              key.user,
              <Limits key="limits" apiKey={key} />,
              <Instant key="created" at={key.createdAt} />,
              key.expired ? <span class="bad">has expired</span> : <Instant at={key.expiresAt} none="never" />,
              <Instant key="used" at={key.lastUsedAt} none="never" />,
              <span key="actions" class="actions">
                {mayRotate && (
                  <Button onClick={() => askRotation(key)}>
                    Rotate<span class="hidden"> {key.name}</span> …
                  </Button>
                )}
                {mayRemove && (
                  <Button class="danger" onClick={() => askRemoval(key)}>
                    Delete<span class="hidden"> {key.name}</span> …
                  </Button>
                )}
              </span>,
            ],
          }))}
        />
      )}
    </section>
  );
}
