/** Dialogs with a form that is sent. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { messageOf } from '../requests/request.ts';
import { Dialog, Failure } from './elements.tsx';

export interface Sending {
  /** Why it could not be sent; empty: it could, or was not yet. */
  readonly error: string;
  readonly isSending: boolean;
  /** For the event `submit` of the form. */
  readonly send: (event: Event) => Promise<void>;
}

/** Sends a form, one at a time; `onSend` throws what is to be shown. */
export function useSending(onSend: () => Promise<void>): Sending {
  const error = useSignal('');
  const isSending = useSignal(false);
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (isSending.value) return;
    isSending.value = true;
    error.value = '';
    try {
      await onSend();
    } catch (problem) {
      error.value = messageOf(problem);
    } finally {
      isSending.value = false;
    }
  };
  return { error: error.value, isSending: isSending.value, send };
}

export interface FormDialogProps {
  readonly title: string;
  readonly action: string;
  /** Whether what is filled in can be sent. Default: true. */
  readonly canSend?: boolean;
  /** Sends it. The dialog closes afterwards, and shows what this throws. */
  readonly onSend: () => Promise<void>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export function FormDialog({ title, action, canSend = true, onSend, onClose, children }: FormDialogProps) {
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
          <button type="submit" class="primary" disabled={!canSend || isSending}>
            {action}
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </p>
      </form>
    </Dialog>
  );
}
