/** Dialogs that create and rotate an API key. */
import { useSignal } from '@preact/signals';
import { bound, SelectField, TextField } from '../elements/elements.tsx';
import { FormDialog } from '../elements/form-dialog.tsx';
import { useLoaded } from '../requests/polling.ts';
import { call } from '../requests/request.ts';
import { signedIn } from '../requests/session.ts';
import { DEFAULT_OVERLAP, EXPIRIES, OVERLAPS } from './expiry.ts';
import { editedRights, rightsJson } from './rights.ts';
import { RightsEditor } from './rights-editor.tsx';

export interface IssuedKey {
  readonly name: string;
  readonly key: string;
}

interface DialogProps {
  readonly onIssued: (issued: IssuedKey) => void;
}

/** Chooses when a key expires; `none` says what an empty choice means. */
function useExpiry(none: string) {
  const ttlMs = useSignal('');
  return {
    field: <SelectField label="Expires" options={[['', none], ...EXPIRIES]} {...bound(ttlMs)} />,
    /** The parameter for the time until the key expires. */
    params: ttlMs.value === '' ? {} : { ttlMs: Number(ttlMs.value) },
  };
}

export function CreateKey({ onIssued }: DialogProps) {
  const users = useLoaded(async (signal) => (await call('userlist', {}, signal)).map(({ name }) => name), 'users');
  const own = signedIn.value?.user ?? '';
  const name = useSignal('');
  const user = useSignal(own);
  const isLimited = useSignal(false);
  const rights = useSignal(editedRights());
  const expiry = useExpiry('Never');
  const addresses = useSignal('');
  const rate = useSignal('');
  const create = async (): Promise<void> => {
    const issued = await call('apikeyadd', {
      name: name.value,
      ...(user.value !== own && { user: user.value }),
      ...(isLimited.value && { scope: rightsJson(rights.value) }),
      ...(addresses.value !== '' && { addresses: addresses.value }),
      ...(rate.value !== '' && { rate: rate.value }),
      ...expiry.params,
    });
    onIssued(issued);
  };
  const others = users.value.value ?? [own];
  return (
    <FormDialog title="Create an API key" action="Create key" canSend={name.value !== ''} onSend={create}>
      <div class="form-row">
        <TextField label="Name of the key" required hint="The program that uses it." {...bound(name)} />
        {others.length > 1 && <SelectField label="Acts for the user" {...bound(user)} options={others} />}
        {expiry.field}
      </div>
      <SelectField
        label="Permissions"
        hint="A key never has more rights than its user."
        value={isLimited.value ? 'limited' : 'all'}
        options={[
          ['all', 'All but administration'],
          ['limited', 'Only these'],
        ]}
        onValue={(chosen) => (isLimited.value = chosen === 'limited')}
      />
      {isLimited.value && <RightsEditor edited={rights} />}
      <details>
        <summary>Addresses and rate</summary>
        <div class="form-row">
          <TextField
            label="Addresses"
            hint="Clients that may use it, such as 10.0.0.0/8, separated by commas. Empty: any."
            {...bound(addresses)}
          />
          <TextField
            label="Rate"
            hint="Requests per period, such as 100/s. Empty: the limit of all keys."
            {...bound(rate)}
          />
        </div>
      </details>
    </FormDialog>
  );
}

export function RotateKey(props: DialogProps & { readonly id: string; readonly name: string }) {
  const { id, name, onIssued } = props;
  const overlap = useSignal(DEFAULT_OVERLAP);
  const expiry = useExpiry('As before');
  const rotate = async (): Promise<void> => {
    const params = { id, overlapMs: Number(overlap.value), ...expiry.params };
    onIssued(await call('apikeyrotate', params));
  };
  return (
    <FormDialog title={`Rotate the key ${name}`} action="Rotate key" onSend={rotate}>
      <p>The key gets a new secret. Its name, user and permissions stay the same.</p>
      <div class="form-row">
        <SelectField label="Accept the old secret" {...bound(overlap)} options={OVERLAPS} />
        {expiry.field}
      </div>
    </FormDialog>
  );
}
