/** Where the program is installed, and in which form. */
import path from 'node:path';

/** Whether this is the single-file executable. */
export const IS_COMPILED: boolean = import.meta.path.startsWith('/$bunfs/') || /^[A-Z]:\/~BUN/i.test(import.meta.path);

/** Folder of package.json, or of the executable. */
export const INSTALLATION_FOLDER: string = IS_COMPILED
  ? path.dirname(process.execPath)
  : path.resolve(import.meta.dirname, '..', '..');
