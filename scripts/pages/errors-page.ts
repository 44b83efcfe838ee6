/** Generates docs/errors.md from the catalogues of errors: src/base/errors.ts and src/base/sql-errors.ts. */
import { ERRORS, type ErrorCode, type ErrorEntry, SPECIFIC_ERRORS } from '../../src/base/errors.ts';
import { SQL_ERRORS } from '../../src/base/sql-errors.ts';
import { SQL_FAILURE_CODES } from '../../src/base/sql-failure.ts';
import { COMMANDS } from '../../src/commands/registry.ts';
import { type DescribedError, describedErrors, SHARED_ERRORS, shownText } from '../../src/documentation/error-guide.ts';
import { blocks, code, codeBlock, GENERATED, link, table } from './markdown.ts';

/** An error of which more commands than this can fail has no list of them. */
const MAX_LISTED_COMMANDS = 8;

const WHERE: Readonly<Record<keyof typeof SHARED_ERRORS, string>> = {
  request: 'any request',
  login: 'any command, if authentication is on',
  entry: 'all commands on entries',
  key: 'requests with an idempotency key',
  engine: 'all commands that need the data',
};

/** Returns the page. */
export function errorsPage(): string {
  const errors = describedErrors();
  return `${blocks(
    '# Errors',
    GENERATED,
    'A request that fails is answered with an envelope whose `successStatus` is not 0 and whose `error` is the text of the ' +
      'error. The code names an error on this page and in the log; it is not part of the envelope. In the texts here, ' +
      '`…` varies.',
    [
      '- **Status** is `successStatus`: 1 failure, 2 authorization failure, 3 security check failure.',
      '- **HTTP** is the HTTP status with `httpStatus=true`. Without it a command that fails is answered with 200. Some ' +
        'errors have their HTTP status in any case, as does every request that is rejected before a command runs.',
      '- Most commands wrap the text in `Failed to handle request: [req=..., err=TEXT]`.',
      '- Retry what has 429, 503 or 408, after the time in `Retry-After` where there is one. Safe retries of changes need ' +
        'an [idempotency key](idempotency.md).',
    ].join('\n'),
    '## By HTTP status',
    byStatus(errors),
    '## All errors',
    ...errors.map(errorBlock),
    '## Errors of statements',
    `The texts of ${link('SQL')}, ${link('SQL_OBJECT_NOT_FOUND')} and ${link('SQL_CONFLICT')}. The number is the code of ` +
      'the error in H2, the SQL engine of Apache Ignite, for clients that know it from there.',
    sqlTable(),
  )}\n`;
}

function byStatus(errors: readonly DescribedError[]): string {
  const statuses = [...new Set(errors.map(({ http }) => http))].sort((left, right) => left - right);
  return table(
    ['HTTP', 'errors'],
    statuses.map((status) => [
      String(status),
      errors
        .filter(({ http }) => http === status)
        .map((each) => link(each.code))
        .join(', '),
    ]),
  );
}

function errorBlock({ code: name, status, http, text, cause, remedy }: DescribedError): string {
  const { httpAlways }: ErrorEntry = ERRORS[name];
  const where = whereOf(name);
  return blocks(
    `### ${name}`,
    codeBlock('text', [...(text === '…' ? [] : [text]), ...furtherTexts(name)]),
    [
      `- Status ${status}, HTTP ${http}${httpAlways ? ' in any case' : ''}.`,
      `- Cause: ${cause}`,
      `- Remedy: ${remedy}`,
      ...(where === '' ? [] : [`- Where: ${where}.`]),
    ].join('\n'),
  );
}

/** Returns the other texts with the same code. Those of statements have a table of their own. */
function furtherTexts(name: ErrorCode): string[] {
  const texts = Object.values(SPECIFIC_ERRORS)
    .filter((each) => each.code === name)
    .map(({ text }) => shownText(text));
  const isOfStatements = Object.values(SQL_FAILURE_CODES).includes(name);
  return texts.length === 0 && isOfStatements ? ['(see Errors of statements)'] : texts;
}

function whereOf(name: ErrorCode): string {
  const shared = Object.entries(SHARED_ERRORS)
    .filter(([, codes]) => codes.some((each) => each === name))
    .map(([group]) => WHERE[group as keyof typeof SHARED_ERRORS]);
  const commands = COMMANDS.filter(({ errors }) => errors.includes(name));
  if (commands.length > MAX_LISTED_COMMANDS) return [...shared, `${commands.length} commands`].join('; ');
  return [...shared, ...commands.map((each) => `[${each.name}](reference.md#${each.name})`)].join('; ');
}

function sqlTable(): string {
  const rows = Object.values(SQL_ERRORS).map((entry: (typeof SQL_ERRORS)[keyof typeof SQL_ERRORS]) => {
    const kind = 'kind' in entry ? entry.kind : 'statement';
    return [code(sqlText(entry.text)), 'code' in entry ? String(entry.code) : '', link(SQL_FAILURE_CODES[kind])];
  });
  return table(['text', 'number', 'error'], rows);
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
