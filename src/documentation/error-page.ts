/** The page of an error at `/docs/errors/CODE`, and their list at `/docs/errors`, as HTML or JSON. */
import { ERROR_PAGES } from '../base/error-object.ts';
import { describedErrors, ERROR_GROUPS, type ErrorExplanation, explainedError } from './error-guide.ts';
import { type HomePage, textPage, wantsHtml } from './home-page.ts';

/**
 * Returns the page for a path at or below `/docs/errors`, in a form that the Accept header names, or undefined if
 * there is none.
 */
export function errorPage(path: string, accept: string | null): HomePage | undefined {
  const isHtml = wantsHtml(accept);
  if (path === ERROR_PAGES) return isHtml ? textPage('Errors', list()) : json(describedErrors());
  const error = explainedError(path.slice(ERROR_PAGES.length + 1));
  if (error === undefined) return undefined;
  return isHtml ? textPage(error.code, explanation(error)) : json(error);
}

function json(content: unknown): HomePage {
  const body = `${JSON.stringify(content, undefined, 2)}\n`;
  return { type: 'application/json;charset=utf-8', body, headers: { Vary: 'Accept' } };
}

function list(): string {
  const rows = describedErrors().map(
    ({ code, http, cause }) =>
      `<li><a href="${ERROR_PAGES}/${code}"><code>${code}</code></a> (HTTP ${http}): ${prose(cause)}</li>`,
  );
  return `<h1>Errors</h1>\n<ul>\n${rows.join('\n')}\n</ul>`;
}

function explanation({
  code,
  status,
  http,
  httpAlways,
  texts,
  cause,
  remedy,
  groups,
  commands,
}: ErrorExplanation): string {
  const where = [...groups.map((group) => ERROR_GROUPS[group]), ...commands.map((name) => `<code>${name}</code>`)];
  return [
    `<h1>${code}</h1>`,
    ...texts.map((text) => `<pre>${escaped(text)}</pre>`),
    `<p>${prose(cause)}</p>`,
    `<p><strong>${prose(remedy)}</strong></p>`,
    `<p>Status ${status}, HTTP ${http}${httpAlways ? ' in any case' : ''}.${where.length === 0 ? '' : ` Occurs in: ${where.join(', ')}.`}</p>`,
    `<p><a href="${ERROR_PAGES}">All errors</a></p>`,
  ].join('\n');
}

/** Returns prose with its code in backquotes as HTML. */
function prose(text: string): string {
  return escaped(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
