/** Generates the reference page from the declarations. `npm run generate` writes it to docs/reference.md. */
import type { ErrorCode } from '../../src/base/errors.ts';
import type { CommandGroup, RegisteredCommand } from '../../src/commands/command.ts';
import { COMMANDS } from '../../src/commands/registry.ts';
import {
  batchUse,
  examplePreparations,
  exampleRequest,
  GROUPS,
  permissionOf,
  requestLines,
  shownName,
  shownType,
  TIME_TO_LIVE,
  wireParameters,
  withServiceName,
} from '../../src/documentation/command-guide.ts';
import { SHARED_ERRORS } from '../../src/documentation/error-guide.ts';
import { commonParameters, isCommon } from './common-parameters.ts';
import { blocks, code, codeBlock, GENERATED, link, table } from './markdown.ts';
import { authentication, envelope, howToCall, tasks, types } from './reference-prose.ts';
import { plainType, shapes, shapeTitle } from './reply-guide.ts';

const SECTIONS = ['How to call', 'The response', 'Types', 'Authentication', 'Common parameters', 'Commands'];

/** Pages with the rest of the reference. Their headings here keep links alive that lead to them. */
const OTHER_PAGES: Readonly<Record<string, string>> = {
  Options: '[options.md](options.md) lists every option with its flag, its environment variable and its default.',
  Limits: '[limits.md](limits.md) lists every limit with its default, its unit and its errors.',
  Errors: '[errors.md](errors.md) lists every error with its text, its cause and what to do.',
  Differences: '[differences.md](differences.md) lists the differences from the HTTP interface of Apache Ignite.',
};

/** Returns the page for a service of that name. */
export function referencePage(serviceName: string): string {
  return `${blocks(
    '# Reference',
    `${GENERATED} *Ignite* means the HTTP interface of Apache Ignite 2.`,
    contents(),
    howToCall(serviceName),
    envelope(),
    types(serviceName),
    authentication(serviceName),
    common(serviceName),
    commands(serviceName),
    answers(),
    ...Object.entries(OTHER_PAGES).map(([title, text]) => blocks(`## ${title}`, text)),
  )}\n`;
}

function contents(): string {
  const groups = Object.entries(GROUPS).map(([group, title]) => {
    const names = COMMANDS.filter((command) => command.group === group).map(({ name }) => link(name));
    return `    - ${link(title)}: ${names.join(', ')}`;
  });
  return [
    ...SECTIONS.map((heading) => `- ${link(heading)}`),
    ...groups,
    ...['Shapes of results', ...Object.keys(OTHER_PAGES)].map((heading) => `- ${link(heading)}`),
  ].join('\n');
}

function common(serviceName: string): string {
  return blocks(
    '## Common parameters',
    'Most commands accept these, and mean the same by them. Each command lists which of them it accepts, and describes ' +
      'its own.',
    table(
      ['parameter', 'type', 'default', 'meaning'],
      commonParameters(serviceName).map((parameter) => [
        code(shownName(parameter)),
        shownType(parameter),
        parameter.defaultText ?? '',
        parameter.summary,
      ]),
    ),
  );
}

const GROUP_NOTES: { readonly [G in CommandGroup]?: () => string } = {
  entry: () =>
    'Commands on entries parse the parameters of all such commands, even those they do not use: an invalid value of such ' +
    `a parameter is an error (${SHARED_ERRORS.entry.map(errorLink).join(', ')}).`,
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
  const { name, summary, reply, since, errors: own } = command;
  const shape = shapeTitle(reply.kind);
  const kind = shape === undefined ? plainType(reply.schema) : link(shape);
  return blocks(
    `#### ${name}`,
    withServiceName(serviceName, summary),
    parameterTable(command, serviceName),
    [
      `- Response (${kind}): ${reply.summary}`,
      `- Needs: ${permissionOf(command)}.`,
      ...(command.deadline === undefined ? [] : [`- Time to live: ${TIME_TO_LIVE[command.deadline]}.`]),
      `- In batches: ${batchUse(command)}.`,
      ...(own.length === 0 ? [] : [`- Errors: ${own.map(errorLink).join(', ')}.`]),
      `- Since ${since}.`,
    ].join('\n'),
    codeBlock('text', exampleLines(command, serviceName)),
  );
}

function parameterTable(command: RegisteredCommand, serviceName: string): string {
  const all = wireParameters(command, serviceName);
  if (all.length === 0) return 'No parameters.';
  const shared = all.filter((parameter) => isCommon(parameter, serviceName));
  const own = all.filter((parameter) => !shared.includes(parameter));
  return blocks(
    shared.length === 0
      ? ''
      : `${link('Common parameters')}: ${shared
          .map((parameter) => `${code(shownName(parameter))}${parameter.required ? ' (required)' : ''}`)
          .join(', ')}.`,
    own.length === 0
      ? ''
      : table(
          ['parameter', 'type', 'required', 'default', 'meaning'],
          own.map((parameter) => [
            code(shownName(parameter)),
            shownType(parameter),
            parameter.required ? 'yes' : 'no',
            parameter.defaultText ?? '',
            parameter.summary,
          ]),
        ),
  );
}

function exampleLines({ example }: RegisteredCommand, serviceName: string): string[] {
  const requests = [...examplePreparations(example, serviceName), exampleRequest(example, serviceName)];
  const answer = example.response === undefined ? [] : [`"response": ${JSON.stringify(example.response)}`];
  return [...requests.flatMap((request) => requestLines(request, serviceName)), ...answer];
}

function errorLink(code: ErrorCode): string {
  return `[\`${code}\`](errors/${code}.md)`;
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
