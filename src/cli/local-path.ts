/** Paths in arguments. */
import { type Stats, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { isAddress, NOT_A_PATH } from '../base/local-path.ts';
import { usageError } from './failures.ts';

/** Returns the absolute path. Throws CommandLineError for an address, which would become a folder with that name. */
export function localPath(cwd: string, path: string): string {
  if (isAddress(path)) throw usageError(`${path}: must be ${NOT_A_PATH}`);
  return resolve(cwd, path);
}

/** Returns the absolute path and the status of a file to read. Throws CommandLineError. */
export function existingFile(cwd: string, file: string): { readonly path: string; readonly stats: Stats } {
  const path = localPath(cwd, file);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw usageError(`there is no file ${path}`);
  if (stats.isDirectory()) throw usageError(`${path} is a folder: name a file`);
  if (!stats.isFile()) throw usageError(`${path} is no regular file: send its contents to standard input, and write -`);
  return { path, stats };
}
