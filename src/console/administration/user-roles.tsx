/** A dialog that assigns roles to a user. */
import { useSignal } from '@preact/signals';
import { useAttempt } from '../elements/attempt.ts';
import { Button, bound, Checkboxes, Dialog, Failure } from '../elements/elements.tsx';
import { useLoaded } from '../requests/polling.ts';
import { call } from '../requests/request.ts';
import { accessChanged, readRoles, type User } from './access.ts';

export interface UserRolesProps {
  readonly user: User;
  readonly onDone: (text: string) => void;
  readonly onClose: () => void;
}

export function UserRoles({ user, onDone, onClose }: UserRolesProps) {
  const roles = useLoaded(readRoles, 'roles');
  const chosen = useSignal(user.roles);
  const { error, attempt } = useAttempt();
  const assign = (names: readonly string[]): Promise<void> =>
    attempt(async () => {
      await call('roleassign', { user: user.name, roles: names.join(',') });
      onDone(`Assigned the roles of ${user.name}`);
      accessChanged();
      onClose();
    });
  const others = roles.value.value?.filter((role) => role.others).map(({ name }) => name) ?? [];
  return (
    <Dialog title={`Roles of ${user.name}`} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void assign(chosen.value);
        }}
      >
        {roles.value.value !== undefined && (
          <Checkboxes label="Roles" options={roles.value.value.map(({ name }) => name)} {...bound(chosen)} />
        )}
        <p class="hint">A change holds at once, also for sessions that are open.</p>
        <Failure text={error.value || roles.error.value} />
        <p class="actions">
          <button type="submit" class="primary" disabled={chosen.value.length === 0}>
            Assign roles
          </button>
          <Button onClick={() => assign([])}>Use the roles of all others: {others.join(', ')}</Button>
        </p>
      </form>
    </Dialog>
  );
}
