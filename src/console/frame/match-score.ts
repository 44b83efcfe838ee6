/** How well a name matches a few letters. */

const EXACT = 1_000;
const PREFIX = 500;
const WORD = 300;
const INSIDE = 200;

/**
 * Returns 0 if a name does not contain the letters of a text in their order; more the better it matches: equal, at its
 * beginning, at the beginning of a word, inside, scattered. Shorter names come first among equals. Ignores case.
 */
export function matchScore(name: string, text: string): number {
  const [lower, wanted] = [name.toLowerCase(), text.toLowerCase()];
  const shorter = 100 / (1 + lower.length);
  if (lower === wanted) return EXACT;
  const at = lower.indexOf(wanted);
  if (at === 0) return PREFIX + shorter;
  if (at > 0) return (/[^a-z0-9]/.test(lower.charAt(at - 1)) ? WORD : INSIDE) + shorter;
  let from = 0;
  for (const letter of wanted) {
    const next = lower.indexOf(letter, from);
    if (next < 0) return 0;
    from = next + 1;
  }
  return shorter;
}
