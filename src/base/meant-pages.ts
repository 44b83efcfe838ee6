/**
 * Says where a page is to requests that miss it: with a path that other services have for it (`/healthz`), or with its
 * name in place of a command (`/svc/metrics`).
 */

/** Whether a port serves the pages that a configuration can switch off. */
export interface OptionalPages {
  readonly docs: boolean;
  readonly console: boolean;
  readonly mcp: boolean;
}

type PlaceOf = (served: OptionalPages) => string | undefined;

const MEANT_PAGES: ReadonlyArray<readonly [path: RegExp, placeOf: PlaceOf]> = [
  [
    /^(?:health|healthz|livez?|readyz?|ping|status|health\/(?:live|ready|role))\/?$/,
    () => 'the state is at /health/live and /health/ready',
  ],
  [/^(?:metrics?|prometheus|actuator\/prometheus)\/?$/, () => 'the metrics are at /metrics'],
  [/^(?:mcp|sse)\/?$/, ({ mcp }) => (mcp ? 'the tools for language models are at /mcp' : undefined)],
  [/^console(?:\/|$)/, ({ console }) => (console ? 'the console is at /console' : undefined)],
  [
    /^(?:docs|swagger|api-docs|redoc|openapi)\b/,
    ({ docs }) => `the description of the interface is at ${docs ? '/docs and ' : ''}/openapi.json`,
  ],
];

/**
 * Returns the location of the page that `path`, without its first slash, means, or undefined if it is not served.
 */
export function placeOfPage(path: string, served: OptionalPages): string | undefined {
  return MEANT_PAGES.find(([pattern]) => pattern.test(path))?.[1](served);
}
