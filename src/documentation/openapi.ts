/**
 * Generates the OpenAPI 3.1 document from the declarations: an operation for each command, at the path `/svc/NAME`.
 *
 * Its form is chosen for client generators: every parameter and response has a type, a request has one media type, and
 * no optional property has a `default`, which generators would make required. `x-commands` has the properties of
 * commands for which OpenAPI has no place.
 */

import { ERROR_PAGES } from '../base/error-object.ts';
import { IDEMPOTENCY_KEY_CHARACTERS } from '../base/limits.ts';
import type { RegisteredCommand } from '../commands/command.ts';
import { dates, numbers } from '../commands/params.ts';
import { COMMANDS } from '../commands/registry.ts';
import type { JsonSchema } from '../commands/reply.ts';
import type { NamedTables } from '../resources/tables.ts';
import { GROUPS, withServiceName } from './command-guide.ts';
import { type DescribedError, describedErrors, errorsOf } from './error-guide.ts';
import {
  answerSchema,
  commandOperation,
  ENVELOPE_MEMBERS,
  ENVELOPE_REQUIRED,
  methodOf,
  reference,
  requestSchema,
  schemaName,
  sharedParameters,
} from './openapi-commands.ts';
import type {
  CommandEntry,
  OpenApiDocument,
  OpenApiParameter,
  OpenApiResponse,
  Operation,
  PathItem,
  SecurityScheme,
} from './openapi-model.ts';
import { RESOURCE_FAILED, resourcePaths, rowSchemas } from './openapi-resources.ts';
import { describedTypes } from './type-guide.ts';

/** Whether errors are objects: for Ignite's requests, and for those whose command is in or next to a JSON body. */
export interface ErrorForms {
  readonly errorObjects: boolean;
  readonly json: { readonly errorObjects: boolean };
}

const USUAL_FORMS: ErrorForms = { errorObjects: false, json: { errorObjects: true } };

/**
 * Returns the document as JSON for a service whose endpoint is `/<serviceName>`. With tables, their rows have
 * separate paths.
 */
export function openApiDocument(serviceName: string, forms = USUAL_FORMS, tables?: NamedTables): string {
  return JSON.stringify(openApi(serviceName, forms, tables));
}

export function openApi(serviceName: string, forms = USUAL_FORMS, tables?: NamedTables): OpenApiDocument {
  const errors = describedErrors();
  const shared = sharedParameters(COMMANDS, serviceName);
  return {
    openapi: '3.1.0',
    info: {
      title: serviceName,
      version: newest(COMMANDS.map(({ since }) => since)),
      summary: 'A durable data grid with an HTTP API.',
      description:
        `Every command has the path \`/${serviceName}/NAME\`, which is the same as \`/${serviceName}?cmd=NAME\`, and ` +
        'returns the same envelope. Every command accepts GET and POST, and its parameters in the query string, a form ' +
        'body or a JSON object; this document shows one form. In a JSON object numbers keep their digits, `null` means ' +
        `absent, and \`arg1Type\` names the type of the first of \`args\`. Types: ${describedTypes(serviceName)
          .map(({ name }) => name)
          .join(', ')}, and names of custom types. Failed ` +
        'commands return HTTP 200 with a `successStatus` other than 0, unless the parameters are in a JSON body or ' +
        '`httpStatus=true` asks for a matching ' +
        'HTTP status.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The service that serves this document.' }],
    tags: [
      ...Object.entries(GROUPS).map(([name, description]) => ({ name, description })),
      { name: 'resource', description: 'Entries and rows by their addresses' },
      { name: 'operation', description: 'Health, metrics and this document' },
    ],
    // Any of these suffices, and none is needed if authentication is off.
    security: [
      {},
      { sessionToken: [] },
      { bearer: [] },
      { basic: [] },
      { login: [], password: [] },
      { certificate: [] },
    ],
    paths: {
      ...Object.fromEntries(
        COMMANDS.map((command) => [
          commandPath(command, serviceName),
          { [methodOf(command)]: commandOperation(command, serviceName, shared) },
        ]),
      ),
      ...resourcePaths(serviceName, tables),
      ...PAGES,
    },
    components: {
      schemas: { ...schemas(serviceName, forms), ...rowSchemas(tables) },
      parameters: { ...PARAMETERS, ...shared },
      responses: { ...responses(errors), ResourceFailed: RESOURCE_FAILED },
      securitySchemes: securitySchemes(serviceName),
    },
    'x-commands': Object.fromEntries(COMMANDS.map((command) => [command.name, commandEntry(command, serviceName)])),
    'x-errors': Object.fromEntries(
      errors.map(({ code, status, http, text, remedy }) => [code, { successStatus: status, http, text, remedy }]),
    ),
  };
}

/** Returns the highest of versions `major.minor.patch`. */
function newest(versions: readonly string[]): string {
  return versions.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1) ?? '0.0.0';
}

function commandPath({ name }: RegisteredCommand, serviceName: string): string {
  return `/${serviceName}/${name}`;
}

function commandEntry(command: RegisteredCommand, serviceName: string): CommandEntry {
  const { group, summary, since, access, needs } = command;
  return {
    group,
    summary: withServiceName(serviceName, summary),
    since,
    access,
    needs,
    operation: { $ref: `#/paths/${commandPath(command, serviceName).replaceAll('/', '~1')}/${methodOf(command)}` },
    answer: reference('schemas', `${schemaName(command)}Answer`),
    errors: errorsOf(command),
  };
}

/** Describes a page of the service, which needs no credentials unless it is closed. */
function page(
  operationId: string,
  summary: string,
  description: string,
  responses: Operation['responses'],
  { parameters, isClosed = false }: { readonly parameters?: Operation['parameters']; readonly isClosed?: boolean } = {},
): PathItem {
  const described = { operationId, tags: ['operation'], summary, description };
  const own = { ...described, ...(parameters !== undefined && { parameters }), responses };
  return { get: isClosed ? own : { ...own, security: [{}] } };
}

const UP: JsonSchema = { type: 'object', required: ['status'], properties: { status: { enum: ['up', 'down'] } } };
const UP_CONTENT = { 'application/json': { schema: UP } };
const HEALTH = {
  '200': { description: 'Up.', content: UP_CONTENT },
  '503': { description: 'Down.', content: UP_CONTENT },
};
const OBJECT = { 'application/json': { schema: { type: 'object' } } };
const HTML = { 'text/html': { schema: { type: 'string' } } };
const NOT_FOUND = { '404': reference('responses', 'Http404') };
const OBJECT_OR_HTML = { '200': { description: 'The page.', content: { ...OBJECT, ...HTML } }, ...NOT_FOUND };
const NEEDS_NOTHING = 'Needs no credentials.';

const PAGES: Readonly<Record<string, PathItem>> = {
  '/health/live': page('live', 'Reports that the process runs', NEEDS_NOTHING, HEALTH),
  '/health/ready': page(
    'ready',
    'Reports whether the service can process commands',
    'Down while the service starts or stops, while the cluster is inactive, and while writes fail. With `backup=true` also ' +
      'while the continuous backup does not ship.',
    HEALTH,
  ),
  '/metrics': page(
    'metrics',
    'Metrics for Prometheus',
    'Needs credentials if authentication is on.',
    {
      '200': { description: 'The metrics.', content: { 'text/plain': { schema: { type: 'string' } } } },
      '401': reference('responses', 'Http401'),
    },
    { isClosed: true },
  ),
  '/': page(
    'home',
    'Name, state and links of the service',
    'A page for browsers (`Accept: text/html`), JSON for `Accept: application/json`. Needs no credentials.',
    OBJECT_OR_HTML,
  ),
  '/openapi.json': page('openApiDocument', 'This document', NEEDS_NOTHING, {
    '200': { description: 'The document.', content: OBJECT },
  }),
  '/docs': page(
    'docsPage',
    'The commands in the console',
    'Leads there. Absent with `http.docs=false` and without the console.',
    { '302': { description: 'To the console.' }, ...NOT_FOUND },
  ),
  [`${ERROR_PAGES}/{code}`]: page(
    'errorPage',
    'What an error means and what to do about it',
    'A page for browsers (`Accept: text/html`), JSON otherwise. Needs no credentials.',
    OBJECT_OR_HTML,
    {
      parameters: [{ name: 'code', in: 'path', required: true, description: 'The code.', schema: { type: 'string' } }],
    },
  ),
};

const PARAMETERS: Readonly<Record<string, OpenApiParameter>> = {
  httpStatus: {
    name: 'httpStatus',
    in: 'query',
    description: 'Respond to a failed command with a matching HTTP status instead of 200.',
    schema: { type: 'boolean' },
  },
  numbers: {
    name: 'numbers',
    in: 'query',
    description: numbers.summary,
    schema: { type: 'string', enum: ['number', 'string'] },
  },
  dates: {
    name: 'dates',
    in: 'query',
    description: dates.summary,
    schema: { type: 'string', enum: ['text', 'iso'] },
  },
  idempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Executes the request once, however often it is sent with this key. The answers to retries have the header ' +
      '`Idempotent-Replayed: true`. See docs/idempotency.md.',
    schema: { type: 'string', minLength: 1, maxLength: IDEMPOTENCY_KEY_CHARACTERS },
  },
  signature: {
    name: 'X-Signature',
    in: 'header',
    description:
      'Required if the service has a secret key: the time in milliseconds, a colon, and the Base64 of the SHA-1 of ' +
      '`<time>:<key>`.',
    schema: { type: 'string', pattern: '^[0-9]+:[0-9A-Za-z+/]+=*$' },
  },
};

const ERROR: JsonSchema = {
  description: 'The error of an envelope as an object.',
  type: 'object',
  required: ['code', 'message', 'remedy', 'documentation'],
  properties: {
    code: { type: 'string', description: 'The code, also in the header `Error-Code`.' },
    message: { type: 'string', description: 'What went wrong.' },
    parameter: { type: 'string', description: 'The parameter that the error is about.' },
    position: { type: 'integer', format: 'int32', description: 'The character of the statement, from 1.' },
    remedy: { type: 'string', description: 'What to do instead.' },
    documentation: { type: 'string', description: 'Path of the page that explains the error.' },
  },
};

function schemas(serviceName: string, { errorObjects, json }: ErrorForms): Readonly<Record<string, JsonSchema>> {
  const envelope = { type: 'object', required: ENVELOPE_REQUIRED, properties: ENVELOPE_MEMBERS };
  const isOne = errorObjects === json.errorObjects;
  return {
    Error: ERROR,
    Envelope: isOne && !errorObjects ? envelope : withErrorObjects(envelope, !isOne),
    ...Object.fromEntries(
      COMMANDS.map((command) => {
        const hasObjects = hasJsonBody(command, serviceName) ? json.errorObjects : errorObjects;
        const schema = answerSchema(command);
        return [`${schemaName(command)}Answer`, hasObjects ? withErrorObjects(schema, false) : schema];
      }),
    ),
    ...Object.fromEntries(
      COMMANDS.flatMap((command) => [
        ...(hasJsonBody(command, serviceName)
          ? [[`${schemaName(command)}Request`, requestSchema(command, serviceName)]]
          : []),
      ]),
    ),
  };
}

/** Returns the schema of an envelope whose errors are objects, or optionally strings. */
function withErrorObjects(envelope: JsonSchema, orTexts: boolean): JsonSchema {
  const types = ['object', ...(orTexts ? ['string'] : []), 'null'];
  const error = { ...ERROR, description: 'What went wrong; null on success.', type: types };
  return { ...envelope, properties: { ...Object(envelope.properties), error } };
}

/** Reports whether the parameters of an operation are a JSON body. */
function hasJsonBody(command: RegisteredCommand, serviceName: string): boolean {
  return command.body !== 'stream' && commandOperation(command, serviceName, {}).requestBody !== undefined;
}

const HTTP_STATUSES = [...new Set(describedErrors().map(({ http }) => http))].sort((a, b) => a - b);

function responses(errors: readonly DescribedError[]): Readonly<Record<string, OpenApiResponse>> {
  return Object.fromEntries(
    HTTP_STATUSES.map((status): [string, OpenApiResponse] => {
      const own = errors.filter(({ http }) => http === status);
      return [
        `Http${status}`,
        {
          description: `For JSON bodies, with \`httpStatus=true\`, and when no command could run: ${own.map(({ code }) => code).join(', ')}.`,
          headers: { 'Error-Code': { description: 'The code of the error.', schema: { type: 'string' } } },
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Envelope' } } },
        },
      ];
    }),
  );
}

function securitySchemes(serviceName: string): Readonly<Record<string, SecurityScheme>> {
  return {
    sessionToken: {
      type: 'apiKey',
      in: 'query',
      name: 'sessionToken',
      description: 'The token of a session, in the query string or in the body.',
    },
    bearer: {
      type: 'http',
      scheme: 'bearer',
      description: 'The token of a session, an API key (apikeyadd), or a JSON Web Token of an identity provider.',
    },
    basic: { type: 'http', scheme: 'basic', description: 'Name and password; every request starts a session.' },
    login: {
      type: 'apiKey',
      in: 'query',
      name: `${serviceName}.login`,
      description: 'Name of the user, together with the password; also in the body.',
    },
    password: {
      type: 'apiKey',
      in: 'query',
      name: `${serviceName}.password`,
      description: 'Password of the user; send it in the body, because proxies log URLs.',
    },
    certificate: { type: 'mutualTLS', description: 'A client certificate whose subject maps to a user.' },
  };
}
