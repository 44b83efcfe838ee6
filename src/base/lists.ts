/** Lists in one text, whose items are separated by commas: names of caches, columns, addresses. */
import { fail } from './errors.ts';
import { LIST_BOUNDS } from './limits.ts';

/**
 * Returns the items of a list without blanks around them. Throws LIMIT_EXCEEDED for a list that is too long, before it
 * is split: a list of half a million items, which a request can have, would hold up other requests.
 */
export function splitList(name: string, text: string): string[] {
  const { items: mostItems, characters } = LIST_BOUNDS;
  if (text.length > characters) throw fail('LIMIT_EXCEEDED', `${name} characters`, characters, text.length);
  const items = text.split(',', mostItems + 1);
  if (items.length > mostItems) throw fail('LIMIT_EXCEEDED', `${name} items`, mostItems, 'more');
  return items.map((item) => item.trim());
}
