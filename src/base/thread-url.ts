/**
 * Returns the URL of an entry point of a thread or the program. `path` is relative to `src`, and must be among the
 * entry points of scripts/entry-points.ts. In the single-file executable all modules of an entry point share its URL;
 * in the npm package all entry points are in one folder, as JavaScript.
 */
export function threadUrl(path: string): string {
  // scripts/build-service.ts replaces `import.meta.path` in bundles.
  const own = Bun.pathToFileURL(import.meta.path).href;
  const root = /^.*\/(?:\$bunfs|~BUN|%7EBUN)\/root\//.exec(own)?.[0];
  if (root !== undefined) return new URL(path, root).href;
  if (own.endsWith('/base/thread-url.ts')) return new URL(`../${path}`, own).href;
  return new URL(path.replace(/^.*\//, '').replace(/\.ts$/, '.js'), own).href;
}
