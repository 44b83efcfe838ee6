/**
 * Commands as subcommands: `svc get 42 cacheName=users`. Everything is derived from declarations: unnamed values are
 * the required parameters in order.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ErrorCode } from '../base/errors.ts';
import { errorText } from '../base/errors.ts';
import { nearestNames } from '../base/nearest.ts';
import { acceptsKey, type RegisteredCommand } from '../commands/command.ts';
import { dates, errors, numbers, pageSize } from '../commands/params.ts';
import { shownName, type WireParameter, wireParameters } from '../documentation/command-guide.ts';
import { checkBatchText } from './batch-text.ts';
import { addConnectionOptions, type ConnectionOptions, connect } from './connection.ts';
import { ServiceFailure, usageError } from './failures.ts';
import { addOutputOptions, type OutputOptions, responseText } from './output.ts';
import type { Terminal } from './program.ts';
import type { DeclareClient } from './subcommand.ts';

/** Parameters of every command besides its own. */
const COMMON_PARAMETERS = ['destId', 'clientId', 'httpStatus', errors.name, numbers.name, dates.name];
const STANDARD_INPUT = '-';
/** The parameter of a batch, and of a dry run of one. */
const COMMANDS = 'commands';
/** Default page size if the user specifies none. */
const PAGE_ROWS = '1000';

interface OwnOptions {
  readonly idempotencyKey?: string;
  readonly help?: boolean;
}

/** Adds a command's arguments, options and action. */
export function declareInterfaceCommand(declared: RegisteredCommand): DeclareClient {
  return (command, invocation) => {
    command
      .usage([...positions(declared).map(shownPosition), '[NAME=VALUE ...] [options]'].join(' '))
      .argument(
        '[parameters...]',
        'required values in order, and parameters as NAME=VALUE, or NAME@FILE for the content of a file (- is the input)',
      )
      .helpOption(false)
      .option('-h, --help', 'display help for command');
    addOutputOptions(addConnectionOptions(command));
    if (acceptsKey(declared)) {
      command.option('--idempotency-key <key>', 'execute the request once, however often it is sent with this key');
    }
    command.action(async (words: readonly string[], options: ConnectionOptions & OutputOptions & OwnOptions) => {
      if (options.help === true) {
        const { commandHelp } = await import('../documentation/help.ts');
        await invocation.terminal.print(`${command.helpInformation()}\n${commandHelp(declared.name, 'svc')}`);
        return;
      }
      const parameters = withPageSize(declared, await readParameters(declared, words, invocation.terminal));
      const client = await connect(options, invocation);
      const key = options.idempotencyKey;
      // The commands of a batch are JSON, whose types count.
      const [, commands] = parameters.find(([name]) => name === COMMANDS) ?? [];
      if (commands !== undefined) checkBatchText(declared.name, commands, fileOfCommands(words));
      const request = commands === undefined ? parameters : JSON.stringify(Object.fromEntries(parameters));
      const sent = client.command(declared.name, request, key === undefined ? {} : { idempotencyKey: key });
      const { response } = await sent.catch((error: unknown) => {
        throw withUsage(declared, error);
      });
      await invocation.terminal.print(await responseText(response, options, invocation.terminal));
    });
  };
}

/** Returns the file that contains the commands of a batch, as errors name it. */
function fileOfCommands(words: readonly string[]): string | undefined {
  const start = `${COMMANDS}@`;
  const file = words.find((word) => word.startsWith(start))?.slice(start.length);
  return file === STANDARD_INPUT ? 'the input' : file;
}

const MISSING: ReadonlySet<string | undefined> = new Set<ErrorCode>(['PARAMETER_MISSING', 'PARAMETER_NULL']);

/** Adds the command's arguments to an error about a missing one. */
function withUsage(declared: RegisteredCommand, error: unknown): unknown {
  const { code, parameter: name } = error instanceof ServiceFailure ? error.details : {};
  // A command in a batch may lack a member for which the batch has no parameter.
  if (name === undefined || !MISSING.has(code) || !isParameter(declared, name)) return error;
  const own = positions(declared);
  const named = own.some((each) => isNamed(each, name)) ? [] : [`${name}=${name.toUpperCase()}`];
  const usage = `svc ${[declared.name, ...own.map(shownPosition), ...named].join(' ')}`;
  return usageError(`${declared.name}: the parameter ${name} is missing: ${usage} (svc help ${declared.name})`);
}

/** Returns the required parameters, which can be given without their names. */
export function positions(declared: RegisteredCommand): readonly WireParameter[] {
  const required = wireParameters(declared, 'svc').filter(
    ({ name, required: isRequired }) => isRequired && name !== pageSize.name && !isPassword(name),
  );
  const first = required.findIndex(({ numbered: isNumbered }) => isNumbered);
  // The values of two numbered parameters could not be told apart.
  if (required.filter(({ numbered: isNumbered }) => isNumbered).length > 1) return required.slice(0, first);
  return first < 0 ? required : required.slice(0, first + 1);
}

function isNamed(parameter: WireParameter, name: string): boolean {
  return parameter.numbered ? numbered(parameter.name).test(name) : parameter.name === name;
}

function isPassword(name: string): boolean {
  return /password/i.test(name);
}

function shownPosition({ name, numbered: isNumbered }: WireParameter): string {
  return isNumbered ? `${name.toUpperCase()}1 ...` : name.toUpperCase();
}

/**
 * Reads `name=value`, `name@file` and unnamed values, which are the remaining required parameters. Throws
 * CommandLineError for a name that the command does not have.
 */
export async function readParameters(
  declared: RegisteredCommand,
  words: readonly string[],
  terminal: Terminal,
): Promise<ReadonlyArray<readonly [name: string, value: string]>> {
  const parameters: Array<readonly [string, string]> = [];
  const values: string[] = [];
  for (const word of words) {
    const [, name, operator, rest = ''] = /^([A-Za-z][\w.]*)([=@])(.*)$/s.exec(word) ?? [];
    // An e-mail address is not a file.
    if (name === undefined || (operator === '@' && !isParameter(declared, name))) values.push(word);
    else {
      checkName(declared, name, rest, values.length);
      const content = operator === '=' ? rest : await contentOf(name, rest, terminal);
      // An editor ends a file with a line break, which is not part of a password.
      parameters.push([name, operator === '@' && isPassword(name) ? content.replace(/\r?\n$/, '') : content]);
    }
  }
  return [...positioned(declared, values, new Set(parameters.map(([name]) => name))), ...parameters];
}

/** Names the unnamed values. Throws CommandLineError if there are too many. */
function positioned(
  declared: RegisteredCommand,
  values: readonly string[],
  named: ReadonlySet<string>,
): Array<readonly [name: string, value: string]> {
  const free = positions(declared).filter(({ name }) => !named.has(name));
  return values.map((value, at) => {
    const name = positionAt(free, at);
    if (name === undefined) throw notAParameter(declared, value);
    return [name, value];
  });
}

/** Returns the name of an unnamed value, by the values before it, or undefined if there are too many. */
function positionAt(free: readonly WireParameter[], at: number): string | undefined {
  const position = free[Math.min(at, free.length - 1)];
  if (position === undefined || (at >= free.length && !position.numbered)) return undefined;
  return position.numbered ? `${position.name}${at - free.length + 2}` : position.name;
}

/** Adds the page size for a command that needs it. */
function withPageSize(
  declared: RegisteredCommand,
  parameters: ReadonlyArray<readonly [name: string, value: string]>,
): ReadonlyArray<readonly [name: string, value: string]> {
  const isPaged = Object.values(declared.params).some(({ name }) => name === pageSize.name);
  if (!isPaged || parameters.some(([name]) => name === pageSize.name)) return parameters;
  return [...parameters, [pageSize.name, PAGE_ROWS]];
}

function notAParameter(declared: RegisteredCommand, word: string) {
  const own = positions(declared);
  const example = wireParameters(declared, 'svc').find(({ name }) => own.every((each) => each.name !== name));
  const accepted = own.length === 0 ? 'accepts no values without names' : `accepts ${own.map(shownPosition).join(' ')}`;
  const others =
    example === undefined ? '' : `; other parameters are written as NAME=VALUE, such as ${example.name}=${word}`;
  return usageError(
    `${declared.name}: ${word} is one value too many: it ${accepted}${others} (svc help ${declared.name})`,
  );
}

function isParameter(declared: RegisteredCommand, name: string): boolean {
  if (declared.acceptsOthers === true) return true;
  const own = wireParameters(declared, 'svc');
  return own.some((each) => isNamed(each, name)) || COMMON_PARAMETERS.includes(name) || /^arg\d+Type$/.test(name);
}

/** Throws CommandLineError for a name that the command does not have. `before` unnamed values precede it. */
function checkName(declared: RegisteredCommand, name: string, value: string, before: number): void {
  if (isParameter(declared, name)) return;
  const own = wireParameters(declared, 'svc');
  const near = nearestNames(name, [...own.map(exampleName), numbers.name, dates.name]);
  const meant = positionAt(positions(declared), before);
  const advice = meant === undefined ? '' : `; a value that contains = needs its name: ${meant}=${name}=${value}`;
  const hint =
    near.length > 0 ? `did you mean ${near.join(', ')}?` : `it has ${own.map(shownName).join(', ') || 'none'}${advice}`;
  throw usageError(`${declared.name}: unknown parameter ${name}, ${hint}`);
}

/** Returns a parameter's name as a request may contain it. */
function exampleName({ name, numbered: isNumbered }: WireParameter): string {
  return isNumbered ? `${name}1` : name;
}

function numbered(stem: string): RegExp {
  return new RegExp(`^${stem}[1-9]\\d*$`);
}

async function contentOf(name: string, file: string, { input, cwd }: Terminal): Promise<string> {
  if (file === STANDARD_INPUT) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of input) chunks.push(Buffer.from(chunk));
    return Buffer.concat(chunks).toString();
  }
  if (file === '') throw usageError(`${name}@: name a file behind @, or write - for standard input`);
  try {
    return readFileSync(resolve(cwd, file), 'utf8');
  } catch (error) {
    throw usageError(`${name}: cannot read ${file}: ${errorText(error)}`);
  }
}
