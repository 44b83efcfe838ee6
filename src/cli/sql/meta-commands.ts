/** The commands of the prompt, which begin with a backslash. */
import type { Writable } from 'node:stream';
import { nearestNames } from '../../base/nearest.ts';
import { titleOfJavaClass } from '../../sql/types/type-order.ts';
import type { ServiceClient } from '../client.ts';
import { CommandLineError, EXIT_CODES } from '../exit-codes.ts';
import { tableText } from '../output.ts';
import { RESULT_FORMATS, type ResultFormat } from './result-output.ts';
import { textRows } from './schema-catalog.ts';

/** What the commands change and use. */
export interface PromptState {
  readonly client: ServiceClient;
  readonly output: Writable;
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

const TABLES = `SELECT SCHEMA_NAME, TABLE_NAME, 'table', CACHE_NAME FROM SYS.TABLES
  UNION ALL SELECT SCHEMA, NAME, 'view', '' FROM SYS.VIEWS WHERE SCHEMA NOT IN ('SYS', 'INFORMATION_SCHEMA')
  ORDER BY 1, 2`;
const INDEXES = 'SELECT SCHEMA_NAME, TABLE_NAME, INDEX_NAME, COLUMNS FROM SYS.INDEXES ORDER BY 1, 2, 3';
const COLUMNS = `SELECT SCHEMA_NAME, COLUMN_NAME, TYPE, NULLABLE, DEFAULT_VALUE, PK FROM SYS.TABLE_COLUMNS
  WHERE TABLE_NAME = ? AND COLUMN_NAME NOT IN ('_KEY', '_VAL')
  UNION ALL SELECT SCHEMA_NAME, COLUMN_NAME, TYPE, NULLABLE, DEFAULT_VALUE, FALSE FROM SYS.VIEW_COLUMNS
  WHERE VIEW_NAME = ?`;
const TABLE_INDEXES = `SELECT INDEX_NAME, COLUMNS, CASE WHEN IS_PK THEN 'primary key' WHEN IS_UNIQUE THEN 'unique' END
  FROM SYS.INDEXES WHERE TABLE_NAME = ? ORDER BY 1`;

async function printRows(client: ServiceClient, output: Writable, names: string[], sql: string): Promise<void> {
  output.write(tableText(names, await textRows(client, sql)));
}

function listTables({ client, output }: PromptState): Promise<void> {
  return printRows(client, output, ['schema', 'name', 'kind', 'cache'], TABLES);
}

/** Prints the columns and indexes of a table or view, whose name is written as in a statement. */
async function describeTable({ client, output }: PromptState, written: string): Promise<void> {
  const [first = '', second] = (written.match(/"[^"]*"|[^."]+/g) ?? []).map(nameOf);
  const [schema, table] = second === undefined ? [undefined, first] : [first, second];
  const rows = (await textRows(client, COLUMNS, [table, table])).filter(
    ([owner]) => schema === undefined || owner === schema,
  );
  if (rows.length === 0) throw failure(`there is no table or view ${written}`);
  const columns = rows.map(([, name = '', type = '', nullable, defaultValue = '', isKey]) => [
    name,
    titleOfJavaClass(type),
    nullable === 'false' ? 'not null' : '',
    defaultValue,
    isKey === 'true' ? 'primary key' : '',
  ]);
  output.write(tableText(['column', 'type', '', 'default', 'key'], columns));
  const indexes = await textRows(client, TABLE_INDEXES, [table]);
  if (indexes.length > 0) output.write(tableText(['index', 'columns', ''], indexes));
}

function nameOf(text: string): string {
  return text.startsWith('"') ? text.slice(1, -1) : text.trim().toUpperCase();
}
