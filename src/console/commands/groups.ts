/** The list of the commands: what matches a search, in groups, the favourites first. */
import { hasWords } from '../elements/words.ts';

/** What the list shows of a command, and what the search looks at. */
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

/** Returns what the search looks at. */
function textOf({ name, summary, group, groupTitle, parameters }: Listed): string {
  return [name, summary, group, groupTitle, ...parameters.map((each) => each.name)].join(' ');
}

/** Returns whether each word is in the description of the same parameter. */
function describes({ parameters }: Listed, search: string): boolean {
  return parameters.some(({ description }) => hasWords(description, search));
}

/**
 * Returns the commands that match, by group in the order of the commands. A favourite is only among the favourites.
 * Those of which only the description of a parameter matches come last: all commands share some parameters.
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
