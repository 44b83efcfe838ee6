/**
 * The table of subcommands, from which help and completion follow. Each row loads its code when it is used, so that no
 * subcommand pays for another.
 */
import type { Subcommand } from './subcommand.ts';

export const SUBCOMMANDS: readonly Subcommand[] = [
  {
    name: 'serve',
    summary: 'Starts the service; the default.',
    group: 'service',
  },
  {
    name: 'migrate',
    summary: 'Copies all caches and counters between a data folder and a cluster.',
    group: 'data',
    forward: (argv, { service, terminal }) => service.migrate(argv, terminal.interrupted),
  },
  {
    name: 'version',
    summary: 'Prints the version.',
    group: 'other',
    load: async () => (await import('./version.ts')).declareVersion,
  },
  {
    name: 'help',
    summary: 'Describes a subcommand or a command of the interface.',
    group: 'other',
    load: async () => (await import('./help.ts')).declareHelp,
  },
];

/** Returns the subcommand of that name. */
export function findSubcommand(name: string): Subcommand | undefined {
  return SUBCOMMANDS.find((each) => each.name === name);
}
