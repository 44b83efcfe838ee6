/** Lists users, adds them, changes their passwords and roles, and deletes them. */
import { useSignal } from '@preact/signals';
import { Button, Status, Table } from '../elements/elements.tsx';
import { ReadProblem } from '../elements/read-problem.tsx';
import { useLoaded } from '../requests/polling.ts';
import { call, isNotSupported } from '../requests/request.ts';
import { signedIn } from '../requests/session.ts';
import { accessChanged, accessVersion, missingFor, type User } from './access.ts';
import { Deletion, Permitted, SecretDialog } from './controls.tsx';
import { AddUser, ChangePassword, type UserChanged, UserRoles } from './user-dialogs.tsx';

/** What to say of a user's roles. */
const NOTES = {
  default: 'cannot be deleted',
  configuration: 'defined in the configuration file',
  assigned: '',
  others: 'as all others',
} as const;

/** The dialog that is open. */
type Open =
  | { readonly kind: 'add' }
  /** Without a name, the dialog asks for it. */
  | { readonly kind: 'password' | 'remove'; readonly name: string | undefined }
  | { readonly kind: 'roles'; readonly user: User };

/** Undefined: the engine has no list of users. */
async function readUsers(abort: AbortSignal): Promise<readonly User[] | null> {
  try {
    return await call('userlist', {}, abort);
  } catch (problem) {
    if (isNotSupported(problem)) return null;
    throw problem;
  }
}

export function Users() {
  const users = useLoaded(readUsers, `users ${accessVersion.value}`);
  const open = useSignal<Open | undefined>(undefined);
  const secret = useSignal<UserChanged | undefined>(undefined);
  const status = useSignal('');
  const close = (): void => {
    open.value = undefined;
  };
  const done = (changed: UserChanged): void => {
    status.value = changed.text;
    if (changed.madeUp !== undefined) secret.value = changed;
  };
  const listed = users.value.value;
  const shown = open.value;
  const mayManage = missingFor('removeuser') === undefined;
  const mayAssign = missingFor('roleassign') === undefined;
  const mayChangePassword = missingFor('updateuser') === undefined;
  const removeUser = async (name: string): Promise<void> => {
    await call('removeuser', { user: name });
    status.value = `Deleted the user ${name}`;
    accessChanged();
  };
  const actions = (user: User) => {
    const isOwn = user.name === signedIn.value?.user;
    return (
      <span class="actions">
        {user.rolesFrom !== 'configuration' && mayAssign && (
          <Button onClick={() => (open.value = { kind: 'roles', user })}>
            Roles<span class="hidden"> of {user.name}</span> …
          </Button>
        )}
        {mayChangePassword && (mayManage || isOwn) && (
          <Button onClick={() => (open.value = { kind: 'password', name: user.name })}>
            Password<span class="hidden"> of {user.name}</span> …
          </Button>
        )}
        {!user.isDefault && mayManage && (
          <Button class="danger" onClick={() => (open.value = { kind: 'remove', name: user.name })}>
            Delete<span class="hidden"> the user {user.name}</span> …
          </Button>
        )}
      </span>
    );
  };
  return (
    <section aria-labelledby="users">
      <div class="part-head">
        <h2 id="users">Users</h2>
        {listed !== undefined && (
          <Permitted command="adduser" to="add and delete users">
            <Button class="primary" onClick={() => (open.value = { kind: 'add' })}>
              Add user …
            </Button>
          </Permitted>
        )}
      </div>
      <ReadProblem of={users} what="the users" />
      <Status text={status.value} />
      {listed === null && (
        <>
          <p class="hint">The cluster stores the users, and has no list of them: name the one that you mean.</p>
          <p class="actions">
            {mayChangePassword && (
              <Button onClick={() => (open.value = { kind: 'password', name: undefined })}>Change a password …</Button>
            )}
            {mayManage && (
              <Button class="danger" onClick={() => (open.value = { kind: 'remove', name: undefined })}>
                Delete a user …
              </Button>
            )}
          </p>
        </>
      )}
      {listed !== undefined && listed !== null && (
        <Table
          caption="Users and their roles"
          columns={['User', 'Roles', 'Actions']}
          empty="There are no users."
          rows={listed.map((each) => {
            const note = NOTES[each.isDefault ? 'default' : each.rolesFrom];
            return {
              key: each.name,
              cells: [
                <>
                  {each.name}
                  {each.name === signedIn.value?.user && <span class="tag">you</span>}
                </>,
                <>
                  {each.roles.join(', ')} {note !== '' && <span class="hint">({note})</span>}
                </>,
                actions(each),
              ],
            };
          })}
        />
      )}
      {shown?.kind === 'add' && <AddUser onDone={done} onClose={close} />}
      {shown?.kind === 'password' && <ChangePassword name={shown.name} onDone={done} onClose={close} />}
      {shown?.kind === 'roles' && (
        <UserRoles user={shown.user} onDone={(text) => (status.value = text)} onClose={close} />
      )}
      {shown?.kind === 'remove' && (
        <Deletion
          kind="user"
          name={shown.name}
          text="The sessions and API keys of the user end at once, and what they run."
          onConfirm={removeUser}
          onClose={close}
        />
      )}
      {secret.value?.madeUp !== undefined && (
        <SecretDialog
          title={`The password of ${secret.value.user}`}
          text="It is shown only now. The service stores a hash of it."
          secret={secret.value.madeUp}
          label="Copy the password"
          onClose={() => (secret.value = undefined)}
        />
      )}
    </section>
  );
}
