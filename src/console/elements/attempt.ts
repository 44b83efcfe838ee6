/** A user's action: whether it is running, and why it failed. */
import { type Signal, useSignal } from '@preact/signals';
import { messageOf } from '../requests/request.ts';

export interface Attempts {
  /** Why the last one failed; empty if it did not. */
  readonly error: Signal<string>;
  readonly isRunning: Signal<boolean>;
  /** Does some work, and stores what it throws. */
  readonly attempt: (work: () => Promise<void>) => Promise<void>;
}

export function useAttempt(): Attempts {
  const error = useSignal('');
  const isRunning = useSignal(false);
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    isRunning.value = true;
    error.value = '';
    try {
      await work();
    } catch (problem) {
      error.value = messageOf(problem);
    } finally {
      isRunning.value = false;
    }
  };
  return { error, isRunning, attempt };
}

export interface Sending {
  /** Why it could not be sent; empty if it could, or has not been sent yet. */
  readonly error: string;
  readonly isSending: boolean;
  /** For the event `submit` of the form. */
  readonly send: (event: Event) => Promise<void>;
}

/** Sends a form, one at a time; `onSend` throws the error to show. */
export function useSending(onSend: () => Promise<void>): Sending {
  const { error, isRunning, attempt } = useAttempt();
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (!isRunning.peek()) await attempt(onSend);
  };
  return { error: error.value, isSending: isRunning.value, send };
}
