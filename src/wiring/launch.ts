/** Starts threads and processes of the program the way the program itself was started. */
import path from 'node:path';
import { threadUrl } from '../base/thread-url.ts';
import { type Loaded, loadConfiguration } from '../configuration/load.ts';

/** True in the single-file executable. */
export const IS_COMPILED: boolean = import.meta.path.startsWith('/$bunfs/') || /^[A-Z]:\/~BUN/i.test(import.meta.path);

/** Folder of package.json, or of the executable. */
export const INSTALLATION_FOLDER: string = IS_COMPILED
  ? path.dirname(process.execPath)
  : path.resolve(import.meta.dirname, '..', '..');

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

/** Returns the command line that starts this program again with a hidden argument. */
export function ownCommand(argument: string): readonly string[] {
  // Not the file that was started: the service may run inside another program.
  return IS_COMPILED
    ? [process.execPath, argument]
    : [process.execPath, Bun.fileURLToPath(threadUrl('main.ts')), argument];
}
