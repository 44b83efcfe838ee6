/** Texts to copy. */

import { useSignal } from '@preact/signals';
import { Button } from './elements.tsx';

/** Puts text on the clipboard. Throws where the browser offers none: on pages over HTTP, except `localhost`. */
export async function copyText(text: string): Promise<void> {
  const { clipboard } = navigator as { readonly clipboard?: Clipboard };
  if (clipboard === undefined) throw new Error('The browser copies only on pages over HTTPS or from localhost.');
  await clipboard.writeText(text);
}

/** A text to copy: a command line, a program or a secret. With another text, give it another `key`. */
export function Copied({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const said = useSignal('');
  const copy = async (): Promise<void> => {
    try {
      await copyText(text);
      said.value = 'Copied.';
    } catch {
      said.value = 'The browser does not permit it: select the text and copy it.';
    }
  };
  return (
    <div class="copied">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it */}
      <pre tabIndex={0}>{text}</pre>
      <Button onClick={copy}>{label}</Button>
      <span role="status" class="hint">
        {said.value}
      </span>
    </div>
  );
}
