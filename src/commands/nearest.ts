/** Suggestions for unknown command names. */
import { nearestNames } from '../base/nearest.ts';
import { COMMANDS } from './registry.ts';

/** Longer names are cut before the comparison. */
const MAX_CHARACTERS = 40;

/** Returns up to three command names that are similar to `name` or begin with it. */
export function nearestCommands(name: string): string[] {
  return nearestNames(
    name.slice(0, MAX_CHARACTERS),
    COMMANDS.map((command) => command.name),
  );
}
