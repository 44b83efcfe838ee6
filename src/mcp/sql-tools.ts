/** The tools for tables and SQL, with plain names: `tables`, `describe` and `query`. */
import type { RegisteredCommand } from '../commands/command.ts';
import { queryArguments } from '../commands/numbered-params.ts';
import { pageSize, requiredString, statementTimeout } from '../commands/params.ts';
import { qryfldexe } from '../commands/query/qryfldexe.ts';
import type { JsonSchema } from '../commands/reply.ts';
import { readTable, readTables } from './table-definitions.ts';
import { ToolFailure } from './tool-client.ts';
import { commandTool, type OfferedTool, type OptionWords, READS_ONLY } from './tools.ts';

/** Returns the tools for tables and SQL. */
export function sqlTools(serviceName: string, allowsWrites: boolean, words: OptionWords): readonly OfferedTool[] {
  return [TABLES, DESCRIBE, queryTool(serviceName, allowsWrites, words)];
}

const TABLES: OfferedTool = {
  tool: {
    name: 'tables',
    description:
      'Lists tables and views. Returns: schema, name, kind and cacheName of each; the rows of a table are the entries ' +
      'of that cache. Example of the arguments: {}',
    inputSchema: { type: 'object', properties: {} },
    annotations: READS_ONLY,
  },
  call: async (_given, client, signal) => JSON.stringify(await readTables(client, signal)),
};

const TABLE: JsonSchema = {
  description: 'The table or view as a statement writes it: person, PUBLIC.PERSON, "Person".',
  type: 'string',
};

const DESCRIBE: OfferedTool = {
  tool: {
    name: 'describe',
    description:
      'Describes a table or view. Returns: its columns with their types, and its indexes. Example of the arguments: ' +
      '{"table":"SYS.TABLES"}',
    inputSchema: { type: 'object', required: ['table'], properties: { table: TABLE } },
    annotations: READS_ONLY,
  },
  call: async ({ table }, client, signal) =>
    JSON.stringify(await readTable(client, requiredText('table', table), signal)),
};

/** The command that executes statements, with simple names and without what an assistant does not need. */
const QUERY: RegisteredCommand = {
  ...qryfldexe,
  name: 'query',
  params: {
    sql: requiredString('sql', 'The SQL statement.'),
    args: queryArguments,
    pageSize,
    timeout: statementTimeout,
  },
  example: { query: 'cmd=query&sql=SELECT+X+FROM+SYSTEM_RANGE(1,3)+WHERE+X+>+?&arg1=1' },
};

function queryTool(serviceName: string, allowsWrites: boolean, words: OptionWords): OfferedTool {
  const { tool } = commandTool(QUERY, serviceName, allowsWrites, words);
  const { call } = commandTool(qryfldexe, serviceName, allowsWrites, words);
  return {
    tool,
    call: async ({ sql, ...others }, client, signal) =>
      call({ ...others, qry: requiredText('sql', sql) }, client, signal),
  };
}

function requiredText(name: string, value: unknown): string {
  if (typeof value === 'string' && value.trim() !== '') return value;
  throw new ToolFailure(`the argument ${name} is missing or empty`);
}
