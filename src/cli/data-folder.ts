/** Finds the data folder that a directory's configuration names. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { localPath } from './local-path.ts';
import type { Terminal } from './program.ts';

/** Options that name a data folder, directly or through its service's configuration. */
export interface DataFolderOptions {
  readonly dataDir?: string;
  readonly config?: string;
}

const DEFAULT_FILE = 'svc.config.ts';
const DEFAULT_FOLDER = 'data';

/**
 * Returns the absolute path of the data folder. A configuration file is code: it is run only if an option or the
 * environment names it, not because it is in the current folder. Throws ConfigurationError.
 */
export async function dataFolderOf(options: DataFolderOptions, terminal: Terminal): Promise<string> {
  const { environment, cwd, installationFolder } = terminal;
  const { dataDir, config } = options;
  const given = dataDir ?? (config === undefined ? environment.SVC_DATA_DIR : undefined);
  if (given !== undefined && given !== '') return localPath(cwd, given);
  const file = config ?? environment.SVC_CONFIG;
  if (file === undefined || file === '') return resolve(cwd, DEFAULT_FOLDER);
  // Loading the configuration takes longer than most subcommands.
  const { loadConfiguration } = await import('../configuration/load.ts');
  const argv = config === undefined ? [] : ['--config', config];
  const loaded = await loadConfiguration({ argv, environment, cwd, installationFolder });
  return loaded.kind === 'run' ? loaded.configuration.dataDir : resolve(cwd, DEFAULT_FOLDER);
}

/** Reports whether an option or the environment names the data folder, directly or by a configuration file. */
export function namesFolder({ dataDir, config }: DataFolderOptions, { environment }: Terminal): boolean {
  return [dataDir, config, environment.SVC_DATA_DIR, environment.SVC_CONFIG].some(Boolean);
}

/**
 * Returns the remedy for a configuration file in the current folder, which may name another data folder but is not run.
 * Returns undefined if there is no such file, or if something else names the folder.
 */
export function unreadConfiguration(options: DataFolderOptions, terminal: Terminal): string | undefined {
  if (namesFolder(options, terminal) || !existsSync(resolve(terminal.cwd, DEFAULT_FILE))) return undefined;
  return `${DEFAULT_FILE} is not run unless it is named: if it names the data folder, add --config ${DEFAULT_FILE}`;
}
