/** Suggests what somebody may have meant. */
import { COMMANDS } from './registry.ts';

/** Up to three command names that differ from `name` in few letters, or that it begins. */
export function nearestCommands(name: string): string[] {
  const wanted = name.trim().toLowerCase().slice(0, 40);
  if (wanted === '') return [];
  return COMMANDS.map((command) => ({ name: command.name, distance: distance(wanted, command.name) }))
    .filter((each) => each.distance <= Math.max(2, Math.floor(wanted.length / 3)) || each.name.startsWith(wanted))
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, 3)
    .map((each) => each.name);
}

/** Number of letters to insert, delete or exchange to get from one text to the other. */
export function distance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const current = [i];
    for (let j = 1; j <= to.length; j++) {
      const exchanged = (previous[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      current.push(Math.min((previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1, exchanged));
    }
    previous = current;
  }
  return previous[to.length] ?? 0;
}
