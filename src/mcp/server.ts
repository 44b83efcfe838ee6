/** A server of the Model Context Protocol over the commands of a service: tools, resources and prompts. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  CompleteRequestSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { nearestNames } from '../base/nearest.ts';
import { instructionsFor } from './instructions.ts';
import { type OfferedPrompt, PROMPTS } from './prompts.ts';
import { INVALID_PARAMS, ProtocolError } from './protocol-error.ts';
import { type Candidates, RESOURCE_TEMPLATES, readResource, tableResources } from './resources.ts';
import { sqlTools } from './sql-tools.ts';
import { type ToolClient, ToolFailure } from './tool-client.ts';
import {
  commandTool,
  inexactNumber,
  isUsual,
  isWritingTool,
  type OfferedTool,
  type OptionWords,
  offeredCommands,
} from './tools.ts';

export interface McpServerOptions {
  readonly client: ToolClient;
  readonly serviceName: string;
  readonly version: string;
  readonly allowsWrites: boolean;
  /** Comma-separated names of the tools to offer; `all`; undefined for the usual ones. */
  readonly tools: string | undefined;
  readonly words: OptionWords;
}

/** Creates a server, not yet connected to a transport. Throws ToolFailure if a tool does not exist. */
export function createMcpServer(options: McpServerOptions): Server {
  const { client, serviceName, version, allowsWrites, words } = options;
  const all = [
    ...sqlTools(serviceName, allowsWrites, words),
    ...offeredCommands(allowsWrites).map((each) => commandTool(each, serviceName, allowsWrites, words)),
  ];
  const tools = chosen(all, options);
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
  offerTools(server, { tools, all, options });
  offerResources(server, client);
  offerPrompts(
    server,
    PROMPTS.filter((each) => each.tools.every((name) => names.includes(name))),
    options,
  );
  return server;
}

interface Offer {
  readonly tools: readonly OfferedTool[];
  /** All tools that can be asked for. */
  readonly all: readonly OfferedTool[];
  readonly options: McpServerOptions;
}

function offerTools(server: Server, { tools, all, options }: Offer): void {
  const { client, allowsWrites, words } = options;
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.map(({ tool }) => ({ ...tool })) }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal }) => {
    const named = ({ tool }: OfferedTool) => tool.name === params.name;
    const found = tools.find(named);
    if (found !== undefined) return call(found, params.arguments ?? {}, client, signal);
    const isWrite = !allowsWrites && isWritingTool(params.name);
    const isOther = all.some(named);
    const hint = isWrite ? ` without ${words.writes}` : isOther ? `: ask for it with ${words.tools}` : '';
    const others = hint === '' ? tools.map(({ tool }) => tool) : [];
    return failure(notOffered(params.name, others, 'tools', words, hint));
  });
}

function offerResources(server: Server, client: ToolClient): void {
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

function offerPrompts(server: Server, prompts: readonly OfferedPrompt[], { client, words }: McpServerOptions): void {
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
          words,
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

/** The protocol allows no more values in one response. */
const MAX_COMPLETIONS = 100;

/** Returns the candidates that begin with the typed text, or whose last part does: `PER` completes PUBLIC.PERSON. */
async function completion(
  typed: string,
  candidates: Candidates | undefined,
  client: ToolClient,
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

/** Returns the error for a tool or prompt that is not offered, with those that may be meant, or with all prompts. */
function notOffered(
  name: string,
  offered: ReadonlyArray<{ readonly name: string }>,
  kind: 'tools' | 'prompts',
  { product }: OptionWords,
  otherHint = '',
): string {
  const names = offered.map((each) => each.name);
  const near = nearestNames(name, names);
  const others = kind === 'prompts' ? `: ${names.join(', ')}` : otherHint;
  const hint = near.length > 0 ? `, did you mean ${near.join(', ')}?` : others;
  return `${name} is not among the ${kind} that ${product} offers${hint}`;
}

/** Returns the requested tools, or the usual ones. Throws ToolFailure for others. */
function chosen(all: readonly OfferedTool[], { tools: names, words }: McpServerOptions): readonly OfferedTool[] {
  if (names === undefined) return all.filter(({ tool }) => isUsual(tool.name));
  if (names.trim() === 'all') return all;
  return names.split(',').map((each) => {
    const name = each.trim();
    const found = all.find(({ tool }) => tool.name === name);
    if (found !== undefined) return found;
    const near = nearestNames(
      name,
      all.map(({ tool }) => tool.name),
    );
    const hint = near.length > 0 ? `did you mean ${near.join(', ')}?` : 'svc help lists the commands';
    throw new ToolFailure(
      `${words.tools}: ${name} is not offered (without ${words.writes}, only tools that read are), ${hint}`,
    );
  });
}

/** Calls a tool. The result is JSON, with all digits of its numbers, or the error. */
async function call(
  { call }: OfferedTool,
  given: Readonly<Record<string, unknown>>,
  client: ToolClient,
  signal: AbortSignal,
): Promise<CallToolResult> {
  const inexact = inexactNumber(given);
  if (inexact !== undefined) return failure(inexact);
  try {
    return { content: [{ type: 'text', text: await call(given, client, signal) }] };
  } catch (error) {
    if (error instanceof ToolFailure) return failure(error.message);
    throw error;
  }
}

function failure(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text }] };
}
