/**
 * The part of the address after #: the screen, its object, and its state: filters, an order, a position. The
 * browser's history leads back, and a link or a reload shows the same.
 */
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

type Changes = Readonly<Record<string, string | undefined>>;

function changed(changes: Changes): Readonly<Record<string, string>> {
  const all = { ...Object.fromEntries(address.value.params), ...changes };
  return Object.fromEntries(
    Object.entries(all).filter((each): each is [string, string] => each[1] !== undefined && each[1] !== ''),
  );
}

/** Returns the address of another view of the same thing, with the state of this one. */
export function linkHere(changes: Changes): string {
  return linkTo(address.value.screen, changed(changes));
}

/** Stores the screen's state in its address, replacing the previous one. Omits undefined and empty values. */
export function keepState(changes: Changes): void {
  const { screen } = address.peek();
  const link = linkTo(screen, changed(changes));
  history.replaceState(history.state, '', link);
  address.value = read();
}

/** Returns a part of the state, and a function that changes it: for fields whose text stays in the address. */
export function stateField(name: string): { readonly value: string; readonly onValue: (text: string) => void } {
  return { value: address.value.params.get(name) ?? '', onValue: (text) => keepState({ [name]: text }) };
}

window.addEventListener('hashchange', () => {
  address.value = read();
});

function read(): Address {
  const [screen = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?');
  return { screen: screen === '' ? 'overview' : screen, params: new URLSearchParams(query) };
}
