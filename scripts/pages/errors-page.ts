/**
 * Generates docs/errors.md and the pages of errors from src/base/errors.ts and src/base/sql-errors.ts. The pages are
 * parts of the built site only; links to an error lead to its row of docs/errors.md, and in the site to its page.
 */
import { SQL_ERRORS } from '../../src/base/sql-errors.ts';
import { SQL_FAILURE_CODES } from '../../src/base/sql-failure.ts';
import {
  type DescribedError,
  describedErrors,
  ERROR_GROUPS,
  type ErrorExplanation,
  explainedError,
  shownText,
} from '../../src/documentation/error-guide.ts';
import { blocks, code, codeBlock, GENERATED, table } from './markdown.ts';
import { commandPath } from './reference-page.ts';

/** An error of which more commands than this can fail has no list of them. */
const MAX_LISTED_COMMANDS = 8;

/** Returns the page that lists all errors. Their codes lead to their pages; without such pages, it says what to do. */
export function errorsPage({ withPages = false } = {}): string {
  const errors = describedErrors();
  const codeOf = ({ code: name }: DescribedError) =>
    withPages ? `[${name}](errors/${name}.md)` : `<a id="${name}"></a>${name}`;
  return `${blocks(
    '# Errors',
    GENERATED,
    'A request that fails is answered with an envelope whose `successStatus` is not 0, and with the code of its error in the ' +
      'header `Error-Code`. `error` is a text for people, with the wording of Apache Ignite where it has one. Programs read ' +
      'the code.',
    '## Errors as objects',
    "With the parameter `errors=object`, the header `Prefer: errors=object` or the option `errors: 'object'` " +
      '(`SVC_ERRORS`), `error` is an object:',
    codeBlock('sh', ["curl 'http://localhost:8080/svc/get?key=x&keyType=int&errors=object&httpStatus=true'"]),
    codeBlock('json', [
      '{"successStatus":1,"sessionToken":null,"securitySubjectId":null,"error":{"code":"CONVERSION","message":"Cannot ' +
        'convert \\"x\\" to int: not a whole number (key)","parameter":"key",' +
        '"remedy":"Send a value of the declared type. The reason says what is wrong with this one.","documentation":' +
        '"/docs/errors/CONVERSION"},"response":null}',
    ]),
    [
      '- `code` names the error on this page, in the log, and in `SvcError.code` of the [client](client.md). It stays the ' +
        'same from one version to the next; texts can change.',
      '- `message` is the text, without `Failed to handle request: [req=..., err=...]` around it, and in words where Ignite ' +
        'lists names and values, as here. Errors of statements do not repeat the statement, and have no code of H2.',
      '- `parameter` names the parameter that is wrong, if it is one, and `position` the character of the statement, from ' +
        '1. The nodes of a cluster report no parameter, and a position only for syntax errors.',
      '- `remedy` says what to do, and `documentation` is the path of a page of the service that explains the error.',
    ].join('\n'),
    'Each failed command of a [batch](transactions.md) has such an object, or `errorCode` in addition to the text.',
    '## HTTP status',
    'One rule: **with `httpStatus=true`, or the option `httpStatus` (`SVC_HTTP_STATUS`), a failure has the HTTP status of its ' +
      'error**, which the table below lists. Set the option for everything that is not a client of Apache Ignite. Without ' +
      'it, a command that fails is answered with 200, as Ignite does, and a request that names no command or an unknown ' +
      'one with 400. Requests for other paths, and errors marked with \\*, always have their HTTP status.',
    'Retry after 429, 503 and 408, and after the time in `Retry-After` where there is one. Safe retries of changes need an ' +
      '[idempotency key](idempotency.md). `successStatus` is 1 for a failure, 2 for missing or wrong credentials, 3 for a ' +
      'missing right.',
    byStatus(errors),
    '## All errors',
    table(
      ['code', 'HTTP', 'when it occurs', ...(withPages ? [] : ['what to do'])],
      errors.map((each) => [
        codeOf(each),
        `${each.http}${mark(each)}`,
        each.cause,
        ...(withPages ? [] : [each.remedy]),
      ]),
    ),
  )}\n`;
}

/** Returns the page of each error by its path. */
export function errorPages(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    describedErrors().flatMap(({ code: name }) => {
      const error = explainedError(name);
      return error === undefined ? [] : [[pathOfErrorPage(name), errorPage(error)]];
    }),
  );
}

/** Returns the path of a page of the site from the root of the repository. */
export function pathOfErrorPage(name: string): string {
  return `docs/errors/${name}.md`;
}

function mark({ code: name }: DescribedError): string {
  return explainedError(name)?.httpAlways === true ? '\\*' : '';
}

function byStatus(errors: readonly DescribedError[]): string {
  const statuses = [...new Set(errors.map(({ http }) => http))].sort((left, right) => left - right);
  return table(
    ['HTTP', 'errors'],
    statuses.map((status) => [
      String(status),
      errors
        .filter(({ http }) => http === status)
        .map((each) => `[${each.code}](errors.md#${each.code})${mark(each)}`)
        .join(', '),
    ]),
  );
}

function errorPage(error: ErrorExplanation): string {
  const { code: name, status, http, httpAlways, texts, cause, remedy } = error;
  const where = whereOf(error);
  const statements = sqlTable(error);
  return `${blocks(
    `# ${name}`,
    GENERATED,
    ...(texts.length === 0 ? [] : [codeBlock('text', texts)]),
    `${cause} **${remedy}**`,
    [
      `- HTTP ${http}${httpAlways ? ' in any case' : ' with `httpStatus=true`'}, \`successStatus\` ${status}.`,
      ...(where === '' ? [] : [`- Occurs in: ${where}.`]),
    ].join('\n'),
    ...(statements === undefined
      ? []
      : [
          '## Texts',
          'The number is the code of the error in H2, the SQL engine of Apache Ignite, for clients that know it from there.',
          statements,
        ]),
    '[All errors](../errors.md)',
  )}\n`;
}

function whereOf({ groups, commands }: ErrorExplanation): string {
  const shared = groups.map((group) => ERROR_GROUPS[group]);
  if (commands.length > MAX_LISTED_COMMANDS) return [...shared, `${commands.length} commands`].join('; ');
  return [...shared, ...commands.map((each) => `[${each}](../${commandPath(each)})`)].join('; ');
}

/** Returns the texts of statements with the code, or undefined if there are none. */
function sqlTable({ code: name }: ErrorExplanation): string | undefined {
  const rows = Object.values(SQL_ERRORS).flatMap((entry: (typeof SQL_ERRORS)[keyof typeof SQL_ERRORS]) => {
    const kind = 'kind' in entry ? entry.kind : 'statement';
    if (SQL_FAILURE_CODES[kind] !== name) return [];
    return [[code(sqlText(entry.text)), 'code' in entry ? String(entry.code) : '']];
  });
  return rows.length === 0 ? undefined : table(['text', 'number'], rows);
}

/** Like {@link shownText}; most texts of statements expect strings only. */
function sqlText(text: (...details: never[]) => string): string {
  try {
    return String(
      Reflect.apply(
        text,
        undefined,
        Array.from({ length: text.length }, () => '…'),
      ),
    );
  } catch {
    return shownText(text);
  }
}
