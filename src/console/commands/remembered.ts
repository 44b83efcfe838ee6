/** Data about commands that the browser stores: the favourites, and the values last sent. */
import { signal } from '@preact/signals';
import { keep, readKept } from '../requests/browser-storage.ts';
import { ownKey } from '../requests/session.ts';
import { type LastValues, withValues } from './last-values.ts';

const FAVOURITES = 'svc.favourites';
const VALUES = 'svc.values';

/** The names of the favourites. */
export const favourites = signal<readonly string[]>(readKept(FAVOURITES) ?? []);

/** Adds a command to the favourites, or removes it. */
export function toggleFavourite(name: string): void {
  const others = favourites.value.filter((each) => each !== name);
  favourites.value = others.length < favourites.value.length ? others : [...others, name];
  keep(FAVOURITES, favourites.value);
}

/** Returns the values of the fields of a command that were sent last. */
export function lastValues(name: string): Readonly<Record<string, string>> {
  return readKept<LastValues>(ownKey(VALUES))?.find(([command]) => command === name)?.[1] ?? {};
}

/** Keeps the values of a command for the next time. */
export function keepValues(name: string, texts: Readonly<Record<string, string>>): void {
  const key = ownKey(VALUES);
  keep(key, withValues(readKept<LastValues>(key) ?? [], name, texts));
}
