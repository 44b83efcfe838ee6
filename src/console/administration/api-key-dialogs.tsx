/** Dialogs that create and rotate an API key. */
import { useSignal } from '@preact/signals';
import { Field, SelectField, TextField } from '../elements/elements.tsx';
import { FormDialog } from '../elements/form-dialog.tsx';
import { useLoaded } from '../requests/polling.ts';
import { call } from '../requests/request.ts';
import { signedIn } from '../requests/session.ts';
import { DEFAULT_OVERLAP, EXPIRIES, ON_A_DAY, OVERLAPS, ttlMsOf } from './expiry.ts';
import { editedRights, rightsJson } from './rights.ts';
import { RightsEditor } from './rights-editor.tsx';

export interface IssuedKey {
  readonly name: string;
  readonly key: string;
}

interface DialogProps {
  readonly onIssued: (issued: IssuedKey) => void;
  readonly onClose: () => void;
}

/** Chooses when a key expires; `none` says what an empty choice means. */
function Expiry(props: {
  readonly none: string;
  readonly choice: string;
  readonly day: string;
  readonly onChoice: (choice: string) => void;
  readonly onDay: (day: string) => void;
}) {
  return (
    <>
      <SelectField
        label="Expires"
        value={props.choice}
        options={[['', props.none], ...EXPIRIES, [ON_A_DAY, 'After a day in the calendar']]}
        onValue={props.onChoice}
      />
      {props.choice === ON_A_DAY && (
        <Field label="Last day" required>
          {(attributes) => (
            <input
              {...attributes}
              type="date"
              required
              value={props.day}
              onInput={({ currentTarget }) => props.onDay(currentTarget.value)}
            />
          )}
        </Field>
      )}
    </>
  );
}

/** Returns the parameter for the time until a key expires. Throws if the day has passed. */
function expiryOf(choice: string, day: string): { readonly ttlMs?: number } {
  const ttlMs = ttlMsOf(choice, day, Date.now());
  if (ttlMs === undefined) return {};
  if (ttlMs <= 0) throw new Error('The day has passed: choose a later one.');
  return { ttlMs };
}

export function CreateKey({ onIssued, onClose }: DialogProps) {
  const users = useLoaded(async (signal) => (await call('userlist', {}, signal)).map(({ name }) => name), 'users');
  const own = signedIn.value?.user ?? '';
  const name = useSignal('');
  const user = useSignal(own);
  const isLimited = useSignal(false);
  const rights = useSignal(editedRights());
  const choice = useSignal('');
  const day = useSignal('');
  const addresses = useSignal('');
  const rate = useSignal('');
  const create = async (): Promise<void> => {
    const issued = await call('apikeyadd', {
      name: name.value,
      ...(user.value !== own && { user: user.value }),
      ...(isLimited.value && { scope: rightsJson(rights.value) }),
      ...(addresses.value !== '' && { addresses: addresses.value }),
      ...(rate.value !== '' && { rate: rate.value }),
      ...expiryOf(choice.value, day.value),
    });
    onIssued(issued);
  };
  const others = users.value.value ?? [own];
  return (
    <FormDialog
      title="Create an API key"
      action="Create key"
      canSend={name.value !== ''}
      onSend={create}
      onClose={onClose}
    >
      <div class="form-row">
        <TextField
          label="Name of the key"
          required
          hint="The program that uses it."
          value={name.value}
          onValue={(text) => (name.value = text)}
        />
        {others.length > 1 && (
          <SelectField
            label="Acts for the user"
            value={user.value}
            options={others}
            onValue={(chosen) => (user.value = chosen)}
          />
        )}
        <Expiry
          none="Never"
          choice={choice.value}
          day={day.value}
          onChoice={(chosen) => (choice.value = chosen)}
          onDay={(chosen) => (day.value = chosen)}
        />
      </div>
      <SelectField
        label="May do"
        hint="Of what the user may do."
        value={isLimited.value ? 'limited' : 'all'}
        options={[
          ['all', 'All but administration'],
          ['limited', 'What is chosen here'],
        ]}
        onValue={(chosen) => (isLimited.value = chosen === 'limited')}
      />
      {isLimited.value && <RightsEditor rights={rights.value} onRights={(edited) => (rights.value = edited)} />}
      <details>
        <summary>Addresses and rate</summary>
        <div class="form-row">
          <TextField
            label="Addresses"
            hint="Clients that may use it, such as 10.0.0.0/8, separated by commas. Empty: any."
            value={addresses.value}
            onValue={(text) => (addresses.value = text)}
          />
          <TextField
            label="Rate"
            hint="Requests in a time, such as 100/s. Empty: that of all keys."
            value={rate.value}
            onValue={(text) => (rate.value = text)}
          />
        </div>
      </details>
    </FormDialog>
  );
}

export function RotateKey(props: DialogProps & { readonly id: string; readonly name: string }) {
  const { id, name, onIssued, onClose } = props;
  const overlap = useSignal(DEFAULT_OVERLAP);
  const choice = useSignal('');
  const day = useSignal('');
  const rotate = async (): Promise<void> => {
    const params = { id, overlapMs: Number(overlap.value), ...expiryOf(choice.value, day.value) };
    onIssued(await call('apikeyrotate', params));
  };
  return (
    <FormDialog title={`Rotate the key ${name}`} action="Rotate key" onSend={rotate} onClose={onClose}>
      <p>The key gets a new secret. Its name, its user and what it may do stay.</p>
      <div class="form-row">
        <SelectField
          label="The former secret is accepted"
          value={overlap.value}
          options={OVERLAPS}
          onValue={(chosen) => (overlap.value = chosen)}
        />
        <Expiry
          none="As before"
          choice={choice.value}
          day={day.value}
          onChoice={(chosen) => (choice.value = chosen)}
          onDay={(chosen) => (day.value = chosen)}
        />
      </div>
    </FormDialog>
  );
}
