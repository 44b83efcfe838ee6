/** String search in linear time. */

/** Maximum number of comparisons by the runtime's own search in the worst case; beyond that, it would be slow. */
const NATIVE_COMPARISONS = 4_000_000;

/** Like `text.indexOf(search, from)`, but always in time linear in both lengths. */
export function indexOfText(text: string, search: string, from: number): number {
  const start = Math.max(from, 0);
  const rest = text.length - start;
  // A short search string cannot make the runtime's search slow.
  if (search.length <= 32 || rest * search.length <= NATIVE_COMPARISONS) return text.indexOf(search, start);
  return search.length > rest ? -1 : searchWithBorders(text, search, start);
}

/** Like `text.lastIndexOf(search, from)`, but always in time linear in both lengths. */
export function lastIndexOfText(text: string, search: string, from: number): number {
  const end = Math.min(from + search.length, text.length);
  if (search.length <= 32 || end * search.length <= NATIVE_COMPARISONS) return text.lastIndexOf(search, from);
  const reversed = searchWithBorders(reverse(text.slice(0, end)), reverse(search), 0);
  return reversed < 0 ? -1 : end - reversed - search.length;
}

/** Reverses the order of the UTF-16 code units. */
function reverse(text: string): string {
  const parts = new Array<string>(text.length);
  for (let at = 0; at < text.length; at++) parts[at] = text.charAt(text.length - 1 - at);
  return parts.join('');
}

/** Knuth-Morris-Pratt: `borders[n]` is the longest proper prefix of the first n + 1 code units that ends there. */
function searchWithBorders(text: string, search: string, from: number): number {
  const borders = new Int32Array(search.length);
  for (let at = 1, matched = 0; at < search.length; at++) {
    while (matched > 0 && search.charCodeAt(at) !== search.charCodeAt(matched)) matched = borders[matched - 1] ?? 0;
    if (search.charCodeAt(at) === search.charCodeAt(matched)) matched++;
    borders[at] = matched;
  }
  for (let at = from, matched = 0; at < text.length; at++) {
    while (matched > 0 && text.charCodeAt(at) !== search.charCodeAt(matched)) matched = borders[matched - 1] ?? 0;
    if (text.charCodeAt(at) === search.charCodeAt(matched)) matched++;
    if (matched === search.length) return at - search.length + 1;
  }
  return -1;
}
