/** What the user asks for: whether it runs, and why it failed. */
import { type Signal, useSignal } from '@preact/signals';
import { messageOf } from '../requests/request.ts';

export interface Attempts {
  /** Why the last one failed; empty: it did not. */
  readonly error: Signal<string>;
  readonly isRunning: Signal<boolean>;
  /** Does some work, and keeps what it throws. */
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
  /** Why it could not be sent; empty: it could, or was not yet. */
  readonly error: string;
  readonly isSending: boolean;
  /** For the event `submit` of the form. */
  readonly send: (event: Event) => Promise<void>;
}

/** Sends a form, one at a time; `onSend` throws what is to be shown. */
export function useSending(onSend: () => Promise<void>): Sending {
  const { error, isRunning, attempt } = useAttempt();
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (!isRunning.peek()) await attempt(onSend);
  };
  return { error: error.value, isSending: isRunning.value, send };
}
