/** `svc mcp`: a server of the Model Context Protocol, which offers commands of a service as tools, over stdio. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, type CallToolResult, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Command } from 'commander';
import { nearestNames } from '../../base/nearest.ts';
import type { RegisteredCommand } from '../../commands/command.ts';
import { writeNode } from '../../values/json.ts';
import type { ServiceClient } from '../client.ts';
import { addConnectionOptions, type ConnectionOptions, connect } from '../connection.ts';
import { CommandLineError, ServiceFailure, usageError } from '../exit-codes.ts';
import type { Invocation } from '../subcommand.ts';
import { completeArguments, inexactNumber, offeredCommands, reasonAgainst, toolOf } from './tools.ts';

interface McpOptions extends ConnectionOptions {
  readonly allowWrites?: boolean;
  readonly tools?: string;
}

export function declareMcp(command: Command, invocation: Invocation): void {
  addConnectionOptions(command)
    .option('--allow-writes', 'offer commands and execute statements that change data, too')
    .option('--tools <names>', 'commands to offer, separated by commas; default: all that are allowed')
    .action((options: McpOptions) => serveTools(options, invocation));
}

const INSTRUCTIONS =
  'Tools are the commands of svc, a durable data grid with key-value entries, counters and SQL. `metadata` lists tables ' +
  'and their columns, `qryfldexe` executes SQL; read further pages with `qryfetch` and its `qryId` until `last` is true. ' +
  'Keys and values are strings unless `keyType` and `valueType` name another type. Write integers beyond 2^53 as strings.';

/** Serves until the client closes the input, or the program is interrupted. */
async function serveTools(options: McpOptions, invocation: Invocation): Promise<void> {
  const { terminal, version } = invocation;
  const allowsWrites = options.allowWrites === true;
  const commands = chosen(offeredCommands(allowsWrites), options.tools);
  const client = await connect(options, invocation);
  const serviceName = client.url.slice(client.url.lastIndexOf('/') + 1);
  const server = new Server({ name: 'svc', version }, { capabilities: { tools: {} }, instructions: INSTRUCTIONS });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: commands.map((each) => ({ ...toolOf(each, serviceName, allowsWrites) })),
  }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal }) => {
    const command = commands.find(({ name }) => name === params.name);
    if (command === undefined) return failure(`${params.name} is not among the tools that svc mcp offers`);
    return call(client, command, params.arguments ?? {}, allowsWrites, signal);
  });
  const closed = Promise.withResolvers<void>();
  server.onclose = closed.resolve;
  terminal.input.once('end', closed.resolve);
  terminal.input.once('close', closed.resolve);
  terminal.interrupted.addEventListener('abort', () => closed.resolve());
  await server.connect(new StdioServerTransport(terminal.input, terminal.output));
  await closed.promise;
  await server.close();
}

/** Returns the commands that `--tools` names. Throws CommandLineError for others. */
function chosen(commands: readonly RegisteredCommand[], names: string | undefined): readonly RegisteredCommand[] {
  if (names === undefined) return commands;
  return names.split(',').map((each) => {
    const name = each.trim();
    const found = commands.find((command) => command.name === name);
    if (found !== undefined) return found;
    const near = nearestNames(
      name,
      commands.map((command) => command.name),
    );
    const hint = near.length > 0 ? `did you mean ${near.join(', ')}?` : 'svc help lists the commands';
    throw usageError(`--tools: ${name} is not offered (without --allow-writes, only commands that read are), ${hint}`);
  });
}

/** Executes a command. The result is the response as JSON, with all digits of its numbers, or the error. */
async function call(
  client: ServiceClient,
  command: RegisteredCommand,
  given: Readonly<Record<string, unknown>>,
  allowsWrites: boolean,
  signal: AbortSignal,
): Promise<CallToolResult> {
  const { name, rightsOn, subject = '' } = command;
  const inexact = inexactNumber(given);
  if (inexact !== undefined) return failure(inexact);
  if (!allowsWrites && rightsOn === 'statement') {
    const reason = reasonAgainst(String(given[subject] ?? ''));
    if (reason !== undefined) return failure(reason);
  }
  try {
    const { response } = await client.command(name, JSON.stringify(completeArguments(command, given)), { signal });
    return { content: [{ type: 'text', text: writeNode(response) }] };
  } catch (error) {
    // The object also says which parameter is wrong, where in the statement, and what to do.
    if (error instanceof ServiceFailure) return failure(error.details.object ?? error.message);
    if (error instanceof CommandLineError) return failure(error.message);
    throw error;
  }
}

function failure(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text }] };
}
