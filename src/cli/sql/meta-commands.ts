/** The prompt's commands, which begin with a backslash. */
import type { Writable } from 'node:stream';
import { EXIT_CODES } from '../../base/exit-codes.ts';
import { nearestNames } from '../../base/nearest.ts';
import { textRows } from '../../mcp/table-definitions.ts';
import type { ServiceClient } from '../client.ts';
import { CommandLineError } from '../failures.ts';
import type { Terminal } from '../program.ts';
import { tableText } from '../table-output.ts';
import { RESULT_FORMATS, type ResultFormat } from './result-output.ts';
import { describeTable, listTables } from './tables.ts';

/** The state and services that the commands use. */
export interface PromptState {
  readonly client: ServiceClient;
  readonly output: Writable;
  readonly print: Terminal['print'];
  format: ResultFormat;
  expanded: boolean;
  timing: boolean;
  pager: boolean;
  cache: string | undefined;
  /** Ends the prompt. */
  quit(): void;
  /** Executes the statements of a file. */
  include(file: string): Promise<void>;
}

interface MetaCommand {
  /** Names without the backslash; help shows the first one. */
  readonly names: readonly [string, ...string[]];
  readonly argument?: string;
  readonly help: string;
  run(state: PromptState, argument: string): Promise<void> | void;
}

const META_COMMANDS: readonly MetaCommand[] = [
  {
    names: ['?', 'h', 'help'],
    help: 'list these commands',
    run: ({ output }) => void output.write(metaHelp()),
  },
  {
    names: ['q', 'quit', 'exit'],
    help: 'leave; so does Ctrl-D',
    run: (state) => state.quit(),
  },
  {
    names: ['d', 'dt'],
    argument: '[NAME]',
    help: 'list tables and views, or the columns and indexes of one',
    run: (state, name) => (name === '' ? listTables(state) : describeTable(state, name)),
  },
  {
    names: ['di'],
    help: 'list indexes',
    run: ({ client, output }) => printRows(client, output, ['schema', 'table', 'index', 'columns'], INDEXES),
  },
  {
    names: ['timing'],
    argument: '[on|off]',
    help: 'show how long each statement takes',
    run: (state, argument) => toggle(state, 'timing', argument),
  },
  {
    names: ['x', 'expanded'],
    argument: '[on|off]',
    help: 'print each row as a list of columns',
    run: (state, argument) => toggle(state, 'expanded', argument),
  },
  {
    names: ['pager'],
    argument: '[on|off]',
    help: 'show long results in a pager (environment: PAGER)',
    run: (state, argument) => toggle(state, 'pager', argument),
  },
  {
    names: ['format'],
    argument: RESULT_FORMATS.join('|'),
    help: 'choose the form of results',
    run(state, argument) {
      const format = RESULT_FORMATS.find((each) => each === argument);
      if (format === undefined) throw failure(`\\format: choose one of ${RESULT_FORMATS.join(', ')}`);
      state.format = format;
    },
  },
  {
    names: ['cache'],
    argument: '[NAME]',
    help: 'choose the cache whose schema unqualified names belong to',
    run(state, argument) {
      state.cache = argument === '' ? undefined : argument;
    },
  },
  {
    names: ['i', 'include'],
    argument: 'FILE',
    help: 'execute the statements of a file',
    run: (state, file) => state.include(file),
  },
  {
    names: ['conninfo'],
    help: 'show the address of the service and the user',
    run({ client, output }) {
      output.write(`${client.url}${client.login === undefined ? '' : ` as ${client.login.user}`}\n`);
    },
  },
];

/** Names for completion, each with its backslash. */
export const META_COMMAND_NAMES: readonly string[] = META_COMMANDS.flatMap(({ names }) =>
  names.map((name) => `\\${name}`),
);

/** Returns the list that `\?` prints. */
export function metaHelp(): string {
  const shown = META_COMMANDS.map(({ names, argument, help }) => [
    `\\${names[0]}${argument === undefined ? '' : ` ${argument}`}`,
    help,
  ]);
  const width = Math.max(...shown.map(([command = '']) => command.length));
  const lines = shown.map(([command = '', help]) => `  ${command.padEnd(width)}  ${help}\n`);
  return `Statements end with a semicolon. Ctrl-C cancels what is typed or runs.\n${lines.join('')}`;
}

/** Runs a line that begins with a backslash. Throws CommandLineError. */
export async function runMetaCommand(line: string, state: PromptState): Promise<void> {
  const [, name = '', argument = ''] = /^\\(\S*)\s*(.*?)\s*;?\s*$/s.exec(line) ?? [];
  const found = META_COMMANDS.find(({ names }) => names.includes(name));
  if (found !== undefined) return found.run(state, argument);
  const near = nearestNames(`\\${name}`, META_COMMAND_NAMES);
  throw failure(`\\${name}: unknown, ${near.length > 0 ? `did you mean ${near.join(', ')}?` : 'see \\?'}`);
}

function failure(message: string): CommandLineError {
  return new CommandLineError(EXIT_CODES.failed, message);
}

function toggle(state: PromptState, name: 'timing' | 'expanded' | 'pager', argument: string): void {
  if (!['', 'on', 'off'].includes(argument)) throw failure(`\\${name}: on or off, not ${argument}`);
  state[name] = argument === '' ? !state[name] : argument === 'on';
  state.output.write(`${name} is ${state[name] ? 'on' : 'off'}\n`);
}

const INDEXES = 'SELECT SCHEMA_NAME, TABLE_NAME, INDEX_NAME, COLUMNS FROM SYS.INDEXES ORDER BY 1, 2, 3';
async function printRows(client: ServiceClient, output: Writable, names: string[], sql: string): Promise<void> {
  output.write(tableText(names, await textRows(client, sql)));
}
