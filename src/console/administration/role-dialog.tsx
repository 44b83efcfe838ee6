/** A dialog that creates a role, or changes a stored one. */
import { useSignal } from '@preact/signals';
import { Dialog, Failure, TextField } from '../elements/elements.tsx';
import { call, messageOf } from '../requests/request.ts';
import { accessChanged, type Role } from './access.ts';
import { editedRights, rightsJson } from './rights.ts';
import { RightsEditor } from './rights-editor.tsx';

export interface RoleDialogProps {
  /** Undefined: a new one. */
  readonly role: Role | undefined;
  readonly onDone: (text: string) => void;
  readonly onClose: () => void;
}

export function RoleDialog({ role, onDone, onClose }: RoleDialogProps) {
  const name = useSignal(role?.name ?? '');
  const rights = useSignal(editedRights(role));
  const error = useSignal('');
  const store = async (event: Event): Promise<void> => {
    event.preventDefault();
    try {
      await call(role === undefined ? 'roleadd' : 'roleupdate', { name: name.value, rights: rightsJson(rights.value) });
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
        <RightsEditor rights={rights.value} onRights={(edited) => (rights.value = edited)} />
        <p class="hint">
          You can grant only what one of your own roles permits. A change holds for all sessions at once.
        </p>
        <Failure text={error.value} />
        <p class="actions">
          <button type="submit" class="primary">
            {role === undefined ? 'Add role' : 'Change role'}
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </p>
      </form>
    </Dialog>
  );
}
