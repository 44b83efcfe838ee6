/** Whether the page is being printed, so that what only shows a part can show all of it. */
import { signal } from '@preact/signals';

export const isPrinting = signal(false);

addEventListener('beforeprint', () => {
  isPrinting.value = true;
});
addEventListener('afterprint', () => {
  isPrinting.value = false;
});
