/** Dialogs with a form that is sent. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useSending } from './attempt.ts';
import { Button, bound, Dialog, Failure, TextField } from './elements.tsx';

export interface FormDialogProps {
  readonly title: string;
  readonly action: string;
  /** Whether it cannot be undone. Default: false. */
  readonly isDangerous?: boolean;
  /** Whether what is filled in can be sent. Default: true. */
  readonly canSend?: boolean;
  /** Sends it. The dialog closes afterwards, and shows what this throws. */
  readonly onSend: () => Promise<void>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export function FormDialog(props: FormDialogProps) {
  const { title, action, isDangerous = false, canSend = true, onSend, onClose, children } = props;
  const { error, isSending, send } = useSending(async () => {
    await onSend();
    onClose();
  });
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={send}>
        {children}
        <Failure text={error} />
        <p class="actions dialog-actions">
          <button type="submit" class={isDangerous ? 'danger' : 'primary'} disabled={!canSend || isSending}>
            {action}
          </button>
          <Button onClick={onClose}>Cancel</Button>
        </p>
      </form>
    </Dialog>
  );
}

export interface ConfirmationProps {
  readonly title: string;
  readonly text: string;
  /** What to type to confirm. */
  readonly name: string;
  readonly action: string;
  /** Does it. The dialog closes afterwards, and shows what this throws. */
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
}

/** A dialog that asks to type a name before something cannot be undone. */
export function Confirmation({ text, name, onConfirm, ...shown }: ConfirmationProps) {
  const typed = useSignal('');
  return (
    <FormDialog {...shown} isDangerous canSend={typed.value === name} onSend={onConfirm}>
      <p>{text}</p>
      <TextField label={`Type ${name} to confirm`} {...bound(typed)} />
    </FormDialog>
  );
}
