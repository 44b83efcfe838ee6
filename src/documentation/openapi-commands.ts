/** Describes each command in OpenAPI: the schemas of its request and response, and an operation. */
import { ERRORS } from '../base/errors.ts';
import { acceptsKey, type BatchUse, type RegisteredCommand } from '../commands/command.ts';
import type { JsonSchema } from '../commands/reply.ts';
import { LIST_OF_NUMBERED } from '../values/json-parameters.ts';
import {
  batchUse,
  type ExampleRequest,
  exampleRequest,
  permissionOf,
  requestLines,
  requestParameters,
  TIME_TO_LIVE,
  type WireParameter,
  wireParameters,
  withServiceName,
} from './command-guide.ts';
import { errorsOf } from './error-guide.ts';
import type { MediaType, OpenApiParameter, OpenApiResponse, Operation, Reference } from './openapi-model.ts';

/**
 * Parameters of every command. Tokens and passwords are security schemes; `errors` is left out, because the document
 * describes only one form of errors, the service's.
 */
const COMMON = ['httpStatus', 'numbers', 'dates'];

/** Returns a command's name as part of schema names: `Getput`. */
export function schemaName(command: RegisteredCommand): string {
  return command.name.charAt(0).toUpperCase() + command.name.slice(1);
}

export function reference(...path: readonly string[]): Reference {
  return { $ref: ['#/components', ...path].join('/') };
}

/**
 * Returns a command's description in the document. Both methods execute every command: reads are GET, which proxies can
 * cache; writes, logins, and commands with lists or statements are POST with a JSON object.
 */
export function methodOf(command: RegisteredCommand): 'get' | 'post' {
  if (command.access === 'write' || command.batch === 'logsIn' || command.body === 'stream') return 'post';
  const isLong = Object.values(command.params).some(({ numbered, name }) => numbered || name === 'qry');
  return isLong ? 'post' : 'get';
}

/** Returns the schema of a parameter in a JSON object. */
function memberSchema({ kind, choices }: WireParameter): JsonSchema {
  switch (kind) {
    case 'string':
    case 'typeName':
      return { type: 'string' };
    case 'value':
      return {};
    case 'long':
    case 'number':
      return { type: 'integer', format: 'int64' };
    case 'integer':
      return { type: 'integer', format: 'int32' };
    case 'boolean':
      return { type: 'boolean' };
    case 'commands':
      return { type: 'array', items: { type: 'object', required: ['cmd'], properties: { cmd: { type: 'string' } } } };
    case 'choice':
      return { type: 'string', enum: choices ?? [] };
  }
}

/** Returns the schema of a parameter in a query string, where values are strings. */
function querySchema(parameter: WireParameter): JsonSchema {
  return parameter.kind === 'value' ? { type: 'string' } : memberSchema(parameter);
}

/**
 * Returns the meaning of a parameter. The default is in words, because generators require callers to set a property
 * with `default`.
 */
function describe({ summary, defaultText }: WireParameter): string {
  return defaultText === undefined ? summary : `${summary} Default: ${defaultText}.`;
}

/** Returns the schema of the JSON object that a POST request sends. */
export function requestSchema(command: RegisteredCommand, serviceName: string): JsonSchema {
  const parameters = wireParameters(command, serviceName);
  const members = parameters.map((parameter): [string, JsonSchema] => {
    const { name, numbered } = parameter;
    const description = describe(parameter);
    if (!numbered) return [name, { description, ...memberSchema(parameter) }];
    return [LIST_OF_NUMBERED[name] ?? name, { description, type: 'array', items: memberSchema(parameter) }];
  });
  const required = parameters
    .filter((each) => each.required)
    .map(({ name, numbered }) => (numbered ? (LIST_OF_NUMBERED[name] ?? name) : name));
  return {
    title: `${schemaName(command)}Request`,
    description: withServiceName(serviceName, command.summary),
    type: 'object',
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(members),
  };
}

/** Returns the schema of the envelope with the command's `response`. */
export function answerSchema(command: RegisteredCommand): JsonSchema {
  const { summary } = command.reply;
  const { affinityNodeId, response: _any, ...members } = ENVELOPE_MEMBERS;
  return {
    title: `${schemaName(command)}Answer`,
    type: 'object',
    required: ENVELOPE_REQUIRED,
    properties: {
      ...members,
      ...(command.reading === 'entry' && { affinityNodeId }),
      response: {
        description: `${summary} ${command.reply.failureResponse ?? 'Null after a failure.'}`,
        ...withFailure(command.reply),
      },
    },
  };
}

/**
 * Returns the schema of `response` after a success and after a failure. If a failure has a separate object, the schema
 * names no type: from a list or an object, and from `anyOf`, openapi-generator creates Java that does not compile.
 */
function withFailure({ schema, failureResponse }: RegisteredCommand['reply']): JsonSchema {
  return failureResponse === undefined ? nullable(schema) : {};
}

/**
 * Returns the schema that also accepts null, the response of a failure. A list of types instead of `anyOf`: generators
 * turn it into a property, and `anyOf` into a class for each command.
 */
function nullable(schema: JsonSchema): JsonSchema {
  const { type, const: _always, ...rest } = schema;
  if (type === undefined) return schema;
  const types = [type].flat();
  // No type instead of only null, which openapi-generator's Python client does not know.
  if (types.every((each) => each === 'null')) return rest;
  return { ...rest, type: types.includes('null') ? types : [...types, 'null'] };
}

/** The members of the envelope, docs/spec/contract.md 2.1, with the one that Ignite adds to it. */
export const ENVELOPE_MEMBERS = {
  successStatus: {
    type: 'integer',
    description:
      '0 success; 1 failure; 2 authorization failure; 3 security check failure; 4 (compatibility mode `reference` ' +
      'only) illegal argument.',
    minimum: 0,
    maximum: 4,
  },
  affinityNodeId: {
    type: ['string', 'null'],
    description: 'Id of the node that holds the key; only in successful responses.',
  },
  sessionToken: { type: ['string', 'null'], description: 'The token of the session; null without authentication.' },
  securitySubjectId: { type: ['string', 'null'], description: 'Id of the user; null without authentication.' },
  error: {
    type: ['string', 'null'],
    description: 'What went wrong; null on success. With `errors=object`, an object of the schema Error.',
  },
  response: { description: "The command's result; null after a failure." },
} as const satisfies Readonly<Record<string, JsonSchema>>;

export const ENVELOPE_REQUIRED = ['successStatus', 'sessionToken', 'securitySubjectId', 'error', 'response'] as const;

function operationParameter(parameter: WireParameter): OpenApiParameter {
  const { name, required } = parameter;
  const schema = querySchema(parameter);
  return { name, in: 'query', description: describe(parameter), ...(required && { required }), schema };
}

/** Returns the parameters in a command's query string. */
function queryParametersOf(command: RegisteredCommand, serviceName: string): readonly OpenApiParameter[] {
  const inBody = methodOf(command) === 'post' && command.body !== 'stream';
  return inBody ? [] : wireParameters(command, serviceName).map(operationParameter);
}

/** Returns the parameters that more than two commands declare in the same words, by name. */
export function sharedParameters(
  commands: readonly RegisteredCommand[],
  serviceName: string,
): Readonly<Record<string, OpenApiParameter>> {
  const uses = new Map<string, { readonly parameter: OpenApiParameter; count: number }>();
  for (const parameter of commands.flatMap((each) => queryParametersOf(each, serviceName))) {
    const form = JSON.stringify(parameter);
    const use = uses.get(form);
    if (use === undefined) uses.set(form, { parameter, count: 1 });
    else use.count += 1;
  }
  const often = [...uses.values()].filter(({ count }) => count > 2).sort((a, b) => a.count - b.count);
  // If a name has several forms, the most frequent one comes last and wins.
  return Object.fromEntries(often.map(({ parameter }) => [parameter.name, parameter]));
}

/** Describes the command as an operation of its path. */
export function commandOperation(
  command: RegisteredCommand,
  serviceName: string,
  shared: Readonly<Record<string, OpenApiParameter>>,
): Operation {
  const parameters = queryParametersOf(command, serviceName).map((own) =>
    Bun.deepEquals(shared[own.name], own) ? reference('parameters', own.name) : own,
  );
  const request = exampleRequest(command.example, serviceName);
  const body = bodyOf(command, serviceName);
  return {
    operationId: command.name,
    tags: [command.group],
    summary: withServiceName(serviceName, command.summary),
    description:
      `Needs ${permissionOf(command)}. ${timeToLive(command)}In batches: ${batchUse(command)}. ` +
      `Since ${command.since}.${command.returnsRows ? ROWS : ''}\n\n` +
      exampleText(request, command, serviceName),
    ...(body !== undefined && { requestBody: body }),
    parameters: [
      ...parameters,
      ...COMMON.filter((name) => name !== 'numbers' || !hasExactResponse(command)).map((name) =>
        reference('parameters', name),
      ),
      ...(acceptsKey(command) ? [reference('parameters', 'idempotencyKey')] : []),
    ],
    responses: { '200': answerResponse(command), ...failureResponses(command) },
    ...(command.needs === 'open' && { security: [{}] }),
  };
}

/** Returns an example's request as JSON, and as a query string; only the latter if its body consists of rows. */
function exampleText(request: ExampleRequest, command: RegisteredCommand, serviceName: string): string {
  const [query = ''] = requestLines(request, serviceName);
  if (request.body !== undefined) return `Example: \`${query}\``;
  const json = JSON.stringify({ cmd: command.name, ...requestParameters(request, command, serviceName) });
  return `Example: \`POST /${serviceName}\` with \`${json}\`, or \`${query}\``;
}

const ROWS = ' With the header `Accept: application/x-ndjson` or `text/csv`, the response is only the rows, as lines.';

/** Reports whether the response is a whole number, which `numbers=string` would turn into a string. */
function hasExactResponse({ reply: { schema } }: RegisteredCommand): boolean {
  return schema.format === 'int64';
}

/** Returns the body of the operation. One media type, because generators create a method for each. */
function bodyOf(command: RegisteredCommand, serviceName: string): Operation['requestBody'] {
  if (command.body === 'stream') return ROWS_BODY;
  if (methodOf(command) === 'get' || wireParameters(command, serviceName).length === 0) return undefined;
  const required = wireParameters(command, serviceName).some((each) => each.required);
  const schema = reference('schemas', `${schemaName(command)}Request`);
  return { description: 'The parameters.', required, content: { 'application/json': { schema } } };
}

function answerResponse(command: RegisteredCommand): OpenApiResponse {
  const { response } = command.example;
  const schema = reference('schemas', `${schemaName(command)}Answer`);
  const json: MediaType = response === undefined ? { schema } : { schema, example: successEnvelope(command, response) };
  const content = { 'application/json': json, ...OTHER_CONTENT[command.batch] };
  return { description: command.reply.summary, content };
}

const ROW_FORMATS: Readonly<Record<string, MediaType>> = {
  'application/x-ndjson': { schema: { type: 'string', description: 'Only the rows, one JSON text per line.' } },
  'text/csv': { schema: { type: 'string', description: 'Only the rows, as CSV.' } },
};

/** Responses that commands return without an envelope. Queries return rows only to clients that ask for them. */
const OTHER_CONTENT: { readonly [U in BatchUse]?: Readonly<Record<string, MediaType>> } = {
  returnsRows: ROW_FORMATS,
  returnsChanges: {
    'application/x-ndjson': { schema: { type: 'string', description: 'One JSON object per line.' } },
    'text/event-stream': { schema: { type: 'string', description: 'Server-sent events.' } },
  },
  returnsBytes: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
};

const ROWS_BODY: NonNullable<Operation['requestBody']> = {
  description: 'The rows, which are stored while they arrive. No limit of the size of a body applies.',
  required: true,
  content: {
    'text/csv': { schema: { type: 'string', description: 'CSV (RFC 4180).' } },
    'application/x-ndjson': { schema: { type: 'string', description: 'One JSON object per line.' } },
    // For generators that know no media types for rows, such as openapi-python-client.
    'application/octet-stream': {
      schema: { type: 'string', format: 'binary', description: 'Rows in the `format` of the query string.' },
    },
  },
};

/** Returns the envelope of a successful response without authentication. */
function successEnvelope(command: RegisteredCommand, response: unknown) {
  const byKey = Object.values(command.params).some(({ name }) => name === 'key');
  const node = byKey ? { affinityNodeId: '5b0e2c0a-3f1d-4c5b-9e7a-0123456789ab' } : { affinityNodeId: null };
  return {
    successStatus: 0,
    ...(command.reading === 'entry' && node),
    sessionToken: null,
    securitySubjectId: null,
    error: null,
    response,
  };
}

/** Returns the responses for the HTTP statuses that the command's failures can have. */
function failureResponses(command: RegisteredCommand): Record<string, Reference> {
  const statuses = new Set(errorsOf(command).map((code) => ERRORS[code].http));
  return Object.fromEntries(
    [...statuses].sort((a, b) => a - b).map((status) => [String(status), reference('responses', `Http${status}`)]),
  );
}

function timeToLive({ deadline }: RegisteredCommand): string {
  return deadline === undefined ? '' : `Time to live: ${TIME_TO_LIVE[deadline]}. `;
}
