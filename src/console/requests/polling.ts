/** The state of a component's requests: loading, loaded or failed; once or periodically. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { healed, isOutage } from './connection.ts';
import { isForbidden, messageOf } from './request.ts';
import { markRepeated } from './sent-requests.ts';

export interface Loaded<T> {
  readonly value: Signal<T | undefined>;
  readonly error: Signal<string>;
  /** Whether the signed-in user lacks the right to read it. */
  readonly isDenied: Signal<boolean>;
  readonly reload: () => Promise<void>;
}

/**
 * Loads a value when the component appears, when `key` changes and when the service is back, and again every `everyMs`.
 * A hidden page loads nothing, and values that the user may not read are not requested again. While the service does
 * not answer, the previous value stays.
 */
export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>, key: string, everyMs = 0): Loaded<T> {
  const value = useSignal<T | undefined>(undefined);
  const error = useSignal('');
  const isDenied = useSignal(false);
  const loadedKey = useRef<string | undefined>(undefined);
  const connectedKey = `${healed.value} ${key}`;
  const run = async (signal: AbortSignal): Promise<void> => {
    try {
      const loaded = await load(signal);
      if (signal.aborted) return;
      value.value = loaded;
      loadedKey.current = connectedKey;
      error.value = '';
      isDenied.value = false;
    } catch (problem) {
      if (signal.aborted || isOutage(problem)) return;
      error.value = messageOf(problem);
      isDenied.value = isForbidden(problem);
    }
  };
  useEffect(() => {
    // A component that stops loading periodically keeps its value.
    if (everyMs === 0 && loadedKey.current === connectedKey) return;
    const controller = new AbortController();
    if (everyMs > 0) markRepeated(controller.signal);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const next = async (): Promise<void> => {
      if (document.visibilityState === 'visible') await run(controller.signal);
      if (everyMs > 0 && !isDenied.peek() && !controller.signal.aborted) timer = setTimeout(next, everyMs);
    };
    void next();
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [connectedKey, everyMs]);
  return { value, error, isDenied, reload: () => run(new AbortController().signal) };
}
