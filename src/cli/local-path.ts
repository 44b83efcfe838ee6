/** Paths in arguments. */
import { resolve } from 'node:path';
import { isAddress, NOT_A_PATH } from '../base/local-path.ts';
import { usageError } from './exit-codes.ts';

/** Returns the absolute path. Throws CommandLineError for an address, which would become a folder of that name. */
export function localPath(cwd: string, path: string): string {
  if (isAddress(path)) throw usageError(`${path}: must be ${NOT_A_PATH}`);
  return resolve(cwd, path);
}
