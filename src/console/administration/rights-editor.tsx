/** Edits what a role or an API key may do: commands, caches, tables, counters, tasks and administration. */
import { type Signal, useSignal } from '@preact/signals';
import { readCommands } from '../commands/declarations.ts';
import { Button, bound, Checkboxes, SelectField, TextField } from '../elements/elements.tsx';
import { catalog, titleOf } from '../requests/catalog.ts';
import { useLoaded } from '../requests/polling.ts';
import { ADMINISTRATION_RIGHTS, CACHE_RIGHTS, type EditedRights, type Grant, newGrant } from './rights.ts';
import { TASK_NAMES } from './task-names.ts';

/** What each administration right permits. */
const ADMINISTRATION_HINT =
  'state: change the state of the service. users: manage all users, roles, sessions and keys. log: read the log. ' +
  'backup: make and list backups. metrics: see the service and its load.';

function Grants(props: {
  readonly of: 'cache' | 'table';
  readonly grants: readonly Grant[];
  readonly onGrants: (grants: readonly Grant[]) => void;
}) {
  const { of, grants, onGrants } = props;
  const change = (id: number, part: Partial<Grant>): void =>
    onGrants(grants.map((grant) => (grant.id === id ? { ...grant, ...part } : grant)));
  const names = (catalog.value ?? [])
    .filter(({ table }) => (table === undefined) === (of === 'cache'))
    .map((entry) => titleOf(entry));
  return (
    <fieldset class="grants">
      <legend>Rights on {of}s</legend>
      {grants.length === 0 && <p class="hint">None yet.</p>}
      {grants.map(({ id, pattern, rights }, index) => (
        <div key={id} class="grant">
          <TextField
            label={`Name of ${of} ${index + 1}`}
            value={pattern}
            names={['*', ...names]}
            placeholder="* matches any text"
            onValue={(text) => change(id, { pattern: text })}
          />
          <Checkboxes
            label={`Rights on ${of} ${index + 1}`}
            options={CACHE_RIGHTS}
            value={rights}
            onValue={(chosen) => change(id, { rights: chosen })}
          />
          <Button class="plain" onClick={() => onGrants(grants.filter((grant) => grant.id !== id))}>
            Remove {of} {index + 1}
          </Button>
        </div>
      ))}
      <p class="actions">
        <Button onClick={() => onGrants([...grants, newGrant('', ['read'])])}>Add a {of}</Button>
        {!grants.some(({ pattern }) => pattern === '*') && (
          <Button class="plain" onClick={() => onGrants([...grants, newGrant('*', ['read'])])}>
            Add all {of}s
          </Button>
        )}
      </p>
    </fieldset>
  );
}

/** Boxes for groups of commands, and for each command, with a filter. */
function CommandPicker(props: {
  readonly chosen: readonly string[];
  readonly onChosen: (chosen: readonly string[]) => void;
}) {
  const { chosen, onChosen } = props;
  const { value: commands = [] } = useLoaded(readCommands, 'commands').value;
  const filter = useSignal('');
  const groups = [...new Set(commands.map(({ group }) => `@${group}`))];
  const known = [...groups, ...commands.map(({ name }) => name)];
  const wanted = filter.value.trim().toLowerCase();
  const listed = [...known, ...chosen.filter((name) => !known.includes(name))];
  const shown = listed.filter(
    (name) => chosen.includes(name) || (wanted === '' ? name.startsWith('@') : name.toLowerCase().includes(wanted)),
  );
  return (
    <fieldset>
      <legend>Commands</legend>
      <TextField
        label="Find commands"
        hint="A name that begins with @ is a group: all its commands, even future ones."
        {...bound(filter)}
      />
      <Checkboxes label="Permitted commands" options={shown} value={chosen} onValue={onChosen} />
      {chosen.length === 0 && <p class="hint">No command is chosen, so none is permitted.</p>}
    </fieldset>
  );
}

export function RightsEditor({ edited }: { readonly edited: Signal<EditedRights> }) {
  const { value: rights } = edited;
  const change = (part: Partial<EditedRights>): void => {
    edited.value = { ...rights, ...part };
  };
  return (
    <>
      <SelectField
        label="Commands"
        value={rights.commands === null ? 'all' : 'these'}
        options={[
          ['all', 'All commands that the rights below permit'],
          ['these', 'Only these commands'],
        ]}
        onValue={(value) => change({ commands: value === 'these' ? [] : null })}
      />
      {rights.commands !== null && (
        <CommandPicker chosen={rights.commands} onChosen={(commands) => change({ commands })} />
      )}
      <Grants of="cache" grants={rights.caches} onGrants={(caches) => change({ caches })} />
      <Grants of="table" grants={rights.tables} onGrants={(tables) => change({ tables })} />
      <div class="form-row">
        <TextField
          label="Counters"
          hint="Names, separated by commas; * matches any text. Empty: none."
          value={rights.counters}
          onValue={(counters) => change({ counters })}
        />
        <TextField
          label="Tasks"
          hint="Names, separated by commas; * matches any text. Empty: none."
          names={['*', ...TASK_NAMES]}
          value={rights.tasks}
          onValue={(tasks) => change({ tasks })}
        />
      </div>
      <Checkboxes
        label="Administration rights"
        options={ADMINISTRATION_RIGHTS}
        value={rights.administration}
        onValue={(administration) => change({ administration })}
      />
      <p class="hint">{ADMINISTRATION_HINT}</p>
    </>
  );
}
