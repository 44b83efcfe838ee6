/**
 * The page at `/docs`: Swagger UI over the OpenAPI document of the service that serves it. All its files come from the
 * service, so it works offline, and its policy allows nothing else.
 */

import style from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' };
import script from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' };
import { importedFile } from '../base/imported-file.ts';

/** A file of the page. */
export interface DocsPage {
  readonly type: string;
  readonly body: string | AsyncIterable<Uint8Array>;
  readonly headers: Readonly<Record<string, string>>;
}

/** Swagger UI has icons as `data:` images in its style. Requests go to the service alone. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const HEADERS = { 'Content-Security-Policy': CONTENT_SECURITY_POLICY, 'Referrer-Policy': 'no-referrer' };
const SCRIPT_TYPE = 'text/javascript;charset=utf-8';
const STYLE_TYPE = 'text/css;charset=utf-8';

/** Returns the page for `/docs` and `/docs/`, and the files that it loads; undefined for every other path. */
export function docsPage(path: string, serviceName: string): DocsPage | undefined {
  switch (path) {
    case '/docs':
    case '/docs/':
      return { type: 'text/html;charset=utf-8', body: html(serviceName), headers: HEADERS };
    case '/docs/start.js':
      return { type: SCRIPT_TYPE, body: START, headers: HEADERS };
    case '/docs/swagger-ui.js':
      return { type: SCRIPT_TYPE, body: Bun.file(importedFile(script)).stream(), headers: HEADERS };
    case '/docs/swagger-ui.css':
      return { type: STYLE_TYPE, body: Bun.file(importedFile(style)).stream(), headers: HEADERS };
    case '/docs/page.css':
      return { type: STYLE_TYPE, body: STYLE, headers: HEADERS };
    default:
      return undefined;
  }
}

/** The name of a service has only letters, digits, _ and -, so it needs no escape. */
function html(serviceName: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${serviceName}: commands</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="stylesheet" href="/docs/page.css"></head>
<body>
<noscript>This page needs JavaScript. The same is in <a href="/openapi.json">/openapi.json</a>.</noscript>
<main id="docs"></main>
<script src="/docs/swagger-ui.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;
}

const STYLE = 'body{margin:0}noscript{display:block;margin:2rem;font:16px/1.5 system-ui,sans-serif}';

/**
 * Starts the user interface. It prints JSON after JSON.parse, which rounds long numbers, so a response with more digits
 * than a double holds is shown as the service sent it.
 */
const START = `'use strict';
const exactNumbers = () => ({
  wrapComponents: {
    responseBody: (Original, { React }) => (props) => {
      const isLong = typeof props.content === 'string' && /\\d[\\d.]{15,}/.test(props.content);
      return React.createElement(Original, isLong ? { ...props, contentType: 'text/plain' } : props);
    },
  },
});
window.ui = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#docs',
  plugins: [exactNumbers],
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: 'none',
  filter: true,
  tryItOutEnabled: true,
  validatorUrl: null,
});
`;
