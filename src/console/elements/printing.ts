/** Whether the page is being printed, so that elements that show only a part can show everything. */
import { signal } from '@preact/signals';

export const isPrinting = signal(false);

addEventListener('beforeprint', () => {
  isPrinting.value = true;
});
addEventListener('afterprint', () => {
  isPrinting.value = false;
});
