/** Files of type declarations. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Returns a file of declarations and all that it imports. */
export function reachableFrom(path: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(path) || !existsSync(path)) return found;
  found.add(path);
  for (const [, imported = ''] of readFileSync(path, 'utf8').matchAll(/(?:from |import\()["'](\.[^"']+)\.ts["']/g)) {
    reachableFrom(`${resolve(dirname(path), imported)}.d.ts`, found);
  }
  return found;
}
