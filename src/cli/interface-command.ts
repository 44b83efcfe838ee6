/** Commands of the interface as subcommands: `svc get cacheName=users key=42`. Everything follows from declarations. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { nearestNames } from '../base/nearest.ts';
import { acceptsKey, type RegisteredCommand } from '../commands/command.ts';
import { dates, errors, numbers, pageSize } from '../commands/params.ts';
import { shownName, wireParameters } from '../documentation/command-guide.ts';
import { commandHelp } from '../documentation/help.ts';
import { addConnectionOptions, type ConnectionOptions, connect } from './connection.ts';
import { usageError } from './exit-codes.ts';
import { addOutputOptions, type OutputOptions, responseText } from './output.ts';
import type { Terminal } from './program.ts';
import type { Declare } from './subcommand.ts';

/** Parameters of every command besides those that it declares. */
const COMMON_PARAMETERS = ['destId', 'clientId', 'httpStatus', errors.name, numbers.name, dates.name];
const STANDARD_INPUT = '-';
/** Rows of a page if the user names no number. */
const PAGE_ROWS = '1000';

interface KeyOptions {
  readonly idempotencyKey?: string;
}

/** Adds arguments, options and action of a command of the interface. */
export function declareInterfaceCommand(declared: RegisteredCommand): Declare {
  return (command, invocation) => {
    command
      .usage('[NAME=VALUE ...] [options]')
      .argument('[parameters...]', 'parameters as NAME=VALUE, or NAME@FILE for the content of a file (- is the input)')
      .addHelpText('after', () => `\n${commandHelp(declared.name, 'svc')}`);
    addOutputOptions(addConnectionOptions(command));
    if (acceptsKey(declared)) {
      command.option('--idempotency-key <key>', 'execute the request once, however often it is sent with this key');
    }
    command.action(async (words: readonly string[], options: ConnectionOptions & OutputOptions & KeyOptions) => {
      const parameters = withPageSize(declared, await readParameters(declared, words, invocation.terminal));
      const client = await connect(options, invocation);
      const { response } = await client.command(declared.name, parameters, {
        ...(options.idempotencyKey !== undefined && { idempotencyKey: options.idempotencyKey }),
      });
      invocation.terminal.output.write(responseText(response, options, invocation.terminal));
    });
  };
}

/** Reads `name=value` and `name@file`. Throws CommandLineError for a name that the command does not have. */
export async function readParameters(
  declared: RegisteredCommand,
  words: readonly string[],
  terminal: Terminal,
): Promise<ReadonlyArray<readonly [name: string, value: string]>> {
  const parameters: Array<readonly [string, string]> = [];
  for (const word of words) {
    const [, name, operator, rest = ''] = /^([A-Za-z][\w.]*)([=@])(.*)$/s.exec(word) ?? [];
    if (name === undefined) throw notAParameter(declared, word);
    checkName(declared, name);
    parameters.push([name, operator === '=' ? rest : await contentOf(name, rest, terminal)]);
  }
  return parameters;
}

/** Adds the number of rows of a page for a command that needs it. */
function withPageSize(
  declared: RegisteredCommand,
  parameters: ReadonlyArray<readonly [name: string, value: string]>,
): ReadonlyArray<readonly [name: string, value: string]> {
  const isPaged = Object.values(declared.params).some(({ name }) => name === pageSize.name);
  if (!isPaged || parameters.some(([name]) => name === pageSize.name)) return parameters;
  return [...parameters, [pageSize.name, PAGE_ROWS]];
}

function notAParameter(declared: RegisteredCommand, word: string) {
  const [first] = Object.values(declared.params);
  const example = first === undefined ? 'it has no parameters' : `for example ${first.name}=${word}`;
  return usageError(`${declared.name}: parameters are written as NAME=VALUE, ${example}`);
}

function checkName(declared: RegisteredCommand, name: string): void {
  const own = wireParameters(declared, 'svc');
  if (declared.acceptsOthers === true) return;
  const known = own.some((each) => (each.numbered ? numbered(each.name).test(name) : each.name === name));
  if (known || COMMON_PARAMETERS.includes(name) || /^arg\d+Type$/.test(name)) return;
  const near = nearestNames(name, [...own.map((each) => each.name), numbers.name, dates.name]);
  const hint =
    near.length > 0 ? `did you mean ${near.join(', ')}?` : `it has ${own.map(shownName).join(', ') || 'none'}`;
  throw usageError(`${declared.name}: unknown parameter ${name}, ${hint}`);
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
  try {
    return readFileSync(resolve(cwd, file), 'utf8');
  } catch (error) {
    throw usageError(`${name}: cannot read ${file}: ${error instanceof Error ? error.message : error}`);
  }
}
