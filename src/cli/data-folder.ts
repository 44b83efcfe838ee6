/** Finds the data folder that the configuration of a directory names. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { localPath } from './local-path.ts';
import type { Terminal } from './program.ts';

/** Options that name a data folder, directly or by the configuration of its service. */
export interface DataFolderOptions {
  readonly dataDir?: string;
  readonly config?: string;
}

const DEFAULT_FILE = 'svc.config.ts';
const DEFAULT_FOLDER = 'data';

/** Returns the absolute path of the data folder. Throws ConfigurationError. */
export async function dataFolderOf({ dataDir, config }: DataFolderOptions, terminal: Terminal): Promise<string> {
  const { environment, cwd, installationFolder } = terminal;
  const given = dataDir ?? (config === undefined ? environment.SVC_DATA_DIR : undefined);
  if (given !== undefined && given !== '') return localPath(cwd, given);
  const file = config ?? environment.SVC_CONFIG;
  // Loading the configuration takes longer than most subcommands.
  if ((file === undefined || file === '') && !existsSync(resolve(cwd, DEFAULT_FILE)))
    return resolve(cwd, DEFAULT_FOLDER);
  const { loadConfiguration } = await import('../configuration/load.ts');
  const loaded = await loadConfiguration({
    argv: config === undefined ? [] : ['--config', config],
    environment,
    cwd,
    installationFolder,
  });
  return loaded.kind === 'run' ? loaded.configuration.dataDir : resolve(cwd, DEFAULT_FOLDER);
}
