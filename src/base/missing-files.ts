/** Files that may be absent. */
import { readFileSync } from 'node:fs';

/** Reports whether an error says that there is no such file, or no such object in a store. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** Returns the text of a file; undefined: there is none. */
export function textIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
