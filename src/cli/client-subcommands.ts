/**
 * The table of subcommands that do not run the service, but at most send requests to one. The bundle keeps them and
 * the commands separate from all others, so little is loaded for them.
 */
import type { ClientSubcommand } from './subcommand.ts';

export const CLIENT_SUBCOMMANDS: readonly ClientSubcommand[] = [
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
    name: 'version',
    summary: 'Prints the version.',
    group: 'other',
    load: async () => (await import('./version.ts')).declareVersion,
  },
];

/** Returns the subcommand with that name, or the command. */
export async function findClientSubcommand(name: string): Promise<ClientSubcommand | undefined> {
  const own = CLIENT_SUBCOMMANDS.find((each) => each.name === name);
  if (own !== undefined) return own;
  const { COMMAND_LOADERS } = await import('./command-loaders.ts');
  const loader = Object.hasOwn(COMMAND_LOADERS, name) ? COMMAND_LOADERS[name] : undefined;
  if (loader === undefined) return undefined;
  const declared = await loader();
  return {
    name: declared.name,
    summary: declared.summary,
    group: 'client',
    load: async () => (await import('./interface-command.ts')).declareInterfaceCommand(declared),
  };
}
