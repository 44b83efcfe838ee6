/**
 * The table of subcommands, from which help and completion are derived. Each row loads its code when used, so no
 * subcommand pays for another.
 */
import { CLIENT_SUBCOMMANDS } from './client-subcommands.ts';
import type { Subcommand } from './subcommand.ts';

export const SUBCOMMANDS: readonly Subcommand[] = [
  {
    name: 'serve',
    summary: 'Starts the service; the default.',
    group: 'service',
  },
  {
    name: 'status',
    summary: 'Shows whether a service runs on the data folder, where it listens, and whether it is a standby.',
    group: 'service',
    load: async () => (await import('./status.ts')).declareStatus,
  },
  {
    name: 'stop',
    summary: 'Stops the service of the data folder and waits until it has ended; a primary hands over.',
    group: 'service',
    load: async () => (await import('./status.ts')).declareStop,
  },
  {
    name: 'promote',
    summary: 'Makes the standby of the data folder the primary: the present one hands over.',
    group: 'service',
    load: async () => (await import('./promote.ts')).declarePromote,
  },
  {
    name: 'doctor',
    summary: 'Checks installation, configuration, data folder, port and cluster, and says what to do.',
    group: 'service',
    load: async () => (await import('./doctor.ts')).declareDoctor,
  },
  {
    name: 'config',
    summary: 'Writes, checks and shows the configuration: config init, check, show.',
    group: 'service',
    load: async () => (await import('./config.ts')).declareConfig,
  },
  {
    name: 'test-service',
    summary: 'Starts a service in memory for tests, which control it over standard input and output.',
    group: 'service',
    forward: (argv, { service, terminal }) => service.serveTests(argv, terminal),
  },
  ...CLIENT_SUBCOMMANDS,
  {
    name: 'mcp',
    summary: 'Offers the commands of a service to language models: a server of the Model Context Protocol.',
    group: 'client',
    load: async () => (await import('./mcp.ts')).declareMcp,
  },
  {
    name: 'backup',
    summary: 'Makes a backup of a running service, or of a data folder that no service uses.',
    group: 'data',
    load: async () => (await import('./backup.ts')).declareBackup,
  },
  {
    name: 'restore',
    summary: 'Restores a backup to a data folder.',
    group: 'data',
    load: async () => (await import('./backup.ts')).declareRestore,
  },
  {
    name: 'verify',
    summary: 'Verifies a backup by its checksums and contents, or the contents of a data folder that no service uses.',
    group: 'data',
    load: async () => (await import('./backup.ts')).declareVerify,
  },
  {
    name: 'tail',
    summary: 'Prints what a deposed primary had not shipped, as commands.',
    group: 'data',
    load: async () => (await import('./tail.ts')).declareTail,
  },
  {
    name: 'migrate',
    summary: 'Copies all caches and counters between a data folder and a cluster.',
    group: 'data',
    forward: (argv, { service, terminal }) => service.migrate(argv, terminal.interrupted),
  },
  {
    name: 'record',
    summary: 'Forwards requests to a service and records them, without secrets.',
    group: 'traffic',
    load: async () => (await import('./traffic/record.ts')).declareRecord,
  },
  {
    name: 'replay',
    summary: 'Sends recorded requests to one or two services and compares the answers.',
    group: 'traffic',
    load: async () => (await import('./traffic/replay.ts')).declareReplay,
  },
  {
    name: 'report',
    summary: 'Shows which commands, types and clients a recording contains, and what svc would reject.',
    group: 'traffic',
    load: async () => (await import('./traffic/report.ts')).declareReport,
  },
  {
    name: 'completion',
    summary: 'Prints the completion script of a shell.',
    group: 'other',
    load: async () => (await import('./completion.ts')).declareCompletion,
  },
  {
    name: 'help',
    summary: 'Describes a subcommand or a command of the interface.',
    group: 'other',
    load: async () => (await import('./help.ts')).declareHelp,
  },
];

/** Returns the subcommand with that name. */
export function findSubcommand(name: string): Subcommand | undefined {
  return SUBCOMMANDS.find((each) => each.name === name);
}
