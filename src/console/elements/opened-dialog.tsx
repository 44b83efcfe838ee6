/** The dialog that is open. It closes with the screen that has opened it. */
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

/** Returns what closes the dialog of the component. */
export function useClosing(): () => void {
  return useContext(Closing);
}

export function OpenedDialog() {
  const { value: dialog } = opened;
  useEffect(() => {
    const close = (): void => {
      opened.value = undefined;
    };
    // How a screen is left is kept in its address without this event.
    addEventListener('hashchange', close);
    return () => {
      removeEventListener('hashchange', close);
      close();
    };
  }, []);
  if (dialog === undefined) return null;
  const close = (): void => {
    // What it has done may have opened another one.
    if (opened.peek() === dialog) opened.value = undefined;
  };
  return (
    <Closing.Provider key={dialog.number} value={close}>
      {dialog.content}
    </Closing.Provider>
  );
}
