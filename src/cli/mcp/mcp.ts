/**
 * `svc mcp`: a server of the Model Context Protocol, which offers a service to language models over stdio: tools,
 * resources and prompts.
 */
import { Transform } from 'node:stream';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  CancelledNotificationSchema,
  CompleteRequestSchema,
  GetPromptRequestSchema,
  isJSONRPCRequest,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';
import type { Command } from 'commander';
import { nearestNames } from '../../base/nearest.ts';
import type { ServiceClient } from '../client.ts';
import { addConnectionOptions, type ConnectionOptions, connect } from '../connection.ts';
import { CommandLineError, ServiceFailure, usageError } from '../failures.ts';
import type { Invocation } from '../subcommand.ts';
import { instructionsFor } from './instructions.ts';
import { type OfferedPrompt, PROMPTS } from './prompts.ts';
import { INVALID_PARAMS, ProtocolError } from './protocol-error.ts';
import { type Candidates, RESOURCE_TEMPLATES, readResource, tableResources } from './resources.ts';
import { sqlTools } from './sql-tools.ts';
import { commandTool, inexactNumber, isWritingTool, type OfferedTool, offeredCommands } from './tools.ts';

interface McpOptions extends ConnectionOptions {
  readonly allowWrites?: boolean;
  readonly tools?: string;
}

export function declareMcp(command: Command, invocation: Invocation): void {
  addConnectionOptions(command)
    .option('--allow-writes', 'offer commands and execute statements that change data, too')
    .option('--tools <names>', 'tools to offer, separated by commas; default: all that are allowed')
    .action((options: McpOptions) => serve(options, invocation));
}

/** Serves until the client closes the input, or the program is interrupted. */
async function serve(options: McpOptions, invocation: Invocation): Promise<void> {
  const { terminal, version } = invocation;
  const allowsWrites = options.allowWrites === true;
  const client = await connect(options, invocation);
  const serviceName = client.url.slice(client.url.lastIndexOf('/') + 1);
  const all = [
    ...sqlTools(serviceName, allowsWrites),
    ...offeredCommands(allowsWrites).map((each) => commandTool(each, serviceName, allowsWrites)),
  ];
  const tools = chosen(all, options.tools);
  const names = tools.map(({ tool }) => tool.name);
  const server = new Server(
    { name: 'svc', version },
    {
      capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
      instructions: instructionsFor(
        tools.map(({ tool }) => tool),
        client.url,
        allowsWrites,
      ),
    },
  );
  offerTools(server, tools, allowsWrites, client);
  offerResources(server, client);
  offerPrompts(
    server,
    PROMPTS.filter((each) => each.tools.every((name) => names.includes(name))),
    client,
  );
  const closed = Promise.withResolvers<void>();
  server.onclose = closed.resolve;
  const input = terminal.input.pipe(withoutByteOrderMark());
  const transport = new StdioServerTransport(input, terminal.output);
  transport.onerror = (error) => terminal.output.write(`${JSON.stringify(notRead(error))}\n`);
  const answered = answersOf(transport);
  // What a script has written before it closes the input is still answered.
  for (const event of ['end', 'close']) input.once(event, () => void answered().then(closed.resolve));
  terminal.interrupted.addEventListener('abort', () => closed.resolve());
  await server.connect(transport);
  await closed.promise;
  await server.close();
}

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

/** Returns the response to a line that is no message of the protocol, whose id nobody knows (JSON-RPC 2.0, 5). */
function notRead(error: Error): object {
  const isJson = !(error instanceof SyntaxError);
  const message = isJson ? 'Invalid request: the line is no JSON-RPC message' : `Parse error: ${error.message}`;
  return { jsonrpc: '2.0', id: null, error: { code: isJson ? INVALID_REQUEST : PARSE_ERROR, message } };
}

const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** Returns a stream that leaves out the byte order mark at the beginning, as editors and shells write it. */
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

/** Returns a function that resolves when every request that has arrived is answered or cancelled. */
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

function offerTools(server: Server, tools: readonly OfferedTool[], allowsWrites: boolean, client: ServiceClient): void {
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.map(({ tool }) => ({ ...tool })) }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal }) => {
    const found = tools.find(({ tool }) => tool.name === params.name);
    if (found === undefined) {
      const names = tools.map(({ tool }) => tool);
      const isWrite = !allowsWrites && isWritingTool(params.name);
      return failure(notOffered(params.name, isWrite ? [] : names, 'tools', isWrite ? ' without --allow-writes' : ''));
    }
    return call(found, params.arguments ?? {}, client, signal);
  });
}

function offerResources(server: Server, client: ServiceClient): void {
  server.setRequestHandler(ListResourcesRequestSchema, async (_request, { signal }) => ({
    resources: await tableResources(client, signal),
  }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: RESOURCE_TEMPLATES.map(({ template }) => template),
  }));
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params }, { signal }) => ({
    contents: [await readResource(params.uri, client, signal)],
  }));
}

function offerPrompts(server: Server, prompts: readonly OfferedPrompt[], client: ServiceClient): void {
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: prompts.map(({ prompt }) => prompt) }));
  server.setRequestHandler(GetPromptRequestSchema, async ({ params }, { signal }) => {
    const found = prompts.find(({ prompt }) => prompt.name === params.name);
    if (found === undefined) {
      throw new ProtocolError(
        INVALID_PARAMS,
        notOffered(
          params.name,
          prompts.map(({ prompt }) => prompt),
          'prompts',
        ),
      );
    }
    const given = params.arguments ?? {};
    const missing = found.prompt.arguments?.find(
      ({ name, required }) => required === true && (given[name] ?? '') === '',
    );
    if (missing !== undefined) {
      throw new ProtocolError(INVALID_PARAMS, `the argument ${missing.name} is missing: ${missing.description}`);
    }
    const messages = await found.messages(given, client, signal);
    return { description: found.prompt.description, messages: [...messages] };
  });
  server.setRequestHandler(CompleteRequestSchema, async ({ params: { ref, argument } }, { signal }) => {
    const candidates =
      ref.type === 'ref/prompt'
        ? prompts.find(({ prompt }) => prompt.name === ref.name)?.candidates?.[argument.name]
        : RESOURCE_TEMPLATES.find(({ template }) => template.uriTemplate === ref.uri)?.candidates;
    return { completion: await completion(argument.value, candidates, client, signal) };
  });
}

/** The protocol allows no more values in one answer. */
const MAX_COMPLETIONS = 100;

/** Returns the candidates that begin with what was typed, or whose last part does: `PER` completes PUBLIC.PERSON. */
async function completion(
  typed: string,
  candidates: Candidates | undefined,
  client: ServiceClient,
  signal: AbortSignal,
): Promise<{ values: string[]; total: number; hasMore: boolean }> {
  const wanted = typed.toLowerCase();
  const all = (await candidates?.(client, signal)) ?? [];
  const found = all.filter((each) => {
    const name = each.toLowerCase();
    return name.startsWith(wanted) || name.slice(name.indexOf('.') + 1).startsWith(wanted);
  });
  return { values: found.slice(0, MAX_COMPLETIONS), total: found.length, hasMore: found.length > MAX_COMPLETIONS };
}

/** Returns the error of a tool or prompt that is not offered, with those that may be meant, or with all prompts. */
function notOffered(
  name: string,
  offered: ReadonlyArray<{ readonly name: string }>,
  kind: 'tools' | 'prompts',
  otherHint = '',
): string {
  const names = offered.map((each) => each.name);
  const near = nearestNames(name, names);
  const others = kind === 'prompts' ? `: ${names.join(', ')}` : otherHint;
  const hint = near.length > 0 ? `, did you mean ${near.join(', ')}?` : others;
  return `${name} is not among the ${kind} that svc mcp offers${hint}`;
}

/** Returns the tools that `--tools` names. Throws CommandLineError for others. */
function chosen(tools: readonly OfferedTool[], names: string | undefined): readonly OfferedTool[] {
  if (names === undefined) return tools;
  return names.split(',').map((each) => {
    const name = each.trim();
    const found = tools.find(({ tool }) => tool.name === name);
    if (found !== undefined) return found;
    const near = nearestNames(
      name,
      tools.map(({ tool }) => tool.name),
    );
    const hint = near.length > 0 ? `did you mean ${near.join(', ')}?` : 'svc help lists the commands';
    throw usageError(`--tools: ${name} is not offered (without --allow-writes, only tools that read are), ${hint}`);
  });
}

/** Calls a tool. The result is JSON, with all digits of its numbers, or the error. */
async function call(
  { call }: OfferedTool,
  given: Readonly<Record<string, unknown>>,
  client: ServiceClient,
  signal: AbortSignal,
): Promise<CallToolResult> {
  const inexact = inexactNumber(given);
  if (inexact !== undefined) return failure(inexact);
  try {
    return { content: [{ type: 'text', text: await call(given, client, signal) }] };
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
