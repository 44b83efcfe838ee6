/** Dialogs that add a user, change a password and assign roles. */
import { type Signal, useSignal } from '@preact/signals';
import { bound, Checkboxes, Failure, TextField } from '../elements/elements.tsx';
import { FormDialog } from '../elements/form-dialog.tsx';
import { useLoaded } from '../requests/polling.ts';
import { call } from '../requests/request.ts';
import { signedIn } from '../requests/session.ts';
import { accessChanged, readRoles, type User } from './access.ts';

/** 120 bits cannot be guessed, and are 20 characters. */
const PASSWORD_BYTES = 15;

/** Returns a password that cannot be guessed. */
function randomPassword(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(PASSWORD_BYTES));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_');
}

/** The result of a dialog. The password is a generated one, to be shown once. */
export interface UserChanged {
  readonly text: string;
  readonly user: string;
  readonly madeUp: string | undefined;
}

function PasswordField({ password }: { readonly password: Signal<string> }) {
  return (
    <TextField
      label="New password"
      type="password"
      autocomplete="new-password"
      hint="Empty: a random password is generated and shown once."
      {...bound(password)}
    />
  );
}

interface DialogProps {
  readonly onDone: (changed: UserChanged) => void;
}

export function AddUser({ onDone }: DialogProps) {
  const roles = useLoaded(readRoles, 'roles');
  const user = useSignal('');
  const password = useSignal('');
  const chosen = useSignal<readonly string[]>([]);
  const add = async (): Promise<void> => {
    const given = password.value || randomPassword();
    await call('adduser', { user: user.value, password: given, roles: chosen.value.join(',') });
    const text = `Added the user ${user.value}`;
    onDone({ text, user: user.value, madeUp: password.value === '' ? given : undefined });
    accessChanged();
  };
  return (
    <FormDialog title="Add a user" action="Add user" canSend={user.value !== ''} onSend={add}>
      <TextField label="Name" required {...bound(user)} />
      <PasswordField password={password} />
      {roles.value.value !== undefined && (
        <Checkboxes label="Roles" options={roles.value.value.map(({ name }) => name)} {...bound(chosen)} />
      )}
      {chosen.value.length === 0 && <p class="hint">Without a role, the user may do nothing yet.</p>}
    </FormDialog>
  );
}

/** Changes a password; without `name`, the user's name is typed, because the users cannot be listed. */
export function ChangePassword({ name, onDone }: DialogProps & { readonly name: string | undefined }) {
  const user = useSignal(name ?? '');
  const password = useSignal('');
  const oldPassword = useSignal('');
  const isOwn = user.value === signedIn.value?.user;
  const change = async (): Promise<void> => {
    const given = password.value || randomPassword();
    await call('updateuser', {
      user: user.value,
      password: given,
      ...(isOwn && oldPassword.value !== '' && { oldPassword: oldPassword.value }),
    });
    const madeUp = password.value === '' ? given : undefined;
    onDone({ text: `Changed the password of ${user.value}`, user: user.value, madeUp });
    accessChanged();
  };
  return (
    <FormDialog
      title={name === undefined ? 'Change a password' : `Change the password of ${name}`}
      action="Change password"
      canSend={user.value !== ''}
      onSend={change}
    >
      {name === undefined && <TextField label="Name" required {...bound(user)} />}
      {isOwn && (
        <TextField label="Old password" type="password" autocomplete="current-password" {...bound(oldPassword)} />
      )}
      <PasswordField password={password} />
      <p class="hint">The user's sessions end.</p>
    </FormDialog>
  );
}

/** Assigns roles to a user. */
export function UserRoles(props: { readonly user: User; readonly onDone: (text: string) => void }) {
  const { user, onDone } = props;
  const roles = useLoaded(readRoles, 'roles');
  const chosen = useSignal(user.roles);
  const assign = async (): Promise<void> => {
    await call('roleassign', { user: user.name, roles: chosen.value.join(',') });
    onDone(`Assigned the roles of ${user.name}`);
    accessChanged();
  };
  return (
    <FormDialog title={`Roles of ${user.name}`} action="Assign roles" onSend={assign}>
      {roles.value.value !== undefined && (
        <Checkboxes label="Roles" options={roles.value.value.map(({ name }) => name)} {...bound(chosen)} />
      )}
      {chosen.value.length === 0 && <p class="hint">Without a role, the user may do nothing.</p>}
      <p class="hint">Changes apply at once, even to open sessions.</p>
      <Failure text={roles.error.value} />
    </FormDialog>
  );
}
