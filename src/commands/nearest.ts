/** Suggestions for unknown command names. */
import { nearestNames } from '../base/nearest.ts';
import { COMMANDS } from './registry.ts';
import { SYNONYMS } from './synonyms.ts';

/** Longer names are cut before the comparison. */
const MAX_CHARACTERS = 40;

/** Returns the command that other products call `name`, or up to three that are similar to it or begin with it. */
export function nearestCommands(name: string): string[] {
  const synonym = SYNONYMS.get(name.slice(0, MAX_CHARACTERS).trim().toLowerCase());
  if (synonym !== undefined) return [synonym];
  return nearestNames(
    name.slice(0, MAX_CHARACTERS),
    COMMANDS.map((command) => command.name),
  );
}
