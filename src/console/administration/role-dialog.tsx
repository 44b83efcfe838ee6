/** A dialog that creates a role, or changes a stored one. */
import { useSignal } from '@preact/signals';
import { Checkboxes, Dialog, Failure, SelectField, TextField } from '../elements/elements.tsx';
import { call, messageOf } from '../requests/request.ts';
import { accessChanged, type Rights, type Role } from './access.ts';

const RIGHTS = ['read', 'put', 'remove', 'create', 'destroy'];
const ADMINISTRATION = ['state', 'users', 'log', 'backup', 'metrics'];

/** A pattern of names with rights, as it is being edited. */
interface Grant {
  readonly id: number;
  readonly pattern: string;
  readonly rights: readonly string[];
}

let lastId = 0;

const newGrant = (pattern: string, rights: readonly string[]): Grant => ({ id: ++lastId, pattern, rights });
const grantsOf = (rights: Rights): readonly Grant[] =>
  Object.entries(rights).map(([pattern, each]) => newGrant(pattern, each));

/** Returns the rights by pattern. A pattern that is there twice has the rights of both. */
function rightsOf(grants: readonly Grant[]): Rights {
  const rights = new Map<string, readonly string[]>();
  for (const { pattern, rights: each } of grants) {
    if (pattern !== '') rights.set(pattern, [...new Set([...(rights.get(pattern) ?? []), ...each])]);
  }
  return Object.fromEntries(rights);
}

function namesIn(text: string): readonly string[] {
  return text.split(/[,\s]+/).filter((name) => name !== '');
}

function Grants(props: {
  readonly of: 'cache' | 'table';
  readonly grants: readonly Grant[];
  readonly onGrants: (grants: readonly Grant[]) => void;
}) {
  const { of, grants, onGrants } = props;
  const change = (id: number, part: Partial<Grant>): void =>
    onGrants(grants.map((grant) => (grant.id === id ? { ...grant, ...part } : grant)));
  return (
    <fieldset>
      <legend>Rights on {of}s</legend>
      {grants.map(({ id, pattern, rights }, index) => (
        <div key={id}>
          <TextField
            label={`Name of ${of} ${index + 1}`}
            hint="In a name, * is any text."
            value={pattern}
            onValue={(text) => change(id, { pattern: text })}
          />
          <Checkboxes
            label={`Rights on ${of} ${index + 1}`}
            options={RIGHTS}
            chosen={rights}
            onChosen={(chosen) => change(id, { rights: chosen })}
          />
          <p class="actions">
            <button type="button" onClick={() => onGrants(grants.filter((grant) => grant.id !== id))}>
              Remove {of} {index + 1}
            </button>
          </p>
        </div>
      ))}
      <p class="actions">
        <button type="button" onClick={() => onGrants([...grants, newGrant('', ['read'])])}>
          Add a {of}
        </button>
      </p>
    </fieldset>
  );
}

export interface RoleDialogProps {
  /** Undefined: a new one. */
  readonly role: Role | undefined;
  readonly onDone: (text: string) => void;
  readonly onClose: () => void;
}

export function RoleDialog({ role, onDone, onClose }: RoleDialogProps) {
  const name = useSignal(role?.name ?? '');
  const chosenCommands = useSignal<'all' | 'these'>(role === undefined || role.commands === null ? 'all' : 'these');
  const commands = useSignal((role?.commands ?? []).join(', '));
  const caches = useSignal(grantsOf(role?.caches ?? {}));
  const tables = useSignal(grantsOf(role?.tables ?? {}));
  const counters = useSignal((role?.counters ?? []).join(', '));
  const tasks = useSignal((role?.tasks ?? []).join(', '));
  const administration = useSignal(role?.administration ?? []);
  const error = useSignal('');
  const store = async (event: Event): Promise<void> => {
    event.preventDefault();
    const rights = JSON.stringify({
      ...(chosenCommands.value === 'these' && { commands: namesIn(commands.value) }),
      caches: rightsOf(caches.value),
      tables: rightsOf(tables.value),
      counters: namesIn(counters.value),
      tasks: namesIn(tasks.value),
      administration: administration.value,
    });
    try {
      await call(role === undefined ? 'roleadd' : 'roleupdate', { name: name.value, rights });
      onDone(`${role === undefined ? 'Added' : 'Changed'} the role ${name.value}`);
      accessChanged();
      onClose();
    } catch (problem) {
      error.value = messageOf(problem);
    }
  };
  return (
    <Dialog title={role === undefined ? 'New role' : `Change the role ${role.name}`} onClose={onClose}>
      <form onSubmit={store}>
        {role === undefined && (
          <TextField label="Name of the role" required value={name.value} onValue={(text) => (name.value = text)} />
        )}
        <SelectField
          label="Commands"
          value={chosenCommands.value}
          options={[
            ['all', 'All commands'],
            ['these', 'Only these commands'],
          ]}
          onValue={(value) => (chosenCommands.value = value === 'these' ? 'these' : 'all')}
        />
        {chosenCommands.value === 'these' && (
          <TextField
            label="Names of commands"
            hint="Names, and groups such as @entry, separated by commas."
            value={commands.value}
            onValue={(text) => (commands.value = text)}
          />
        )}
        <Grants of="cache" grants={caches.value} onGrants={(grants) => (caches.value = grants)} />
        <Grants of="table" grants={tables.value} onGrants={(grants) => (tables.value = grants)} />
        <TextField
          label="Counters"
          hint="Names, separated by commas; * is any text. Empty: none."
          value={counters.value}
          onValue={(text) => (counters.value = text)}
        />
        <TextField
          label="Tasks"
          hint="Names, separated by commas; * is any text. Empty: none."
          value={tasks.value}
          onValue={(text) => (tasks.value = text)}
        />
        <Checkboxes
          label="Administration rights"
          options={ADMINISTRATION}
          chosen={administration.value}
          onChosen={(chosen) => (administration.value = chosen)}
        />
        <p class="hint">
          You can grant only what one of your own roles permits. A change holds for all sessions at once.
        </p>
        <Failure text={error.value} />
        <p class="actions">
          <button type="submit" class="primary">
            {role === undefined ? 'Add role' : 'Change role'}
          </button>
        </p>
      </form>
    </Dialog>
  );
}
