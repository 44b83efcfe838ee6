/**
 * The files of the console: bundled on the first request in a clone, and included in the package and the executable.
 */
import { join } from 'node:path';
import { errorText, gridError } from '../../base/errors.ts';
import type { Configuration } from '../../configuration/configuration.ts';
import { PRODUCT_VERSION } from '../../configuration/version.ts';
import { IMMUTABLE, type StaticFile } from '../../http/pages/static-files.ts';

const SOURCES = join(import.meta.dir, '../../console');

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript;charset=utf-8',
  css: 'text/css;charset=utf-8',
  svg: 'image/svg+xml',
};

/**
 * Only the console's own files and the service that they come from. No script and no style sheet within a page is used.
 * Style attributes are allowed: browsers write them where coloured text in the editor is replaced.
 */
const PAGE_HEADERS = {
  'Cache-Control': 'no-cache',
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' data: blob:; connect-src 'self'; " +
    "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
  'Referrer-Policy': 'no-referrer',
} as const;

/** The page's settings from the configuration. */
export type ConsoleSettings = Pick<
  Configuration,
  'serviceName' | 'authentication' | 'secretKey' | 'console' | 'engine'
>;

let files: Promise<ReadonlyMap<string, StaticFile>> | undefined;

/**
 * Returns a console file by name; the page itself for the empty name, or undefined if there is none. Throws
 * CONSOLE_NOT_BUILT.
 */
export async function consoleFile(configuration: ConsoleSettings, name: string): Promise<StaticFile | undefined> {
  files ??= loadFiles();
  try {
    const found = await files;
    return name === '' ? pageOf(configuration, [...found.keys()]) : found.get(name);
  } catch (error) {
    files = undefined;
    throw gridError('CONSOLE_NOT_BUILT', errorText(error));
  }
}

async function loadFiles(): Promise<ReadonlyMap<string, StaticFile>> {
  const { EMBEDDED_FILES } = await import('./embedded-files.ts');
  const bundled = EMBEDDED_FILES ?? (await (await import('./bundle.ts')).bundleConsole(SOURCES));
  return new Map(
    Object.entries(bundled).map(([name, content]) => {
      const type = TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
      return [name, { type, gzip: new Uint8Array(Buffer.from(content, 'base64')), headers: IMMUTABLE }];
    }),
  );
}

function pageOf(configuration: ConsoleSettings, names: readonly string[]): StaticFile {
  const { serviceName, authentication, secretKey, console, engine } = configuration;
  const title = Bun.escapeHTML(console.title ?? '');
  const colour = console.colour === 'none' ? '' : console.colour;
  const named = (pattern: RegExp) => names.filter((name) => pattern.test(name)).map((name) => `console/${name}`);
  const styles = named(/\.css$/).map((path) => `<link rel="stylesheet" href="${path}">`);
  const scripts = named(/^page-.*\.js$/).map((path) => `<script type="module" src="${path}"></script>`);
  const html = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>Console: ${serviceName}</title>
<link rel="icon" type="image/svg+xml" href="console/icon.svg">
${styles.join('')}${scripts.join('')}
</head>
<body data-service="${serviceName}" data-authentication="${authentication}" data-signature="${secretKey !== undefined}" data-version="${
    authentication ? '' : PRODUCT_VERSION
  }" data-title="${title}" data-colour="${colour}" data-backups="${engine.kind === 'embedded'}"><noscript>The console needs JavaScript.</noscript><div id="console"></div></body>
</html>
`;
  return { type: 'text/html;charset=utf-8', gzip: Bun.gzipSync(html), headers: PAGE_HEADERS };
}
