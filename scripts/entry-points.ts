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

/** Names stay, so that stack traces and errors can be read. */
export const MINIFY = { whitespace: true, syntax: true, identifiers: false };

/**
 * Development dependencies that are part of what is built, although whoever installs the npm package does not install
 * them: it contains what it needs of them. swagger-ui-dist comes with a program that reports installations, and the SDK
 * of the Model Context Protocol with web servers that are not used.
 */
export const EMBEDDED_PACKAGES: readonly string[] = [
  'swagger-ui-dist',
  '@modelcontextprotocol/sdk',
  'ajv',
  'ajv-formats',
  'fast-deep-equal',
  'fast-uri',
  'json-schema-traverse',
  'zod',
  'zod-to-json-schema',
];
