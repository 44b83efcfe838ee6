import { resolve } from 'node:path';

/**
 * Returns the path of a file that was imported with `type: 'file'`. In the bundle of the npm package and of `npm start`
 * such an import is a path relative to the bundle; scripts/build-service.ts replaces `import.meta.dirname` there.
 */
export function importedFile(file: string): string {
  return resolve(import.meta.dirname, file);
}
