/** State of requests that a component shows: loading, loaded, failed; once or periodically. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { messageOf } from './request.ts';

export interface Loaded<T> {
  readonly value: Signal<T | undefined>;
  readonly error: Signal<string>;
  readonly reload: () => Promise<void>;
}

/**
 * Loads a value when the component appears and when `key` changes, and again every `everyMs`. A hidden page loads
 * nothing.
 */
export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>, key: string, everyMs = 0): Loaded<T> {
  const value = useSignal<T | undefined>(undefined);
  const error = useSignal('');
  const run = async (signal: AbortSignal): Promise<void> => {
    try {
      const loaded = await load(signal);
      if (signal.aborted) return;
      value.value = loaded;
      error.value = '';
    } catch (problem) {
      if (!signal.aborted) error.value = messageOf(problem);
    }
  };
  useEffect(() => {
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const next = async (): Promise<void> => {
      if (document.visibilityState === 'visible') await run(controller.signal);
      if (everyMs > 0 && !controller.signal.aborted) timer = setTimeout(next, everyMs);
    };
    void next();
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [key, everyMs]);
  return { value, error, reload: () => run(new AbortController().signal) };
}
