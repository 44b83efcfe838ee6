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
    const facts = [
      shownType(parameter),
      required ? 'required' : defaultText === undefined ? '' : `default ${defaultText}`,
    ];
    return [
      `  ${shownName(parameter)} (${facts.filter((fact) => fact !== '').join('; ')})`,
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
