/** The list of the commands: what matches a search, in groups, the favourites first. */

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

/** Returns whether each word is in the name, the summary, the group or the name of a parameter. */
function matches({ name, summary, group, groupTitle, parameters }: Listed, words: readonly string[]): boolean {
  const text = [name, summary, group, groupTitle, ...parameters.map((each) => each.name)].join(' ').toLowerCase();
  return words.every((word) => text.includes(word));
}

/** Returns whether each word is in the description of the same parameter. */
function describes({ parameters }: Listed, words: readonly string[]): boolean {
  return parameters.some(({ description }) => {
    const text = description.toLowerCase();
    return words.every((word) => text.includes(word));
  });
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
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = commands.filter((command) => matches(command, words));
  const described = commands.filter((command) => !matching.includes(command) && describes(command, words));
  const groups = new Map<string, Listed[]>([['Favourites', []]]);
  for (const command of matching) {
    const title = favourites.includes(command.name) ? 'Favourites' : command.groupTitle;
    groups.set(title, [...(groups.get(title) ?? []), command]);
  }
  groups.set('By the description of a parameter', described);
  return [...groups].filter(([, listed]) => listed.length > 0).map(([title, listed]) => ({ title, commands: listed }));
}
