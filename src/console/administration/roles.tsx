/** Shows all roles and who has them; creates, changes and deletes stored ones. */
import { useSignal } from '@preact/signals';
import { Button, Status, Table } from '../elements/elements.tsx';
import { openDialog } from '../elements/opened-dialog.tsx';
import { ReadProblem } from '../elements/read-problem.tsx';
import type { Role } from '../requests/access.ts';
import { useLoaded } from '../requests/polling.ts';
import { call } from '../requests/request.ts';
import { accessChanged, accessVersion, missingFor, readRoles } from './access.ts';
import { Deletion, Permitted } from './controls.tsx';
import { describedRights, type RoleRights } from './rights.ts';
import { RoleDialog } from './role-dialog.tsx';

const SOURCES = { builtIn: 'built in', configuration: 'defined in the configuration file', stored: '' } as const;

/** What a role or a key may do, by kind. */
export function RightsList({ rights }: { readonly rights: Partial<RoleRights> }) {
  return (
    <ul class="rights">
      {describedRights(rights).map(([kind, texts]) => (
        <li key={kind}>
          <span class="rights-kind">{kind}</span>
          <span class="rights-texts">
            {texts.map((text) => (
              <code key={text}>{text}</code>
            ))}
          </span>
        </li>
      ))}
    </ul>
  );
}

export function Roles() {
  const loaded = useLoaded(readRoles, `roles ${accessVersion.value}`);
  const { value, isDenied } = loaded;
  const status = useSignal('');
  const remove = async (name: string): Promise<void> => {
    await call('rolermv', { name });
    status.value = `Deleted the role ${name}`;
    accessChanged();
  };
  const edit = (role: Role | undefined): void =>
    openDialog(<RoleDialog role={role} onDone={(text) => (status.value = text)} />);
  const mayChange = missingFor('roleupdate') === undefined;
  const actions = (role: Role) => {
    if (role.source !== 'stored') return SOURCES[role.source];
    if (!mayChange) return '';
    return (
      <span key="actions" class="actions">
        <Button onClick={() => edit(role)}>
          Change<span class="hidden"> the role {role.name}</span> …
        </Button>
        <Button
          class="danger"
          onClick={() =>
            openDialog(
              <Deletion kind="role" name={role.name} text="It must not be assigned to any user." onConfirm={remove} />,
            )
          }
        >
          Delete<span class="hidden"> the role {role.name}</span> …
        </Button>
      </span>
    );
  };
  return (
    <section aria-labelledby="roles">
      <div class="part-head">
        <h2 id="roles">Roles</h2>
        {!isDenied.value && (
          <Permitted command="roleadd" to="change roles">
            <Button class="primary" onClick={() => edit(undefined)}>
              New role …
            </Button>
          </Permitted>
        )}
      </div>
      <p class="hint">A role lists what its users may do. A user with several roles has the rights of all of them.</p>
      <ReadProblem of={loaded} what="the roles" />
      <Status text={status.value} />
      {value.value !== undefined && (
        <Table
          caption="Roles and what they may do"
          columns={['Role', 'Users', 'May use', 'Actions']}
          empty="You have no role."
          rows={value.value.map((role) => ({
            key: role.name,
            cells: [
              role.name,
              [...role.users, ...(role.others ? ['all others'] : [])].join(', ') || 'nobody',
              <RightsList key="rights" rights={role} />,
              actions(role),
            ],
          }))}
        />
      )}
    </section>
  );
}
