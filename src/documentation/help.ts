/** Help texts for a terminal: of the program with its options, and of each command. */
import { ERRORS } from '../base/errors.ts';
import type { RegisteredCommand } from '../commands/command.ts';
import { nearestCommands } from '../commands/nearest.ts';
import { COMMANDS, findCommand } from '../commands/registry.ts';
import {
  examplePreparations,
  exampleRequest,
  GROUPS,
  inWordsOf,
  PERMISSIONS,
  shownName,
  shownType,
  type WireParameter,
  wireParameters,
} from './command-guide.ts';

/** An option of the program as descriptions need it; the configuration's table has it. */
export interface DescribedOption {
  /** Path in the configuration file. */
  readonly path: string;
  readonly environment: string;
  /** Undefined for secrets. */
  readonly flag: string | undefined;
  readonly option: {
    /** Allowed values in words. */
    readonly allowed: string;
    readonly help: string;
    readonly secret: boolean;
    readonly defaultText: string;
  };
}

const COLUMNS = 100;
const INDENT = '      ';

/** What `--help` prints. */
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
    `svc ${version}: a data grid that is spoken to over HTTP`,
    '',
    'Usage: svc [--config FILE] [OPTIONS]',
    '       svc migrate --from PLACE --to PLACE [...]   copies a grid; svc migrate --help tells more',
    '',
    ...wrap(
      'A flag beats the environment, which beats the configuration file (./svc.config.ts, or what --config or ' +
        'SVC_CONFIG names). A flag takes its value as the next word or behind "=".',
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
  ['--from PLACE', 'What is copied. A service must not run on a data folder meanwhile.'],
  ['--to PLACE', 'Where it is copied to. A data folder that does not exist is made.'],
  ['--caches NAME,NAME', 'Only these caches. Default: all.'],
  [
    '--counters NAME,NAME',
    'Counters beside those that the source lists: a cluster lists those that were used since its nodes started.',
  ],
  [
    '--backups N',
    'Copies beside the first of each entry in partitioned caches that are made. Default: as in the source.',
  ],
  ['--overwrite', 'Replaces what the target has in caches and counters of the same name, instead of refusing it.'],
  ['--progress FILE', 'The file that keeps how far it came. Default: one in the data folder, removed at the end.'],
];

/** What `migrate --help` prints. */
export function migrateHelpText(): string {
  const blocks = MIGRATE_OPTIONS.flatMap(([names, help]) => [`  ${names}`, ...wrap(help, INDENT)]);
  return `${[
    'Usage: svc migrate --from PLACE --to PLACE [--config FILE] [OPTIONS]',
    '',
    ...wrap(
      'Copies all caches with their tables and entries, and all counters, from one grid to another, and checks that ' +
        'both have the same afterwards. PLACE is a data folder (./data), or cluster://HOST:PORT,HOST:PORT. The ' +
        'configuration gives regions, classes, and the credentials and TLS of the cluster.',
      '',
    ),
    '',
    ...wrap(
      'It can be interrupted at any time; the same command goes on. Exit code: 0 all is the same in both, ' +
        '1 something differs or failed, 130 interrupted.',
      '',
    ),
    '',
    'Options:',
    ...blocks,
  ].join('\n')}\n`;
}

/** All commands, a line each, by group. */
export function commandOverview(serviceName: string): string {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length));
  const groups = Object.entries(GROUPS).map(([group, title]) => {
    const own = COMMANDS.filter((command) => command.group === group);
    const lines = own.map(({ name, summary }) => `  ${name.padEnd(width)}  ${inWordsOf(serviceName, summary)}`);
    return [`${title}:`, ...lines].join('\n');
  });
  return `${groups.join('\n\n')}\n`;
}

/** The help of a command in any letter case; for an unknown one a text that names the nearest. */
export function commandHelp(name: string, serviceName: string): string {
  const command = findCommand(name);
  if (command === undefined) return `${ERRORS.COMMAND_UNKNOWN.text(name, nearestCommands(name))}\n`;
  const parameters = wireParameters(command, serviceName);
  return `${[
    `${command.name}: ${inWordsOf(serviceName, command.summary)}`,
    '',
    ...(parameters.length === 0 ? ['It takes no parameters.'] : ['Parameters:', ...parameterLines(parameters)]),
    '',
    ...wrap(`Answer: ${command.reply.summary}`, ''),
    ...wrap(`Needs: ${PERMISSIONS[command.needs].replaceAll('`', '')}.`, ''),
    ...(command.errors.length === 0 ? [] : wrap(`Errors: ${command.errors.join(', ')}.`, '')),
    '',
    'Example:',
    ...exampleLines(command, serviceName),
  ].join('\n')}\n`;
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
  return [...requests.map(({ query }) => `  /${serviceName}?${query}`), ...answer];
}

/** Breaks a text at blanks into lines that fit the terminal; a longer word stands alone. */
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
