/** Lists users, adds them, changes their passwords and roles, and removes them. */
import { useSignal } from '@preact/signals';
import { Confirmation, Failure, Status, Table, TextField } from '../elements/elements.tsx';
import { useLoaded } from '../requests/polling.ts';
import { call, messageOf } from '../requests/request.ts';
import { signedIn } from '../requests/session.ts';
import { accessChanged, accessVersion, type User } from './access.ts';
import { UserRoles } from './user-roles.tsx';

/** What to say of a user's roles. */
const NOTES = {
  default: ' (cannot be removed)',
  configuration: ' (defined in the configuration file)',
  assigned: '',
  others: ' (as all others)',
} as const;

export function Users() {
  const users = useLoaded(
    async (signal) => (await call('userlist', {}, signal)) as unknown as readonly User[],
    `users ${accessVersion.value}`,
  );
  const withRoles = useSignal<User | undefined>(undefined);
  const user = useSignal('');
  const password = useSignal('');
  const oldPassword = useSignal('');
  const error = useSignal('');
  const status = useSignal('');
  const typed = useSignal('');
  const isRemoving = useSignal(false);
  const send = async (cmd: string, done: string): Promise<void> => {
    try {
      await call(cmd, {
        user: user.value,
        ...(cmd !== 'removeuser' && { password: password.value }),
        ...(cmd === 'updateuser' && oldPassword.value !== '' && { oldPassword: oldPassword.value }),
      });
      status.value = `${done}: ${user.value}`;
      error.value = '';
      password.value = '';
      oldPassword.value = '';
      isRemoving.value = false;
      accessChanged();
    } catch (problem) {
      status.value = '';
      error.value = messageOf(problem);
    }
  };
  const choose = (name: string): void => {
    user.value = name;
    document.getElementById('edited-user')?.scrollIntoView({ block: 'nearest' });
    document.querySelector<HTMLInputElement>('#edited-user input[type=password]')?.focus();
  };
  const isIncomplete = user.value === '' || password.value === '';
  return (
    <section aria-labelledby="users">
      <h2 id="users">Users</h2>
      <Failure text={users.error.value} />
      {users.value.value !== undefined && (
        <Table
          caption="Users and their roles"
          columns={['User', 'Roles', 'Actions']}
          empty="There are no users."
          rows={users.value.value.map((each) => ({
            key: each.name,
            cells: [
              each.name,
              `${each.roles.join(', ')}${NOTES[each.isDefault ? 'default' : each.rolesFrom]}`,
              <span key="actions" class="actions">
                <button type="button" onClick={() => choose(each.name)}>
                  Edit<span class="hidden"> {each.name}</span>
                </button>
                {each.rolesFrom !== 'configuration' && (
                  <button type="button" onClick={() => (withRoles.value = each)}>
                    Roles<span class="hidden"> of {each.name}</span> …
                  </button>
                )}
              </span>,
            ],
          }))}
        />
      )}
      <form onSubmit={(event) => event.preventDefault()}>
        <div class="form-row" id="edited-user">
          <TextField label="User" autocomplete="off" value={user.value} onValue={(text) => (user.value = text)} />
          <TextField
            label="New password"
            type="password"
            autocomplete="new-password"
            value={password.value}
            onValue={(text) => (password.value = text)}
          />
          {user.value === signedIn.value?.user && (
            <TextField
              label="Old password"
              type="password"
              autocomplete="current-password"
              value={oldPassword.value}
              onValue={(text) => (oldPassword.value = text)}
            />
          )}
        </div>
        <p class="actions">
          <button type="button" disabled={isIncomplete} onClick={() => send('adduser', 'Added')}>
            Add user
          </button>
          <button type="button" disabled={isIncomplete} onClick={() => send('updateuser', 'Password changed')}>
            Change password
          </button>
          <button
            type="button"
            class="danger"
            disabled={user.value === ''}
            onClick={() => {
              typed.value = '';
              isRemoving.value = true;
            }}
          >
            Remove user …
          </button>
        </p>
      </form>
      <Failure text={isRemoving.value ? '' : error.value} />
      <Status text={status.value} />
      {withRoles.value !== undefined && (
        <UserRoles
          user={withRoles.value}
          onDone={(text) => (status.value = text)}
          onClose={() => (withRoles.value = undefined)}
        />
      )}
      {isRemoving.value && (
        <Confirmation
          title={`Remove the user ${user.value}`}
          text="Its sessions and API keys end at once."
          name={user.value}
          action="Remove the user"
          typed={typed.value}
          onTyped={(text) => (typed.value = text)}
          error={error.value}
          onConfirm={() => send('removeuser', 'Removed')}
          onClose={() => (isRemoving.value = false)}
        />
      )}
    </section>
  );
}
