/** Shows the roles of the configuration, and who has them. */
import { Failure, Table } from '../elements/elements.tsx';
import { useLoaded } from '../requests/polling.ts';
import { call } from '../requests/request.ts';

type Rights = Readonly<Record<string, readonly string[]>>;

interface Role {
  readonly name: string;
  readonly commands: readonly string[] | null;
  readonly caches: Rights;
  readonly tables: Rights;
  readonly counters: readonly string[];
  readonly tasks: readonly string[];
  readonly administration: readonly string[];
  readonly users: readonly string[];
  readonly others: boolean;
}

const listed = (names: readonly string[]): string => (names.length === 0 ? 'none' : names.join(', '));

function rightsOf(rights: Rights): string {
  return listed(Object.entries(rights).map(([pattern, each]) => `${pattern}: ${each.join(' ')}`));
}

export function Roles() {
  const { value, error } = useLoaded(
    async (signal) => (await call('rolelist', {}, signal)) as unknown as readonly Role[],
    'roles',
  );
  return (
    <section aria-labelledby="roles">
      <h2 id="roles">Roles</h2>
      <p class="hint">
        The configuration declares roles and assigns them to users: permissions.roles and permissions.users.
      </p>
      <Failure text={error.value} />
      {value.value !== undefined && (
        <Table
          caption="Roles and what they may do"
          columns={['Role', 'Users', 'Commands', 'Caches', 'Tables', 'Counters', 'Tasks', 'Administration']}
          empty="The configuration declares no roles."
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
            ],
          }))}
        />
      )}
    </section>
  );
}
