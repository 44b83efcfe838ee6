/** `svc mcp`: offers a service to language models over standard input and output. */
import { Transform } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CancelledNotificationSchema, isJSONRPCRequest, type RequestId } from '@modelcontextprotocol/sdk/types.js';
import type { Command } from 'commander';
import { INVALID_REQUEST, PARSE_ERROR } from '../mcp/protocol-error.ts';
import { createMcpServer } from '../mcp/server.ts';
import { type ToolClient, ToolFailure } from '../mcp/tool-client.ts';
import type { ServiceClient } from './client.ts';
import { addConnectionOptions, type ConnectionOptions, connect } from './connection.ts';
import { CommandLineError, ServiceFailure, usageError } from './failures.ts';
import type { Invocation } from './subcommand.ts';

interface McpOptions extends ConnectionOptions {
  readonly allowWrites?: boolean;
  readonly tools?: string;
}

export function declareMcp(command: Command, invocation: Invocation): void {
  addConnectionOptions(command)
    .option('--allow-writes', 'offer commands and execute statements that change data, too')
    .option('--tools <names>', 'tools to offer, separated by commas, or all; default: the usual ones')
    .action((options: McpOptions) => serve(options, invocation));
}

/** Serves until the client closes the input, or the program is interrupted. */
async function serve(options: McpOptions, invocation: Invocation): Promise<void> {
  const { terminal, version } = invocation;
  const client = await connect(options, invocation);
  const server = createServer(client, version, options);
  const closed = Promise.withResolvers<void>();
  server.onclose = closed.resolve;
  const input = terminal.input.pipe(withoutByteOrderMark());
  const transport = new StdioServerTransport(input, terminal.output);
  transport.onerror = (error) => terminal.output.write(`${JSON.stringify(notRead(error))}\n`);
  const answered = answersOf(transport);
  // Requests that a script wrote before it closed the input are still answered.
  for (const event of ['end', 'close']) input.once(event, () => void answered().then(closed.resolve));
  terminal.interrupted.addEventListener('abort', () => closed.resolve());
  await server.connect(transport);
  await closed.promise;
  await server.close();
}

function createServer(client: ServiceClient, version: string, { allowWrites, tools }: McpOptions) {
  try {
    return createMcpServer({
      client: toolClient(client),
      serviceName: client.url.slice(client.url.lastIndexOf('/') + 1),
      version,
      allowsWrites: allowWrites === true,
      tools,
      words: { product: 'svc mcp', writes: '--allow-writes', tools: '--tools' },
    });
  } catch (error) {
    throw error instanceof ToolFailure ? usageError(error.message) : error;
  }
}

/** Adds the service's details to a client's failures: the parameter, the position in the statement, the remedy. */
function toolClient(client: ServiceClient): ToolClient {
  return {
    url: client.url,
    command: (...call) =>
      client.command(...call).catch((error: unknown) => {
        if (error instanceof ServiceFailure) throw new ToolFailure(error.details.object ?? error.message);
        throw error instanceof CommandLineError ? new ToolFailure(error.message) : error;
      }),
  };
}

/** Returns the response to an invalid line, whose id is unknown (JSON-RPC 2.0, 5). */
function notRead(error: Error): object {
  const isJson = !(error instanceof SyntaxError);
  const message = isJson ? 'Invalid request: the line is no JSON-RPC message' : `Parse error: ${error.message}`;
  return { jsonrpc: '2.0', id: null, error: { code: isJson ? INVALID_REQUEST : PARSE_ERROR, message } };
}

const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** Returns a stream without the byte order mark at the beginning, which editors and shells write. */
function withoutByteOrderMark(): Transform {
  let held: Buffer | undefined = Buffer.alloc(0);
  return new Transform({
    transform(chunk: Buffer, _, done) {
      if (held === undefined) return done(null, chunk);
      held = Buffer.concat([held, chunk]);
      const compared = Math.min(held.length, BYTE_ORDER_MARK.length);
      const mayBegin = held.subarray(0, compared).equals(BYTE_ORDER_MARK.subarray(0, compared));
      if (mayBegin && compared < BYTE_ORDER_MARK.length) return done();
      const rest = mayBegin ? held.subarray(BYTE_ORDER_MARK.length) : held;
      held = undefined;
      return done(null, rest);
    },
    flush(done) {
      done(null, held);
    },
  });
}

/** Returns a function that resolves when every received request has been answered or cancelled. */
function answersOf(transport: StdioServerTransport): () => Promise<void> {
  const open = new Set<RequestId>();
  const idle = Promise.withResolvers<void>();
  let isAwaited = false;
  const settle = (id: RequestId | undefined): void => {
    if (id !== undefined) open.delete(id);
    if (isAwaited && open.size === 0) idle.resolve();
  };
  transport.onmessage = (message) => {
    if (isJSONRPCRequest(message)) open.add(message.id);
    else if ('method' in message) settle(CancelledNotificationSchema.safeParse(message).data?.params.requestId);
  };
  const send = transport.send.bind(transport);
  transport.send = async (message) => {
    await send(message);
    if (!('method' in message)) settle(message.id);
  };
  return () => {
    isAwaited = true;
    settle(undefined);
    return idle.promise;
  };
}
