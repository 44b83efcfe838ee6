/**
 * Returns the URL of a thread's entry point; `path` is relative to `src`. In the single-file executable all modules of
 * an entry point share its URL, so a path relative to the calling module would be wrong. The file must be among the
 * entry points of scripts/build.ts.
 */
export function threadUrl(path: string): string {
  const root = /^.*\/(?:\$bunfs|~BUN|%7EBUN)\/root\//.exec(import.meta.url)?.[0];
  return new URL(path, root ?? new URL('../', import.meta.url)).href;
}
