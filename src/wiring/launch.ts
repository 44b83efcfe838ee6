/** Starts the program's threads and processes in the way in which the program itself was started. */
import { threadUrl } from '../base/thread-url.ts';
import { type Loaded, loadConfiguration } from '../configuration/load.ts';
import { INSTALLATION_FOLDER, IS_COMPILED } from './installation.ts';

/** Loads the configuration. Every thread calls it, because functions cannot be sent to a thread. */
export function loadOwnConfiguration(argv: readonly string[], checksCertificates = false): Promise<Loaded> {
  return loadConfiguration({
    argv,
    environment: process.env,
    cwd: process.cwd(),
    installationFolder: INSTALLATION_FOLDER,
    checksCertificates,
  });
}

/**
 * Returns the command line that starts this program again with a hidden argument, followed by this process's id: a
 * child that starts while its parent ends could not determine its parent.
 */
export function ownCommand(argument: string): readonly string[] {
  // Not the file that was started: the service may run inside another program.
  const program = IS_COMPILED ? [] : ['--no-install', Bun.fileURLToPath(threadUrl('main.ts'))];
  return [process.execPath, ...program, argument, String(process.pid)];
}
