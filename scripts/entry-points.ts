/** What the executable and the bundle of the npm package have in common. */

/**
 * Files in `src` at which a process or a thread begins: only these can be named by src/base/thread-url.ts. Task and
 * backup processes run the program itself.
 */
export const ENTRY_POINTS = [
  'main.ts',
  'http-thread.ts',
  'query-thread.ts',
  'watchdog-thread.ts',
  'parent-watch-thread.ts',
];

/** Files in `src` that bundles keep apart from main.ts, which loads one of them: a start reads only what it needs. */
export const PARTS_OF_MAIN = ['serve.ts', 'subcommand.ts'];

/** Names stay, so that stack traces and errors can be read. */
export const MINIFY = { whitespace: true, syntax: true, identifiers: false };
