/** A dialog that creates a role, or changes a stored one. */
import { useSignal } from '@preact/signals';
import { bound, TextField } from '../elements/elements.tsx';
import { FormDialog } from '../elements/form-dialog.tsx';
import type { Role } from '../requests/access.ts';
import { call } from '../requests/request.ts';
import { accessChanged } from './access.ts';
import { editedRights, rightsJson } from './rights.ts';
import { RightsEditor } from './rights-editor.tsx';

export interface RoleDialogProps {
  /** Undefined means a new one. */
  readonly role: Role | undefined;
  readonly onDone: (text: string) => void;
}

export function RoleDialog({ role, onDone }: RoleDialogProps) {
  const name = useSignal(role?.name ?? '');
  const rights = useSignal(editedRights(role));
  const store = async (): Promise<void> => {
    await call(role === undefined ? 'roleadd' : 'roleupdate', { name: name.value, rights: rightsJson(rights.value) });
    onDone(`${role === undefined ? 'Added' : 'Changed'} the role ${name.value}`);
    accessChanged();
  };
  return (
    <FormDialog
      title={role === undefined ? 'New role' : `Change the role ${role.name}`}
      action={role === undefined ? 'Add role' : 'Change role'}
      onSend={store}
    >
      {role === undefined && <TextField label="Name of the role" required {...bound(name)} />}
      <RightsEditor edited={rights} />
      <p class="hint">
        You can grant only rights that one of your own roles has. Changes apply to all sessions at once.
      </p>
    </FormDialog>
  );
}
