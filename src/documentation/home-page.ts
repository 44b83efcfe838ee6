/** The page at `/`: describes the service and links to its pages, for browsers and programs. */
import { createHash } from 'node:crypto';
import { preferredType } from '../base/accept.ts';

export interface HomePageOptions {
  readonly serviceName: string;
  /** undefined if the version is not shown to strangers. */
  readonly version: string | undefined;
  readonly ready: boolean;
  /** Reports whether this service serves a path, so that the page links nothing else. */
  readonly serves: (path: string) => boolean;
}

/** A page served next to commands. */
export interface HomePage {
  readonly type: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** In this order; those that the service does not serve are left out. */
const LINKS: ReadonlyArray<readonly [path: string, text: string]> = [
  ['/docs', 'Every command in the console, to read and to try'],
  ['/console', 'Console: caches, queries and nodes'],
  ['/openapi.json', 'OpenAPI document: every command with its parameters'],
  ['/metrics', 'Metrics for Prometheus'],
  ['/health/live', 'Whether the process runs'],
  ['/health/ready', 'Whether commands can be executed'],
];

const STYLE =
  ':root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:3rem auto;padding:0 1rem}' +
  'code,pre{font-family:ui-monospace,monospace}pre{white-space:pre-wrap}li{margin:.25rem 0}';
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** Nothing but this style may be loaded or executed, and no other page may frame this one. */
const CONTENT_SECURITY_POLICY =
  `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; ` +
  "frame-ancestors 'none'";

/** Returns the page as HTML if the Accept header names text/html, otherwise as JSON. */
export function homePage(accept: string | null, options: HomePageOptions): HomePage {
  return wantsHtml(accept) ? htmlPage(options) : jsonPage(options);
}

/** Reports whether an Accept header names text/html, as browsers' does. */
export function wantsHtml(accept: string | null): boolean {
  return preferredType(accept ?? '', ['application/json', 'text/html']) === 'text/html';
}

function linksOf({ serves }: HomePageOptions) {
  return LINKS.filter(([path]) => serves(path));
}

function stateOf({ ready }: HomePageOptions): string {
  return ready ? 'ready' : 'not ready';
}

function tryPath({ serviceName }: HomePageOptions): string {
  return `/${serviceName}?cmd=version`;
}

function jsonPage(options: HomePageOptions): HomePage {
  const { serviceName, version } = options;
  const content = {
    name: serviceName,
    ...(version !== undefined && { version }),
    state: stateOf(options),
    endpoint: `/${serviceName}`,
    try: tryPath(options),
    links: Object.fromEntries(linksOf(options)),
  };
  return { type: 'application/json;charset=utf-8', body: `${JSON.stringify(content)}\n`, headers: { Vary: 'Accept' } };
}

function htmlPage(options: HomePageOptions): HomePage {
  const { serviceName, version } = options;
  // The name of a service has only letters, digits, _ and -, so it needs no escaping.
  const links = linksOf(options).map(([path, text]) => `<li><a href="${path}">${path}</a>: ${text}</li>`);
  const content = `<h1>${serviceName}</h1>
<p>${version === undefined ? 'A' : `Version ${version}: a`} durable data grid with an HTTP API. It is ${stateOf(options)}.</p>
<p>A request names a command and its parameters: <a href="${tryPath(options)}"><code>${tryPath(options)}</code></a>.
On a command line: <code>svc help</code>.</p>
<ul>
${links.join('\n')}
</ul>`;
  return textPage(serviceName, content);
}

/** Returns a page of text with its title and the HTML of its body. */
export function textPage(title: string, content: string): HomePage {
  const body = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style>${STYLE}</style></head>
<body>
${content}
</body>
</html>
`;
  const headers = {
    'Content-Security-Policy': CONTENT_SECURITY_POLICY,
    'Referrer-Policy': 'no-referrer',
    Vary: 'Accept',
  };
  return { type: 'text/html;charset=utf-8', body, headers };
}
