/** Shows all roles and who has them; creates, changes and removes stored ones. */
import { useSignal } from '@preact/signals';
import { Confirmation, Failure, Status, Table } from '../elements/elements.tsx';
import { useLoaded } from '../requests/polling.ts';
import { call, messageOf } from '../requests/request.ts';
import { accessChanged, accessVersion, type Rights, type Role } from './access.ts';
import { RoleDialog } from './role-dialog.tsx';

const listed = (names: readonly string[]): string => (names.length === 0 ? 'none' : names.join(', '));

function rightsOf(rights: Rights): string {
  return listed(Object.entries(rights).map(([pattern, each]) => `${pattern}: ${each.join(' ')}`));
}

const READ_ONLY = { builtIn: 'built in', configuration: 'defined in the configuration file' } as const;

export function Roles() {
  const { value, error } = useLoaded(
    async (signal) => (await call('rolelist', {}, signal)) as unknown as readonly Role[],
    `roles ${accessVersion.value}`,
  );
  /** The role that is being changed; `new`: one that is being created. */
  const edited = useSignal<Role | 'new' | undefined>(undefined);
  const removed = useSignal<string | undefined>(undefined);
  const typed = useSignal('');
  const failure = useSignal('');
  const status = useSignal('');
  const remove = async (name: string): Promise<void> => {
    try {
      await call('rolermv', { name });
      removed.value = undefined;
      status.value = `Removed the role ${name}`;
      accessChanged();
    } catch (problem) {
      failure.value = messageOf(problem);
    }
  };
  const actions = (role: Role) =>
    role.source === 'stored' ? (
      <span key="actions" class="actions">
        <button type="button" onClick={() => (edited.value = role)}>
          Change<span class="hidden"> the role {role.name}</span>
        </button>
        <button
          type="button"
          class="danger"
          onClick={() => {
            typed.value = '';
            failure.value = '';
            removed.value = role.name;
          }}
        >
          Remove<span class="hidden"> the role {role.name}</span> …
        </button>
      </span>
    ) : (
      READ_ONLY[role.source]
    );
  return (
    <section aria-labelledby="roles">
      <h2 id="roles">Roles</h2>
      <Failure text={error.value} />
      {value.value !== undefined && (
        <Table
          caption="Roles and what they may do"
          columns={['Role', 'Users', 'Commands', 'Caches', 'Tables', 'Counters', 'Tasks', 'Administration', 'Actions']}
          empty="You have no role."
          rows={value.value.map((role) => ({
            key: role.name,
            cells: [
              role.name,
              listed([...role.users, ...(role.others ? ['all others'] : [])]),
              role.commands === null ? 'all' : listed(role.commands),
              rightsOf(role.caches),
              rightsOf(role.tables),
              listed(role.counters),
              listed(role.tasks),
              listed(role.administration),
              actions(role),
            ],
          }))}
        />
      )}
      <p class="actions">
        <button type="button" onClick={() => (edited.value = 'new')}>
          New role …
        </button>
      </p>
      <Status text={status.value} />
      {edited.value !== undefined && (
        <RoleDialog
          role={edited.value === 'new' ? undefined : edited.value}
          onDone={(text) => (status.value = text)}
          onClose={() => (edited.value = undefined)}
        />
      )}
      {removed.value !== undefined && (
        <Confirmation
          title={`Remove the role ${removed.value}`}
          text="No user may have it."
          name={removed.value}
          action="Remove the role"
          typed={typed.value}
          onTyped={(text) => (typed.value = text)}
          error={failure.value}
          onConfirm={() => remove(removed.value ?? '')}
          onClose={() => (removed.value = undefined)}
        />
      )}
    </section>
  );
}
