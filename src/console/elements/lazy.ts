/** Parts of the page that are loaded when needed, so the first load is smaller. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { healed, isOut, upgradedAtMs } from '../requests/connection.ts';
import { checkBuild, checkConnection } from '../requests/connection-check.ts';
import { messageOf } from '../requests/request.ts';

/** Returns a hook that loads a component once, if `isNeeded`; `what` names it in error messages. */
export function lazily<C>(what: string, load: () => Promise<C>) {
  const loaded = signal<{ readonly component: C } | undefined>(undefined);
  const failure = signal('');
  const begin = async (): Promise<void> => {
    try {
      loaded.value ??= { component: await load() };
      failure.value = '';
    } catch (problem) {
      // The frame reports a service that is gone or has a different build.
      await checkConnection();
      if (!isOut.peek()) await checkBuild();
      if (isOut.peek() || upgradedAtMs.peek() !== undefined) return;
      failure.value = `${what} cannot be loaded: ${messageOf(problem)}`;
    }
  };
  return function useLoadedOnce(isNeeded = true): { readonly Shown: C | undefined; readonly failure: string } {
    useEffect(() => {
      if (isNeeded) void begin();
    }, [isNeeded, begin, healed.value]);
    return { Shown: loaded.value?.component, failure: failure.value };
  };
}
