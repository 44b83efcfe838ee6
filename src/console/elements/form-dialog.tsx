/** Dialogs with a form that is sent. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { useSending } from './attempt.ts';
import { Button, bound, Dialog, Failure, TextField } from './elements.tsx';
import { useClosing } from './opened-dialog.tsx';

export interface FormDialogProps {
  readonly title: string;
  readonly action: string;
  /** Whether it cannot be undone. Default: false. */
  readonly isDangerous?: boolean;
  /** Whether there is room for two columns. Default: false. */
  readonly isWide?: boolean;
  /** Whether the form can be sent as filled in. Default: true. */
  readonly canSend?: boolean;
  /** What prevents sending it, in words; empty if nothing does. */
  readonly problem?: string;
  /** Sends it. The dialog closes afterwards, and shows what this throws. */
  readonly onSend: () => Promise<void>;
  readonly children: ComponentChildren;
}

export function FormDialog(props: FormDialogProps) {
  const { title, action, isDangerous = false, isWide = false, canSend = true, problem = '' } = props;
  const { onSend, children } = props;
  const close = useClosing();
  const id = useId();
  const { error, isSending, send } = useSending(async () => {
    await onSend();
    close();
  });
  return (
    <Dialog title={title} isWide={isWide}>
      <form onSubmit={send}>
        {children}
        <Failure text={error} />
        <p class="actions dialog-actions">
          <button
            type="submit"
            class={isDangerous ? 'danger' : 'primary'}
            disabled={!canSend || problem !== '' || isSending}
            aria-describedby={id}
          >
            {action}
          </button>
          <Button onClick={close}>Cancel</Button>
          <span id={id} class="hint">
            {problem}
          </span>
        </p>
      </form>
    </Dialog>
  );
}

export interface ConfirmationProps {
  readonly title: string;
  readonly text: string;
  /** The label of the text to type; undefined if that is the name of the deleted object. */
  readonly name: string | undefined;
  readonly action: string;
  /** Does it. The dialog closes afterwards, and shows what this throws. */
  readonly onConfirm: (typed: string) => Promise<void>;
}

/** A dialog that asks to type a name before something cannot be undone. */
export function Confirmation({ text, name, onConfirm, ...shown }: ConfirmationProps) {
  const typed = useSignal('');
  const canSend = name === undefined ? typed.value !== '' : typed.value === name;
  return (
    <FormDialog {...shown} isDangerous canSend={canSend} onSend={() => onConfirm(typed.value)}>
      <p>{text}</p>
      <TextField label={name === undefined ? 'Name' : `Type ${name} to confirm`} {...bound(typed)} />
    </FormDialog>
  );
}
