/** Sorts many texts in steps, between which a thread can serve others. */

/** Texts that one step sorts or merges. */
const STEP_TEXTS = 512;

/** Returns the texts in the order of their UTF-16 code units, like `Array.sort`, in short steps. */
export function* sortInSteps(texts: readonly string[]): Generator<undefined, readonly string[]> {
  let runs: Array<readonly string[]> = [];
  for (let at = 0; at < texts.length; at += STEP_TEXTS) {
    runs.push(texts.slice(at, at + STEP_TEXTS).sort());
    yield;
  }
  while (runs.length > 1) {
    const merged: Array<readonly string[]> = [];
    for (let at = 0; at < runs.length; at += 2) {
      const [left = [], right = []] = runs.slice(at, at + 2);
      merged.push(yield* merge(left, right));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

/** Merges two sorted lists in steps. */
function* merge(left: readonly string[], right: readonly string[]): Generator<undefined, readonly string[]> {
  const merged: string[] = [];
  let [atLeft, atRight] = [0, 0];
  while (merged.length < left.length + right.length) {
    const [first, second] = [left[atLeft], right[atRight]];
    if (first !== undefined && (second === undefined || first <= second)) {
      merged.push(first);
      atLeft++;
    } else if (second !== undefined) {
      merged.push(second);
      atRight++;
    }
    if (merged.length % STEP_TEXTS === 0) yield;
  }
  return merged;
}
