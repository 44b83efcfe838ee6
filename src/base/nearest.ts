/** Suggestions for misspelt names. */

const SHOWN = 3;
/** Edit distances computed in one search: thousands of similar names would hold up a thread that answers requests. */
const MAX_COMPARED = 1_000;

/**
 * Returns up to three of `names` with the smallest edit distance to `name`, ignoring case. Names that differ in more
 * than a third of the letters (at least one), or in all, are left out unless they begin with `name` and that has more
 * than one letter, or `name` has at most {@link MISSPELT_EDITS} letters after one of them that has at least three, as
 * `value` after `val`. Of many similar names, only the first {@link MAX_COMPARED} are compared.
 */
export function nearestNames(name: string, names: Iterable<string>): string[] {
  const target = prepareName(name.trim());
  if (target.lower === '') return [];
  const maxEdits = Math.max(1, Math.floor(target.lower.length / 3));
  const near: Array<{ readonly name: string; readonly edits: number }> = [];
  let compared = 0;
  for (const candidate of names) {
    const other = prepareName(candidate);
    let edits = Number.POSITIVE_INFINITY;
    if (mayBeWithin(maxEdits, target, other) && ++compared <= MAX_COMPARED) {
      edits = editDistance(target.lower, other.lower);
    }
    if (edits <= maxEdits && edits < Math.max(target.lower.length, other.lower.length)) {
      near.push({ name: candidate, edits });
    } else if (isBeginning(target.lower, other.lower)) near.push({ name: candidate, edits: maxEdits });
  }
  return near
    .sort((left, right) => left.edits - right.edits || (left.name < right.name ? -1 : 1))
    .slice(0, SHOWN)
    .map((each) => each.name);
}

/** Reports whether one of a written and a known name begins with the other. */
function isBeginning(written: string, known: string): boolean {
  if (written.length > 1 && known.startsWith(written)) return true;
  return known.length > 2 && written.length - known.length <= MISSPELT_EDITS && written.startsWith(known);
}

/** Returns whether the lengths and characters allow an edit distance, which is far cheaper than computing it. */
function mayBeWithin(edits: number, one: PreparedName, other: PreparedName): boolean {
  if (Math.abs(one.lower.length - other.lower.length) > edits) return false;
  // Each edit changes at most two of the characters that occur.
  return countBits(one.characters ^ other.characters) <= 2 * edits;
}

/** Counts the insertions, deletions, substitutions and transpositions that turn one string into the other. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      let cost = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      if (row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]) {
        cost = Math.min(cost, (beforeLast[column - 2] ?? 0) + 1);
      }
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return last.at(-1) ?? 0;
}

/** The largest edit distance between a misspelt name and the intended one. */
const MISSPELT_EDITS = 2;

/** A name, prepared for comparisons. */
interface PreparedName {
  readonly name: string;
  readonly lower: string;
  /** The characters that occur, as a bit set with collisions. */
  readonly characters: number;
}

/** The number of edit distances that a search may still compute. */
export interface ComparisonBudget {
  left: number;
}

/** Prepares a name for {@link misspeltName}. */
export function prepareName(name: string): PreparedName {
  const lower = name.toLowerCase();
  let characters = 0;
  for (let at = 0; at < lower.length; at++) characters |= 1 << (lower.charCodeAt(at) & 31);
  return { name, lower, characters };
}

/**
 * Returns the name that `misspelt` probably means: the nearest one within an edit distance of two and of half its
 * length, ignoring case. Returns undefined if there is none or if the budget is used up; `left` is then negative.
 */
export function misspeltName(
  misspelt: PreparedName,
  names: Iterable<PreparedName>,
  budget: ComparisonBudget,
): string | undefined {
  let best: string | undefined;
  let fewest = MISSPELT_EDITS + 1;
  for (const prepared of names) {
    const { name, lower } = prepared;
    const length = Math.max(lower.length, misspelt.lower.length);
    const maxEdits = Math.min(MISSPELT_EDITS, Math.floor(length / 2), fewest - 1);
    if (!mayBeWithin(maxEdits, misspelt, prepared)) continue;
    if (--budget.left < 0) return undefined;
    const edits = editDistance(misspelt.lower, lower);
    if (edits > maxEdits) continue;
    best = name;
    fewest = edits;
  }
  return best;
}

function countBits(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
  return count;
}
