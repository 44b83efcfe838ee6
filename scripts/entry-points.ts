/** What the executable and the bundle of the npm package have in common. */

/**
 * Files in `src` at which a process or a thread begins: only these can be named by src/base/thread-url.ts. Task and
 * backup processes run the program itself.
 */
export const ENTRY_POINTS = [
  'main.ts',
  'http-thread.ts',
  'checkpoint-thread.ts',
  'watchdog-thread.ts',
  'parent-watch-thread.ts',
];

/**
 * Files in `src` that bundles keep apart from the entry points that load them: a start of the program reads only what
 * it needs.
 */
export const PARTS: Readonly<Record<string, readonly string[]>> = {
  'main.ts': ['serve.ts', 'client-subcommand.ts', 'subcommand.ts', 'query-process.ts'],
  'query-process.ts': ['query-thread-start.ts'],
};

/**
 * Files in `src` that bundles keep apart wherever they are imported: large, loaded by few services, and sharing no
 * class with others.
 */
export const APART: readonly string[] = ['service/telemetry/telemetry.ts', 'wiring/console/embedded-files.ts'];

/** Packages that bundles keep apart for the same reasons: encrypted backups and JSON Web Tokens load them. */
export const APART_PACKAGES: readonly string[] = ['age-encryption', 'jose'];

/** Names stay, so that stack traces and errors can be read. */
export const MINIFY = { whitespace: true, syntax: true, identifiers: false };
