/** Commands that somebody may have meant. */
import { nearestNames } from '../base/nearest.ts';
import { COMMANDS } from './registry.ts';

/** Longer texts are no command. */
const MOST_CHARACTERS = 40;

/** Up to three command names that are near to `name`, or that it begins. */
export function nearestCommands(name: string): string[] {
  return nearestNames(
    name.slice(0, MOST_CHARACTERS),
    COMMANDS.map((command) => command.name),
  );
}
