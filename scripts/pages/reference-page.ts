/**
 * Generates the reference from the declarations: docs/reference.md, which applies to all commands and lists them, and a
 * page for each group of commands, docs/reference/GROUP.md. `npm run generate` writes them.
 */
import type { ErrorCode } from '../../src/base/errors.ts';
import type { CommandGroup, RegisteredCommand } from '../../src/commands/command.ts';
import { declaredErrors } from '../../src/commands/implied-errors.ts';
import { COMMANDS, findCommand } from '../../src/commands/registry.ts';
import {
  batchUse,
  GROUPS,
  permissionOf,
  shownName,
  shownType,
  TIME_TO_LIVE,
  wireParameters,
  withServiceName,
} from '../../src/documentation/command-guide.ts';
import { SHARED_ERRORS } from '../../src/documentation/error-guide.ts';
import { commonParameters, isCommon } from './common-parameters.ts';
import { exampleTabs } from './example-tabs.ts';
import { blocks, code, GENERATED, link, table } from './markdown.ts';
import { authentication, envelope, howToCall, tasks, types } from './reference-prose.ts';
import { plainType, shapes, shapeTitle } from './reply-guide.ts';

const SECTIONS = ['How to call', 'The response', 'Types', 'Authentication', 'Common parameters', 'Commands'];

/** The relative path from the page of a group to the page that applies to all commands. */
const INDEX = '../reference.md';

/** Pages with the rest of the reference. Their headings here keep old links working. */
const OTHER_PAGES: Readonly<Record<string, string>> = {
  Options: '[options.md](options.md) lists every option with its flag, its environment variable and its default.',
  Limits: '[limits.md](limits.md) leads to every limit with its default, its unit and its errors.',
  Errors: '[errors.md](errors.md) lists every error with its cause and what to do.',
  Differences: '[differences.md](differences.md) lists the differences from the HTTP interface of Apache Ignite.',
};

/** Returns the pages for a service of that name, by their paths in docs. */
export function referencePages(serviceName: string): Readonly<Record<string, string>> {
  return {
    'reference.md': indexPage(serviceName),
    ...Object.fromEntries(
      groups().map(([group, title]) => [groupPath(group), groupPage(group, title, serviceName)] as const),
    ),
  };
}

/** Returns the path in docs of the heading of a command. Throws for one that does not exist. */
export function commandPath(name: string): string {
  const group = findCommand(name)?.group;
  if (group === undefined) throw new Error(`There is no command ${name}`);
  return `${groupPath(group)}#${name}`;
}

function groupPath(group: CommandGroup): string {
  return `reference/${group}.md`;
}

function groups(): ReadonlyArray<readonly [group: CommandGroup, title: string]> {
  const names = [...new Set(COMMANDS.map(({ group }) => group))];
  const order = Object.keys(GROUPS);
  return names
    .toSorted((left, right) => order.indexOf(left) - order.indexOf(right))
    .map((group) => [group, GROUPS[group]] as const);
}

function commandsOf(group: CommandGroup): readonly RegisteredCommand[] {
  return COMMANDS.filter((command) => command.group === group);
}

function indexPage(serviceName: string): string {
  return `${blocks(
    '# Reference',
    GENERATED,
    `*Ignite* means the HTTP interface of Apache Ignite 2.`,
    [...SECTIONS, ...Object.keys(OTHER_PAGES)].map((heading) => `- ${link(heading)}`).join('\n'),
    howToCall(serviceName),
    envelope(),
    types(serviceName),
    authentication(serviceName),
    common(serviceName),
    commandLists(serviceName),
    ...Object.entries(OTHER_PAGES).map(([title, text]) => blocks(`## ${title}`, text)),
  )}\n`;
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

/** Returns the list of all commands. The anchor of each keeps links to its former description working. */
function commandLists(serviceName: string): string {
  return blocks(
    '## Commands',
    'Each group has a page with the parameters, the response and an example of each of its commands.',
    ...groups().map(([group, title]) =>
      blocks(
        `### ${title}`,
        table(
          ['command', 'what it does'],
          commandsOf(group).map((command) => [
            `<a id="${command.name}"></a>[${command.name}](${commandPath(command.name)})`,
            withServiceName(serviceName, command.summary),
          ]),
        ),
      ),
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
    `${link('qryfetch')} returns the next page; the cursor closes after the last one, by ${link('qrycls')}, or ` +
    'without use for `SVC_QUERY_IDLE_TIMEOUT` (10 min). A cursor belongs to its user.',
  task: tasks,
};

function groupPage(group: CommandGroup, title: string, serviceName: string): string {
  const own = commandsOf(group);
  return `${blocks(
    `# ${title}`,
    GENERATED,
    `[How to call](${INDEX}#how-to-call) commands, and what applies to all of them: [Reference](${INDEX}). ` +
      `Examples are parts of the [programs](${INDEX}#programs) there.`,
    GROUP_NOTES[group]?.() ?? '',
    own.map((command) => `- ${link(command.name)}: ${withServiceName(serviceName, command.summary)}`).join('\n'),
    ...own.map((command) => commandBlock(command, serviceName)),
    ...shapesOf(group),
  )}\n`;
}

function commandBlock(command: RegisteredCommand, serviceName: string): string {
  const { name, summary, reply, since } = command;
  const own = declaredErrors(command);
  const shape = shapeTitle(reply.kind);
  const kind = shape === undefined ? plainType(reply.schema) : link(shape);
  return blocks(
    `## ${name}`,
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
    exampleTabs(command, serviceName),
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
      : `${link('Common parameters', INDEX)}: ${shared
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

function errorLink(code: ErrorCode): string {
  return `[\`${code}\`](../errors.md#${code})`;
}

/** Returns the shapes of results with members, which commands of one group share. */
function shapesOf(group: CommandGroup): readonly string[] {
  return shapes(commandsOf(group)).map(({ title, commands, members }) =>
    blocks(
      `## ${title}`,
      `Response of ${commands.map((name) => link(name)).join(', ')}.`,
      table(
        ['member', 'type'],
        members.map(({ path, type }) => [code(path), type]),
      ),
    ),
  );
}
