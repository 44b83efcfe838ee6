/** Comma-separated lists in one string: cache names, columns, addresses. */
import { gridError } from './errors.ts';
import { LIST_BOUNDS } from './limits.ts';
import { splitNames } from './name-lists.ts';

/**
 * Returns the items of a list without surrounding blanks. Throws LIMIT_EXCEEDED for a list that is too long before
 * splitting it: a request can contain half a million items, which would hold up other requests.
 */
export function splitList(name: string, text: string): string[] {
  checkListLength(name, text);
  return checked(name, text.split(',', LIST_BOUNDS.items + 1)).map((item) => item.trim());
}

/** Like {@link splitList}, but accepts names in double quotes (`joinNames`). */
export function splitNameList(name: string, text: string): string[] {
  if (!text.includes('"')) return splitList(name, text);
  checkListLength(name, text);
  return checked(name, splitNames(text));
}

/** Throws LIMIT_EXCEEDED if a list is too long to be split. */
export function checkListLength(name: string, text: string): void {
  const { characters } = LIST_BOUNDS;
  if (text.length > characters)
    throw gridError('LIMIT_EXCEEDED', `${name} characters`, characters, text.length, 'fixed');
}

function checked(name: string, items: string[]): string[] {
  if (items.length > LIST_BOUNDS.items)
    throw gridError('LIMIT_EXCEEDED', `${name} items`, LIST_BOUNDS.items, 'more', 'fixed');
  return items;
}
