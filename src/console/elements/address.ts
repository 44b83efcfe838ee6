/** The part of the address after #: which screen is shown, and of what. The browser's history leads back. */
import { signal } from '@preact/signals';

export interface Address {
  readonly screen: string;
  readonly params: URLSearchParams;
}

export const address = signal<Address>(read());

/** Returns the address of a screen for a link. */
export function linkTo(screen: string, params: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(params).toString();
  return `#/${screen}${query === '' ? '' : `?${query}`}`;
}

/** Shows a screen, and adds it to the history of the browser. */
export function goTo(screen: string, params: Readonly<Record<string, string>> = {}): void {
  location.hash = linkTo(screen, params);
}

window.addEventListener('hashchange', () => {
  address.value = read();
});

function read(): Address {
  const [screen = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?');
  return { screen: screen === '' ? 'overview' : screen, params: new URLSearchParams(query) };
}
