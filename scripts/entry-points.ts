/** The common part of the executable and the bundle of the npm package. */

/**
 * Files in `src` at which a process or a thread begins: only these can be named by src/base/thread-url.ts. Processes
 * run the program itself.
 */
export const ENTRY_POINTS = [
  'main.ts',
  'processes/http/http-thread.ts',
  'processes/checkpoint/checkpoint-thread.ts',
  'processes/start/start-thread.ts',
  'processes/watchdog/watchdog-thread.ts',
  'processes/parent-watch/parent-watch-thread.ts',
];

/**
 * Files in `src` that bundles keep separate from the entry points that load them, so startup reads only what it needs.
 */
export const PARTS: Readonly<Record<string, readonly string[]>> = {
  'main.ts': [
    'processes/main/serve.ts',
    'processes/command-line/client-subcommand.ts',
    'processes/command-line/subcommand.ts',
    'processes/statement/statement-process.ts',
    'processes/task/task-process.ts',
    'processes/backup/backup-process.ts',
    'processes/shipping/shipping-process.ts',
  ],
  'processes/statement/statement-process.ts': ['processes/statement/open-statement-server.ts'],
};

/**
 * Files in `src` that bundles keep separate wherever they are imported: large, loaded by few services, and sharing no
 * class with others.
 */
export const APART: readonly string[] = ['service/telemetry/telemetry.ts', 'wiring/console/embedded-files.ts'];

/** Packages that bundles keep separate for the same reasons: encrypted backups and JSON Web Tokens load them. */
export const APART_PACKAGES: readonly string[] = ['age-encryption', 'jose'];

/** Names are kept, so stack traces and errors can be read. */
export const MINIFY = { whitespace: true, syntax: true, identifiers: false };
