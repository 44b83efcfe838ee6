/** Help texts for a terminal: for the program with its options, and for each command. */
import { ERRORS } from '../base/errors.ts';
import type { RegisteredCommand } from '../commands/command.ts';
import { declaredErrors } from '../commands/implied-errors.ts';
import { nearestCommands } from '../commands/nearest.ts';
import { dates, errors as errorForm, numbers } from '../commands/params.ts';
import { COMMANDS, findCommand } from '../commands/registry.ts';
import {
  examplePreparations,
  exampleRequest,
  GROUPS,
  permissionOf,
  requestLines,
  shownName,
  shownType,
  TIME_TO_LIVE,
  type WireParameter,
  wireParameters,
  withServiceName,
} from './command-guide.ts';

/** An option as shown in help and reference: a row of the options table. */
export interface DescribedOption {
  /** Path in the configuration file. */
  readonly path: string;
  readonly environment: string;
  /** undefined for secrets. */
  readonly flag: string | undefined;
  readonly option: {
    /** Description of the allowed values. */
    readonly allowed: string;
    readonly help: string;
    readonly secret: boolean;
    readonly defaultText: string;
  };
}

/** Parameters that every command accepts in addition to its own. */
const COMMON_PARAMETERS: ReadonlyArray<readonly [string, string]> = [
  ['numbers (number, string; default number)', numbers.summary],
  ['dates (text, iso; default text)', dates.summary],
  ['errors (text, object; default the option errors)', errorForm.summary],
  [
    'httpStatus (true or false; default the option httpStatus)',
    'Respond to a failed command with a matching HTTP status instead of 200.',
  ],
];

const COLUMNS = 100;
const INDENT = '      ';

/** Returns the text that `serve --help` prints. */
export function helpText(options: readonly DescribedOption[], version: string): string {
  const blocks = options.map(({ path, environment, flag, option }) => {
    const { allowed, help, secret, defaultText } = option;
    const names = flag === undefined ? environment : `${flag}, ${environment}`;
    const file = secret ? ` ${environment}_FILE names a file that holds it.` : '';
    return [
      `  ${names}`,
      ...wrap(`${help.replaceAll('`', '')}${file}`, INDENT),
      ...wrap(`File: ${path}. Allowed: ${allowed}. Default: ${defaultText}.`, INDENT),
    ].join('\n');
  });
  return `${[
    `svc ${version}: the service`,
    '',
    'Usage: svc [serve] [--config FILE] [OPTIONS]',
    '       svc help   lists the other subcommands',
    '',
    ...wrap(
      'Flags override the environment, which overrides the configuration file (./svc.config.ts, or the file that ' +
        '--config or SVC_CONFIG names). The value of a flag is the next argument, or follows "=".',
      '',
    ),
    '',
    'Options:',
    '  --help, -h',
    `${INDENT}Print this text.`,
    '  --version, -v',
    `${INDENT}Print the version.`,
    '  --config, SVC_CONFIG',
    `${INDENT}The configuration file.`,
    ...blocks,
  ].join('\n')}\n`;
}

const MIGRATE_OPTIONS: ReadonlyArray<readonly [string, string]> = [
  ['--from PLACE', 'The source. Stop a service that uses the data folder first.'],
  ['--to PLACE', 'The target. A data folder is created if it does not exist.'],
  ['--caches NAME,NAME', 'Only these caches. Default: all.'],
  ['--counters NAME,NAME', 'Additional counters: a cluster lists only those used since its nodes started.'],
  ['--backups N', 'Number of backups of created partitioned caches. Default: as in the source.'],
  ['--overwrite', 'Replace caches and counters of the same name in the target instead of failing.'],
  ['--progress FILE', 'Progress file. Default: a file in the data folder, removed at the end.'],
];

/** Returns the text that `migrate --help` prints. */
export function migrateHelpText(): string {
  const blocks = MIGRATE_OPTIONS.flatMap(([names, help]) => [`  ${names}`, ...wrap(help, INDENT)]);
  return `${[
    'Usage: svc migrate --from PLACE --to PLACE [--config FILE] [OPTIONS]',
    '',
    ...wrap(
      'Copies all caches with their tables and entries, and all counters, from one grid to another, and verifies the ' +
        'copy. PLACE is a data folder (./data) or cluster://HOST:PORT,HOST:PORT. Regions, classes, and credentials ' +
        'and TLS of the cluster come from the configuration.',
      '',
    ),
    '',
    ...wrap(
      'An interrupted migration resumes when the same command runs again. Exit code: 0 both are equal, 1 something ' +
        'differs or failed, 2 the arguments are wrong, 130 interrupted.',
      '',
    ),
    '',
    'Options:',
    ...blocks,
  ].join('\n')}\n`;
}

/** Returns the text that `test-service --help` prints. */
export function testServiceHelpText(): string {
  return `${[
    'Usage: svc test-service [OPTIONS]',
    '',
    ...wrap(
      'Starts a service in memory, on a free port, for the tests of a program. The test services for pytest and Go use it. ' +
        'OPTIONS are those of svc serve. The first line of the output is {"url":"..."}. Each line of the input is a call ' +
        'in JSON, and has a line of output: {}, or {"error":"..."}. The service ends with the input.',
      '',
    ),
    '',
    'Calls:',
    '  {"call":"load","fixtures":[...]}',
    ...wrap('Adds {"entries":{...},"cacheName":"..."}, {"sql":"..."}, {"table":"...","csv":"..."} or ndjson.', INDENT),
    '  {"call":"snapshot"}',
    ...wrap('Remembers the contents.', INDENT),
    '  {"call":"reset"}',
    ...wrap('Restores those of the last snapshot.', INDENT),
    '  {"call":"advance","ms":60000}',
    ...wrap('Advances the time of the service.', INDENT),
  ].join('\n')}\n`;
}

/** Lists all commands by group, one per line. */
export function commandOverview(serviceName: string): string {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length));
  const groups = Object.entries(GROUPS).map(([group, title]) => {
    const own = COMMANDS.filter((command) => command.group === group);
    const lines = own.map(({ name, summary }) => `  ${name.padEnd(width)}  ${withServiceName(serviceName, summary)}`);
    return [`${title}:`, ...lines].join('\n');
  });
  return `${groups.join('\n\n')}\n`;
}

/** Returns a command's help, in any letter case; for an unknown one, a message with the nearest names. */
export function commandHelp(name: string, serviceName: string): string {
  const command = findCommand(name);
  if (command === undefined) return `${ERRORS.COMMAND_UNKNOWN.text(name, nearestCommands(name))}\n`;
  const parameters = wireParameters(command, serviceName);
  const errors = declaredErrors(command);
  return `${[
    `${command.name}: ${withServiceName(serviceName, command.summary)}`,
    '',
    ...(parameters.length === 0 ? ['No parameters.'] : ['Parameters:', ...parameterLines(parameters)]),
    '',
    'Of every command:',
    ...COMMON_PARAMETERS.flatMap(([name, summary]) => [`  ${name}`, ...wrap(summary.replaceAll('`', ''), INDENT)]),
    '',
    ...wrap(`Response: ${command.reply.summary}`, ''),
    ...wrap(`Needs: ${permissionOf(command).replaceAll('`', '')}.`, ''),
    ...deadlineLines(command),
    ...(errors.length === 0 ? [] : wrap(`Errors: ${errors.join(', ')}.`, '')),
    '',
    'Example:',
    ...exampleLines(command, serviceName),
  ].join('\n')}\n`;
}

function deadlineLines({ deadline }: RegisteredCommand): string[] {
  return deadline === undefined ? [] : wrap(`Time to live: ${TIME_TO_LIVE[deadline].replaceAll('`', '')}.`, '');
}

function parameterLines(parameters: readonly WireParameter[]): string[] {
  return parameters.flatMap((parameter) => {
    const { required, defaultText, summary } = parameter;
    const info = [
      shownType(parameter),
      required ? 'required' : defaultText === undefined ? '' : `default ${defaultText}`,
    ];
    return [
      `  ${shownName(parameter)} (${info.filter((info) => info !== '').join('; ')})`,
      ...wrap(summary.replaceAll('`', ''), INDENT),
    ];
  });
}

function exampleLines({ example }: RegisteredCommand, serviceName: string): string[] {
  const requests = [...examplePreparations(example, serviceName), exampleRequest(example, serviceName)];
  const answer = example.response === undefined ? [] : [`  -> ${JSON.stringify(example.response)}`];
  const lines = requests.flatMap((request) =>
    request.body === undefined
      ? [`  /${serviceName}?${request.query}`]
      : requestLines(request, serviceName).map((line) => (line === '' ? '' : `  ${line}`)),
  );
  return [...lines, ...answer];
}

/** Wraps text at spaces to the width of a terminal; a longer word gets its own line. */
function wrap(text: string, indent: string): string[] {
  const lines: string[] = [];
  let line = indent;
  for (const word of text.split(' ')) {
    if (line !== indent && line.length + 1 + word.length > COLUMNS) {
      lines.push(line);
      line = indent;
    }
    line += line === indent ? word : ` ${word}`;
  }
  return [...lines, line];
}
