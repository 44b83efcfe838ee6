/** Generates the reference page from the declarations. `npm run generate` writes it to docs/reference.md. */
import type { CommandGroup, RegisteredCommand } from '../commands/command.ts';
import { COMMANDS } from '../commands/registry.ts';
import {
  batchUse,
  examplePreparations,
  exampleRequest,
  GROUPS,
  PERMISSIONS,
  requestLines,
  shownName,
  shownType,
  TIME_TO_LIVE,
  wireParameters,
  withServiceName,
} from './command-guide.ts';
import { describedErrors, SHARED_ERRORS } from './error-guide.ts';
import type { DescribedOption } from './help.ts';
import { KNOWN_DIFFERENCES } from './known-differences.ts';
import { blocks, code, codeBlock, link, table } from './markdown.ts';
import { authentication, envelope, howToCall, RUNTIME_LIMITS, tasks, types } from './reference-prose.ts';
import { plainType, shapes, shapeTitle } from './reply-guide.ts';

const LIMIT_PATH = 'limits.';

/** Returns the page for a service of that name. */
export function referencePage(serviceName: string, options: readonly DescribedOption[]): string {
  return `${blocks(
    '# Reference',
    '`npm run generate` generates this page from the declarations in the code. Do not edit it. *Ignite* means the HTTP ' +
      'interface of Apache Ignite 2.',
    contents(),
    howToCall(serviceName),
    envelope(),
    types(serviceName),
    authentication(serviceName),
    commands(serviceName),
    answers(),
    optionTable(options),
    limitTable(options),
    errors(),
    differences(),
  )}\n`;
}

function contents(): string {
  const groups = Object.entries(GROUPS).map(([group, title]) => {
    const names = COMMANDS.filter((command) => command.group === group).map(({ name }) => link(name));
    return `  - ${link(title)}: ${names.join(', ')}`;
  });
  return [
    ...['How to call', 'The response', 'Types', 'Authentication', 'Commands'].map((heading) => `- ${link(heading)}`),
    ...groups,
    ...['Shapes of results', 'Options', 'Limits', 'Errors', 'Differences'].map((heading) => `- ${link(heading)}`),
  ].join('\n');
}

const GROUP_NOTES: { readonly [G in CommandGroup]?: () => string } = {
  entry: () =>
    'Commands on entries parse the parameters of all such commands, even those they do not use: an invalid value of such ' +
    `a parameter is an error (${codes(SHARED_ERRORS.entry)}).`,
  bulk: () => 'Keys are `k1`, `k2` ..., values `v1`, `v2` ..., without gaps.',
  query: () =>
    'Statements use the dialect of Apache Ignite (H2). A page holds `pageSize` rows. While `last` is false, ' +
    `${link('qryfetch')} returns the next page; the cursor closes after the last one, by ${link('qrycls')}, or after 10 ` +
    'minutes without use (`SVC_QUERY_IDLE_TIMEOUT`). A cursor belongs to its user.',
  task: tasks,
};

function commands(serviceName: string): string {
  const groups = Object.entries(GROUPS).map(([group, title]) => {
    const own = COMMANDS.filter((command) => command.group === group);
    const note = own[0] === undefined ? undefined : GROUP_NOTES[own[0].group];
    return blocks(`### ${title}`, note?.() ?? '', ...own.map((command) => commandBlock(command, serviceName)));
  });
  return blocks('## Commands', ...groups);
}

function commandBlock(command: RegisteredCommand, serviceName: string): string {
  const { name, summary, reply, needs, since, errors: own } = command;
  const shape = shapeTitle(reply.kind);
  const kind = shape === undefined ? plainType(reply.schema) : link(shape);
  return blocks(
    `#### ${name}`,
    withServiceName(serviceName, summary),
    parameterTable(command, serviceName),
    [
      `- Response (${kind}): ${reply.summary}`,
      `- Needs: ${PERMISSIONS[needs]}.`,
      ...(command.deadline === undefined ? [] : [`- Time to live: ${TIME_TO_LIVE[command.deadline]}.`]),
      `- In batches: ${batchUse(command)}.`,
      ...(own.length === 0 ? [] : [`- Errors: ${codes(own)}.`]),
      `- Since ${since}.`,
    ].join('\n'),
    codeBlock('text', exampleLines(command, serviceName)),
  );
}

function parameterTable(command: RegisteredCommand, serviceName: string): string {
  const parameters = wireParameters(command, serviceName);
  if (parameters.length === 0) return 'No parameters.';
  return table(
    ['parameter', 'type', 'required', 'default', 'meaning'],
    parameters.map((parameter) => [
      code(shownName(parameter)),
      shownType(parameter),
      parameter.required ? 'yes' : 'no',
      parameter.defaultText ?? '',
      parameter.summary,
    ]),
  );
}

function exampleLines({ example }: RegisteredCommand, serviceName: string): string[] {
  const requests = [...examplePreparations(example, serviceName), exampleRequest(example, serviceName)];
  const answer = example.response === undefined ? [] : [`"response": ${JSON.stringify(example.response)}`];
  return [...requests.flatMap((request) => requestLines(request, serviceName)), ...answer];
}

function codes(list: readonly string[]): string {
  return list.map((each) => code(each)).join(', ');
}

function answers(): string {
  const parts = shapes(COMMANDS).map(({ title, commands: own, members }) =>
    blocks(
      `### ${title}`,
      `Response of ${own.map(link).join(', ')}.`,
      table(
        ['member', 'type'],
        members.map(({ path, type }) => [code(path), type]),
      ),
    ),
  );
  return blocks('## Shapes of results', ...parts);
}

function optionTable(options: readonly DescribedOption[]): string {
  const rows = options.filter(({ path }) => !path.startsWith(LIMIT_PATH));
  return blocks(
    '## Options',
    'Set an option with a flag, in the environment or in the configuration file (`svc.config.ts` in the working ' +
      'directory, or the file that `--config` or `SVC_CONFIG` names). A flag overrides the environment, which overrides ' +
      'the file. Secrets have no flag; `NAME_FILE` names a file that contains one.',
    table(
      ['environment', 'flag', 'in the file', 'allowed', 'default', 'meaning'],
      rows.map(({ environment, flag, path, option }) => [
        code(environment),
        flag === undefined ? '' : code(flag),
        code(path),
        option.allowed,
        option.defaultText,
        option.help,
      ]),
    ),
  );
}

function limitTable(options: readonly DescribedOption[]): string {
  const rows = options.filter(({ path }) => path.startsWith(LIMIT_PATH));
  return blocks(
    '## Limits',
    'Limits are options, too. [limits.md](limits.md) lists every limit with its unit and its errors, fixed ones included.',
    table(
      ['environment', 'in the file', 'default', 'meaning'],
      rows.map(({ environment, path, option }) => [code(environment), code(path), option.defaultText, option.help]),
    ),
    RUNTIME_LIMITS,
  );
}

function errors(): string {
  return blocks(
    '## Errors',
    'The code identifies an error on this page; the envelope contains the status and the text, in which `…` varies. The ' +
      'HTTP status is used with `httpStatus=true`, and always when no command could run. Most commands wrap the text in ' +
      '`Failed to handle request: [req=..., err=TEXT]`.',
    [
      `- Any request: ${codes(SHARED_ERRORS.request)}.`,
      `- If authentication is on: ${codes(SHARED_ERRORS.login)}.`,
      `- Any command that needs the data: ${codes(SHARED_ERRORS.engine)}.`,
      '- Each command lists its other errors.',
    ].join('\n'),
    table(
      ['code', 'status', 'HTTP', 'text', 'what to do'],
      describedErrors().map(({ code: name, status, http, text, remedy }) => [
        code(name),
        String(status),
        String(http),
        text,
        remedy,
      ]),
    ),
  );
}

function differences(): string {
  return blocks(
    '## Differences',
    'The service deviates from Ignite where Ignite contradicts its documentation, loses data, is insecure or behaves ' +
      'inconsistently. `SVC_COMPATIBILITY=reference` restores the behaviour of Ignite in the rows marked R only.',
    table(
      ['', 'Ignite', 'the service', ''],
      KNOWN_DIFFERENCES.map(({ row, ignite, service, restoredBy }) => [
        String(row),
        ignite,
        service,
        restoredBy === undefined ? '' : 'R',
      ]),
    ),
  );
}
