/** A dialog that assigns roles to a user. */
import { useSignal } from '@preact/signals';
import { Checkboxes, Dialog, Failure } from '../elements/elements.tsx';
import { useLoaded } from '../requests/polling.ts';
import { call, messageOf } from '../requests/request.ts';
import { accessChanged, readRoles, type User } from './access.ts';

export interface UserRolesProps {
  readonly user: User;
  readonly onDone: (text: string) => void;
  readonly onClose: () => void;
}

export function UserRoles({ user, onDone, onClose }: UserRolesProps) {
  const roles = useLoaded(readRoles, 'roles');
  const chosen = useSignal(user.roles);
  const error = useSignal('');
  const assign = async (names: readonly string[]): Promise<void> => {
    try {
      await call('roleassign', { user: user.name, roles: names.join(',') });
      onDone(`Assigned the roles of ${user.name}`);
      accessChanged();
      onClose();
    } catch (problem) {
      error.value = messageOf(problem);
    }
  };
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
          <Checkboxes
            label="Roles"
            options={roles.value.value.map(({ name }) => name)}
            chosen={chosen.value}
            onChosen={(names) => (chosen.value = names)}
          />
        )}
        <p class="hint">A change holds at once, also for sessions that are open.</p>
        <Failure text={error.value || roles.error.value} />
        <p class="actions">
          <button type="submit" class="primary" disabled={chosen.value.length === 0}>
            Assign roles
          </button>
          <button type="button" onClick={() => assign([])}>
            Use the roles of all others: {others.join(', ')}
          </button>
        </p>
      </form>
    </Dialog>
  );
}
