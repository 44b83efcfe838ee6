/** Lists users, adds them, changes their passwords and roles, and deletes them. */
import { useSignal } from '@preact/signals';
import { Button, Status, Table } from '../elements/elements.tsx';
import { openDialog } from '../elements/opened-dialog.tsx';
import { ReadProblem } from '../elements/read-problem.tsx';
import { useLoaded } from '../requests/polling.ts';
import { call, isNotSupported } from '../requests/request.ts';
import { signedIn } from '../requests/session.ts';
import { accessChanged, accessVersion, missingFor, type User } from './access.ts';
import { Deletion, Permitted, SecretDialog } from './controls.tsx';
import { AddUser, ChangePassword, type UserChanged, UserRoles } from './user-dialogs.tsx';

/** The text about a user's roles. */
const NOTES = {
  default: 'cannot be deleted',
  configuration: 'defined in the configuration file',
  assigned: '',
  others: 'as all others',
} as const;

/** Undefined if the engine has no list of users. */
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
  const status = useSignal('');
  const done = ({ text, user, madeUp }: UserChanged): void => {
    status.value = text;
    if (madeUp === undefined) return;
    openDialog(
      <SecretDialog
        title={`The password of ${user}`}
        text="It is shown only once: the service stores just its hash."
        secret={madeUp}
        label="Copy the password"
      />,
    );
  };
  const listed = users.value.value;
  const mayManage = missingFor('removeuser') === undefined;
  const mayAssign = missingFor('roleassign') === undefined;
  const mayChangePassword = missingFor('updateuser') === undefined;
  const removeUser = async (name: string): Promise<void> => {
    await call('removeuser', { user: name });
    status.value = `Deleted the user ${name}`;
    accessChanged();
  };
  /** Without a name, the dialogs ask for it. */
  const askPassword = (name?: string): void => openDialog(<ChangePassword name={name} onDone={done} />);
  const askRemoval = (name?: string): void =>
    openDialog(
      <Deletion
        kind="user"
        name={name}
        text="The user's sessions and API keys end at once, with everything they are running."
        onConfirm={removeUser}
      />,
    );
  const actions = (user: User) => {
    const isOwn = user.name === signedIn.value?.user;
    return (
      <span class="actions">
        {user.rolesFrom !== 'configuration' && mayAssign && (
          <Button onClick={() => openDialog(<UserRoles user={user} onDone={(text) => (status.value = text)} />)}>
            Roles<span class="hidden"> of {user.name}</span> …
          </Button>
        )}
        {mayChangePassword && (mayManage || isOwn) && (
          <Button onClick={() => askPassword(user.name)}>
            Password<span class="hidden"> of {user.name}</span> …
          </Button>
        )}
        {!user.isDefault && mayManage && (
          <Button class="danger" onClick={() => askRemoval(user.name)}>
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
            <Button class="primary" onClick={() => openDialog(<AddUser onDone={done} />)}>
              Add user …
            </Button>
          </Permitted>
        )}
      </div>
      <ReadProblem of={users} what="the users" />
      <Status text={status.value} />
      {listed === null && (
        <>
          <p class="hint">The cluster stores the users but cannot list them: enter the user's name.</p>
          <p class="actions">
            {mayChangePassword && <Button onClick={() => askPassword()}>Change a password …</Button>}
            {mayManage && (
              <Button class="danger" onClick={() => askRemoval()}>
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
    </section>
  );
}
