/** Responds to requests for `/mcp`: the streamable HTTP transport of the Model Context Protocol, without sessions. */
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { preferredType } from '../base/accept.ts';
import { errorObject } from '../base/error-object.ts';
import { GridError, gridError } from '../base/errors.ts';
import { type Limits, MCP_BOUNDS } from '../base/limits.ts';
import {
  type CommandService,
  type Outcome,
  type ResourceRequest,
  textOutcome,
  withoutCredentials,
} from '../service/request.ts';
import { ConversionFailure } from '../values/conversion-failure.ts';
import { type JsonNode, readJson } from '../values/json.ts';
import { MemberReader } from '../values/json-parameters.ts';
import { INVALID_REQUEST, PARSE_ERROR } from './protocol-error.ts';
import { createMcpServer } from './server.ts';
import { type ToolClient, ToolFailure } from './tool-client.ts';

export interface McpDependencies {
  readonly service: Pick<CommandService, 'execute' | 'preAuthenticate' | 'findStructured'>;
  readonly serviceName: string;
  readonly version: string;
  readonly limits: Limits;
  /** Whether the types of JSON count for keys and values. */
  readonly typesJson: boolean;
  /** The scheme that clients use. */
  readonly scheme: 'http' | 'https';
  /** Returns the response to a request that is rejected with an error. */
  readonly reject: (error: GridError) => Outcome;
}

const JSON_TYPE = 'application/json';
/** Headers that the transport reads. */
const READ_HEADERS = ['content-type', 'mcp-protocol-version', 'mcp-session-id'];
/** The value that the transport demands of a client, although it always responds with JSON. */
const EVERY_ANSWER = 'application/json, text/event-stream';
const WORDS = { product: '/mcp', writes: '?allowWrites=true', tools: '?tools=NAME,NAME' };

/** Responds to a request. */
export async function answerMcp(dependencies: McpDependencies, request: ResourceRequest): Promise<Outcome> {
  const { reject, service } = dependencies;
  if (request.httpMethod !== 'POST') {
    return { ...reject(gridError('METHOD_NOT_ALLOWED', 'POST')), headers: { Allow: 'POST' } };
  }
  const sender = await (request.preAuthentication ?? service.preAuthenticate?.(request) ?? 'known');
  if (sender !== 'known') return reject(sender instanceof GridError ? sender : withoutCredentials(request));
  const accept = request.header('accept');
  if (accept !== null && preferredType(accept, [JSON_TYPE]) === undefined) {
    return refused(406, INVALID_REQUEST, `Invalid request: Accept must include ${JSON_TYPE}, not be ${accept}`);
  }
  const bytes = request.bodyBytes();
  if (bytes.length > MCP_BOUNDS.messageBytes) {
    return refused(413, INVALID_REQUEST, `Invalid request: the message has more than ${MCP_BOUNDS.messageBytes} bytes`);
  }
  let message: unknown;
  try {
    message = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    return refused(400, PARSE_ERROR, `Parse error: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!isMessage(message)) return refused(400, INVALID_REQUEST, 'Invalid request: the body is no JSON-RPC message');
  let server: Server;
  try {
    server = serverOf(dependencies, request);
  } catch (error) {
    if (error instanceof ToolFailure) return refused(400, INVALID_REQUEST, error.message);
    throw error;
  }
  return answerOf(server, request, message);
}

function isMessage(message: unknown): message is object {
  return typeof message === 'object' && message !== null && 'jsonrpc' in message && 'method' in message;
}

/** Returns the response to an invalid message, whose id is unknown (JSON-RPC 2.0, 5). */
function refused(http: number, code: number, message: string): Outcome {
  return { ...textOutcome(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } }), JSON_TYPE), http };
}

function serverOf(dependencies: McpDependencies, request: ResourceRequest): Server {
  const { serviceName, version, scheme } = dependencies;
  const query = new URLSearchParams(request.query);
  return createMcpServer({
    client: {
      url: `${scheme}://${request.header('host') ?? 'localhost'}/${serviceName}`,
      command: (name, parameters) => execute(dependencies, request, name, parameters),
    },
    serviceName,
    version,
    allowsWrites: query.get('allowWrites') === 'true',
    tools: query.get('tools') ?? undefined,
    words: WORDS,
  });
}

/** Lets a server respond to one message. Ends with the client's connection. */
async function answerOf(server: Server, request: ResourceRequest, message: object): Promise<Outcome> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  const headers = READ_HEADERS.flatMap((name) => {
    const value = request.header(name);
    return value === null ? [] : [[name, value] as const];
  });
  headers.push(['accept', EVERY_ANSWER]);
  const signal = request.signal();
  const gone = Promise.withResolvers<Response>();
  const leave = () => gone.resolve(new Response(null, { status: 204 }));
  signal.addEventListener('abort', leave);
  try {
    const sent = new Request('http://localhost/mcp', { method: 'POST', headers: Object.fromEntries(headers) });
    const answer = await Promise.race([transport.handleRequest(sent, { parsedBody: message }), gone.promise]);
    const text = await answer.text();
    return { ...textOutcome(text, text === '' ? '' : JSON_TYPE), http: answer.status };
  } finally {
    signal.removeEventListener('abort', leave);
    await server.close();
  }
}

/** Executes a command of the sender. Throws ToolFailure. */
async function execute(
  dependencies: McpDependencies,
  request: ResourceRequest,
  name: string,
  parameters: Parameters<ToolClient['command']>[1],
): Promise<{ readonly response: JsonNode }> {
  const { service } = dependencies;
  try {
    const types = typeof parameters === 'string' ? new Map<string, string>() : undefined;
    const params =
      typeof parameters === 'string'
        ? readParameters(dependencies, name, parameters, types)
        : new Map(Object.entries(parameters));
    const outcome = await service.execute(request.translated(name, params, 'json', types));
    if (outcome.successStatus !== 0) throw failureOf(outcome);
    return { response: readJson(await textOf(outcome)) };
  } catch (error) {
    throw error instanceof GridError ? new ToolFailure(JSON.stringify(errorObject(error))) : error;
  }
}

/** Returns the parameters in a JSON object. Throws GridError. */
function readParameters(
  { service: { findStructured }, limits, typesJson }: McpDependencies,
  name: string,
  text: string,
  types: Map<string, string> | undefined,
): ReadonlyMap<string, string> {
  const params = new Map([['cmd', name]]);
  try {
    const root = readJson(text);
    if (root.kind !== 'object') throw gridError('REQUEST_MALFORMED', 'the arguments must be an object');
    const counted = typesJson ? types : undefined;
    const reader = new MemberReader(params, text, limits.parametersPerRequest, counted);
    reader.readAll(root.members, findStructured);
    return params;
  } catch (error) {
    throw error instanceof ConversionFailure ? gridError('REQUEST_MALFORMED', error.reason) : error;
  }
}

function failureOf({ errorObject, error }: Outcome): ToolFailure {
  return new ToolFailure(errorObject === undefined ? (error ?? '') : JSON.stringify(errorObject));
}

/** Returns a command's result. Throws ToolFailure if it is long, or breaks off. */
async function textOf({ response, failWith }: Outcome): Promise<string> {
  let text = '';
  try {
    for await (const chunk of typeof response === 'string' ? [response] : response) {
      text += chunk;
      if (text.length > MCP_BOUNDS.resultCharacters) throw new ToolFailure(TOO_LONG);
    }
    return text;
  } catch (error) {
    const outcome = error instanceof ToolFailure ? undefined : failWith?.(error);
    throw outcome === undefined ? error : failureOf(outcome);
  }
}

const TOO_LONG = `the result has more than ${MCP_BOUNDS.resultCharacters} characters: ask for fewer rows or columns`;
