/** Files that may not exist. */
import { readFileSync } from 'node:fs';

/** Reports whether an error means that a file, or an object in a store, does not exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** Returns the contents of a text file, or undefined if it does not exist. */
export function textIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
