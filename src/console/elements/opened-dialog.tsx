/** The open dialog. It closes with the screen that opened it. */
import { signal } from '@preact/signals';
import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect } from 'preact/hooks';

const opened = signal<{ readonly content: ComponentChildren; readonly number: number } | undefined>(undefined);
let dialogs = 0;

/** Opens a dialog, in place of the one that is open. */
export function openDialog(content: ComponentChildren): void {
  opened.value = { content, number: dialogs++ };
}

export const Closing = createContext((): void => {});

/** Returns a function that closes the component's dialog. */
export function useClosing(): () => void {
  return useContext(Closing);
}

export function OpenedDialog() {
  const { value: dialog } = opened;
  useEffect(() => {
    const close = (): void => {
      opened.value = undefined;
    };
    // A screen's state is stored in its address without this event.
    addEventListener('hashchange', close);
    return () => {
      removeEventListener('hashchange', close);
      close();
    };
  }, []);
  if (dialog === undefined) return null;
  const close = (): void => {
    // Its action may have opened another one.
    if (opened.peek() === dialog) opened.value = undefined;
  };
  return (
    <Closing.Provider key={dialog.number} value={close}>
      {dialog.content}
    </Closing.Provider>
  );
}
