/** Rows that are reopened when their inputs change. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { healed, isOutage } from '../requests/connection.ts';
import { messageOf } from '../requests/request.ts';
import type { PagedRows } from '../rows/paged-rows.ts';

/** Typed text is sent after this pause. */
const PAUSE_MS = 300;

export interface OpenedRows<R extends PagedRows> {
  /** The previous rows stay until the first new ones arrive. */
  readonly rows: Signal<R | undefined>;
  /** Why they could not be opened; empty if they were. */
  readonly error: Signal<string>;
}

/** Opens rows, and reopens them when the key changes. */
export function useOpenedRows<R extends PagedRows>(create: () => R, key: string): OpenedRows<R> {
  const rows = useSignal<R | undefined>(undefined);
  const error = useSignal('');
  /** Grows when rows are to be reopened after the service did not respond. */
  const attempt = useSignal(0);
  const isInterrupted = useRef(false);
  useEffect(() => {
    if (healed.value === 0) return;
    if (isInterrupted.current) attempt.value++;
    // Others may have changed them since.
    else rows.peek()?.refresh();
  }, [healed.value]);
  useEffect(() => {
    isInterrupted.current = false;
    const next = create();
    const open = async (): Promise<void> => {
      try {
        await next.open();
        error.value = '';
      } catch (problem) {
        if (problem instanceof DOMException) return;
        if (isOutage(problem)) {
          isInterrupted.current = true;
          return;
        }
        // Without rows, but with its columns, so its filters can still be corrected.
        next.isComplete.value = true;
        error.value = messageOf(problem);
      }
      rows.peek()?.close();
      rows.value = next;
    };
    const timer = setTimeout(open, rows.peek() === undefined ? 0 : PAUSE_MS);
    return () => {
      clearTimeout(timer);
      if (rows.peek() !== next) next.close();
    };
  }, [key, attempt.value]);
  useEffect(() => () => rows.peek()?.close(), []);
  return { rows, error };
}
