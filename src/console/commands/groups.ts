/** The list of commands: the matches of a search, in groups, favourites first. */
import { hasWords } from '../elements/words.ts';

/** The parts of a command that the list shows and searches. */
export interface Listed {
  readonly name: string;
  readonly summary: string;
  readonly group: string;
  readonly groupTitle: string;
  readonly parameters: ReadonlyArray<{ readonly name: string; readonly description: string }>;
}

export interface CommandGroup {
  readonly title: string;
  readonly commands: readonly Listed[];
}

/** Returns the searched text. */
function textOf({ name, summary, group, groupTitle, parameters }: Listed): string {
  return [name, summary, group, groupTitle, ...parameters.map((each) => each.name)].join(' ');
}

/** Returns whether each word is in the description of the same parameter. */
function describes({ parameters }: Listed, search: string): boolean {
  return parameters.some(({ description }) => hasWords(description, search));
}

/**
 * Returns the matching commands, by group in the order of the commands. Favourites are listed only as favourites.
 * Commands where only a parameter's description matches come last: all commands share some parameters.
 */
export function groupsOf(
  commands: readonly Listed[],
  search: string,
  favourites: readonly string[],
): readonly CommandGroup[] {
  const matching = commands.filter((command) => hasWords(textOf(command), search));
  const described = commands.filter((command) => !matching.includes(command) && describes(command, search));
  const groups = new Map<string, Listed[]>([['Favourites', []]]);
  for (const command of matching) {
    const title = favourites.includes(command.name) ? 'Favourites' : command.groupTitle;
    groups.set(title, [...(groups.get(title) ?? []), command]);
  }
  groups.set('By the description of a parameter', described);
  return [...groups].filter(([, listed]) => listed.length > 0).map(([title, listed]) => ({ title, commands: listed }));
}
