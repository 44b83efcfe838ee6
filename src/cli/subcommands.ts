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
    name: 'status',
    summary: 'Shows whether a service runs on the data folder, and where it listens.',
    group: 'service',
    load: async () => (await import('./status.ts')).declareStatus,
  },
  {
    name: 'stop',
    summary: 'Stops the service of the data folder and waits until it has ended.',
    group: 'service',
    load: async () => (await import('./status.ts')).declareStop,
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
    name: 'sql',
    summary: 'Executes SQL statements, at a prompt or from a script.',
    group: 'client',
    load: async () => (await import('./sql/sql.ts')).declareSql,
  },
  {
    name: 'tables',
    summary: 'Lists tables and views.',
    group: 'client',
    load: async () => (await import('./sql/tables.ts')).declareTables,
  },
  {
    name: 'describe',
    summary: 'Shows the columns and indexes of a table or view.',
    group: 'client',
    load: async () => (await import('./sql/tables.ts')).declareDescribe,
  },
  {
    name: 'login',
    summary: 'Verifies credentials of a service and stores them.',
    group: 'client',
    load: async () => (await import('./login.ts')).declareLogin,
  },
  {
    name: 'logout',
    summary: 'Removes stored credentials.',
    group: 'client',
    load: async () => (await import('./login.ts')).declareLogout,
  },
  {
    name: 'mcp',
    summary: 'Offers the commands of a service to language models: a server of the Model Context Protocol.',
    group: 'client',
    load: async () => (await import('./mcp/mcp.ts')).declareMcp,
  },
  {
    name: 'import',
    summary: 'Imports a file of rows or entries, and continues one that was interrupted.',
    group: 'data',
    load: async () => (await import('./transfer/import.ts')).declareImport,
  },
  {
    name: 'export',
    summary: 'Exports the rows of a table or the entries of a cache to a file.',
    group: 'data',
    load: async () => (await import('./transfer/export.ts')).declareExport,
  },
  {
    name: 'watch',
    summary: 'Writes the changes of caches as they happen, from now on or from a position.',
    group: 'data',
    load: async () => (await import('./transfer/watch.ts')).declareWatch,
  },
  {
    name: 'load-sql',
    summary: 'Executes a file of SQL statements.',
    group: 'data',
    load: async () => (await import('./sql/load-sql.ts')).declareLoadSql,
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
