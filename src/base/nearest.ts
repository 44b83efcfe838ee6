/** Suggests what somebody may have meant. */

const SHOWN = 3;

/**
 * Up to three of `names` with the fewest changes of letters, whatever the case; none that differs from `name` in more
 * than a third of its letters (two are always allowed), but those that begin with it.
 */
export function nearestNames(name: string, names: Iterable<string>): string[] {
  const wanted = name.trim().toLowerCase();
  if (wanted === '') return [];
  const most = Math.max(2, Math.floor(wanted.length / 3));
  const near: Array<{ readonly name: string; readonly changes: number }> = [];
  for (const candidate of names) {
    const lower = candidate.toLowerCase();
    const isFar = Math.abs(lower.length - wanted.length) > most;
    const changes = isFar ? Number.POSITIVE_INFINITY : editDistance(wanted, lower);
    if (changes <= most) near.push({ name: candidate, changes });
    else if (lower.startsWith(wanted)) near.push({ name: candidate, changes: most });
  }
  return near
    .sort((left, right) => left.changes - right.changes || (left.name < right.name ? -1 : 1))
    .slice(0, SHOWN)
    .map((each) => each.name);
}

/** Insertions, removals, replacements and swaps of neighbours that turn one text into the other. */
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
