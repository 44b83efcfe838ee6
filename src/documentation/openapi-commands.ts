/** Describes each command in OpenAPI: the schemas of its request and response, and an operation. */
import { ERRORS } from '../base/errors.ts';
import { LIST_OF_NUMBERED } from '../base/json-parameters.ts';
import { acceptsKey, type RegisteredCommand, returnsRows } from '../commands/command.ts';
import type { JsonSchema } from '../commands/reply.ts';
import {
  batchUse,
  exampleRequest,
  PERMISSIONS,
  requestLines,
  TIME_TO_LIVE,
  type WireParameter,
  wireParameters,
  withServiceName,
} from './command-guide.ts';
import { errorsOf } from './error-guide.ts';
import type { MediaType, OpenApiParameter, OpenApiResponse, Operation, Reference } from './openapi-model.ts';

/** Parameters of every command beside `cmd`. */
const COMMON = ['sessionToken', 'httpStatus', 'numbers', 'dates'];

/** Returns the name of a command as a part of schema names: `Getput`. */
export function schemaName(command: RegisteredCommand): string {
  return command.name.charAt(0).toUpperCase() + command.name.slice(1);
}

export function reference(...path: readonly string[]): Reference {
  return { $ref: ['#/components', ...path].join('/') };
}

/** Returns a pattern that matches a numbered parameter with any number. */
function numberedPattern(name: string): string {
  return `^${name}[1-9][0-9]*$`;
}

/** Returns the schema of a parameter's value. Query strings and forms carry it as text. */
function parameterSchema(parameter: WireParameter): JsonSchema {
  const { kind, choices, defaultText } = parameter;
  switch (kind) {
    case 'string':
      return { type: 'string' };
    case 'typeName':
      return { type: 'string', default: 'string' };
    case 'value':
      return reference('schemas', 'ParameterValue');
    case 'long':
    case 'number':
      return { type: 'integer', format: 'int64', ...numericDefault(defaultText) };
    case 'integer':
      return { type: 'integer', format: 'int32', ...numericDefault(defaultText) };
    case 'boolean':
      return { type: 'boolean', ...(defaultText !== undefined && { default: defaultText === 'true' }) };
    case 'commands':
      return reference('schemas', 'BatchCommands');
    case 'choice':
      return { type: 'string', enum: choices ?? [] };
  }
}

function numericDefault(defaultText: string | undefined): JsonSchema {
  return defaultText === undefined ? {} : { default: Number(defaultText) };
}

function described(parameter: WireParameter, schema: JsonSchema): JsonSchema {
  const { summary, defaultText, kind } = parameter;
  const inWords = kind === 'string' && defaultText !== undefined ? ` Default: ${defaultText}.` : '';
  return { description: summary + inWords, ...schema };
}

/** Returns the schema of a request as an object, for JSON bodies, forms and query strings alike. */
export function requestSchema(command: RegisteredCommand, serviceName: string): JsonSchema {
  const parameters = wireParameters(command, serviceName);
  const plain = parameters.filter(({ numbered }) => !numbered);
  const numbered = parameters.filter((parameter) => parameter.numbered);
  const lists = numbered.map((parameter): [string, JsonSchema] => [
    LIST_OF_NUMBERED[parameter.name] ?? parameter.name,
    { type: 'array', items: parameterSchema(parameter), description: `In a JSON body: ${parameter.summary}` },
  ]);
  const patterns = numbered.flatMap((parameter): Array<[string, JsonSchema]> => {
    const own: [string, JsonSchema] = [
      numberedPattern(parameter.name),
      described(parameter, parameterSchema(parameter)),
    ];
    if (parameter.name !== 'arg') return [own];
    return [own, ['^arg[1-9][0-9]*Type$', { type: 'string', description: 'Type of the argument of that number.' }]];
  });
  return {
    title: command.name,
    description: withServiceName(serviceName, command.summary),
    type: 'object',
    required: ['cmd', ...plain.filter(({ required }) => required).map(({ name }) => name)],
    properties: {
      cmd: { type: 'string', const: command.name },
      ...Object.fromEntries(plain.map((each) => [each.name, described(each, parameterSchema(each))])),
      ...Object.fromEntries(lists),
    },
    ...(patterns.length > 0 && { patternProperties: Object.fromEntries(patterns) }),
  };
}

/** Returns the schema of the envelope with the `response` of the command. */
export function answerSchema(command: RegisteredCommand): JsonSchema {
  const { schema, summary } = command.reply;
  // Some commands always return null, which is also the response of a failure.
  const shape: JsonSchema = schema.type === 'null' ? schema : { anyOf: [schema, { type: 'null' }] };
  const response: JsonSchema = { description: `${summary} Null after a failure.`, ...shape };
  return {
    title: `Response of ${command.name}`,
    allOf: [reference('schemas', 'Envelope'), { properties: { response } }],
  };
}

function operationParameter(parameter: WireParameter): OpenApiParameter {
  const { name, numbered, summary, required } = parameter;
  if (!numbered) {
    const schema = parameterSchema(parameter);
    const { description } = described(parameter, {});
    return { name, in: 'query', description: String(description), ...(required && { required }), schema };
  }
  return {
    name,
    in: 'query',
    description: summary,
    ...(required && { required }),
    style: 'form',
    explode: true,
    schema: { type: 'object', patternProperties: { [numberedPattern(name)]: parameterSchema(parameter) } },
    example: { [`${name}1`]: 'a', [`${name}2`]: 'b' },
  };
}

/** Returns the parameters that more than two commands declare in the same words, by name. */
export function sharedParameters(
  commands: readonly RegisteredCommand[],
  serviceName: string,
): Readonly<Record<string, OpenApiParameter>> {
  const uses = new Map<string, { readonly parameter: OpenApiParameter; count: number }>();
  for (const parameter of commands.flatMap((each) => wireParameters(each, serviceName).map(operationParameter))) {
    const form = JSON.stringify(parameter);
    const use = uses.get(form);
    if (use === undefined) uses.set(form, { parameter, count: 1 });
    else use.count += 1;
  }
  const often = [...uses.values()].filter(({ count }) => count > 2).sort((a, b) => a.count - b.count);
  // If a name has several forms, the most frequent one comes last and wins.
  return Object.fromEntries(often.map(({ parameter }) => [parameter.name, parameter]));
}

/** Describes the command as an operation of the endpoint. */
export function commandOperation(
  command: RegisteredCommand,
  serviceName: string,
  shared: Readonly<Record<string, OpenApiParameter>>,
): Operation {
  const parameters = wireParameters(command, serviceName)
    .map(operationParameter)
    .map((own) => (Bun.deepEquals(shared[own.name], own) ? reference('parameters', own.name) : own));
  const cmd: OpenApiParameter = {
    name: 'cmd',
    in: 'query',
    description: 'The command.',
    required: true,
    schema: { type: 'string', const: command.name },
  };
  const request = exampleRequest(command.example, serviceName);
  return {
    operationId: command.name,
    tags: [command.group],
    summary: withServiceName(serviceName, command.summary),
    description:
      `Needs ${PERMISSIONS[command.needs]}. ${timeToLive(command)}In batches: ${batchUse(command)}. Since ${command.since}.\n\n` +
      `Example: \`${requestLines(request, serviceName)[0]}\``,
    ...(command.body === 'stream' && { requestBody: ROWS_BODY }),
    parameters: [
      cmd,
      ...parameters,
      ...COMMON.map((name) => reference('parameters', name)),
      ...(acceptsKey(command) ? [reference('parameters', 'idempotencyKey')] : []),
    ],
    responses: { '200': answerResponse(command), ...failureResponses(command) },
    ...(command.needs === 'open' && { security: [{}] }),
  };
}

function answerResponse(command: RegisteredCommand): OpenApiResponse {
  const { response } = command.example;
  const schema = reference('schemas', `${schemaName(command)}Answer`);
  const json: MediaType = response === undefined ? { schema } : { schema, example: successEnvelope(command, response) };
  const content = returnsRows(command) ? { 'application/json': json, ...ROW_FORMATS } : { 'application/json': json };
  return { description: command.reply.summary, content };
}

const ROWS_BODY: NonNullable<Operation['requestBody']> = {
  description: 'The rows, which are stored while they arrive. No limit of the size of a body applies.',
  required: true,
  content: {
    'text/csv': { schema: { type: 'string', description: 'CSV (RFC 4180).' } },
    'application/x-ndjson': { schema: { type: 'string', description: 'One JSON object per line.' } },
  },
};

const ROW_FORMATS: Readonly<Record<string, MediaType>> = {
  'application/x-ndjson': { schema: { type: 'string', description: 'Only the rows, one JSON text per line.' } },
  'text/csv': { schema: { type: 'string', description: 'Only the rows, as CSV.' } },
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

/** Returns the responses for the HTTP statuses that failures of the command can have. */
function failureResponses(command: RegisteredCommand): Record<string, Reference> {
  const statuses = new Set(errorsOf(command).map((code) => ERRORS[code].http));
  return Object.fromEntries(
    [...statuses].sort((a, b) => a - b).map((status) => [String(status), reference('responses', `Http${status}`)]),
  );
}

function timeToLive({ deadline }: RegisteredCommand): string {
  return deadline === undefined ? '' : `Time to live: ${TIME_TO_LIVE[deadline]}. `;
}
